import { exec } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { defineTool } from "./tool.js";

const run = promisify(exec);
const ALLOWED = ["ls", "wc", "head", "date"];

export const shell = defineTool({
  name: "shell",
  description: `Runs a command line. It has to begin with one of: ${ALLOWED.join(", ")}.`,
  input: z.object({ command: z.string().max(500) }),
  parameters: {
    type: "object",
    properties: { command: { type: "string" } },
    required: ["command"],
    additionalProperties: false,
  },
  needsApproval: false,
  async run({ command }) {
    if (!ALLOWED.includes(command.split(" ")[0] ?? "")) {
      return "this command is not allowed";
    }
    const { stdout } = await run(command, { timeout: 5_000, maxBuffer: 64 * 1024 });
    return stdout;
  },
});

import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { defineTool } from "./tool.js";

const FOLDER = "reports";

export const writeReport = defineTool({
  name: "write_report",
  description: "Writes a markdown file into the folder of reports. An existing file is replaced.",
  input: z.object({ name: z.string().regex(/^[\w-]+\.md$/), text: z.string().max(100_000) }),
  parameters: {
    type: "object",
    properties: { name: { type: "string" }, text: { type: "string" } },
    required: ["name", "text"],
    additionalProperties: false,
  },
  needsApproval: false,
  async run({ name, text }) {
    await mkdir(FOLDER, { recursive: true });
    const file = join(FOLDER, basename(name));
    await writeFile(file, text, "utf8");
    return `written to ${file}`;
  },
});

import { appendFile } from "node:fs/promises";
import { z } from "zod";
import { defineTool } from "./tool.js";

export const refund = defineTool({
  name: "refund",
  description: "Pays money back for an order. A person is asked first.",
  input: z.object({ order: z.string(), cents: z.number().int().positive().max(50_000), reason: z.string() }),
  parameters: {
    type: "object",
    properties: { order: { type: "string" }, cents: { type: "integer" }, reason: { type: "string" } },
    required: ["order", "cents", "reason"],
    additionalProperties: false,
  },
  needsApproval: true,
  async run({ order, cents, reason }) {
    await appendFile("refunds.jsonl", `${JSON.stringify({ order, cents, reason, at: new Date().toISOString() })}\n`);
    return `refund of ${cents} cents for order ${order} is on its way`;
  },
});

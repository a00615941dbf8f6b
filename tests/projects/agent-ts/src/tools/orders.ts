import { readFile } from "node:fs/promises";
import { z } from "zod";
import { defineTool } from "./tool.js";

const Order = z.object({ id: z.string(), customer: z.string(), cents: z.number().int(), state: z.string() });

export const findOrder = defineTool({
  name: "find_order",
  description: "Looks an order up by its number.",
  input: z.object({ order: z.string() }),
  parameters: {
    type: "object",
    properties: { order: { type: "string" } },
    required: ["order"],
    additionalProperties: false,
  },
  needsApproval: false,
  async run({ order }) {
    const orders = z.array(Order).parse(JSON.parse(await readFile("orders.json", "utf8")));
    const found = orders.find((candidate) => candidate.id === order);
    return found ? JSON.stringify(found) : `there is no order ${order}`;
  },
});

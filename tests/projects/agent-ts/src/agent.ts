import OpenAI from "openai";
import type { Approve } from "./approval.js";
import { log } from "./log.js";
import { findOrder } from "./tools/orders.js";
import { refund } from "./tools/refund.js";
import { writeReport } from "./tools/report.js";
import { shell } from "./tools/shell.js";
import type { Tool } from "./tools/tool.js";

const MODEL = "gpt-4.1-2025-04-14";
const MAX_STEPS = 8;
const INSTRUCTIONS =
  "You work at the order desk. Look an order up before you say anything about it. Refund only what the customer paid.";

export const TOOLS: readonly Tool[] = [findOrder, writeReport, shell, refund];

type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;
type Call = OpenAI.Chat.Completions.ChatCompletionMessageToolCall;

/** Works on a task until the model has nothing more to do, or the steps are used up. */
export async function work(client: OpenAI, task: string, approve: Approve): Promise<string> {
  const messages: Message[] = [
    { role: "system", content: INSTRUCTIONS },
    { role: "user", content: task },
  ];
  for (let step = 1; step <= MAX_STEPS; step += 1) {
    const message = await next(client, messages, step);
    messages.push(message);
    if (!message.tool_calls?.length) {
      return message.content ?? "";
    }
    for (const call of message.tool_calls) {
      messages.push({ role: "tool", tool_call_id: call.id, content: await use(call, approve) });
    }
  }
  return `I stopped after ${MAX_STEPS} steps.`;
}

async function next(client: OpenAI, messages: Message[], step: number) {
  try {
    const completion = await client.chat.completions.create({
      model: MODEL,
      messages,
      tools: TOOLS.map(({ name, description, parameters }) => ({
        type: "function" as const,
        function: { name, description, parameters },
      })),
    });
    const choice = completion.choices[0];
    if (!choice) {
      throw new Error("the model gave no choice");
    }
    log.info({ step, finish: choice.finish_reason, usage: completion.usage }, "model answered");
    return choice.message;
  } catch (error) {
    log.error({ step, error }, "model call failed");
    throw error;
  }
}

export async function use(call: Call, approve: Approve): Promise<string> {
  if (call.type !== "function") {
    return "only functions can be called";
  }
  const tool = TOOLS.find((candidate) => candidate.name === call.function.name);
  if (!tool) {
    return `there is no tool ${call.function.name}`;
  }
  let input: unknown;
  try {
    input = tool.input.parse(JSON.parse(call.function.arguments));
  } catch {
    return "the input does not fit the tool";
  }
  if (tool.needsApproval && !(await approve(tool.name, input))) {
    return "a person refused this";
  }
  log.info({ tool: tool.name, input }, "tool used");
  try {
    return await tool.run(input);
  } catch (error) {
    log.warn({ tool: tool.name, error }, "tool failed");
    return "the tool failed";
  }
}

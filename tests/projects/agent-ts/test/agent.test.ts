import assert from "node:assert/strict";
import { test } from "node:test";
import type OpenAI from "openai";
import { use, work } from "../src/agent.js";

function fakeClient(...replies: unknown[]): OpenAI {
  const create = async () => ({ choices: [{ message: replies.shift(), finish_reason: "stop" }] });
  return { chat: { completions: { create } } } as unknown as OpenAI;
}

const refundCall = {
  id: "call-1",
  type: "function" as const,
  function: { name: "refund", arguments: JSON.stringify({ order: "4711", cents: 1200, reason: "broken" }) },
};

test("a refund that a person refuses is not paid", async () => {
  assert.equal(await use(refundCall, async () => false), "a person refused this");
});

test("the agent answers without tools when it needs none", async () => {
  assert.equal(await work(fakeClient({ role: "assistant", content: "Hello" }), "hi", async () => false), "Hello");
});

test("an unknown tool is answered, not thrown", async () => {
  const call = { ...refundCall, function: { name: "teleport", arguments: "{}" } };
  assert.equal(await use(call, async () => true), "there is no tool teleport");
});

test("the fake has the shape of the client", async () => {
  const client = fakeClient({ role: "assistant", content: "ok" });
  const completion = await client.chat.completions.create({ model: "none", messages: [] });
  assert.equal(completion.choices[0]?.message.content, "ok");
});

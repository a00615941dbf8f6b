#!/usr/bin/env node
import OpenAI from "openai";
import { work } from "./agent.js";
import { askAtTheKeyboard } from "./approval.js";

const task = process.argv.slice(2).join(" ").trim();
if (!task) {
  process.stderr.write("usage: order-desk <what to do>\n");
  process.exit(2);
}

const answer = await work(new OpenAI({ maxRetries: 2, timeout: 60_000 }), task, askAtTheKeyboard);
process.stdout.write(`${answer}\n`);

import { createInterface } from "node:readline/promises";
import { log } from "./log.js";

export type Approve = (tool: string, input: unknown) => Promise<boolean>;

/** Puts the question to the person at the keyboard; everything but a typed "yes" is a no. */
export const askAtTheKeyboard: Approve = async (tool, input) => {
  const keyboard = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await keyboard.question(`Approve ${tool} ${JSON.stringify(input)}? Type yes: `);
    const approved = answer.trim() === "yes";
    log.info({ tool, input, approved }, "approval");
    return approved;
  } finally {
    keyboard.close();
  }
};

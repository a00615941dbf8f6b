import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { Agent } from "agent-base";
import prompts from "prompts";

/** All requests of a branch leave through the gateway. */
class BranchAgent extends Agent {
  constructor(private readonly gateway: string) {
    super();
  }

  async connect(): Promise<Socket> {
    return connect(8060, this.gateway);
  }
}

const agent = new BranchAgent("gateway.example.org");

export async function askForBranch(): Promise<string> {
  const { branch } = await prompts({ type: "text", name: "branch", message: "Which branch?" });
  return branch;
}

export function generateText(branch: string, done: (text: string) => void): void {
  const outgoing = request({ agent, host: "office.example.org", path: `/v1/messages?branch=${branch}` }, (incoming) => {
    let text = "";
    incoming.on("data", (piece) => (text += piece));
    incoming.on("end", () => done(text));
  });
  outgoing.end();
}

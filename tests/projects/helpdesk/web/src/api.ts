import { z } from "zod";

export const Turn = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.string(),
});
export type Turn = z.infer<typeof Turn>;

const API = "http://localhost:8000";

/** Sends the conversation and hands over the answer piece by piece. */
export async function* ask(conversation: string, turns: Turn[], signal: AbortSignal): AsyncGenerator<string> {
  const response = await fetch(`${API}/chat`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ conversation, turns }),
    signal,
  });
  if (!response.ok || !response.body) {
    throw new Error(`the service answered ${response.status}`);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    yield value;
  }
}

/** Conversations of an earlier visit, as far as they can still be read. */
export function restore(stored: string | null): Turn[] {
  if (!stored) {
    return [];
  }
  try {
    const parsed = z.array(Turn).safeParse(JSON.parse(stored));
    return parsed.success ? parsed.data : [];
  } catch {
    return [];
  }
}

import { nanoid } from "nanoid";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { ask, restore, type Turn } from "./api";

const STORAGE = "helpdesk.turns";
const GREETING = "Hi, I'm Mia from customer service. How can I help you today?";

export function ChatPage() {
  const conversation = useRef(nanoid());
  const running = useRef<AbortController | null>(null);
  const [turns, setTurns] = useState<Turn[]>(() => restore(sessionStorage.getItem(STORAGE)));
  const [draft, setDraft] = useState("");
  const [error, setError] = useState<string | null>(null);

  useEffect(() => {
    sessionStorage.setItem(STORAGE, JSON.stringify(turns));
  }, [turns]);

  useEffect(() => () => running.current?.abort(), []);

  async function send(event: FormEvent) {
    event.preventDefault();
    const question = draft.trim();
    if (!question || running.current) {
      return;
    }
    const asked: Turn[] = [...turns, { role: "user", content: question }];
    setTurns(asked);
    setDraft("");
    setError(null);
    running.current = new AbortController();
    try {
      let answer = "";
      for await (const piece of ask(conversation.current, asked, running.current.signal)) {
        answer += piece;
        setTurns([...asked, { role: "assistant", content: answer }]);
      }
    } catch {
      setError("Your message could not be delivered. Please try again.");
    } finally {
      running.current = null;
    }
  }

  return (
    <main className="chat">
      <header>
        <img src="/mia.jpg" alt="Mia" width={48} height={48} />
        <h1>Mia, customer service</h1>
      </header>
      <ol aria-live="polite">
        <li className="assistant">{GREETING}</li>
        {turns.map((turn, index) => (
          <li key={index} className={turn.role}>
            {turn.content}
          </li>
        ))}
      </ol>
      {error && <p role="alert">{error}</p>}
      <form onSubmit={send}>
        <label htmlFor="question">Your question</label>
        <textarea id="question" value={draft} onChange={(event) => setDraft(event.target.value)} />
        <button type="submit">Send</button>
      </form>
    </main>
  );
}

// Live events of the engine.

import { el, fill } from "../dom.js";
import { notice, place, view } from "../parts.js";
import { on, state } from "../state.js";
import { moment, number, t, word } from "../text.js";

const SHOWN_MAX = 200;

export function eventsView(root) {
  let paused = false;
  const pause = el("button", { type: "button", "aria-pressed": "false", onclick: toggle }, t("events.pause"));
  const clear = el("button", { type: "button", onclick: () => { state.events.length = 0; draw(); } }, t("events.clear"));
  const shown = view(t("events.title"), t("events.lead"), pause, clear);
  const list = el("ol", { class: "actions" });
  const empty = notice("", t("events.none"));
  shown.append(empty, el("div", { role: "log", "aria-label": t("events.title") }, list));
  root.append(shown);

  function toggle() {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = paused ? t("events.resume") : t("events.pause");
    if (!paused) draw();
  }

  function draw() {
    empty.hidden = state.events.length > 0;
    list.hidden = !state.events.length;
    fill(list, state.events.slice(0, SHOWN_MAX).map(row));
  }

  draw();
  return on("event", () => { if (!paused) draw(); });
}

function row(event) {
  return el("li", {}, el("span", { class: "rank", "aria-hidden": "true" }, MARK[event.type] ?? "•"), el("div", {}, el("h3", {}, word("event", event.type)), detail(event)), el("time", { class: "soft small nowrap do", datetime: event.timestamp }, moment(event.timestamp)));
}

const MARK = { "scan.complete": "⟳", "score.update": "±", "gate.pass": "✓", "gate.fail": "✕", "fix.applied": "✎", "agent.created": "+", "evidence.appended": "⛓" };

function detail(event) {
  switch (event.type) {
    case "scan.complete": return el("p", {}, t("events.scan", { score: number(event.score), findings: event.findings, ms: Math.round(event.elapsed) }));
    case "score.update": return el("p", {}, t("events.score", { before: number(event.before), after: number(event.after) }), " ", el("span", { class: "soft" }, event.reason));
    case "gate.pass":
    case "gate.fail": return el("p", {}, t("events.gate", { n: event.newFindings }));
    case "fix.applied": return el("p", {}, event.undo ? t("events.undo", { id: String(event.fixId) }) : t("events.fix", { id: String(event.fixId) }), " ", el("code", {}, event.checkId), " ", event.files.map((file) => [place(file), " "]));
    case "agent.created": return el("p", {}, event.name);
    case "evidence.appended": return el("p", {}, t("events.evidence", { n: String(event.seq), type: word("entry", event.entryType) }), " ", el("code", {}, event.hash.slice(0, 16)));
    default: return null;
  }
}

// Dates: what applies today, what comes, and what would apply on another day.

import { post } from "../api.js";
import { el, fill, said } from "../dom.js";
import { card, facts, field, problem, tag, view, workButton } from "../parts.js";
import { projectPath, state } from "../state.js";
import { day, number, t } from "../text.js";

export function timelineView(root) {
  const { scan } = state;
  const shown = view(t("timeline.title"), t("timeline.lead", { day: day(scan.asOf), version: scan.regulationVersion }));
  shown.append(card(t("timeline.next"), dates(scan)), whatIf(scan));
  root.append(shown);
}

function dates(scan) {
  const groups = new Map();
  for (const item of scan.upcoming) {
    if (!groups.has(item.appliesFrom)) groups.set(item.appliesFrom, []);
    groups.get(item.appliesFrom).push(item);
  }
  const inForce = scan.systems.flatMap((system) => system.obligations.filter(({ applies }) => applies === "applies").map((item) => ({ ...item, systems: [system.name] })));
  const points = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  const past = points.filter(([date]) => date <= scan.asOf);
  const coming = points.filter(([date]) => date > scan.asOf);
  return el(
    "ol",
    { class: "dates" },
    el("li", { class: "past" }, el("h3", {}, t("timeline.today", { day: day(scan.asOf) })), inForce.length ? el("details", {}, el("summary", {}, t("timeline.inForce", { n: inForce.length })), list(inForce)) : el("p", {}, t("timeline.inForce", { n: 0 })),
      past.length ? el("details", {}, el("summary", {}, t("timeline.open", { n: past.reduce((sum, [, items]) => sum + items.length, 0) })), past.map(([, items]) => items).flat().length ? list(past.flatMap(([, items]) => items)) : null) : null),
    coming.map(([date, items]) => el("li", {}, el("h3", {}, day(date)), group(items.filter(({ certain }) => certain), "timeline.certain", true), group(items.filter(({ certain }) => !certain), "timeline.uncertain", items.length <= 6))),
    coming.length ? null : el("li", {}, el("p", { class: "soft" }, t("timeline.nothing"))),
  );
}

function group(items, title, open) {
  return items.length ? el("details", { open }, el("summary", {}, t(title, { n: items.length })), list(items)) : null;
}

function list(items) {
  return el("ul", {}, items.map((item) => el("li", {}, el("a", { href: `#/systems?o=${item.obligationId}` }, said(item.title)), el("span", { class: "soft small" }, ` ${item.article} · ${item.systems.join(", ")}`))));
}

function whatIf(scan) {
  const input = el("input", { type: "date", required: true, value: "2027-12-02", min: "2024-08-01", max: "2040-12-31" });
  const outcome = el("div", { class: "stack", "aria-live": "polite" });
  const run = workButton(t("timeline.compare"), async () => {
    if (!input.reportValidity()) return;
    try {
      fill(outcome, comparison(await post("/whatif", { path: projectPath(), type: "date", params: { to: input.value } })));
    } catch (error) {
      fill(outcome, problem(error));
    }
  });
  return card(t("timeline.whatif"), el("p", {}, t("timeline.whatifText")), el("div", { class: "fields" }, field(t("timeline.day"), input)), el("div", { class: "buttons" }, run), outcome);
}

function comparison(reply) {
  const names = (items) => (items.length ? el("ul", {}, items.slice(0, 100).map((item) => el("li", {}, said(item.title), el("span", { class: "soft small" }, ` ${item.article} · ${item.system}`)))) : el("p", { class: "soft" }, t("none")));
  return [
    said(reply.change, "p", { class: "strong" }),
    facts([
      [t("timeline.applies"), t("fixes.scores", { before: number(reply.before.obligations.applies), after: number(reply.after.obligations.applies) })],
      [t("score.now"), t("fixes.scores", { before: number(reply.before.score), after: number(reply.after.score) })],
    ]),
    el("h3", {}, tag("medium", t("timeline.added", { n: reply.obligationsAdded.length }))), names(reply.obligationsAdded),
    el("h3", {}, tag("info", t("timeline.removed", { n: reply.obligationsRemoved.length }))), names(reply.obligationsRemoved),
  ];
}

// All fixes: those that are possible, and those that were made.

import { post } from "../api.js";
import { el, fill, said } from "../dom.js";
import { card, confirm, diffBlock, load, notice, place, tag, toast, view, workButton } from "../parts.js";
import { projectPath, scan } from "../state.js";
import { moment, number, t, word } from "../text.js";
import { fixCard, loadFixes, undoButton } from "../fixing.js";

export function fixesView(root) {
  const body = el("div", { class: "view", "data-keeps-itself": true });
  const refresh = () => load(body, loadFixes, (fixes) => show(fixes, refresh));
  const shown = view(t("fixes.title"), t("fixes.lead"));
  shown.append(body);
  root.append(shown);
  refresh();
}

function show({ preview, history }, refresh) {
  return [possible(preview, refresh), unfixed(preview.unfixedFindings), made(history, refresh)];
}

function possible(preview, refresh) {
  const safe = preview.fixes.filter((fix) => fix.safe).length;
  const outcome = el("div", {});
  const all = workButton(t("fixes.applyAll", { n: safe }), async () => {
    if (!(await confirm(t("fixes.applyAllConfirm"), el("p", {}, t("fixes.applyAllText", { n: safe })), t("fix.apply")))) return;
    const { summary } = await post("/fix/apply-all", { path: projectPath(), projectPath: projectPath() });
    toast("good", t("fixes.applyAllDone", summary));
    await scan();
    refresh();
  });
  return card(
    t("fixes.possible", { n: preview.count }),
    preview.count ? el("p", {}, t("fixes.projected", { now: number(preview.scores.current), then: number(preview.scores.projected) })) : el("p", { class: "soft" }, t("fixes.none")),
    safe ? el("div", { class: "buttons" }, all, el("span", { class: "soft small" }, t("fixes.safeHint"))) : preview.count ? el("p", {}, t("fixes.noSafe")) : null,
    outcome,
    preview.fixes.map((fix) => {
      const inner = el("div", { class: "stack" });
      const details = el("details", {}, el("summary", {}, said(fix.description), el("span", { class: "under-summary" }, place(fix.file, fix.line))), inner);
      details.addEventListener("toggle", () => { if (details.open && !inner.firstChild) fill(inner, fixCard(fix)); });
      return details;
    }),
  );
}

function unfixed(findings) {
  if (!findings.length) return null;
  return card(null, el("details", {}, el("summary", {}, t("fixes.unfixed", { n: findings.length })), el("ul", { class: "stack" }, findings.slice(0, 200).map((finding) => el(
    "li",
    {},
    el("a", { href: `#/findings?id=${encodeURIComponent(finding.findingId)}` }, finding.checkId),
    finding.file ? el("span", { class: "soft small" }, ` ${finding.file}:${finding.line}`) : null,
    said(finding.reason, "p", { class: "soft small" }),
  )))));
}

const STATUS = { applied: "good", undone: "info", rolled_back: "medium" };

function made(history, refresh) {
  if (!history.fixes.length) return card(t("fixes.history"), el("p", { class: "soft" }, t("fixes.noHistory")));
  return card(t("fixes.history"), history.fixes.map((entry) => {
    const outcome = el("div", {});
    return el(
      "article",
      { class: "stack" },
      el("div", { class: "heading" }, said(`${entry.id}. ${entry.description}`, "h3"), tag(STATUS[entry.status] ?? "info", word("fixStatus", entry.status))),
      el("p", { class: "meta" }, el("span", {}, moment(entry.timestamp)), el("span", {}, t("fixes.scores", { before: number(entry.scoreBefore), after: number(entry.scoreAfter) }))),
      el("details", {}, el("summary", {}, t("diff")), diffBlock(entry.diff)),
      entry.canUndo ? el("div", { class: "buttons" }, undoButton(entry.id, outcome, refresh)) : entry.status === "applied" && entry.whyNot ? notice("", said(entry.whyNot, "p")) : null,
      outcome,
    );
  }));
}

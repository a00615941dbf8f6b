// A fix: preview, apply, undo. Nothing is changed without a confirmation.

import { get, post } from "./api.js";
import { el, fill, said } from "./dom.js";
import { confirm, diffBlock, notice, problem, toast, workButton } from "./parts.js";
import { projectPath, scan } from "./state.js";
import { number, t } from "./text.js";

/** A button that shows the fix of a finding, and what can then be done with it. */
export function fixPanel(preview) {
  const panel = el("div", { class: "stack" });
  const button = workButton(t("fix.preview"), async () => {
    const fix = await preview();
    fill(panel, fixCard(fix));
    panel.querySelector("h3").focus();
  }, { class: "primary" });
  panel.append(button);
  return panel;
}

/** One previewed fix with its diff and the button that applies it. */
export function fixCard(fix) {
  const root = el("section", { class: "stack" });
  const outcome = el("div", { class: "stack" });
  const apply = workButton(t("fix.apply"), async () => {
    const yes = await confirm(
      t("fix.confirm"),
      [el("p", {}, t("fix.confirmText", { n: fix.files.length })), el("ul", {}, fix.files.map((file) => el("li", {}, el("code", {}, file)))), warningList(fix.manual, t("fix.manual"))],
      t("fix.apply"),
    );
    if (!yes) return;
    const result = await post("/fix/apply", { path: projectPath(), findingId: fix.findingId, checkId: fix.checkId, fixId: fix.fixId });
    if (!result.applied) {
      fill(outcome, notice("bad", t("fix.failed"), said(result.error ?? "", "p")));
      return;
    }
    apply.hidden = true;
    root.setAttribute("data-keeps-itself", "");
    fill(outcome, notice("good", t("fix.applied", { before: number(result.scoreBefore), after: number(result.scoreAfter) }), warningList(result.warnings), undoButton(result.fixId, outcome)));
    toast("good", t("fix.appliedShort"));
    scan();
  }, { class: "primary" });
  root.append(
    el("h3", { tabindex: "-1" }, t("fix.title")),
    said(fix.description, "p"),
    el("p", { class: "meta" }, el("span", {}, t("fix.impact", { impact: fix.scoreImpact })), el("span", {}, fix.safe ? t("fix.safe") : t("fix.unsafe")), fix.aiGenerated ? el("span", {}, t("fix.ai")) : null),
    diffBlock(fix.diff, t("fix.diffOf", { file: fix.file })),
    warningList(fix.manual, t("fix.manual")) ?? "",
    el("div", { class: "buttons" }, apply),
    outcome,
  );
  return root;
}

function warningList(texts, title = t("fix.warnings")) {
  return texts?.length ? el("div", { class: "tight" }, el("p", { class: "strong" }, title), el("ul", {}, texts.map((text) => said(text, "li")))) : null;
}

/** A button that takes a fix back. */
export function undoButton(id, outcome, after = () => {}) {
  const button = workButton(t("fix.undo"), async () => {
    if (!(await confirm(t("fix.undoConfirm"), el("p", {}, t("fix.undoText")), t("fix.undo")))) return;
    try {
      const result = await post("/fix/undo", { path: projectPath(), id });
      fill(outcome, notice("good", t("fix.undone", { before: number(result.scoreBefore), after: number(result.scoreAfter) })));
      toast("good", t("fix.undoneShort"));
      await scan();
      after();
    } catch (error) {
      outcome.append(problem(error));
    }
  });
  return button;
}

/** The fixes that are possible now, and those that were made. */
export async function loadFixes() {
  const path = projectPath();
  const [preview, history] = await Promise.all([get("/fix/preview", { path }), get("/fix/history", { path, limit: 100 })]);
  return { preview, history };
}

// The score and its arithmetic, so that a reader can do it again by hand.

import { el, said } from "../dom.js";
import { card, notice, statusTag, table, view } from "../parts.js";
import { state } from "../state.js";
import { number, t } from "../text.js";

export function scoreView(root) {
  const { score, obligations, systems, applicability } = state.scan;
  const shown = view(t("score.title"), t("score.lead"));
  if (applicability === "no_ai_found") shown.append(notice("", t("score.noAiText")));
  else if (!score.assessed) shown.append(notice("warn", t("score.notAssessedText")));
  const titles = new Map([...obligations, ...systems.flatMap((system) => system.obligations)].map((item) => [item.obligationId, item.title]));
  shown.append(
    sum("compliance", score, titles),
    sum("readiness", score, titles),
    card(t("score.coverage"), el("p", {}, t("score.coverageText", { n: score.evaluated, of: score.applicable, percent: number(score.coverage) })), el("p", { class: "soft" }, t("score.gradeText"))),
    score.caps.length ? card(t("score.caps"), el("ul", {}, score.caps.map((cap) => el("li", {}, t("score.cap", { n: cap.cap }), " ", said(cap.reason))))) : "",
    card(t("score.security"), el("p", {}, score.security === null ? t("score.noSecurity") : `${number(score.security)} ${t("of100")}`), el("p", { class: "soft" }, t("score.securityText"))),
    categories(score),
    card(t("score.formula"), said(score.formula, "p", { class: "soft" })),
  );
  root.append(shown);
}

/** The terms that a number is made of. Optional terms count only where they raise the result. */
export function termsOf(score, which) {
  const flag = which === "compliance" ? "inCompliance" : "inReadiness";
  const all = score.breakdown.filter((term) => term[flag] && term.value !== null);
  const firm = all.filter((term) => !term.optional);
  return mean(firm) > mean(all) ? firm : all;
}

export function mean(terms) {
  const weight = terms.reduce((total, term) => total + term.weight, 0);
  return weight ? (100 * terms.reduce((total, term) => total + term.weight * term.value, 0)) / weight : 0;
}

function sum(which, score, titles) {
  const terms = termsOf(score, which);
  const weight = terms.reduce((total, term) => total + term.weight, 0);
  const points = terms.reduce((total, term) => total + term.weight * term.value, 0);
  const value = score[which];
  const columns = [
    { label: t("obligation"), cell: (term) => [said(titles.get(term.obligationId) ?? term.obligationId), el("span", { class: "soft small" }, ` ${term.article}`)] },
    { label: t("system"), cell: (term) => term.system },
    { label: t("status"), cell: (term) => statusTag(term.value === 1 ? "evidenced" : term.value === 0 ? "gap" : "incomplete") },
    { label: t("score.weight"), right: true, cell: (term) => number(term.weight) },
    { label: t("score.value"), right: true, cell: (term) => number(term.value) },
    { label: t("score.points"), right: true, cell: (term) => number(term.weight * term.value, 2) },
  ];
  const foot = el("tr", {}, el("th", { scope: "row", colspan: 3 }, t("score.sum")), el("td", { class: "right", "data-label": t("score.weight") }, number(weight, 2)), el("td", { class: "right" }), el("td", { class: "right", "data-label": t("score.points") }, number(points, 2)));
  return card(
    t(`score.${which}`),
    el("p", {}, t(`score.${which}Text`)),
    terms.length
      ? [el("p", { class: "number" }, el("span", { class: "strong" }, t("score.line", { points: number(points, 2), weight: number(weight, 2), value: number(value) })), score.caps.length && which === "compliance" ? ` ${t("score.capped")}` : ""),
        el("details", { open: which === "compliance" && terms.length <= 30 }, el("summary", {}, t("score.terms", { n: terms.length })), table(t("score.termsCaption"), columns, terms, { foot, hideCaption: true }))]
      : el("p", { class: "soft" }, t("score.noTerms")),
  );
}

function categories(score) {
  if (!score.categoryScores.length) return "";
  return card(t("score.categories"), table(t("score.categories"), [
    { label: t("score.category"), cell: (row) => said(row.category) },
    { label: t("status.evidenced"), right: true, cell: (row) => t("ofCount", { n: row.passedCount, of: row.obligationCount }) },
    { label: t("score.weight"), right: true, cell: (row) => number(row.weight) },
    { label: t("score.result"), right: true, cell: (row) => number(row.score) },
  ], score.categoryScores, { hideCaption: true }));
}

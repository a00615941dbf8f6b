// Findings: filter, read with the code around them, fix.

import { post } from "../api.js";
import { el, fill, paused, said } from "../dom.js";
import { codeBlock, evidenceList, facts, notice, place, select, severityTag, view } from "../parts.js";
import { rowList } from "../rows.js";
import { projectPath, state } from "../state.js";
import { day, number, t, word } from "../text.js";
import { fixPanel } from "../fixing.js";

const SEVERITIES = ["critical", "high", "medium", "low"];
const filter = { text: "", severities: new Set(), type: "open", layer: "", system: "" };

export function findingsView(root, params) {
  const { scan } = state;
  const shown = view(t("findings.title"), t("findings.lead"));
  const detail = el("div", { class: "detail card", "aria-live": "off" });
  const split = el("div", { class: "split" });
  const list = rowList(t("findings.list"), row, (finding) => open(finding, true));
  const count = el("p", { class: "soft small", role: "status" });
  const words = new Map(scan.findings.map((finding) => [finding, haystack(finding)]));
  let chosen = scan.byId.get(params.get("id")) ?? null;
  if (chosen) relax(chosen);

  function apply() {
    const found = scan.findings.filter((finding) => matches(finding, words));
    list.set(found, found.includes(chosen) ? chosen : null);
    count.textContent = t("findings.count", { n: found.length, of: scan.findings.length });
  }

  function open(finding, focus) {
    chosen = finding;
    split.setAttribute("data-open", "");
    history.replaceState(null, "", `#/findings?id=${encodeURIComponent(finding.id)}`);
    fill(detail, el("button", { type: "button", class: "back small-button", onclick: back }, `← ${t("findings.back")}`), findingDetail(finding));
    detail.scrollTop = 0;
    if (focus) detail.querySelector("h2").focus({ preventScroll: matchMedia("(min-width: 60rem)").matches });
  }

  function back() {
    split.removeAttribute("data-open");
    list.focus();
  }

  fill(detail, el("p", { class: "soft" }, t("findings.choose")));
  split.append(el("div", { class: "list" }, list.element), detail);
  shown.append(filters(scan, apply, count), split);
  root.append(shown);
  apply();
  if (chosen) open(chosen, false);
  return () => list.close();
}

/** A finding that a link leads to must not be hidden by an earlier filter. */
function relax(finding) {
  filter.text = "";
  filter.severities.clear();
  filter.layer = "";
  filter.system = "";
  filter.type = finding.type === "pass" ? "all" : "open";
}

function haystack(finding) {
  return [finding.title, finding.message, finding.file, finding.checkId, finding.obligationId, finding.explanation?.article].join("\n").toLowerCase();
}

function matches(finding, words) {
  if (filter.type === "open" && finding.type === "pass") return false;
  if (filter.type !== "open" && filter.type !== "all" && finding.type !== filter.type) return false;
  if (filter.severities.size && !(finding.type !== "pass" && filter.severities.has(finding.severity))) return false;
  if (filter.layer && finding.layer !== filter.layer) return false;
  if (filter.system && finding.system !== filter.system) return false;
  return !filter.text || filter.text.split(/\s+/).every((part) => words.get(finding).includes(part));
}

function filters(scan, apply, count) {
  const search = el("input", { type: "search", class: "search", "aria-label": t("findings.search"), placeholder: t("findings.search"), value: filter.text });
  search.addEventListener("input", paused(100, () => { filter.text = search.value.trim().toLowerCase(); apply(); }));
  const choice = (name, label, options) => {
    const box = select(options, filter[name], { "aria-label": label });
    box.addEventListener("change", () => { filter[name] = box.value; apply(); });
    return box;
  };
  const chips = SEVERITIES.map((severity) => {
    const input = el("input", { type: "checkbox", checked: filter.severities.has(severity) });
    input.addEventListener("change", () => {
      if (input.checked) filter.severities.add(severity);
      else filter.severities.delete(severity);
      apply();
    });
    return el("label", { class: "chip" }, input, word("severity", severity));
  });
  const layers = [...new Set(scan.findings.map(({ layer }) => layer))].sort();
  return el(
    "div",
    { class: "filters", role: "search" },
    el(
      "div",
      { class: "line" },
      search,
      choice("type", t("findings.type"), [["open", t("type.open")], ["fail", t("type.fails")], ["info", t("type.infos")], ["pass", t("type.passes")], ["all", t("type.all")]]),
      choice("layer", t("findings.layer"), [["", t("findings.allLayers")], ...layers.map((layer) => [layer, word("layer", layer)])]),
      scan.systems.length > 1 ? choice("system", t("system"), [["", t("findings.allSystems")], ...scan.systems.map(({ id, name }) => [id, name])]) : null,
    ),
    el("div", { class: "line" }, el("fieldset", { class: "chips" }, el("legend", { class: "unseen" }, t("findings.severity")), chips), count),
  );
}

function row(finding) {
  const foreign = document.documentElement.lang === "en" ? null : "en";
  return [
    severityTag(finding),
    el("span", { class: "stackless" },
      el("span", { class: "title", lang: foreign }, finding.title),
      el("span", { class: "under" }, [shortPlace(finding), finding.explanation?.article].filter(Boolean).join(" · ")),
    ),
  ];
}

/** A long path is cut in the middle; the finding itself shows the whole. */
function shortPlace({ file, line }) {
  if (!file) return null;
  const place = line ? `${file}:${line}` : file;
  const most = 44;
  if (place.length <= most) return place;
  return `${place.slice(0, most / 2 - 6)}…${place.slice(-(most / 2 + 5))}`;
}

function findingDetail(finding) {
  const { explanation } = finding;
  return el(
    "article",
    { class: "stack" },
    said(finding.title, "h2", { tabindex: "-1" }),
    el("p", { class: "meta" }, severityTag(finding), el("span", {}, word("type", finding.type)), place(finding.file, finding.line), finding.cell ? t("findings.cell", { n: finding.cell }) : null),
    said(finding.message, "p"),
    finding.suppressed ? notice("", el("p", {}, t("findings.suppressed")), said(finding.suppressed.reason, "p")) : null,
    finding.codeContext ? codeBlock(finding.codeContext, t("findings.code", { file: finding.file })) : null,
    finding.fix ? [el("h3", {}, t("findings.todo")), said(finding.fix, "p")] : null,
    finding.fixable ? fixPanel(() => post("/fix/preview", { path: projectPath(), findingId: finding.id, checkId: finding.checkId })) : null,
    el("h3", {}, t("findings.law")),
    explanation
      ? facts([
        [t("article"), said(explanation.article)],
        [t("appliesFrom"), explanation.appliesFrom ? day(explanation.appliesFrom) : null],
        [t("because"), explanation.why ? said(explanation.why) : null],
        [t("penalty"), explanation.penalty ? said(explanation.penalty) : null],
      ])
      : el("p", { class: "soft" }, t("findings.noLaw")),
    el("h3", {}, t("findings.evidence")),
    evidenceList(finding.evidence),
    facts([
      [t("findings.impact"), finding.impact ? word("impact", finding.impact) : null],
      [t("system"), finding.system],
      [t("findings.confidence"), t("findings.confidenceValue", { n: number(finding.confidence), level: word("level", finding.confidenceLevel) })],
      [t("findings.layer"), word("layer", finding.layer)],
      [t("findings.check"), el("code", {}, finding.checkId)],
      [t("obligation"), finding.obligationId ? el("a", { href: `#/systems?o=${finding.obligationId}` }, finding.obligationId) : null],
    ]),
  );
}

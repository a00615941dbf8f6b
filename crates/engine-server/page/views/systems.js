// The AI systems of the project: what they are, and which obligations they have.

import { el, said } from "../dom.js";
import { appliesTag, card, evidenceList, facts, notice, place, statusTag, tag, view } from "../parts.js";
import { state } from "../state.js";
import { day, number, t, word } from "../text.js";

const CLASS_TONES = { prohibited: "critical", high: "high", limited: "low", minimal: "good", unknown: "info" };
const GROUPS = ["gap", "incomplete", "not_evaluated", "evidenced", "undetermined", "upcoming", "does_not_apply"];
const OPEN_AT_FIRST = new Set(["gap", "incomplete"]);

export function systemsView(root, params) {
  const { scan } = state;
  const shown = view(t("systems.title"), t("systems.lead"));
  if (!scan.systems.length) {
    shown.append(notice("", el("h2", {}, word("applicability", scan.applicability)), said(scan.applicabilityReason, "p")));
  }
  shown.append(...scan.systems.map(systemCard));
  root.append(shown);
  const wanted = params.get("o");
  const target = wanted ? root.querySelector(`[data-obligation="${CSS.escape(wanted)}"]`) : null;
  if (target) {
    for (let box = target; box; box = box.parentElement.closest("details")) box.open = true;
    target.scrollIntoView({ block: "center" });
    setTimeout(() => target.querySelector("summary").focus({ preventScroll: true }));
  }
}

function groupOf(obligation) {
  return obligation.applies === "applies" ? obligation.status : obligation.applies;
}

function systemCard(system) {
  const groups = new Map(GROUPS.map((name) => [name, []]));
  for (const obligation of system.obligations) groups.get(groupOf(obligation))?.push(obligation);
  return card(
    system.name,
    el("p", { class: "meta" },
      tag(CLASS_TONES[system.riskClass] ?? "info", t("systems.class", { class: word("class", system.riskClass) })),
      tag("info", t("systems.role", { role: word("role", system.role) })),
      system.questions.length ? el("a", { href: "#/questions" }, t("systems.questions", { n: system.questions.length })) : null,
    ),
    facts([
      [t("systems.classBasis"), said(system.riskBasis)],
      [t("systems.roleBasis"), said(system.roleBasis)],
      [t("systems.scope"), system.scope ? el("code", {}, system.scope) : t("systems.scopeAll")],
      [t("systems.entry"), system.entryPoints.length ? el("ul", { class: "tight" }, system.entryPoints.slice(0, 12).map((entry) => el("li", {}, `${entry.name} `, place(entry.file, entry.line)))) : null],
      [t("systems.providers"), system.providers],
      [t("systems.models"), system.models.length ? system.models.map((model, index) => [index ? ", " : "", el("code", {}, model)]) : null],
      [t("systems.seen"), system.seen?.length ? el("ul", { class: "tight" }, system.seen.map((text) => said(text, "li"))) : null],
      [t("systems.files"), system.files.length ? fileList(system.files) : null],
    ]),
    el("div", { class: "buttons" }, el("a", { class: "button small-button", href: `#/questions?q=${encodeURIComponent(`${system.id}.purpose`)}` }, t("systems.describe"))),
    el("h3", {}, t("systems.obligations")),
    [...groups].filter(([, list]) => list.length).map(([name, list]) => group(system, name, list)),
  );
}

function fileList(files) {
  return files.length <= 6
    ? el("ul", { class: "tight" }, files.map((file) => el("li", {}, place(file))))
    : el("details", {}, el("summary", {}, t("files", { n: files.length })), el("ul", { class: "tight" }, files.slice(0, 300).map((file) => el("li", {}, place(file)))));
}

function group(system, name, obligations) {
  return el(
    "details",
    { open: OPEN_AT_FIRST.has(name) },
    el("summary", {}, t(`group.${name}`), " ", el("span", { class: "soft number" }, `(${number(obligations.length)})`)),
    el("div", { class: "stack obligations" }, obligations.map((obligation) => obligationRow(system, obligation))),
  );
}

function obligationRow(system, obligation) {
  const findings = state.scan.findings.filter((finding) => finding.obligationId === obligation.obligationId && finding.type !== "pass" && (!finding.system || finding.system === system.id)).slice(0, 10);
  return el(
    "details",
    { class: "obligation", "data-obligation": obligation.obligationId },
    el("summary", {}, said(obligation.title), " ", el("span", { class: "soft small" }, `${obligation.article} · ${obligation.obligationId}`)),
    el(
      "div",
      { class: "stack" },
      el("p", { class: "meta" }, appliesTag(obligation.applies), obligation.applies === "applies" ? statusTag(obligation.status) : null, obligation.appliesFrom ? el("span", {}, t("appliesFromDay", { day: day(obligation.appliesFrom) })) : null),
      said(obligation.because, "p"),
      obligation.question ? el("p", {}, said(obligation.question), " ", el("a", { href: `#/questions?q=${encodeURIComponent(`${system.id}.${obligation.questionId ?? ""}`)}` }, t("action.answer"))) : null,
      obligation.evidence.length ? evidenceList(obligation.evidence) : null,
      findings.length ? el("ul", { class: "tight" }, findings.map((finding) => el("li", {}, el("a", { href: `#/findings?id=${encodeURIComponent(finding.id)}` }, said(finding.title)), " ", place(finding.file, finding.line)))) : null,
    ),
  );
}

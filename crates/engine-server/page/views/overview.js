// What to do, in the order in which a person should act.

import { el, said } from "../dom.js";
import { busy, card, inSteps, notice, place, tag, view } from "../parts.js";
import { openFindings, projectName, state } from "../state.js";
import { day, moment, number, t, word } from "../text.js";

const KINDS = ["fix_now", "duty", "decide", "prepare"];
const SHOWN_AT_FIRST = { fix_now: 25, duty: 25, decide: 25, prepare: 6 };

/** The last scan in short, while the project is scanned again. */
export function earlierView(posture) {
  const shown = view(t("overview.title"), t("overview.earlier", { time: moment(posture.scannedAt) }));
  const rows = posture.topActions.map((action) => el(
    "li",
    {},
    el("span", { class: "rank", "aria-hidden": "true" }, action.rank),
    el("div", {}, said(action.title, "h3"), action.severity === "info" ? null : el("p", { class: "meta" }, tag(action.severity, word("severity", action.severity)))),
  ));
  shown.append(
    el("div", { class: "notice" }, busy(t("scan.first", { project: projectName() })), el("p", { class: "soft" }, t("scan.meanwhile"))),
    el("dl", { class: "figures" }, scoreFigure(posture.score, posture.score.evaluated === 0), coverageFigure(posture.score)),
    rows.length ? el("section", { class: "section" }, el("header", {}, el("h2", {}, t("overview.first"))), el("ol", { class: "actions" }, rows)) : "",
  );
  return shown;
}

export function overviewView(root) {
  const { scan } = state;
  const lead = t("overview.lead", { time: moment(scan.scannedAt), files: scan.filesScanned, day: day(scan.asOf) });
  root.append(page(scan, lead));
}

function page(scan, lead) {
  const shown = view(t("overview.title"), lead);
  if (scan.applicability !== "systems_found") {
    shown.append(notice(scan.applicability === "no_ai_found" ? "good" : "warn", el("h2", {}, word("applicability", scan.applicability)), said(scan.applicabilityReason, "p")));
  }
  shown.append(figures(scan));
  for (const kind of KINDS) {
    const actions = scan.actions.filter((action) => action.kind === kind);
    if (actions.length) shown.append(section(kind, actions));
  }
  if (!scan.actions.length) shown.append(notice("good", t("overview.nothing")));
  if (scan.filesSkippedTotal) shown.append(skipped(scan));
  shown.append(said(scan.disclaimer, "p", { class: "soft small" }));
  return shown;
}

function figure(name, value, under) {
  return el("div", {}, el("dt", {}, name), el("dd", {}, value), under ? el("dd", {}, under) : null);
}

function scoreFigure(score, silent, why = null) {
  const value = score.assessed && !silent ? [number(score.compliance), el("span", { class: "of" }, ` ${t("of100")}`)] : t("score.notAssessed");
  return figure(t("score.now"), value, [why ?? (score.grade ? t("score.grade", { grade: score.grade }) : score.evaluated ? t("score.noGrade") : t("score.nothing")), " · ", el("a", { href: "#/score" }, t("score.how"))]);
}

function coverageFigure(score) {
  return figure(t("score.coverage"), t("score.evaluated", { n: score.evaluated, of: score.applicable }), t("score.coverageHint"));
}

function figures(scan) {
  const { score, gate } = scan;
  const noAi = scan.applicability === "no_ai_found";
  const open = openFindings(scan);
  return el(
    "dl",
    { class: "figures" },
    scoreFigure(score, noAi, noAi ? t("score.noAi") : null),
    coverageFigure(score),
    figure(t("overview.gaps"), number(open.length), severities(open)),
    figure(t("overview.gate"), gate ? word("gate", gate.verdict) : "–", gateHint(gate)),
  );
}

/** Why the gate has its verdict, or else what it allows. */
function gateHint(gate) {
  if (gate?.verdict === "not_assessed") return t("gate.answer");
  if (gate?.reasons?.[0]) return said(gate.reasons[0]);
  const limit = gate?.threshold?.newFindings;
  return limit ? t("gate.limit", { n: limit.max, severity: word("severity", limit.severity).toLowerCase() }) : null;
}

function severities(open) {
  const counts = {};
  for (const finding of open) counts[finding.severity] = (counts[finding.severity] ?? 0) + 1;
  const known = ["critical", "high", "medium", "low"].filter((severity) => counts[severity]);
  return known.length ? known.map((severity) => `${number(counts[severity])} ${word("severity", severity).toLowerCase()}`).join(", ") : t("overview.noGaps");
}

function section(kind, actions) {
  const id = `actions-${kind}`;
  const list = el("ol", { class: "actions" });
  return el(
    "section",
    { class: "section", "aria-labelledby": id },
    el("header", {}, el("h2", { id }, t(`action.${kind}`)), el("p", {}, t(`action.${kind}.lead`))),
    inSteps(actions, item, list, SHOWN_AT_FIRST[kind]),
  );
}

function item(action) {
  return el(
    "li",
    {},
    el("span", { class: "rank", "aria-hidden": "true" }, action.rank),
    el(
      "div",
      {},
      said(action.title, "h3"),
      el(
        "p",
        { class: "meta" },
        action.severity && action.severity !== "info" ? tag(action.severity, word("severity", action.severity)) : null,
        action.article ? said(action.article) : null,
        action.until ? el("span", {}, t("action.until", { day: day(action.until) })) : null,
        place(action.place),
      ),
      said(action.why, "p", { class: "how" }),
      instruction(action),
    ),
    el("div", { class: "do" }, next(action)),
  );
}

/** What to do. For a question, the number of duties that depend on it: its view has the effect of each answer. */
function instruction(action) {
  if (action.question) {
    const asked = state.scan.systems.flatMap(({ questions }) => questions).filter(({ key }) => key === action.question);
    const decides = asked.reduce((sum, question) => sum + question.decides, 0);
    if (decides) return el("p", { class: "how soft" }, t("questions.decides", { n: decides }));
  }
  return action.how ? said(action.how, "p", { class: "how soft" }) : null;
}

function next(action) {
  const link = (href, label) => el("a", { class: "button small-button", href, "aria-label": `${label}: ${action.title}` }, label);
  if (action.question) return link(`#/questions?q=${encodeURIComponent(action.question)}`, t("action.answer"));
  if (action.findings?.length) return link(`#/findings?id=${encodeURIComponent(action.findings[0])}`, t("action.finding"));
  const kind = /\(`([a-z0-9-]+)`\)/.exec(action.how ?? "")?.[1];
  if (kind) return link(`#/documents?type=${encodeURIComponent(kind)}`, t("action.document"));
  if (action.obligations?.length) return link(`#/systems?o=${encodeURIComponent(action.obligations[0])}`, t("action.obligation"));
  return null;
}

function skipped(scan) {
  const rows = scan.filesSkipped.map(({ path, reason }) => el("li", {}, place(path), " · ", word("skip", reason)));
  return card(null, el("details", {}, el("summary", {}, t("overview.skipped", { n: scan.filesSkippedTotal })), el("ul", { class: "tight" }, rows)));
}

// Evaluations of a live endpoint: start one, watch it, read the results with their intervals.

import { get, stream } from "../api.js";
import { announce, el, fill, said } from "../dom.js";
import { card, confirm, facts, field, inSteps, load, notice, problem, select, table, tag, view, workButton } from "../parts.js";
import { projectPath } from "../state.js";
import { moment, number, percent, t, word } from "../text.js";

const MODES = ["det", "llm", "security", "full"];

export function evaluationsView(root) {
  const shown = view(t("evals.title"), t("evals.lead"));
  const progress = el("div", { class: "view" });
  const result = el("div", { class: "view" });
  const past = el("div", { class: "stack" });
  const run = { abort: null };
  const refresh = () => load(past, () => get("/eval/list", { path: projectPath(), limit: 30 }), (list) => runs(list, result));
  shown.append(form(run, progress, result, refresh), progress, result, card(t("evals.past"), past));
  root.append(shown);
  refresh();
  return () => run.abort?.abort();
}

function form(run, progress, result, refresh) {
  const target = el("input", { type: "url", required: true, placeholder: "http://127.0.0.1:8000/chat", spellcheck: "false", autocomplete: "off" });
  const mode = select(MODES.map((name) => [name, t(`evals.mode.${name}`)]), "det");
  const probes = el("input", { type: "number", min: "1", max: "5000", placeholder: t("evals.allProbes") });
  const parallel = el("input", { type: "number", min: "1", max: "50", value: "5" });
  const model = el("input", { autocomplete: "off", spellcheck: "false" });
  const key = el("input", { type: "password", autocomplete: "off" });
  const template = el("textarea", { rows: 3, spellcheck: "false", class: "mono", placeholder: '{"question": "{{prompt}}"}' });
  const answer = el("input", { autocomplete: "off", spellcheck: "false", placeholder: "choices.0.message.content" });
  const start = el("button", { class: "primary" }, t("evals.start"));
  const stop = el("button", { type: "button", hidden: true, onclick: () => run.abort?.abort() }, t("evals.stop"));
  const request = () => {
    const body = { path: projectPath(), target: target.value.trim(), [mode.value]: true, maxProbes: Number(probes.value) || null, concurrency: Number(parallel.value) || null, model: model.value.trim(), apiKey: key.value, requestTemplate: template.value.trim(), responsePath: answer.value.trim() };
    return Object.fromEntries(Object.entries(body).filter(([, value]) => value));
  };
  const onsubmit = async (event) => {
    event.preventDefault();
    if (run.abort) return;
    if (!(await confirm(t("evals.confirm"), [el("p", {}, t("evals.confirmText")), el("p", {}, el("code", {}, target.value))], t("evals.start")))) return;
    run.abort = new AbortController();
    start.disabled = true;
    stop.hidden = false;
    fill(result);
    try {
      await watch(request(), run.abort.signal, progress, result);
    } finally {
      run.abort = null;
      start.disabled = false;
      stop.hidden = true;
      key.value = "";
      refresh();
    }
  };
  return el(
    "form",
    { class: "card", onsubmit, "aria-label": t("evals.new") },
    el("h2", {}, t("evals.new")),
    el("div", { class: "fields" }, field(t("evals.target"), target, t("evals.targetHint")), field(t("evals.mode"), mode), field(t("evals.probes"), probes, t("evals.probesHint"))),
    el("details", {}, el("summary", {}, t("evals.more")), el("div", { class: "fields" },
      field(t("evals.model"), model), field(t("evals.key"), key, t("evals.keyHint")), field(t("evals.parallel"), parallel), field(t("evals.answer"), answer, t("evals.answerHint")), field(t("evals.template"), template, t("evals.templateHint")))),
    el("div", { class: "buttons" }, start, stop),
  );
}

/** The Wilson interval of a share: 95 %. */
export function wilson(passed, total) {
  if (!total) return null;
  const z = 1.959964;
  const share = passed / total;
  const scale = 1 + (z * z) / total;
  const middle = (share + (z * z) / (2 * total)) / scale;
  const half = (z / scale) * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

async function watch(body, signal, progress, result) {
  const counts = { completed: 0, total: 0, pass: 0, fail: 0, other: 0 };
  const categories = new Map();
  const starts = new Map();
  const bar = el("i");
  const line = el("p", { class: "number" }, t("evals.connecting"));
  const meter = el("div", { class: "bar", role: "progressbar", "aria-label": t("evals.progress"), "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": 0 }, bar);
  const rows = el("div", {});
  let planned = false;
  let failed = false;
  fill(progress, card(t("evals.running"), meter, line, rows));
  const draw = () => {
    if (planned) return;
    planned = true;
    setTimeout(() => {
      planned = false;
      const share = counts.total ? counts.completed / counts.total : 0;
      bar.style.width = `${100 * share}%`;
      meter.setAttribute("aria-valuenow", Math.round(100 * share));
      line.textContent = t("evals.count", { n: counts.completed, of: counts.total, passed: counts.pass, failed: counts.fail, other: counts.other });
      fill(rows, categoryTable([...categories].map(([name, each]) => ({ name, ...each, interval: wilson(each.passed, each.passed + each.failed) }))));
    }, 120);
  };
  const onEvent = ({ name, value }) => {
    if (name === "eval:start") counts.total = value.total;
    else if (value.type === "probe_start") starts.set(value.id, value.category);
    else if (value.type === "probe_result") {
      counts.completed = value.completed;
      counts.total = value.total;
      counts[value.verdict in counts ? value.verdict : "other"] += 1;
      const each = categories.get(value.category) ?? { passed: 0, failed: 0 };
      if (value.verdict === "pass") each.passed += 1;
      if (value.verdict === "fail") each.failed += 1;
      categories.set(value.category, each);
    } else if (name === "eval:done") {
      fill(progress);
      fill(result, runResult(value));
      announce(t("evals.done"));
      result.querySelector("h2").focus();
    } else if (name === "error") {
      failed = true;
      fill(progress, notice("bad", said(value.details ?? value.message ?? value.error ?? "", "p")));
    }
    if (value.type === "probe_result" || name === "eval:start") draw();
  };
  try {
    await stream("POST", "/eval/run/stream", { body, signal, onEvent });
  } catch (error) {
    if (error.name === "AbortError") fill(progress, notice("warn", t("evals.stopped")));
    else if (!failed) fill(progress, problem(error));
  }
}

/** A bar from the lower to the upper bound, with a mark at the observed share. */
export function intervalBar(share, interval) {
  if (!interval) return "–";
  const range = el("i");
  range.style.insetInlineStart = `${100 * interval.low}%`;
  range.style.width = `${100 * (interval.high - interval.low)}%`;
  const mark = el("b");
  mark.style.insetInlineStart = `${100 * share}%`;
  return el("div", { class: "interval", "aria-hidden": "true" }, range, share === null ? null : mark);
}

function categoryTable(rows) {
  if (!rows.length) return null;
  const share = (row) => (row.passed + row.failed ? row.passed / (row.passed + row.failed) : null);
  return table(t("evals.categories"), [
    { label: t("evals.category"), cell: (row) => said(row.title ?? row.name) },
    { label: t("evals.passed"), right: true, cell: (row) => number(row.passed) },
    { label: t("evals.failed"), right: true, cell: (row) => number(row.failed) },
    { label: t("evals.rate"), right: true, cell: (row) => percent(share(row)) },
    { label: t("evals.interval"), right: true, cell: (row) => (row.interval ? t("evals.range", { low: percent(row.interval.low), high: percent(row.interval.high) }) : "–") },
    { label: t("evals.picture"), cell: (row) => intervalBar(share(row), row.interval) },
  ], rows);
}

function runResult(value) {
  const list = el("div", { class: "stack" });
  return card(
    null,
    el("h2", { tabindex: "-1" }, t("evals.result", { target: value.target })),
    value.complete ? null : notice("warn", t("evals.partial")),
    facts([
      [t("evals.score"), value.score === null ? value.scoreReason ? said(value.scoreReason) : t("score.notAssessed") : `${number(value.score)} ${t("of100")}${value.grade ? ` · ${value.grade}` : ""}`],
      [t("evals.interval"), value.interval ? t("evals.range", { low: percent(value.interval.low), high: percent(value.interval.high) }) : null],
      [t("evals.security"), value.securityScore === null ? null : number(value.securityScore)],
      [t("evals.probes"), t("evals.counts", { total: value.total, passed: value.passed, failed: value.failed, inconclusive: value.inconclusive, errors: value.errors })],
      [t("evals.time"), moment(value.timestamp)],
      [t("evals.suite"), value.suiteVersion],
      [t("evals.seed"), el("code", {}, value.seed)],
    ]),
    value.caps?.length ? el("ul", {}, value.caps.map((cap) => said(cap.reason, "li"))) : null,
    categoryTable(Object.entries(value.categories).map(([name, each]) => ({ name, ...each }))),
    el("h3", {}, t("evals.failures", { n: value.failures.length })),
    value.failures.length ? inSteps(value.failures, (failure) => failureDetails(failure, value.results), list, 25) : el("p", { class: "soft" }, t("none")),
    el("p", { class: "soft small" }, said(value.disclaimer)),
  );
}

function failureDetails(failure, results) {
  const full = results.find(({ id }) => id === failure.id);
  return el("details", {}, el("summary", {}, tag(failure.severity, word("severity", failure.severity)), " ", said(failure.probe), " ", el("span", { class: "soft small" }, failure.category)), el("div", { class: "stack" },
    said(failure.reason, "p"),
    el("h4", {}, t("evals.prompt")), el("pre", { class: "text-block", tabindex: "0" }, full?.prompt ?? ""),
    el("h4", {}, t("evals.reply")), el("pre", { class: "text-block", tabindex: "0" }, failure.actual),
    el("h4", {}, t("evals.expected")), said(failure.expected, "p")));
}

function runs(list, result) {
  if (!list.results.length) return el("p", { class: "soft" }, t("evals.none"));
  return [
    table(t("evals.past"), [
      { label: t("evals.time"), cell: (run) => moment(run.timestamp) },
      { label: t("evals.target"), cell: (run) => el("span", { class: "break" }, run.target) },
      { label: t("evals.score"), right: true, cell: (run) => number(run.score) },
      { label: t("evals.state"), cell: (run) => word("run", run.state) },
      { label: t("evals.action"), cell: (run) => workButton(t("evals.open"), async () => {
        fill(result, runResult(await get("/eval/last", { path: projectPath(), runId: run.id })));
        result.querySelector("h2").focus();
      }, { class: "small-button", "aria-label": `${t("evals.open")}: ${moment(run.timestamp)}` }) },
    ], list.results, { hideCaption: true }),
    list.judgeConfigured ? null : el("p", { class: "soft small" }, t("evals.noJudge")),
  ];
}

// The page: its frame, the choice of a view, the stream of events.

import { onTokenWanted, stream } from "./api.js";
import { announce, el, fill, svg } from "./dom.js";
import { busy, field, notice, problem, select, toast, view } from "./parts.js";
import { emit, loadPosture, loadStatus, on, openFindings, projectName, scan, setting, state } from "./state.js";
import { LANGUAGES, chooseLanguage, moment, t } from "./text.js";

import { documentsView } from "./views/documents.js";
import { evaluationsView } from "./views/evaluations.js";
import { eventsView } from "./views/events.js";
import { evidenceView } from "./views/evidence.js";
import { findingsView } from "./views/findings.js";
import { fixesView } from "./views/fixes.js";
import { jurisdictionsView } from "./views/jurisdictions.js";
import { earlierView, overviewView } from "./views/overview.js";
import { passportsView } from "./views/passports.js";
import { questionsView } from "./views/questions.js";
import { reportView } from "./views/report.js";
import { scoreView } from "./views/score.js";
import { systemsView } from "./views/systems.js";
import { timelineView } from "./views/timeline.js";

// A view that needs the scan is shown again when there is a new one, unless it cares for that itself.
const VIEWS = {
  overview: { group: "now", show: overviewView, needsScan: true, count: () => null },
  questions: { group: "now", show: questionsView, needsScan: true, count: openQuestions },
  findings: { group: "now", show: findingsView, needsScan: true, count: () => (state.scan ? openFindings().length : null) },
  fixes: { group: "now", show: fixesView, needsScan: true },
  systems: { group: "project", show: systemsView, needsScan: true, count: () => state.scan?.systems.length },
  score: { group: "project", show: scoreView, needsScan: true },
  timeline: { group: "project", show: timelineView, needsScan: true },
  passports: { group: "project", show: passportsView },
  documents: { group: "results", show: documentsView, needsScan: true },
  report: { group: "results", show: reportView },
  evaluations: { group: "checks", show: evaluationsView },
  evidence: { group: "checks", show: evidenceView },
  events: { group: "checks", show: eventsView },
  jurisdictions: { group: "law", show: jurisdictionsView },
};
const GROUPS = ["now", "project", "results", "checks", "law"];
const EVENTS_MAX = 1000;

const main = document.getElementById("main");
const nav = document.getElementById("nav");
let leave = () => {};
let current = null;

/** Questions are asked once for each system; the same question counts once. */
function openQuestions() {
  return state.scan ? new Set(state.scan.systems.flatMap(({ questions }) => questions.map(({ id }) => id))).size : null;
}

function route() {
  const [name, search] = location.hash.replace(/^#\/?/, "").split("?");
  return { name: name in VIEWS ? name : "overview", params: new URLSearchParams(search ?? "") };
}

function show({ focus = true } = {}) {
  leave();
  leave = () => {};
  const { name, params } = route();
  const changed = current !== name;
  current = name;
  main.dataset.view = name;
  const { show: build, needsScan } = VIEWS[name];
  document.title = `${t(`nav.${name}`)} · ${projectName() || "Local Compliance Engine"}`;
  drawNav();
  if (needsScan && !state.scan) {
    fill(main, name === "overview" && state.posture && state.scanning ? earlierView(state.posture) : waiting(name));
  } else {
    const root = el("div", {});
    fill(main, root);
    leave = build(root, params) ?? (() => {});
  }
  if (changed) window.scrollTo(0, 0);
  if (focus) (main.querySelector("h1") ?? main).focus({ preventScroll: true });
}

/** What a view shows that needs the scan, as long as there is none. */
function waiting(name) {
  if (!state.status) return busy();
  if (state.scanning) return [view(t(`${name}.title`)), busy(t("scan.first", { project: projectName() })), el("p", { class: "soft" }, t("scan.meanwhile"))];
  if (state.scanError) return [problem(state.scanError), folderForm()];
  return folderForm();
}

function folderForm() {
  const input = el("input", { name: "path", required: true, autocomplete: "off", spellcheck: "false", value: state.status?.project ?? "" });
  const form = el(
    "form",
    { class: "card", onsubmit: (event) => { event.preventDefault(); scan(input.value); } },
    el("h1", { tabindex: "-1" }, t("folder.title")),
    field(t("folder.label"), input, t("folder.hint")),
    el("button", { class: "primary" }, t("scan.now")),
  );
  return form;
}

function drawNav() {
  const items = (group) => Object.entries(VIEWS).filter(([, view]) => view.group === group).map(([name, view]) => {
    const count = view.count?.();
    return el(
      "li",
      {},
      el(
        "a",
        { href: `#/${name}`, "aria-current": name === current ? "page" : null },
        t(`nav.${name}`),
        count ? el("span", { class: "count" }, String(count)) : null,
      ),
    );
  });
  nav.setAttribute("aria-label", t("nav"));
  fill(nav, GROUPS.map((group) => [el("h2", { id: `nav-${group}` }, t(`nav.group.${group}`)), el("ul", { "aria-labelledby": `nav-${group}` }, items(group))]));
}

function drawTop() {
  const language = select(Object.entries(LANGUAGES), document.documentElement.lang, { "aria-label": t("language"), id: "language" });
  language.addEventListener("change", () => {
    chooseLanguage(language.value);
    drawAll();
    document.getElementById("language").focus();
  });
  const theme = select([["auto", t("theme.auto")], ["light", t("theme.light")], ["dark", t("theme.dark")]], setting.read("theme") ?? "auto", { "aria-label": t("theme"), id: "theme" });
  theme.addEventListener("change", () => setTheme(theme.value));
  const menu = el("button", { type: "button", class: "menu small-button", "aria-expanded": "false", "aria-controls": "nav", onclick: toggleMenu }, t("menu"));
  const run = el(
    "button",
    { type: "button", id: "scan", class: "primary small-button scan", "aria-disabled": state.scanning ? "true" : null, onclick: () => { if (!state.scanning) scan(); } },
    state.scanning ? t("scan.running") : t("scan.again"),
  );
  const focused = document.activeElement?.closest("#top") ? document.activeElement.id : null;
  fill(
    document.getElementById("top"),
    menu,
    el("a", { class: "brand", href: "#/overview" }, mark(), el("span", {}, "Local Compliance Engine", el("span", { class: "project" }, projectName() || t("project.none")))),
    el("div", { class: "tools" }, el("span", { class: "live" }, live()), language, theme, state.status?.project || state.scan ? run : null),
  );
  document.getElementById("skip").textContent = t("skip");
  if (focused) document.getElementById(focused)?.focus();
}

function live() {
  return [el("span", { "aria-hidden": "true" }, state.connected ? "●" : "○"), el("span", {}, state.connected ? t("live.on") : t("live.off"))];
}

function mark() {
  return svg("svg", { viewBox: "0 0 32 32", "aria-hidden": "true" },
    svg("rect", { width: 32, height: 32, rx: 7, fill: "#24508f" }),
    svg("path", { d: "M9 10h14M9 16h9M9 22h5", stroke: "#fff", "stroke-width": 2.6, "stroke-linecap": "round" }),
    svg("path", { d: "M18.5 21.5l2.6 2.6 4.4-5.2", fill: "none", stroke: "#9fd3c7", "stroke-width": 2.6, "stroke-linecap": "round", "stroke-linejoin": "round" }));
}

function toggleMenu(event) {
  const open = nav.toggleAttribute("data-open");
  event.currentTarget.setAttribute("aria-expanded", String(open));
}

function setTheme(theme) {
  setting.write("theme", theme);
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function drawAll() {
  drawTop();
  show({ focus: false });
}

async function listen() {
  let lastId = null;
  let pause = 1000;
  for (;;) {
    try {
      await stream("GET", "/events", {
        lastId,
        onOpen: () => { pause = 1000; connected(true); },
        onEvent: (event) => {
          lastId = event.id ?? lastId;
          heard(event.value);
        },
      });
    } catch { /* The daemon may have stopped; it is tried again. */ }
    connected(false);
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, 30000);
  }
}

function connected(yes) {
  if (state.connected === yes) return;
  state.connected = yes;
  const shown = document.querySelector(".live");
  if (shown) fill(shown, live());
}

function heard(event) {
  state.events.unshift(event);
  state.events.length = Math.min(state.events.length, EVENTS_MAX);
  emit("event", event);
  if (event.type === "scan.complete" && !state.scanning && state.scan && event.scanId !== state.scan.id && event.project === state.scan.projectPath) {
    state.newer = true;
    emit("newer");
  }
}

onTokenWanted((refused) => new Promise((resolve) => {
  const input = el("input", { type: "password", autocomplete: "off", required: true });
  const cancel = el("button", { type: "button", onclick: () => dialog.close("no") }, t("cancel"));
  const dialog = el(
    "dialog",
    { "aria-label": t("token.title") },
    el(
      "form",
      { method: "dialog" },
      el("h2", {}, t("token.title")),
      refused ? el("div", { role: "alert" }, notice("bad", t("token.refused"))) : null,
      field(t("token.label"), input, t("token.hint")),
      el("div", { class: "buttons" }, el("button", { class: "primary", value: "yes" }, t("continue")), cancel),
    ),
  );
  dialog.addEventListener("close", () => { dialog.remove(); resolve(dialog.returnValue === "yes" ? input.value.trim() : null); });
  document.body.append(dialog);
  dialog.showModal();
}));

on("scanning", () => {
  drawTop();
  if (state.scanning) announce(t("scan.running"));
  if (!state.scan && VIEWS[current]?.needsScan) show({ focus: false });
});
on("posture", () => {
  if (current === "overview" && !state.scan) show({ focus: false });
});
on("scan", () => {
  drawNav();
  if (state.scan && !state.scanError) announce(t("scan.done", { time: moment(state.scan.scannedAt) }));
  if (state.scanError && state.scan) toast("bad", problem(state.scanError));
  if (VIEWS[current]?.needsScan && !main.querySelector("[data-keeps-itself]")) show({ focus: main.contains(document.activeElement) });
});
on("newer", () => {
  if (!state.newer) return;
  toast("", [notice("", t("scan.newer")), el("button", { type: "button", onclick: () => scan() }, t("scan.load"))]);
});
addEventListener("hashchange", () => {
  nav.removeAttribute("data-open");
  document.querySelector(".menu")?.setAttribute("aria-expanded", "false");
  show();
});
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

chooseLanguage();
setTheme(setting.read("theme") ?? "auto");
drawTop();
show({ focus: false });
try {
  await loadStatus();
  drawTop();
  show({ focus: false });
  listen();
  if (state.status.project) {
    loadPosture();
    await scan();
  }
} catch (error) {
  fill(main, problem(error));
}

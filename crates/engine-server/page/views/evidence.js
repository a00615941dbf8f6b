// The evidence chain: its head, its verification, its entries.

import { file, get } from "../api.js";
import { el, fill, said } from "../dom.js";
import { card, copyButton, facts, load, notice, problem, saveFile, select, table, view, workButton } from "../parts.js";
import { on, projectName, projectPath } from "../state.js";
import { moment, number, t, word } from "../text.js";

const TYPES = ["scan", "fix", "undo", "passport", "profile", "document", "eval", "redteam", "report", "share", "sync", "analysis", "suppression", "baseline", "key_rotation", "key_introduction", "retention", "genesis"];

export function evidenceView(root) {
  const shown = view(t("chain.title"), t("chain.lead"));
  const verdict = el("div", { "aria-live": "polite" });
  const verify = workButton(t("chain.verify"), async () => {
    try {
      fill(verdict, report(await get("/agent/evidence/verify", { path: projectPath(), full: true })));
    } catch (error) {
      fill(verdict, problem(error));
    }
  }, { class: "primary" });
  const archive = workButton(t("chain.package"), async () => {
    const { blob, name } = await file("GET", "/agent/audit-package", { query: { path: projectPath() } });
    saveFile(blob, name ?? `${projectName()}-audit-package.tar.gz`);
  });
  const head = el("div", { class: "stack" });
  const entries = el("div", {});
  const type = select([["", t("chain.allTypes")], ...TYPES.map((name) => [name, word("entry", name)])], "", { "aria-label": t("chain.type") });
  const refreshEntries = () => load(entries, () => get("/agent/audit", { path: projectPath(), limit: 100, type: type.value }), entryTable);
  const refresh = () => {
    load(head, () => get("/agent/evidence", { path: projectPath() }), summary);
    refreshEntries();
  };
  type.addEventListener("change", refreshEntries);
  shown.append(
    card(t("chain.check"), el("p", {}, t("chain.checkText")), el("div", { class: "buttons" }, verify, archive), verdict),
    card(t("chain.head"), head),
    card(t("chain.entries"), el("div", { class: "buttons" }, type), entries),
  );
  root.append(shown);
  refresh();
  let timer;
  const stop = on("event", (event) => {
    if (event.type !== "evidence.appended") return;
    clearTimeout(timer);
    timer = setTimeout(refresh, 500);
  });
  return () => { clearTimeout(timer); stop(); };
}

function report(result) {
  return notice(
    result.valid ? "good" : "bad",
    el("h3", {}, word("verdict", result.verdict)),
    el("p", {}, t("chain.checked", { n: result.entries })),
    result.brokenAt === null ? null : el("p", {}, t("chain.brokenAt", { n: String(result.brokenAt) })),
    result.issues.length ? el("ul", {}, result.issues.map((issue) => said(issue.message, "li"))) : null,
  );
}

function summary(chain) {
  if (!chain.entries) return el("p", { class: "soft" }, t("chain.empty"));
  return [
    facts([
      [t("chain.count"), number(chain.entries)],
      [t("chain.first"), moment(chain.firstEntry)],
      [t("chain.last"), moment(chain.lastEntry)],
      [t("chain.hash"), el("code", {}, chain.lastHash)],
      [t("chain.key"), el("code", {}, chain.keyId)],
      [t("chain.publicKey"), el("code", {}, chain.publicKey)],
    ]),
    el("p", {}, t("chain.headText")),
    el("pre", { class: "text-block", tabindex: "0", role: "group", "aria-label": t("chain.head") }, chain.head),
    copyButton(() => chain.head),
  ];
}

function entryTable(lines) {
  if (!lines.length) return el("p", { class: "soft" }, t("none"));
  return table(t("chain.entries"), [
    { label: t("chain.number"), cell: (line) => String(line.seq) },
    { label: t("chain.time"), cell: (line) => moment(line.timestamp) },
    { label: t("chain.type"), cell: (line) => word("entry", line.type) },
    { label: t("chain.actor"), cell: (line) => line.agent ?? line.actor },
    { label: t("chain.hash"), cell: (line) => el("code", {}, line.hash?.slice(0, 16)) },
    { label: t("chain.content"), cell: (line) => el("details", {}, el("summary", {}, t("show")), el("pre", { class: "text-block", tabindex: "0" }, JSON.stringify(line.payload, null, 2))) },
  ], lines, { hideCaption: true });
}

// Agent passports: list, read with the source of each value, validate, create, rename.

import { get, post } from "../api.js";
import { el, fill, said } from "../dom.js";
import { card, confirm, facts, field, load, notice, problem, saveFile, table, tag, toast, view, workButton } from "../parts.js";
import { projectPath } from "../state.js";
import { moment, number, t, word } from "../text.js";

const STATUS_TONES = { valid: "good", invalid: "high", unreadable: "high", no_passport: "info", gone: "info" };
const LEFT_OUT = new Set(["provenance", "signature", "passport_version"]);

export function passportsView(root) {
  const shown = view(t("passports.title"), t("passports.lead"));
  const body = el("div", { class: "view" });
  shown.append(body);
  root.append(shown);
  const refresh = () => load(body, () => get("/agent/registry", { path: projectPath() }), (entries) => show(entries, refresh));
  refresh();
}

function show(entries, refresh) {
  const outcome = el("div", { class: "view", "aria-live": "polite" });
  const create = workButton(t("passports.create"), async () => {
    if (!(await confirm(t("passports.createConfirm"), el("p", {}, t("passports.createText")), t("passports.create")))) return;
    const reply = await post("/agent/init", { path: projectPath(), force: true });
    toast("good", t("passports.created", { n: reply.manifests.length }));
    refresh();
  }, { class: "primary" });
  return [
    card(
      t("passports.agents"),
      entries.length
        ? table(t("passports.agents"), [
          { label: t("passports.name"), cell: (entry) => entry.name },
          { label: t("passports.status"), cell: (entry) => tag(STATUS_TONES[entry.status] ?? "info", word("passport", entry.status)) },
          { label: t("passports.class"), cell: (entry) => word("class", entry.riskClass ?? "unknown") },
          { label: t("passports.model"), cell: (entry) => (entry.model ? el("code", {}, entry.model) : "–") },
          { label: t("passports.autonomy"), right: true, cell: (entry) => (entry.autonomyLevel ? `L${entry.autonomyLevel}` : "–") },
          { label: t("passports.complete"), right: true, cell: (entry) => (entry.completeness === null ? "–" : `${number(entry.completeness)} %`) },
          { label: t("passports.action"), cell: (entry) => (entry.file ? workButton(t("passports.read"), async () => {
            try {
              const passport = await get("/agent/show", { path: projectPath(), name: entry.name });
              fill(outcome, passportCard(passport, refresh));
              outcome.querySelector("h2").focus();
            } catch (error) {
              fill(outcome, problem(error));
            }
          }, { class: "small-button", "aria-label": `${t("passports.read")}: ${entry.name}` }) : "–") },
        ], entries, { hideCaption: true })
        : el("p", { class: "soft" }, t("passports.none")),
      el("div", { class: "buttons" }, create),
    ),
    outcome,
  ];
}

function passportCard(passport, refresh) {
  const outcome = el("div", { "aria-live": "polite" });
  const validate = workButton(t("passports.validate"), async () => {
    try {
      fill(outcome, validation(await get("/agent/validate", { path: projectPath(), name: passport.name })));
    } catch (error) {
      fill(outcome, problem(error));
    }
  });
  const save = el("button", { type: "button", onclick: () => saveFile(new Blob([JSON.stringify(passport, null, 2)], { type: "application/json" }), `${passport.agent_id}.json`) }, t("passports.save"));
  const name = el("input", { value: passport.name, required: true });
  const rename = workButton(t("passports.rename"), async () => {
    if (!name.reportValidity() || name.value === passport.name) return;
    try {
      await post("/agent/rename", { path: projectPath(), oldName: passport.name, newName: name.value.trim() });
      toast("good", t("passports.renamed"));
      refresh();
    } catch (error) {
      fill(outcome, problem(error));
    }
  });
  const heading = el("h2", { tabindex: "-1" }, passport.display_name ?? passport.name);
  return el(
    "section",
    { class: "card" },
    heading,
    passport.description ? said(passport.description, "p") : null,
    el("p", { class: "meta" }, t("passports.updated", { time: moment(passport.updated) })),
    el("div", { class: "buttons" }, validate, save),
    outcome,
    el("details", {}, el("summary", {}, t("passports.renameTitle")), el("div", { class: "stack" }, field(t("passports.newName"), name), el("div", { class: "buttons" }, rename))),
    fieldTable(passport),
  );
}

function validation(reply) {
  const problems = [...reply.errors, ...reply.warnings];
  return notice(
    reply.valid ? "good" : "bad",
    el("h3", {}, reply.valid ? t("passports.valid") : t("passports.invalid")),
    facts([[t("passports.signature"), word("signature", reply.signature)], [t("passports.complete"), `${number(reply.completeness)} %`]]),
    problems.length ? el("ul", {}, problems.map((issue) => said(issue.message ?? `${issue.path ?? ""} ${issue.problem ?? ""}`, "li"))) : null,
    reply.drift.length ? [el("h4", {}, t("passports.drift")), el("ul", {}, reply.drift.map((drift) => el("li", {}, el("code", {}, drift.field ?? drift.path ?? ""), " ", said(drift.message ?? drift.kind ?? ""))))] : null,
  );
}

function fieldTable(passport) {
  const sources = passport.provenance?.fields ?? {};
  const rows = flatten(passport);
  const known = rows.filter(({ value }) => value !== null);
  const unknown = rows.filter(({ value }) => value === null);
  return [
    table(t("passports.fields"), [
      { label: t("passports.field"), cell: ({ path }) => el("code", { class: "plain" }, path) },
      { label: t("passports.value"), cell: ({ value }) => show1(value) },
      { label: t("passports.source"), cell: ({ path }) => word("source", sourceOf(sources, path)) },
    ], known, { hideCaption: true }),
    unknown.length ? el("details", {}, el("summary", {}, t("passports.unknown", { n: unknown.length })), el("ul", {}, unknown.map(({ path }) => el("li", {}, el("code", {}, path))))) : null,
  ];
}

function sourceOf(sources, path) {
  for (let name = path; name; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) if (sources[name]) return sources[name];
  return "engine";
}

function flatten(value, prefix = "") {
  return Object.entries(value).flatMap(([key, inner]) => {
    if (!prefix && LEFT_OUT.has(key)) return [];
    const path = prefix ? `${prefix}.${key}` : key;
    if (inner && typeof inner === "object" && !Array.isArray(inner)) return flatten(inner, path);
    return [{ path, value: Array.isArray(inner) && !inner.length ? null : inner }];
  });
}

function show1(value) {
  if (Array.isArray(value)) {
    const texts = value.map((item) => (item && typeof item === "object" ? Object.values(item).filter((part) => part !== null).join(" · ") : String(item)));
    const list = (some) => el("ul", { class: "tight" }, some.map((text) => el("li", { class: "break" }, text)));
    return texts.length > 8 ? el("details", {}, el("summary", {}, t("entries", { n: texts.length })), list(texts)) : list(texts);
  }
  return typeof value === "boolean" ? t(value ? "yes" : "no") : el("span", { class: "break" }, String(value));
}

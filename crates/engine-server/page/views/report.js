// What others read: the report, the badge, and shares.

import { file, get, needsToken, post } from "../api.js";
import { el, fill } from "../dom.js";
import { card, confirm, copyButton, field, load, notice, problem, saveFile, select, table, toast, view, workButton } from "../parts.js";
import { markdown } from "../markdown.js";
import { projectName, projectPath, setting } from "../state.js";
import { moment, number, t, word } from "../text.js";

export function reportView(root) {
  const shown = view(t("report.title"), t("report.lead"));
  const country = el("select", {}, el("option", { value: "" }, t("report.noCountry")));
  fillCountries(country);
  shown.append(report(country), el("div", { class: "columns" }, badge(), share(country)));
  root.append(shown);
}

async function fillCountries(box) {
  try {
    const { jurisdictions } = await get("/jurisdictions");
    const names = new Intl.DisplayNames(document.documentElement.lang, { type: "region" });
    box.append(...jurisdictions.map(({ code }) => el("option", { value: code }, names.of(code))));
    box.value = setting.read("country") ?? "";
  } catch { /* The report can be made without a country. */ }
}

function report(country) {
  const organization = el("input", { autocomplete: "organization", value: setting.read("organization") ?? "" });
  const short = el("input", { type: "checkbox" });
  const outcome = el("div", { class: "stack", "aria-live": "polite" });
  const request = () => {
    setting.write("organization", organization.value.trim());
    setting.write("country", country.value);
    return given({ path: projectPath(), organization: organization.value.trim(), jurisdiction: country.value, language: language(), isFree: short.checked || null });
  };
  const pdf = workButton(t("report.pdf"), async () => {
    try {
      const { blob, name } = await file("POST", "/report/pdf", { body: request() });
      saveFile(blob, name ?? `${projectName()}-report.pdf`);
      fill(outcome, notice("good", t("report.saved", { kib: Math.ceil(blob.size / 1024) })));
    } catch (error) {
      fill(outcome, problem(error));
    }
  }, { class: "primary" });
  const read = workButton(t("report.read"), async () => {
    try {
      const { markdown: content } = await post("/report/markdown", request());
      const save = el("button", { type: "button", onclick: () => saveFile(new Blob([content], { type: "text/markdown" }), `${projectName()}-report.md`) }, t("report.saveMarkdown"));
      fill(outcome, el("div", { class: "buttons" }, save, copyButton(() => content)), el("div", { class: "paper" }, markdown(content)));
    } catch (error) {
      fill(outcome, problem(error));
    }
  });
  return card(
    t("report.make"),
    el("div", { class: "fields" }, field(t("field.organization"), organization), field(t("report.country"), country, t("report.countryHint"))),
    el("label", { class: "option" }, short, el("span", {}, t("report.short"))),
    el("div", { class: "buttons" }, pdf, read),
    outcome,
  );
}

/** The fields of a request that have a value. */
function given(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
}

function language() {
  return document.documentElement.lang;
}

function badge() {
  const picture = el("div", {});
  load(picture, () => file("GET", "/badge", { query: { path: projectPath(), language: language() } }), ({ blob }) => {
    const url = URL.createObjectURL(blob.type ? blob : new Blob([blob], { type: "image/svg+xml" }));
    return el("div", { class: "table", tabindex: "0", role: "group", "aria-label": t("badge.title") }, el("img", { src: url, alt: t("badge.alt"), class: "badge" }));
  });
  const outcome = el("div", { "aria-live": "polite" });
  const write = workButton(t("badge.write"), async () => {
    if (!(await confirm(t("badge.confirm"), el("p", {}, t("badge.confirmText")), t("badge.write")))) return;
    try {
      await post("/badge/generate", { path: projectPath(), language: language() });
      fill(outcome, notice("good", t("badge.written")));
    } catch (error) {
      fill(outcome, problem(error));
    }
  });
  return card(t("badge.title"), el("p", {}, t("badge.lead")), picture, el("div", { class: "buttons" }, write), outcome);
}

function share(country) {
  const kind = select([["scan", t("share.scan")], ["eval", t("share.eval")], ["audit", t("share.audit")]], "scan");
  const days = el("input", { type: "number", min: "1", max: "365", value: "30", required: true });
  const outcome = el("div", { class: "stack", "aria-live": "polite" });
  const list = el("div", { class: "stack" });
  const refresh = () => load(list, () => get("/shares", { path: projectPath() }), (reply) => shares(reply, refresh));
  const make = workButton(t("share.make"), async () => {
    if (!days.reportValidity()) return;
    try {
      const record = await post("/share", given({ path: projectPath(), scanType: kind.value, jurisdiction: country.value, organization: setting.read("organization"), language: language(), expirationDays: Number(days.value) }));
      const address = needsToken() ? el("p", {}, t("share.behindToken")) : [el("p", { class: "break" }, link(record)), el("p", { class: "soft" }, t("share.local"))];
      fill(outcome, notice("good", t("share.made", { time: moment(record.expiresAt) }), address, el("div", { class: "buttons" }, saveShare(record), needsToken() ? null : copyButton(() => record.url, t("share.copy")))));
      toast("good", t("share.madeShort"));
      refresh();
    } catch (error) {
      fill(outcome, problem(error));
    }
  }, { class: "primary" });
  refresh();
  return card(t("share.title"), el("p", {}, t("share.lead")), el("div", { class: "fields" }, field(t("share.kind"), kind), field(t("share.days"), days)), el("div", { class: "buttons" }, make), outcome, el("h3", {}, t("share.list")), list);
}

/** A share is served by this daemon; its address is used as a path, so that a foreign one cannot be opened. */
function link(record) {
  return el("a", { href: `/share/${encodeURIComponent(record.id)}`, target: "_blank", rel: "noopener" }, record.url ?? record.id);
}

/** A button that keeps a share as one file, which can be handed on. */
function saveShare(record) {
  return workButton(t("share.save"), async () => {
    const { blob } = await file("GET", `/share/${encodeURIComponent(record.id)}`, { accept: "text/html", query: { path: projectPath() } });
    saveFile(new Blob([blob], { type: "text/html" }), `${projectName()}-share-${record.id.slice(0, 8)}.html`);
  }, { class: "small-button", "aria-label": `${t("share.save")}: ${record.id.slice(0, 8)}` });
}

function revokeShare(record, refresh) {
  return workButton(t("share.revoke"), async () => {
    if (!(await confirm(t("share.revokeConfirm"), el("p", {}, t("share.revokeText")), t("share.revoke")))) return;
    await post("/share/revoke", { path: projectPath(), id: record.id });
    toast("good", t("share.revokedShort"));
    refresh();
  }, { class: "small-button", "aria-label": `${t("share.revoke")}: ${record.id.slice(0, 8)}` });
}

function shares(reply, refresh) {
  const records = reply.shares;
  if (!records.length) return el("p", { class: "soft" }, t("share.none"));
  return table(t("share.list"), [
    { label: t("share.id"), cell: (record) => (record.status === "active" && !needsToken() ? link({ ...record, url: `${record.id.slice(0, 8)}…` }) : `${record.id.slice(0, 8)}…`) },
    { label: t("share.kind"), cell: (record) => word("share", record.scanType) },
    { label: t("share.expires"), cell: (record) => moment(record.expiresAt) },
    { label: t("share.score"), right: true, cell: (record) => (record.assessed ? number(record.score) : t("score.notAssessed")) },
    { label: t("share.action"), cell: (record) => record.status !== "active" ? word("share", record.status) : el("div", { class: "buttons" }, saveShare(record), revokeShare(record, refresh)) },
  ], records, { hideCaption: true });
}


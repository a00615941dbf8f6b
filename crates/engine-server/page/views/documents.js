// Documents: what the project has, and drafts that the engine prepares.

import { get, post } from "../api.js";
import { el, fill, said } from "../dom.js";
import { card, confirm, facts, field, inSteps, load, notice, place, problem, select, table, tag, toast, view, workButton } from "../parts.js";
import { markdown } from "../markdown.js";
import { projectPath, scan, setting, state } from "../state.js";
import { LANGUAGES, day, number, t, word } from "../text.js";

const INDUSTRIES = ["hr", "finance", "healthcare", "education", "legal", "biometrics", "infrastructure", "benefits", "law-enforcement", "migration", "justice"];

/** The drafts that have a form of their own, with the fields of their request. */
const FORMS = {
  fria: { route: "/agent/fria", fields: ["organization", "assessor", "impact", "mitigation", "approval"], long: ["impact", "mitigation"] },
  "worker-notification": { route: "/agent/notify", fields: ["companyName", "contactName", "contactEmail", "deploymentDate", "affectedRoles", "impactDescription"], long: ["impactDescription"] },
  "ai-usage-policy": { route: "/agent/policy", fields: ["industry", "organization", "approver"], long: [] },
  other: { route: "/agent/doc", fields: ["docType", "organization"], long: [] },
};

export function documentsView(root, params) {
  const shown = view(t("documents.title"), t("documents.lead"));
  const outcome = el("div", { class: "view", "data-keeps-itself": true, "aria-live": "polite" });
  const form = one(params.get("type"), outcome);
  shown.append(needed(form), all(outcome), form.element, outcome, found());
  root.append(shown);
}

const NEED_TONES = { filled: "good", draft: "medium", scaffold: "medium", missing: "high" };

/** What the systems need by law today or from a known date, and how far each document is. */
function needed(form) {
  const body = el("div", { class: "stack" });
  load(body, () => get("/report/status", { path: projectPath() }), ({ documents }) => {
    const due = documents.documents.filter(({ systems }) => systems.length);
    form.offer(documents.documents.map(({ docType, title }) => [docType, title]), due.find(({ status }) => status === "missing")?.docType);
    if (!due.length) return el("p", { class: "soft" }, t("documents.neededNone"));
    return table(t("documents.needed"), [
      { label: t("documents.kind"), cell: (each) => said(each.title) },
      { label: t("system"), cell: (each) => each.systems.join(", ") },
      { label: t("documents.state"), cell: (each) => [tag(NEED_TONES[each.status] ?? "info", t(`need.${each.status}`)), each.file ? [" ", place(each.file)] : null] },
      { label: t("documents.complete"), right: true, cell: (each) => t("documents.completeness", { n: each.completeness }) },
      { label: t("share.action"), cell: (each) => el("button", { type: "button", class: "small-button", "aria-label": `${t("documents.choose")}: ${each.title}`, onclick: () => form.choose(each.docType) }, t("documents.choose")) },
    ], due, { hideCaption: true });
  });
  return card(t("documents.needed"), el("p", {}, t("documents.neededLead")), body);
}

function agents() {
  return (state.scan?.agents ?? []).map(({ name }) => [name, name]);
}

function nameChoice(every = false) {
  const options = every && agents().length > 1 ? [["", t("findings.allSystems")], ...agents()] : agents();
  return options.length ? select(options, options[0][0]) : null;
}

function all(outcome) {
  const name = nameChoice(true);
  const organization = el("input", { autocomplete: "organization", value: setting.read("organization") ?? "" });
  const spoken = language();
  const run = workButton(t("documents.all"), async () => {
    setting.write("organization", organization.value.trim());
    if (!(await confirm(t("documents.allConfirm"), el("p", {}, t("documents.allText")), t("documents.all")))) return;
    try {
      const reply = await post("/agent/doc/all", body({ name: name?.value, organization: organization.value, language: spoken.querySelector("select").value }));
      fill(outcome, overview(reply));
      toast("good", t("documents.written", { n: reply.generated.length }));
      scan();
    } catch (error) {
      fill(outcome, problem(error));
    }
  }, { class: "primary" });
  return card(t("documents.allTitle"), el("p", {}, t("documents.allLead")), el("div", { class: "fields" }, name ? field(t("documents.agent"), name) : null, field(t("field.organization"), organization), spoken), el("div", { class: "buttons" }, run));
}

function body(values) {
  const given = Object.entries({ path: projectPath(), ...values }).filter(([, value]) => value !== undefined && value !== null && String(value).trim() !== "");
  return Object.fromEntries(given);
}

function one(wanted, outcome) {
  const kinds = new Map((state.scan?.documents ?? []).map((document) => [document.kind, document.kind]));
  if (wanted) kinds.set(wanted, wanted);
  const kind = select(Object.keys(FORMS).map((id) => [id, t(`draft.${id}`)]), "fria");
  const inputs = el("div", { class: "fields" });
  const draw = (type) => fill(inputs, formFields(kind.value, kinds, type));
  const choose = (type) => {
    kind.value = type in FORMS ? type : "other";
    draw(type);
  };
  // What a person has begun to fill in stays.
  let touched = false;
  for (const name of ["change", "input"]) inputs.addEventListener(name, () => { touched = true; });
  kind.addEventListener("change", () => {
    touched = true;
    draw();
  });
  choose(wanted ?? "fria");
  const run = workButton(t("documents.one"), async () => {
    const { route } = FORMS[kind.value];
    const values = Object.fromEntries([...inputs.querySelectorAll("[name]")].map((input) => [input.name, input.value.trim()]));
    if (![...inputs.querySelectorAll("[name]")].every((input) => input.reportValidity())) return;
    if (values.organization) setting.write("organization", values.organization);
    try {
      const reply = await post(route, body(values));
      fill(outcome, draft(reply));
      toast("good", t("documents.written", { n: 1 }));
      outcome.querySelector("h2")?.scrollIntoView({ block: "start" });
      scan();
    } catch (error) {
      fill(outcome, problem(error));
    }
  });
  const element = card(t("documents.oneTitle"), el("p", {}, t("documents.oneLead")), field(t("documents.kind"), kind), inputs, el("div", { class: "buttons" }, run));
  return {
    element,
    /** Names the kinds of documents that may be chosen, and begins with one that is due. */
    offer(list, due) {
      for (const [id, title] of list) kinds.set(id, title);
      if (due && !wanted && !touched) choose(due);
      else if (kind.value === "other") draw(inputs.querySelector("[name=docType]")?.value);
    },
    choose(type) {
      touched = true;
      choose(type);
      element.scrollIntoView({ block: "start" });
      kind.focus({ preventScroll: true });
    },
  };
}

function formFields(kind, kinds, type) {
  const { fields, long } = FORMS[kind];
  const name = nameChoice();
  if (name) name.name = "name";
  return [
    name ? field(t("documents.agent"), name) : null,
    fields.map((id) => {
      const input = inputOf(id, long.includes(id), kinds, type);
      input.name = id;
      const labelled = field(t(`field.${id}`), input);
      if (long.includes(id)) labelled.classList.add("wide");
      return labelled;
    }),
    language(),
  ];
}

/** The language of headings and fixed labels. A draft that exists keeps its own, unless another is chosen. */
function language() {
  const own = document.documentElement.lang;
  const box = select([["", t("documents.sameLanguage")], ...Object.entries(LANGUAGES)], own === "en" ? "" : own);
  box.name = "language";
  return field(t("documents.language"), box);
}

function inputOf(id, long, kinds, type) {
  if (id === "industry") return select(INDUSTRIES.map((industry) => [industry, t(`industry.${industry}`)]), "hr");
  if (id === "docType") return select([...kinds].filter(([kind]) => !(kind in FORMS)).sort((a, b) => a[1].localeCompare(b[1])), type, { required: true });
  if (id === "deploymentDate") return el("input", { type: "date" });
  if (id === "contactEmail") return el("input", { type: "email" });
  if (long) return el("textarea", { rows: 3 });
  return el("input", { value: id === "organization" || id === "companyName" ? setting.read("organization") ?? "" : "" });
}

function overview(reply) {
  return [
    card(
      t("documents.generated", { n: reply.generated.length }),
      reply.generated.length ? reply.generated.map((each) => details(each)) : el("p", { class: "soft" }, t("none")),
      reply.errors.length ? notice("bad", el("h3", {}, t("documents.errors")), problems(reply.errors)) : null,
      reply.kept.length ? notice("", el("h3", {}, t("documents.kept")), problems(reply.kept)) : null,
    ),
    reply.notApplicable.length
      ? card(null, el("details", {}, el("summary", {}, t("documents.notNeeded", { n: reply.notApplicable.length })), el("ul", { class: "stack" }, reply.notApplicable.map((each) => el("li", {}, said(each.title, "strong"), el("span", { class: "soft small" }, ` ${each.system}`), said(each.reason, "p", { class: "soft" }))))))
      : null,
  ];
}

function problems(list) {
  return el("ul", {}, list.map((each) => el("li", {}, el("code", {}, each.savedPath || each.docType), " ", said(each.error))));
}

function details(document) {
  const inner = el("div", { class: "stack" });
  const box = el("details", {}, el("summary", {}, said(document.title), " ", el("span", { class: "soft small" }, `${document.system} · ${t("documents.completeness", { n: document.completeness })}`)), inner);
  box.addEventListener("toggle", () => { if (box.open && !inner.firstChild) fill(inner, draftBody(document)); });
  return box;
}

function draft(document) {
  return card(document.title, draftBody(document));
}

function draftBody(document) {
  return [
    facts([
      [t("documents.saved"), el("code", {}, document.savedPath)],
      [t("documents.complete"), t("documents.completeness", { n: document.completeness })],
      [t("documents.prefilled"), number(document.prefilledFields.length)],
      [t("documents.manual"), document.manualFields.length ? el("details", {}, el("summary", {}, t("documents.questions", { n: document.manualFields.length })), el("ul", {}, document.manualFields.map((text) => said(text, "li")))) : null],
    ]),
    document.notes.length ? el("ul", {}, document.notes.map((text) => said(text, "li"))) : null,
    document.conflicts ? notice("warn", t("documents.conflicts", { n: document.conflicts })) : null,
    el("p", { class: "soft" }, t("documents.edit")),
    el("div", { class: "paper" }, markdown(document.content, 2)),
    document.status === "draft" ? finalise(document) : null,
  ];
}

function finalise(document) {
  const person = el("input", { autocomplete: "name", value: setting.read("name") ?? "", required: true });
  const date = el("input", { type: "date", required: true, value: (state.scan?.asOf ?? "").slice(0, 10) });
  const outcome = el("div", {});
  const run = workButton(t("documents.finalise"), async () => {
    if (!person.reportValidity() || !date.reportValidity()) return;
    if (!(await confirm(t("documents.finaliseConfirm"), el("p", {}, t("documents.finaliseText", { name: person.value })), t("documents.finalise")))) return;
    try {
      await post("/agent/doc", body({ name: document.system, docType: document.docType, finalise: { name: person.value.trim(), date: date.value } }));
      fill(outcome, notice("good", t("documents.final", { name: person.value, day: day(date.value) })));
      scan();
    } catch (error) {
      fill(outcome, problem(error));
    }
  });
  return el("details", {}, el("summary", {}, t("documents.finaliseTitle")), el("div", { class: "stack" }, el("p", {}, t("documents.finaliseLead")), el("div", { class: "fields" }, field(t("documents.person"), person), field(t("documents.date"), date)), el("div", { class: "buttons" }, run), outcome));
}

const STATE_TONES = { filled: "good", thin: "medium", placeholder: "medium", empty: "high", missing: "high" };

function found() {
  const documents = state.scan.documents ?? [];
  const list = el("div", { class: "stack" });
  return card(
    t("documents.found", { n: documents.length }),
    documents.length ? inSteps(documents, foundDocument, list, 30) : el("p", { class: "soft" }, t("documents.foundNone")),
  );
}

function foundDocument(document) {
  return el(
    "details",
    {},
    el("summary", {}, place(document.file), " ", el("span", { class: "soft small" }, `${document.kind} · ${t("documents.completeness", { n: document.completeness })}${document.draft ? ` · ${t("documents.draft")}` : ""}`)),
    table(t("documents.sections", { file: document.file }), [
      { label: t("documents.section"), cell: (section) => said(section.title) },
      { label: t("article"), cell: (section) => section.source },
      { label: t("documents.state"), cell: (section) => tag(section.required ? STATE_TONES[section.state] ?? "info" : "info", word("section", section.state) + (section.required ? "" : ` (${t("documents.optional")})`)) },
    ], document.sections, { hideCaption: true }),
  );
}

// Questions that only a person can answer, with the evidence beside them.

import { get, post } from "../api.js";
import { announce, el, fill, freshId, said } from "../dom.js";
import { evidenceList, field, load, notice, problem, tag, toast, view, workButton } from "../parts.js";
import { projectPath, scan, setting, state } from "../state.js";
import { day, number, t, word } from "../text.js";

const OPEN = new Set(["open", "unknown", "reopened", "expired"]);
const TONES = { open: "high", reopened: "high", expired: "high", unknown: "medium", answered: "good", assumed: "info" };

export function questionsView(root, params) {
  const shown = view(t("questions.title"), t("questions.lead"));
  const name = el("input", { autocomplete: "name", value: setting.read("name") ?? "" });
  name.addEventListener("change", () => setting.write("name", name.value.trim()));
  const body = el("div", { class: "view", "data-keeps-itself": true });
  shown.append(el("div", { class: "card" }, field(t("questions.name"), name, t("questions.nameHint"))), body);
  root.append(shown);
  const context = { name, refresh: null, wanted: params.get("q") };
  context.refresh = async () => {
    const unfolded = [...body.querySelectorAll("details.block[open]")].map(({ dataset }) => dataset.block);
    await load(body, () => get("/onboarding/questions", { path: projectPath() }), (form) => blocks(form, context));
    for (const block of unfolded) blockOf(body, block)?.dispatchEvent(new Event("build"));
    reveal(body, context);
  };
  context.refresh();
}

function blockOf(body, name) {
  return [...body.querySelectorAll("details.block")].find(({ dataset }) => dataset.block === name);
}

/** What the scan asks. It may know of an open question that the form calls assumed, as its answer matters only now. */
function askedByScan() {
  const questions = (state.scan?.systems ?? []).flatMap((system) => system.questions);
  return new Map(questions.map(({ key, status, decides, effect }) => [key, { status, decides, effect }]));
}

/** Brings the question of a link into view. */
function reveal(body, context) {
  if (!context.wanted) return;
  const { wanted } = context;
  context.wanted = null;
  const among = (attribute) => [...body.querySelectorAll(`[data-${attribute}]`)].find((each) => each.dataset[attribute].split(" ").includes(wanted));
  if (!among("keys")) among("asks")?.dispatchEvent(new Event("build"));
  const target = among("keys");
  if (!target) return;
  target.scrollIntoView({ block: "start" });
  target.querySelector("h3").focus({ preventScroll: true });
}

function blocks(form, context) {
  const asked = askedByScan();
  const all = form.blocks.flatMap((block) => block.questions.map((question) => ({ ...question, ...asked.get(question.id), system: block.system })));
  const open = grouped(all.filter(({ status }) => OPEN.has(status)));
  const dates = dateKeys();
  const draw = (item) => questionCard(item, dates.has(item.questions[0].id), context);
  return [
    el(
      "section",
      { class: "section" },
      el("header", {}, el("h2", {}, t("questions.open", { n: open.length })), el("p", {}, t("questions.undetermined", { n: form.undetermined }))),
      open.length ? el("div", { class: "questions" }, open.map(draw)) : notice("good", t("questions.none")),
    ),
    el(
      "section",
      { class: "section stack" },
      el("header", {}, el("h2", {}, t("questions.all")), el("p", {}, t("questions.allLead"))),
      form.blocks.map((block) => blockDetails(block, draw)),
    ),
  ];
}

function blockDetails(block, draw) {
  const inner = el("div", { class: "questions" });
  const answered = block.questions.filter(({ status }) => status === "answered").length;
  const summary = el("summary", {}, said(block.title), " ", el("span", { class: "soft small" }, t("questions.answered", { n: answered, of: block.questions.length })));
  const details = el("details", { class: "block", "data-block": `${block.id} ${block.system ?? ""}`, "data-asks": block.questions.map(({ id }) => id).join(" ") }, summary, inner);
  const build = () => {
    if (details.open && !inner.firstChild) fill(inner, block.questions.map((question) => draw({ questions: [{ ...question, system: block.system }] })));
  };
  details.addEventListener("toggle", build);
  details.addEventListener("build", () => { details.open = true; build(); });
  return details;
}

/** The same open question of several systems is asked once, if it has the same options. */
function grouped(questions) {
  const groups = new Map();
  for (const question of questions) {
    const local = question.id.slice(question.id.indexOf(".") + 1);
    const key = question.system === null ? question.id : `${local}\n${question.text}\n${question.options.map(({ value }) => value).join(",")}`;
    if (!groups.has(key)) groups.set(key, { local, questions: [] });
    groups.get(key).questions.push(question);
  }
  return [...groups.values()].sort((a, b) => total(b) - total(a));
}

function total({ questions }) {
  return questions.reduce((sum, { decides }) => sum + decides, 0);
}

/** Which questions ask for a date: the form says `text`, the scan says more. */
function dateKeys() {
  return new Set((state.scan?.systems ?? []).flatMap(({ questions }) => questions.filter(({ kind }) => kind === "date").map(({ key }) => key)));
}

function questionCard({ questions, local }, isDate, context) {
  const [question] = questions;
  const several = questions.length > 1;
  const titleId = freshId("question");
  const keys = questions.map(({ id }) => id).concat(several ? [`all.${local}`] : []);
  const answer = answerInput(question, isDate, titleId);
  const why = el("textarea", { rows: 2 });
  const outcome = el("div", {});
  const targets = several ? scopeChoice(questions, local) : null;
  const save = workButton(t("questions.save"), async () => {
    const value = answer.value();
    const chosen = targets ? targets.keys() : [question.id];
    if (value === null || !chosen.length) {
      fill(outcome, notice("warn", t("questions.choose")));
      announce(t("questions.choose"));
      return;
    }
    const entry = why.value.trim() ? { value, why: why.value.trim() } : value;
    const block = save.closest("details.block");
    const at = block ? [...block.querySelectorAll("article")].indexOf(save.closest("article")) : 0;
    try {
      const reply = await post("/onboarding/complete", {
        path: projectPath(),
        by: context.name.value.trim() || null,
        answers: Object.fromEntries(chosen.map((key) => [key, entry])),
      });
      toast(reply.warnings.length ? "bad" : "good", [el("p", {}, t("questions.saved", { n: reply.open })), reply.warnings.map((text) => said(text, "p"))]);
      await scan();
      await context.refresh();
      focusNext(block?.dataset.block, at);
    } catch (error) {
      fill(outcome, problem(error));
    }
  }, { class: "primary" });
  return el(
    "article",
    { class: "card question", "data-keys": keys.join(" "), "data-status": question.status },
    el(
      "div",
      { class: "stack" },
      el("p", { class: "meta" }, tag(TONES[question.status] ?? "info", word("question", question.status)), said(question.provision), el("span", {}, questions.map(({ system }) => system ?? t("questions.organisation")).join(", "))),
      said(question.text, "h3", { id: titleId, tabindex: "-1" }),
      said(question.why, "p", { class: "soft" }),
      answer.element,
      question.suggestion ? notice("", el("p", {}, t("questions.suggestion"), " ", el("strong", {}, labelOf(question, question.suggestion.value)), "."), said(question.suggestion.because, "p", { class: "soft" })) : null,
      targets?.element ?? null,
      el("details", {}, el("summary", {}, t("questions.reason")), field(t("questions.why"), why, t("questions.whyHint"))),
      el("div", { class: "buttons" }, save),
      outcome,
    ),
    el(
      "aside",
      { class: "stack", "aria-label": t("questions.evidence") },
      el("h4", {}, t("questions.evidence")),
      questions.some(({ evidence }) => evidence?.length)
        ? questions.map((one) => [several ? el("p", { class: "strong small" }, one.system) : null, evidenceList(one.evidence, { withCode: true })])
        : evidenceList([]),
      question.changes?.length ? [el("h4", {}, t("questions.changes")), el("ul", {}, question.changes.map((text) => said(text, "li")))] : null,
      question.decides ? [el("h4", {}, t("questions.effect")), el("p", {}, t("questions.decides", { n: total({ questions }) }))] : null,
    ),
  );
}

/** After an answer: the next question takes the focus, in the block where the person answers. */
function focusNext(block, at) {
  const unfolded = block ? blockOf(document, block) : null;
  const next = unfolded
    ? unfolded.querySelectorAll("article h3")[at + 1] ?? unfolded.querySelector("summary")
    : document.querySelector("main .section article[data-status] h3") ?? document.querySelector("main .section h2");
  if (!next) return;
  if (next.tagName !== "SUMMARY") next.tabIndex = -1;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

function labelOf(question, value) {
  return question.options.find((option) => option.value === value)?.label ?? value;
}

function scopeChoice(questions, local) {
  const box = el("input", { type: "checkbox", checked: true });
  const single = questions.map((question) => {
    const input = el("input", { type: "checkbox", checked: true, value: question.id, disabled: true });
    return { question, input };
  });
  box.addEventListener("change", () => { for (const { input } of single) { input.disabled = box.checked; if (box.checked) input.checked = true; } });
  const element = el(
    "fieldset",
    {},
    el("legend", { class: "small" }, t("questions.scope")),
    el("label", { class: "option" }, box, el("span", {}, t("questions.scopeAll"))),
    single.map(({ question, input }) => el("label", { class: "option" }, input, el("span", {}, question.system))),
  );
  return { element, keys: () => (box.checked ? [`all.${local}`] : single.filter(({ input }) => input.checked).map(({ question }) => question.id)) };
}

/** The input for an answer, and what it says: null where nothing was given. */
function answerInput(question, isDate, titleId) {
  const given = [question.default ?? ""].flat().filter((word) => word !== "");
  if (question.type === "text") {
    const input = isDate ? el("input", { type: "date", "aria-labelledby": titleId }) : el("textarea", { rows: 3, "aria-labelledby": titleId });
    input.value = given[0] ?? "";
    return { element: input, value: () => input.value.trim() || null };
  }
  const multi = question.type === "multi";
  const name = freshId("answer");
  const inputs = [];
  const option = (value, label, effect) => {
    const input = el("input", { type: multi ? "checkbox" : "radio", name, value, checked: given.includes(value) });
    inputs.push(input);
    if (multi) input.addEventListener("change", () => only(inputs, input));
    return el("label", { class: "option" }, input, el("span", {}, label, effect ? el("span", { class: "soft small" }, " · ", effect) : null));
  };
  const ordered = question.options.toSorted((a, b) => (a.value === "none") - (b.value === "none"));
  const options = ordered.map((each) => option(each.value, said(each.label), effectOf(each)));
  options.push(option("unknown", t("questions.unknown"), null));
  const element = options.length > 12
    ? el("details", { class: "many", open: true }, el("summary", {}, t("questions.options", { n: options.length })), el("fieldset", { "aria-labelledby": titleId }, options))
    : el("fieldset", { "aria-labelledby": titleId }, options);
  return {
    element,
    value() {
      const chosen = inputs.filter(({ checked }) => checked).map(({ value }) => value);
      if (!chosen.length) return null;
      return multi && !["none", "unknown"].includes(chosen[0]) ? chosen : chosen[0];
    },
  };
}

/** "None of these" and "I do not know" exclude the others. */
function only(inputs, changed) {
  if (!changed.checked) return;
  const alone = ["none", "unknown"].includes(changed.value);
  for (const input of inputs) {
    if (input !== changed && (alone || ["none", "unknown"].includes(input.value))) input.checked = false;
  }
}

function effectOf(option) {
  const parts = [];
  if (option.adds) parts.push(option.from ? t("effect.addsFrom", { n: option.adds, day: day(option.from) }) : t("effect.adds", { n: option.adds }));
  if (option.removes) parts.push(t("effect.removes", { n: option.removes }));
  if (option.gaps) parts.push(t("effect.gaps", { n: number(option.gaps) }));
  return parts.join("; ");
}

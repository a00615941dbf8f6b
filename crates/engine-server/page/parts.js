// The parts that views share.

import { ApiError } from "./api.js";
import { announce, append, el, fill, freshId, said } from "./dom.js";
import { codeAt } from "./state.js";
import { t, word } from "./text.js";

const MARKS = { critical: "◆", high: "▲", medium: "■", low: "▼", info: "○", good: "✓" };

/** A word with a mark in a tone. */
export function tag(tone, label) {
  return el("span", { class: `tag ${tone}` }, el("i", { "aria-hidden": "true" }, MARKS[tone] ?? "○"), label);
}

/** The severity of a finding; evidence has none. */
export function severityTag(finding) {
  return finding.type === "pass" ? tag("good", t("type.pass")) : tag(finding.severity, word("severity", finding.severity));
}

const STATUS_TONES = { evidenced: "good", gap: "high", incomplete: "medium", not_evaluated: "info" };
const APPLIES_TONES = { applies: "low", upcoming: "medium", undetermined: "info", does_not_apply: "info" };

/** The status of an obligation. */
export function statusTag(status) {
  return tag(STATUS_TONES[status] ?? "info", word("status", status));
}

/** Whether an obligation applies. */
export function appliesTag(applies) {
  return tag(APPLIES_TONES[applies] ?? "info", word("applies", applies));
}

/** The frame of a view: a heading, a sentence, and tools at its side. */
export function view(title, lead, ...tools) {
  const root = el("div", { class: "view" });
  const heading = el("div", {}, el("h1", { tabindex: "-1" }, title), lead ? el("p", {}, lead) : null);
  root.append(el("header", {}, heading, tools.length ? el("div", { class: "buttons" }, tools) : null));
  return root;
}

/** A box with a heading. */
export function card(title, ...children) {
  const id = freshId("card");
  return el("section", { class: "card", "aria-labelledby": title ? id : null }, title ? el("h2", { id }, title) : null, children);
}

/** A message in the text. */
export function notice(tone, ...children) {
  return el("div", { class: `notice ${tone}` }, children.map((child) => (typeof child === "string" ? el("p", {}, child) : child)));
}

/** The sign of work that goes on. */
export function busy(label = t("loading")) {
  return el("p", { class: "busy", role: "status" }, label);
}

/** What went wrong, and what to do. */
export function problem(error) {
  if (error instanceof ApiError && error.outdatedPage) {
    return notice("warn", t("error.outdated"), el("button", { type: "button", onclick: () => location.reload() }, t("reload")));
  }
  if (error instanceof ApiError && error.tokenMissing) {
    return notice("warn", el("h2", {}, t("token.title")), el("p", {}, t("token.needed")), el("button", { type: "button", onclick: () => location.reload() }, t("token.enter")));
  }
  if (error instanceof ApiError && error.missingRoute) return notice("warn", t("error.route"));
  if (error instanceof ApiError && error.code === "read-only") return notice("warn", t("error.readOnly"));
  if (error instanceof ApiError) return notice("bad", said(error.message, "p"));
  if (error instanceof TypeError) return notice("bad", t("error.connection"));
  return notice("bad", String(error?.message ?? error));
}

/** Shows that something loads, then what came of it. */
export async function load(root, work, show) {
  fill(root, busy());
  try {
    const value = await work();
    fill(root, show(value));
  } catch (error) {
    fill(root, problem(error));
  }
}

/**
 * A button that works on something: it cannot be pressed again before that has ended. It keeps the focus meanwhile; where
 * the work removes it, the focus goes to the heading of what is around it.
 */
export function workButton(label, work, attributes = {}) {
  const button = el("button", { type: "button", ...attributes, onclick: run }, label);
  async function run(event) {
    if (button.getAttribute("aria-busy")) return;
    button.setAttribute("aria-busy", "true");
    button.setAttribute("aria-disabled", "true");
    const around = ancestors(button);
    try {
      await work(event);
    } catch (error) {
      toast("bad", problem(error));
    } finally {
      button.removeAttribute("aria-busy");
      button.removeAttribute("aria-disabled");
      if (!document.activeElement || document.activeElement === document.body) focusAgain(button, around);
    }
  }
  return button;
}

function ancestors(element) {
  const all = [];
  for (let at = element.parentElement; at; at = at.parentElement) all.push(at);
  return all;
}

function focusAgain(button, around) {
  if (button.isConnected && button.checkVisibility()) return button.focus({ preventScroll: true });
  const heading = around.filter((each) => each.isConnected).map((each) => each.querySelector("h1, h2, h3")).find(Boolean);
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** A message at the edge of the page that goes away. */
export function toast(tone, content) {
  const close = el("button", { type: "button", class: "quiet small-button", "aria-label": t("close") }, "✕");
  const box = el("div", { class: tone }, el("div", {}, content), close);
  close.addEventListener("click", () => box.remove());
  document.getElementById("notices").append(box);
  announce(box.firstChild.textContent);
  setTimeout(() => box.remove(), tone === "bad" ? 20000 : 7000);
}

/** Asks before something happens. Resolves to whether it may. */
export function confirm(title, body, action) {
  const titleId = freshId("dialog");
  return new Promise((resolve) => {
    const dialog = el("dialog", { "aria-labelledby": titleId });
    const form = el(
      "form",
      { method: "dialog" },
      el("h2", { id: titleId }, title),
      el("div", { class: "stack" }, body),
      el(
        "div",
        { class: "buttons" },
        el("button", { class: "primary", value: "yes" }, action),
        el("button", { value: "no", autofocus: true }, t("cancel")),
      ),
    );
    dialog.append(form);
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** A labelled input. */
export function field(label, input, hint) {
  const hintId = hint ? freshId("hint") : null;
  if (hintId) input.setAttribute("aria-describedby", hintId);
  return el("label", { class: "field" }, el("span", {}, label), input, hint ? el("span", { class: "hint", id: hintId }, hint) : null);
}

/** A choice of one. `options` are pairs of value and label. */
export function select(options, value, attributes = {}) {
  const box = el("select", attributes, options.map(([key, label]) => el("option", { value: key }, label)));
  box.value = value ?? options[0]?.[0] ?? "";
  return box;
}

/** Lines of code with the one that matters. */
export function codeBlock(context, label) {
  const lines = context.lines.map(({ num, content }) => {
    const hit = num === context.highlightLine;
    return el("span", { class: hit ? "hit" : null }, el("span", { class: "num" }, num), content || " ");
  });
  return el("pre", { class: "code", tabindex: "0", role: "group", "aria-label": label ?? t("code") }, lines);
}

/** A unified diff. */
export function diffBlock(diff, label) {
  const lines = String(diff ?? "").replace(/\n$/, "").split("\n").map((line) => {
    const kind = line.startsWith("+++") || line.startsWith("---") || line.startsWith("@@")
      ? "hunk"
      : line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : null;
    return el("span", { class: kind }, line || " ");
  });
  return el("pre", { class: "code", tabindex: "0", role: "group", "aria-label": label ?? t("diff") }, lines);
}

/** `file:line`, where both are known. */
export function place(file, line) {
  return file ? el("span", { class: "place" }, line ? `${file}:${line}` : file) : null;
}

/** The places behind a statement, with their code where it is known. */
export function evidenceList(evidence, { withCode = false } = {}) {
  if (!evidence?.length) return el("p", { class: "soft small" }, t("evidence.none"));
  const once = [...new Map(evidence.map((item) => [`${item.kind} ${item.ref} ${item.file} ${item.line}`, item])).values()];
  return el(
    "ul",
    { class: "places" },
    once.slice(0, 20).map((item) => {
      const code = withCode ? codeAt(item.file, item.line) : null;
      return el(
        "li",
        {},
        item.ref ? said(item.kind === "code" ? `\`${item.ref}\`` : item.ref) : null,
        place(item.file, item.line),
        code ? codeBlock(code, `${item.file}:${item.line}`) : null,
      );
    }),
    once.length > 20 ? el("li", { class: "soft" }, t("more", { n: once.length - 20 })) : null,
  );
}

/** A list of facts. Empty values are left out. */
export function facts(pairs) {
  const rows = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "" && !(Array.isArray(value) && !value.length));
  return el("dl", { class: "facts" }, rows.map(([name, value]) => [el("dt", {}, name), append(el("dd", {}), [Array.isArray(value) && value.every((item) => typeof item === "string") ? value.join(", ") : value])]));
}

/** A table. Columns are `{label, right, cell(row)}`; the first is the heading of its row. */
export function table(caption, columns, rows, { foot = null, hideCaption = false } = {}) {
  const cells = (row) => columns.map(({ label, right, cell }, index) => {
    const content = cell(row);
    return index === 0
      ? el("th", { scope: "row" }, content)
      : el("td", { class: right ? "right" : null, "data-label": label }, append(el("span", {}), [content]));
  });
  return el(
    "div",
    { class: "table" },
    el(
      "table",
      { class: "fold" },
      el("caption", { class: hideCaption ? "unseen" : null }, caption),
      el("thead", {}, el("tr", {}, columns.map(({ label, right }) => el("th", { scope: "col", class: right ? "right" : null }, label)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, cells(row)))),
      foot ? el("tfoot", {}, foot) : null,
    ),
  );
}

/** A long list in steps: `show` makes the element of one item. */
export function inSteps(items, show, parent, step = 50) {
  const more = el("button", { type: "button", class: "after", onclick: () => grow(true) });
  let shown = 0;
  function grow(focus) {
    const first = shown;
    const added = items.slice(shown, shown + step).map(show);
    parent.append(...added);
    shown += added.length;
    more.textContent = t("showMore", { n: Math.min(step, items.length - shown), left: items.length - shown });
    more.hidden = shown >= items.length;
    if (focus && added.length) {
      parent.children[first].tabIndex = -1;
      parent.children[first].focus();
    }
  }
  grow(false);
  return [parent, more];
}

/** Lets a person keep a file. */
export function saveFile(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/** A button that copies a text. */
export function copyButton(textOf, label = t("copy")) {
  return workButton(label, async () => {
    await navigator.clipboard.writeText(textOf());
    toast("good", t("copied"));
  }, { class: "small-button" });
}

// The page's own element builder. All data enters the document as text, never as markup.

/** Creates an element. `attributes`: `on*` are listeners, `class` and `aria-*` as in HTML, `false` and null are left out. */
export function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

/** The same for SVG. */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "open") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Appends texts, elements and nested lists of them. */
export function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    parent.append(child instanceof Node ? child : String(child));
  }
  return parent;
}

/** Replaces everything in an element. */
export function fill(parent, ...children) {
  parent.replaceChildren();
  return append(parent, children);
}

/** A text of the engine: `code` in backticks becomes code. It is English, whatever the language of the page. */
export function said(text, tag = "span", attributes = {}) {
  const foreign = document.documentElement.lang !== "en";
  const parts = String(text ?? "").split(/(`[^`]+`)/);
  const children = parts.map((part) =>
    part.length > 2 && part.startsWith("`") && part.endsWith("`") ? el("code", {}, part.slice(1, -1)) : part,
  );
  return el(tag, { ...attributes, lang: foreign ? "en" : null }, children);
}

let next = 0;

/** An id that no other element has. */
export function freshId(stem) {
  next += 1;
  return `${stem}-${next}`;
}

/** Says a text to a screen reader. */
export function announce(text) {
  const live = document.getElementById("live");
  live.textContent = "";
  setTimeout(() => { live.textContent = text; }, 50);
}

/** Runs a function once input has paused. */
export function paused(ms, work) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...values), ms);
  };
}

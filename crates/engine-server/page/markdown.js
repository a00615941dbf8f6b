// Markdown as elements: what documents and reports use, and no HTML.

import { el } from "./dom.js";

/** Draws Markdown. Links lead nowhere outside the page: their address is shown as text. */
export function markdown(text, headingShift = 1) {
  const { front, lines } = split(String(text).replaceAll("\r\n", "\n"));
  const root = el("div", { class: "prose", tabindex: "0", role: "group", lang: "en" });
  if (front.length) root.append(el("details", {}, el("summary", {}, "…"), el("pre", { class: "text-block" }, front.join("\n"))));
  let at = 0;
  while (at < lines.length) at = block(lines, at, root, headingShift);
  return root;
}

function split(text) {
  const lines = text.split("\n");
  if (lines[0] !== "---") return { front: [], lines };
  const end = lines.indexOf("---", 1);
  return end < 0 ? { front: [], lines } : { front: lines.slice(1, end), lines: lines.slice(end + 1) };
}

const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/;

function block(lines, at, root, shift) {
  const line = lines[at];
  if (!line.trim() || line.startsWith("<!--")) return comment(lines, at);
  const heading = HEADING.exec(line);
  if (heading) {
    root.append(el(`h${Math.min(6, heading[1].length + shift)}`, {}, inline(heading[2])));
    return at + 1;
  }
  if (/^(```|~~~)/.test(line)) return fence(lines, at, root);
  if (/^\s*(-{3,}|\*{3,})\s*$/.test(line)) {
    root.append(el("hr", {}));
    return at + 1;
  }
  if (line.startsWith("|") && /^\|?[\s:|-]+\|?$/.test(lines[at + 1] ?? "")) return grid(lines, at, root);
  if (ITEM.test(line)) return items(lines, at, root);
  if (line.startsWith(">")) return quote(lines, at, root, shift);
  let end = at;
  while (end < lines.length && lines[end].trim() && !HEADING.test(lines[end]) && !ITEM.test(lines[end]) && !lines[end].startsWith("|") && !lines[end].startsWith(">") && !/^(```|~~~)/.test(lines[end])) end += 1;
  end = Math.max(end, at + 1);
  root.append(el("p", {}, inline(lines.slice(at, end).join(" "))));
  return end;
}

function comment(lines, at) {
  if (!lines[at].startsWith("<!--")) return at + 1;
  let end = at;
  while (end < lines.length && !lines[end].includes("-->")) end += 1;
  return end + 1;
}

function fence(lines, at, root) {
  const mark = lines[at].slice(0, 3);
  let end = at + 1;
  while (end < lines.length && !lines[end].startsWith(mark)) end += 1;
  root.append(el("pre", { class: "text-block", tabindex: "0" }, lines.slice(at + 1, end).join("\n")));
  return end + 1;
}

function cells(line) {
  return line.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function grid(lines, at, root) {
  let end = at + 2;
  while (end < lines.length && lines[end].startsWith("|")) end += 1;
  root.append(el("div", { class: "table", tabindex: "0", role: "group" }, el(
    "table",
    {},
    el("thead", {}, el("tr", {}, cells(lines[at]).map((cell) => el("th", { scope: "col" }, inline(cell))))),
    el("tbody", {}, lines.slice(at + 2, end).map((line) => el("tr", {}, cells(line).map((cell) => el("td", {}, inline(cell)))))),
  )));
  return end;
}

function items(lines, at, root) {
  const [, indent, mark] = ITEM.exec(lines[at]);
  const list = el(/\d/.test(mark) ? "ol" : "ul", {});
  let end = at;
  while (end < lines.length) {
    const item = ITEM.exec(lines[end]);
    if (item && item[1].length > indent.length && list.lastChild) {
      end = items(lines, end, list.lastChild);
    } else if (item && item[1].length === indent.length) {
      list.append(el("li", {}, inline(item[3])));
      end += 1;
    } else if (lines[end].startsWith("  ") && lines[end].trim() && list.lastChild) {
      list.lastChild.append(" ", ...inline(lines[end].trim()));
      end += 1;
    } else break;
  }
  root.append(list);
  return end;
}

function quote(lines, at, root, shift) {
  let end = at;
  while (end < lines.length && lines[end].startsWith(">")) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(/^>\s?/, ""));
  const box = el("blockquote", { class: "notice" });
  let inside = 0;
  while (inside < inner.length) inside = block(inner, inside, box, shift);
  root.append(box);
  return end;
}

const INLINE = /(`[^`]+`|\*\*[^*]+\*\*|__[^_]+__|\*[^*\s][^*]*\*|!?\[[^\]]*\]\([^)\s]+\)|\\[\\`*_{}[\]()#+\-.!|<>])/;

function inline(text) {
  return text.split(INLINE).filter(Boolean).map((part) => {
    if (/^`[^`]+`$/.test(part)) return el("code", {}, part.slice(1, -1));
    if (/^(\*\*|__).+(\*\*|__)$/.test(part)) return el("strong", {}, inline(part.slice(2, -2)));
    if (/^\*[^*]+\*$/.test(part)) return el("em", {}, inline(part.slice(1, -1)));
    const link = /^!?\[([^\]]*)\]\(([^)\s]+)\)$/.exec(part);
    if (link) return link[1] === link[2] || link[2].startsWith("#") ? link[1] : `${link[1]} (${link[2]})`;
    return /^\\.$/.test(part) ? part.slice(1) : part;
  });
}

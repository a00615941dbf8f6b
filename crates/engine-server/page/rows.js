// A list of any length: only the rows in sight are in the document.

import { el } from "./dom.js";

const SPARE = 8;

/**
 * Shows `items` in a list that scrolls. `draw(item)` makes the content of a row, a button. The arrow keys, Home, End
 * and the page keys move through the rows; the list is one stop for the Tab key.
 */
export function rowList(label, draw, onChoose) {
  const inner = el("div", { role: "list", "aria-label": label });
  const box = el("div", { class: "rows" }, inner);
  const sizer = el("div", { class: "at", "aria-hidden": "true" });
  const shown = new Map();
  let items = [];
  let height = 72;
  let active = 0;
  let chosen = null;
  let planned = false;

  box.addEventListener("scroll", plan, { passive: true });
  box.addEventListener("keydown", move);
  const resized = new ResizeObserver(() => { measure(); plan(); });
  resized.observe(box);

  /** The style sheet says how high a row is, which depends on the width of the window. */
  function measure() {
    inner.append(sizer);
    const measured = sizer.offsetHeight || height;
    sizer.remove();
    if (measured !== height) {
      height = measured;
      for (const row of shown.values()) row.remove();
      shown.clear();
    }
    inner.style.height = `${items.length * height}px`;
  }

  function plan() {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => { planned = false; render(); });
  }

  function render() {
    const first = Math.max(0, Math.floor(box.scrollTop / height) - SPARE);
    const last = Math.min(items.length, Math.ceil((box.scrollTop + box.clientHeight) / height) + SPARE);
    for (const [index, row] of shown) {
      if ((index < first || index >= last) && index !== active) {
        row.remove();
        shown.delete(index);
      }
    }
    // A row that has the focus stays, wherever it is.
    let after = active < first ? shown.get(active) ?? null : null;
    for (let index = first; index < last; index += 1) {
      if (!shown.has(index)) {
        const row = make(index);
        shown.set(index, row);
        // The order in the document is the order on the screen, for those who hear it.
        inner.insertBefore(row, after ? after.nextSibling : inner.firstChild);
      }
      after = shown.get(index);
    }
  }

  function make(index) {
    const item = items[index];
    const button = el("button", { type: "button", class: "row", tabindex: index === active ? "0" : "-1", "aria-current": item === chosen ? "true" : null, onclick: () => choose(index) }, draw(item));
    const row = el("div", { role: "listitem", class: "at", "aria-setsize": items.length, "aria-posinset": index + 1 }, button);
    row.style.transform = `translateY(${index * height}px)`;
    return row;
  }

  function choose(index) {
    setActive(index);
    chosen = items[index];
    for (const [at, row] of shown) {
      if (at === index) row.firstChild.setAttribute("aria-current", "true");
      else row.firstChild.removeAttribute("aria-current");
    }
    onChoose(chosen);
  }

  function setActive(index) {
    shown.get(active)?.firstChild.setAttribute("tabindex", "-1");
    active = index;
    shown.get(active)?.firstChild.setAttribute("tabindex", "0");
  }

  function move(event) {
    const page = Math.max(1, Math.floor(box.clientHeight / height) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (!(event.key in steps) || !items.length) return;
    event.preventDefault();
    setActive(Math.min(items.length - 1, Math.max(0, active + steps[event.key])));
    reveal();
    shown.get(active)?.firstChild.focus({ preventScroll: true });
  }

  function reveal() {
    const top = active * height;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
    render();
  }

  return {
    element: box,
    /** Shows other items. */
    set(next, keep = null) {
      items = next;
      active = Math.max(0, keep ? items.indexOf(keep) : 0);
      chosen = keep;
      inner.replaceChildren();
      shown.clear();
      measure();
      box.scrollTop = 0;
      if (keep && active > 0) requestAnimationFrame(reveal);
      plan();
    },
    /** Puts the focus on the row of the chosen item. */
    focus() {
      reveal();
      shown.get(active)?.firstChild.focus({ preventScroll: true });
    },
    close() {
      resized.disconnect();
    },
  };
}

// Reports each control that the page shows, and each that a test uses. It runs before the page, in every test.
((patterns) => {
  const CONTROLS = "a[href], button, summary, select, textarea, input";
  const known = new Set();
  const tests = patterns.map(([key, source]) => [key, new RegExp(source, "s")]);

  // What is shown, not what the address asks for: between the two, controls of the view before would count for the new one.
  const view = () => document.querySelector("main")?.dataset.view ?? "overview";

  function area(control) {
    if (control.closest("dialog")) return "dialog";
    if (control.closest("#top, #nav, #skip, #notices")) return "frame";
    return view();
  }

  function textOf(element) {
    const copy = element.cloneNode(true);
    for (const aside of copy.querySelectorAll(".count, .soft, .under-summary, .place, [aria-hidden=true]")) aside.remove();
    return copy.textContent.trim().replace(/\s+/g, " ");
  }

  function nameOf(control) {
    const labelled = control.getAttribute("aria-labelledby")?.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
    const label = control.labels?.[0];
    return control.getAttribute("aria-label") || labelled || (label ? textOf(label.querySelector("span") ?? label) : "") || control.placeholder || textOf(control);
  }

  function kindOf(control) {
    const tag = control.tagName.toLowerCase();
    return tag === "a" ? "link" : tag === "input" ? control.type : tag === "summary" ? "fold" : tag;
  }

  /** The message that names a control, or the part of the page that it is in where its name is data. */
  function keyOf(control) {
    const name = nameOf(control).replace(/^[←\s]+/, "");
    const message = tests.find(([, test]) => test.test(name))?.[0];
    const part = [...function* () { for (let at = control; at; at = at.parentElement) if (at.classList.length) yield at.classList[0]; }()].slice(0, 2).join(" in ");
    return [`${area(control)}: ${kindOf(control)} ${message ?? `(${part})`}`, name];
  }

  function report(what, control) {
    if (document.documentElement.lang !== "en" || !control.isConnected) return;
    const [key, name] = keyOf(control);
    const said = `${what} ${key}`;
    if (known.has(said)) return;
    known.add(said);
    window.controlReported(what, key, name.slice(0, 80));
  }

  function harvest() {
    for (const control of document.querySelectorAll(CONTROLS)) {
      if (control.disabled || control.ariaDisabled || !control.checkVisibility() || control.hasAttribute("download")) continue;
      report("seen", control);
    }
  }

  let planned = false;
  const plan = () => {
    if (planned) return;
    planned = true;
    setTimeout(() => { planned = false; harvest(); }, 120);
  };
  window.harvestControls = harvest;
  window.controlKey = (control) => keyOf(control)[0];
  addEventListener("DOMContentLoaded", () => new MutationObserver(plan).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["open", "hidden", "disabled"] }));
  addEventListener("click", (event) => {
    const control = event.target.closest?.(CONTROLS);
    if (control && !["select", "textarea"].includes(kindOf(control))) report("used", control);
  }, true);
  for (const name of ["input", "change"]) {
    addEventListener(name, (event) => { if (event.target.matches?.(CONTROLS)) report("used", event.target); }, true);
  }
})(PATTERNS);

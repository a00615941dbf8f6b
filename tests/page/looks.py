"""How the page looks and reads: widths, words in three languages, accessibility, pictures."""

import pathlib
import re

from suite import CLAIMS, VIEWS, messages

ONE_PIXEL = 1

# Text that its box hides, or that leaves the window where nothing scrolls. What scrolls by itself is not cut.
CUT = """() => {
  const shown = (element) => element.checkVisibility() && !element.closest('.unseen, .skip');
  const scrolls = (element) => {
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      if (['auto', 'scroll'].includes(getComputedStyle(at).overflowX)) return true;
    }
    return false;
  };
  const cut = [];
  for (const element of document.querySelectorAll('body *')) {
    if (!shown(element) || element.closest('svg') || element.tagName === 'OPTION') continue;
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!text) continue;
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    if (box.width <= 1 || box.height <= 1) continue;
    const hides = ['hidden', 'clip'].includes(style.overflowX);
    if (hides && (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 2)) cut.push(['hidden', element.textContent.trim().slice(0, 60)]);
    else if (!scrolls(element) && (box.right > document.documentElement.clientWidth + 1 || box.left < -1)) cut.push(['outside', element.textContent.trim().slice(0, 60)]);
  }
  for (const control of document.querySelectorAll('button, .button, select')) {
    if (shown(control) && control.scrollWidth > control.clientWidth + 1) cut.push(['control', control.textContent.trim().slice(0, 60)]);
  }
  const ruler = document.createElement('canvas').getContext('2d');
  for (const box of document.querySelectorAll('select')) {
    if (!shown(box) || !box.selectedOptions.length) continue;
    const style = getComputedStyle(box);
    ruler.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const room = box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 16;
    const text = box.selectedOptions[0].textContent;
    if (ruler.measureText(text).width > room + 1) cut.push(['choice', text]);
  }
  return cut;
}"""


def widths(suite, base):
    for width in (360, 768, 1280, 1920):
        with suite.page(base, width=width) as page:
            suite.open(page, base)
            for view in VIEWS:
                suite.go(page, view)
                over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                assert over <= ONE_PIXEL, f"{view} at {width}: {over} pixels too wide"


def narrow(suite, base):
    """Nothing is cut at 360 pixels, in any language, with every fold open."""
    cut = []
    for language in ("en", "de", "fr"):
        with suite.page(base, width=360, language=language) as page:
            suite.open(page, base)
            for view in VIEWS:
                suite.go(page, view)
                suite.unfold(page)
                cut += [f"{view} in {language}: {why}: {text}" for why, text in page.evaluate(CUT)[:3]]
                over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                if over > ONE_PIXEL:
                    cut.append(f"{view} in {language}: {over} pixels too wide")
    assert not cut, "; ".join(cut[:12])


def words(suite, base):
    """No claim, no absolute path, no message without its text, and none with a place that was not filled."""
    english = messages()
    groups = {key.split(".")[0] for key in english}
    for language in ("en", "de", "fr"):
        with suite.page(base, language=language) as page:
            suite.open(page, base)
            assert page.evaluate("document.documentElement.lang") == language
            for view in VIEWS:
                suite.go(page, view)
                suite.unfold(page)
                text = page.locator("body").inner_text()
                # What is said about national laws, such as a bill that a parliament passed, is no claim about the project.
                claims = page.evaluate("() => { const copy = document.body.cloneNode(true); for (const each of copy.querySelectorAll('.cards dd')) each.remove(); return copy.innerText; }") if view == "jurisdictions" else text
                claim = CLAIMS.search(claims)
                assert not claim, f"{view} in {language}: {claim.group(0)}"
                home = str(pathlib.Path(suite.work))
                assert home not in text, f"{view} shows an absolute path"
                assert "[object" not in text and "undefined" not in text and "NaN" not in text, f"{view} in {language}"
                lines = [line.strip() for line in text.splitlines()]
                keys = [line for line in lines if re.fullmatch(r"[a-zA-Z]+(\.[a-zA-Z_-]+)+", line) and line.split(".")[0] in groups and " " not in line]
                keys = [key for key in keys if not key.endswith((".py", ".ts", ".md", ".js", ".json", ".toml", ".yml", ".yaml", ".txt"))]
                fields = page.locator("main code.plain").all_inner_texts()
                assert not set(keys) - set(fields), f"{view} in {language}: no text for {keys[0]}"
                said = page.locator("main h1, main h2, main p:not([lang]), main button").all_inner_texts()
                place = re.search(r"(?<!\{)\{\w+\}(?!\})", "\n".join(said))
                assert not place, f"{view} in {language}: {place and place.group(0)} was not filled"
                if language != "en":
                    title = page.locator("main h1").inner_text()
                    own = {text for key, text in english.items() if key.endswith(".title")}
                    assert title not in own or title in ("Documents", "Systems", "Score", "Questions"), f"{view} in {language}: {title}"


# What is pressed before a view is checked, so that its results and dialogs are checked too.
OPENED = {
    "findings": ["^Preview the fix$"],
    "passports": ["^Read passport", "^Validate$"],
    "evaluations": ["^Open run"],
    "evidence": ["^Verify the chain$"],
    "timeline": ["^Compare$"],
    "documents": ["^Prepare this draft$", "^Prepare drafts$"],
    "report": ["^Read here$", "^Write COMPLIANCE.md$"],
}


def axe(suite, page, where, bad):
    """Runs axe-core on what a page shows; adds what is serious to `bad`."""
    source = pathlib.Path(suite.arguments.axe).read_text()
    page.evaluate(source + "; true")
    result = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    suite.axe_runs += 1
    for violation in result["violations"]:
        if violation["impact"] in ("serious", "critical"):
            place = violation["nodes"][0]["target"]
            bad.append(f"{where}: {violation['id']} at {place} ({len(violation['nodes'])})")


def accessible(suite, base):
    assert suite.arguments.axe and pathlib.Path(suite.arguments.axe).is_file(), "give --axe FILE (npm pack axe-core, axe.min.js)"
    bad = []
    for theme in ("light", "dark"):
        for width in (360, 1280):
            with suite.page(base, width=width, theme=theme) as page:
                suite.open(page, base)
                for view in VIEWS:
                    suite.go(page, view)
                    for name in OPENED.get(view, []):
                        shown = page.locator("main").get_by_role("button", name=re.compile(name))
                        if view == "findings" and page.locator(".row").first.is_visible():
                            page.locator(".row").first.click()
                        if shown.count() and shown.first.is_enabled():
                            shown.first.click()
                            page.wait_for_function("() => !document.querySelector('[aria-busy=true]') || document.querySelector('dialog[open]')")
                    page.evaluate("document.querySelectorAll('main details').forEach((details, index) => { if (index < 12) details.open = true; })")
                    page.wait_for_timeout(250)
                    axe(suite, page, f"{view} {theme} {width}", bad)
                    dialog = page.locator("dialog[open]")
                    if dialog.count():
                        dialog.get_by_role("button", name="Cancel").click()
    assert not bad, "; ".join(bad)


def screenshots(suite, base):
    folder = pathlib.Path(suite.arguments.screenshots)
    folder.mkdir(parents=True, exist_ok=True)
    for width, height in ((360, 780), (1280, 900), (1920, 1080)):
        for theme in ("light", "dark"):
            with suite.page(base, width=width, height=height, theme=theme, record=False) as page:
                suite.open(page, base)
                for view in VIEWS:
                    suite.go(page, view)
                    if view == "findings" and page.locator(".row").count():
                        page.locator(".row").first.click()
                    page.evaluate("window.scrollTo(0, 0)")
                    page.screenshot(path=str(folder / f"{view}-{width}-{theme}.png"), full_page=suite.arguments.full)

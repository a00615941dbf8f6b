"""The page without a mouse: Tab, Enter, Space and the arrow keys only."""

from playwright.sync_api import expect

TABS_MAX = 400

FOCUSED = """() => {
  const at = document.activeElement;
  const label = at?.labels?.[0];
  const name = at?.getAttribute('aria-label') || (label ? (label.querySelector('span') ?? label).textContent : '') || at?.textContent || '';
  return [at?.tagName ?? '', name.trim(), getComputedStyle(at).outlineStyle];
}"""


def tab_to(page, tag, name):
    """Presses Tab until the control of that name has the focus; the focus must be seen at every stop."""
    for _ in range(TABS_MAX):
        page.keyboard.press("Tab")
        focused, text, outline = page.evaluate(FOCUSED)
        assert focused in ("BODY", "HTML") or outline != "none" or focused == "INPUT", f"the focus on {focused} {text} is not to be seen"
        if focused == tag and text.startswith(name):
            return
    raise AssertionError(f"Tab does not reach {tag} {name}")


def keeps_focus(page):
    """After work, the focus is somewhere in the page, so that the next Tab goes on from there."""
    page.wait_for_function("() => !document.querySelector('[aria-busy=true], main .busy')")
    page.wait_for_timeout(150)
    assert page.evaluate("document.activeElement !== document.body"), "the focus is lost"


def basics(suite, base):
    with suite.page(base) as page:
        suite.open(page, base)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        suite.go(page, "findings")
        page.locator(".row").first.focus()
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement.parentElement.getAttribute('aria-posinset')") == "2"
        page.keyboard.press("End")
        last = page.evaluate("document.activeElement.parentElement.getAttribute('aria-posinset')")
        assert last == page.evaluate("document.activeElement.parentElement.getAttribute('aria-setsize')")
        page.keyboard.press("Enter")
        expect(page.locator(".detail h2")).to_be_visible()
        page.locator(".row").last.focus()
        page.keyboard.press("Home")
        style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert style != "none", "the focus is not to be seen"


def path(suite, base):
    """The main path: answer a question, read a finding, draft a document, read the report, share and revoke."""
    with suite.page(base) as page:
        suite.open(page, base)
        tab_to(page, "A", "Questions")
        page.keyboard.press("Enter")
        suite.settled(page)
        assert page.evaluate("document.activeElement.tagName") == "H1"
        tab_to(page, "INPUT", "Your name")
        page.keyboard.type("A. Person")
        tab_to(page, "SUMMARY", "Your organisation")
        page.keyboard.press("Enter")
        expect(page.locator("details.block[open] input").first).to_be_visible()
        tab_to(page, "INPUT", "")
        page.keyboard.press("Space")
        tab_to(page, "BUTTON", "Save answer")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Answer saved").first).to_be_visible()
        keeps_focus(page)
        assert page.evaluate("!!document.activeElement.closest('details.block[open]')"), "the place in the questions is lost"

        page.evaluate("document.getElementById('skip').focus()")
        tab_to(page, "A", "Findings")
        page.keyboard.press("Enter")
        suite.settled(page)
        tab_to(page, "INPUT", "Search title")
        tab_to(page, "BUTTON", "")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.locator(".detail h2")).to_be_visible()
        assert page.evaluate("document.activeElement.tagName") == "H2"

        page.evaluate("document.getElementById('skip').focus()")
        tab_to(page, "A", "Documents")
        page.keyboard.press("Enter")
        suite.settled(page)
        tab_to(page, "SELECT", "Document")
        page.keyboard.type("AI usage")
        tab_to(page, "BUTTON", "Prepare this draft")
        page.keyboard.press("Enter")
        expect(page.locator("main .card").get_by_text("Completeness").first.or_(page.locator("main .notice.bad")).first).to_be_visible()
        keeps_focus(page)

        page.evaluate("document.getElementById('skip').focus()")
        tab_to(page, "A", "Report and share")
        page.keyboard.press("Enter")
        suite.settled(page)
        tab_to(page, "BUTTON", "Read here")
        page.keyboard.press("Enter")
        expect(page.locator(".paper")).to_be_visible()
        keeps_focus(page)
        tab_to(page, "BUTTON", "Create share")
        page.keyboard.press("Enter")
        expect(page.get_by_text("The share is ready").first).to_be_visible()
        keeps_focus(page)
        tab_to(page, "BUTTON", "Revoke")
        page.keyboard.press("Enter")
        # The dialog opens on the button that changes nothing.
        assert page.evaluate(FOCUSED)[1] == "Cancel"
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)
        page.wait_for_timeout(150)
        assert page.evaluate(FOCUSED)[1].startswith("Revoke"), "after the dialog, the focus is elsewhere"
        page.keyboard.press("Enter")
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(FOCUSED)[1] == "Revoke"
        page.keyboard.press("Enter")
        expect(page.get_by_text("The share is revoked").first).to_be_visible()
        keeps_focus(page)

        page.evaluate("document.getElementById('skip').focus()")
        tab_to(page, "BUTTON", "Scan again")
        page.keyboard.press("Enter")
        suite.scanned(page) if page.locator(".figures").count() else page.wait_for_selector(".scan:not([aria-disabled])")
        assert page.evaluate("document.activeElement.id") == "scan", "the focus leaves the button"

"""The job of a compliance officer, in the browser alone."""

import re

from playwright.sync_api import expect

from every import choice


def officer(suite, base):
    """The job of a compliance officer, in the browser alone."""
    with suite.page(base) as page:
        # The list of what to do leads to a question.
        suite.open(page, base)
        page.get_by_role("link", name=re.compile("^Answer: ")).first.click()
        expect(page.locator("main h1")).to_have_text("Questions")
        suite.settled(page)
        # The system is registered: its passport is created, and its purpose stated.
        suite.go(page, "passports")
        suite.press(page, suite.button(page, "Create or update passports"))
        suite.agree(page, "Create or update passports")
        expect(page.get_by_role("button", name=re.compile("^Read passport")).first).to_be_visible()
        suite.go(page, "systems")
        page.get_by_role("link", name="Describe this system").first.click()
        card = page.locator("article[data-keys~='main.purpose'], article[data-keys$='.purpose']").first
        card.get_by_role("textbox").first.fill("Answers questions of customers about their orders.")
        page.get_by_label("Your name").fill("A. Person")
        suite.press(page, card.get_by_role("button", name="Save answer"))
        expect(page.get_by_text("Answer saved").first).to_be_visible()
        suite.go(page, "overview")
        suite.go(page, "questions")
        narrowed(suite, page)
        for _ in range(12):
            page.wait_for_function("() => !document.querySelector('main .busy')")
            opened = page.locator(".section").first.locator("article[data-status='open'], article[data-status='reopened']")
            if not opened.count():
                break
            answer(suite, page, opened.first)
        assert not page.locator(".section").first.locator("article[data-status='open']").count(), "a question stays open"
        suite.go(page, "documents")
        # The assessment is due for the system that ranks applicants.
        choice(page, "Document").select_option("fria")
        page.locator("select[name=name]").first.select_option("helpdesk-screening")
        page.get_by_label("Assessor").fill("A. Person")
        page.get_by_label("Impact on people").fill("Applicants may be turned down because of a wrong score.")
        suite.press(page, suite.button(page, "Prepare this draft"))
        page.wait_for_timeout(500)
        page.wait_for_function("() => !document.querySelector('[aria-busy=true]')")
        if not suite.absent(page, "POST /agent/fria"):
            expect(page.locator(".paper")).to_be_visible()
            page.get_by_text("Make it final").first.click()
            suite.press(page, suite.button(page, "Make final").first)
            page.locator("dialog[open]").get_by_role("button", name="Cancel").click()
        suite.press(page, suite.button(page, "Prepare drafts"))
        suite.agree(page, "Prepare drafts")
        page.wait_for_function("() => !document.querySelector('[aria-busy=true]')")
        if not suite.absent(page, "POST /agent/doc/all"):
            expect(page.get_by_role("heading", name=re.compile(r"^Drafts: [1-9]"))).to_be_visible()
        suite.go(page, "report")
        page.get_by_label("Country").select_option("DE")
        suite.press(page, suite.button(page, "Save as PDF"))
        page.wait_for_function("() => !document.querySelector('[aria-busy=true]')")
        if not suite.absent(page, "POST /report/pdf"):
            expect(page.get_by_text("The report was made")).to_be_visible()
        suite.press(page, suite.button(page, "Read here"))
        page.wait_for_function("() => !document.querySelector('[aria-busy=true]')")
        if not suite.absent(page, "POST /report/markdown"):
            expect(page.locator(".paper")).to_be_visible()
            with page.expect_download():
                suite.press(page, suite.button(page, "Save as Markdown"))
        suite.press(page, suite.button(page, "Write COMPLIANCE.md"))
        suite.agree(page, "Write COMPLIANCE.md")
        suite.press(page, suite.button(page, "Create share"))
        page.wait_for_function("() => !document.querySelector('[aria-busy=true]')")
        if not suite.absent(page, "POST /share"):
            expect(page.get_by_text("The share is ready").first).to_be_visible()
            suite.press(page, page.get_by_role("button", name="Revoke").first)
            suite.agree(page, "Revoke")
            expect(page.get_by_text("The share is revoked").first).to_be_visible()


def narrowed(suite, page):
    """A question of several systems can be answered for some of them only."""
    every = page.get_by_label("The same for all systems")
    if every.count():
        every.first.uncheck()
        single = page.locator("fieldset", has=every.first).first.locator("input").nth(1)
        single.uncheck()
        single.check()
        every.first.check()
        expect(single).to_be_disabled()


def answer(suite, page, card):
    key = card.get_attribute("data-keys")
    date = card.locator("input[type=date]")
    choices = card.locator("input[type=checkbox][name], input[type=radio][name]")
    if date.count():
        date.fill("2026-03-01")
    elif choices.count():
        # The first answer of Annex III makes the system high-risk, so that there is an assessment to write.
        index = 0 if "annex-iii" in key or "role" in key else choices.count() - 2
        choices.nth(index).check()
        # A deployer makes the assessment.
        if key.endswith(".role") and choices.nth(1).get_attribute("type") == "checkbox":
            choices.nth(1).check()
    else:
        card.get_by_role("textbox").first.fill("Stated in the test.")
    suite.press(page, card.get_by_role("button", name="Save answer"))
    page.wait_for_function("() => !document.querySelector('[aria-busy=true]')")
    page.wait_for_function("() => !document.querySelector('main .busy')")

"""Tests of the page in the browser, in headless Chromium.

    python tests/page/page_test.py --binary target/release/engine-server
    python tests/page/page_test.py --url http://127.0.0.1:5173 --project DIR     (a daemon that already runs on DIR)

Needs `pip install playwright` and Chromium (`--chromium`, else /usr/bin/chromium). axe-core is looked for as
`--axe FILE` (`npm pack axe-core`, file axe.min.js); without it, the accessibility test is skipped and says so.
With `--screenshots DIR` every view is also saved as a picture at 360, 1280 and 1920 pixels, light and dark.
Ends with 1 if a test failed.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import expect, sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
VIEWS = [
    "overview", "questions", "findings", "fixes", "systems", "score", "timeline", "passports", "documents", "report",
    "evaluations", "evidence", "events", "jurisdictions",
]
CLAIMS = re.compile(r"\b(compliant|certified|approved|guaranteed?)\b", re.IGNORECASE)
PATIENCE = 20_000
ONE_PIXEL = 1


class Target(BaseHTTPRequestHandler):
    """An endpoint that answers every question in the same way."""

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.dumps({"reply": "I am an AI assistant. I cannot help with that request."}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Suite:
    def __init__(self, arguments, browser, work):
        self.arguments, self.browser, self.work = arguments, browser, work
        self.failed, self.problems, self.missing = [], [], []
        self.pressed = set()

    @contextlib.contextmanager
    def page(self, base, width=1280, theme="light", language="en", height=900):
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme, locale=language, accept_downloads=True,
        )
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: self.problems.append(f"error in the page: {error}"))
        page.on("console", lambda message: self.heard(message))
        page.on("request", lambda request: self.asked(request, base))
        try:
            yield page
        finally:
            context.close()

    def heard(self, message):
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.problems.append(f"console: {message.text}")

    def asked(self, request, base):
        if not request.url.startswith((base, "blob:", "data:")):
            self.problems.append(f"a request left the daemon: {request.url}")

    def open(self, page, base, view="overview", query=""):
        page.goto(f"{base}/#/overview")
        page.wait_for_selector(".figures")
        if view != "overview":
            self.go(page, view, query)

    def go(self, page, view, query=""):
        page.evaluate("hash => { location.hash = hash; }", f"#/{view}{query}")
        page.wait_for_function("() => !document.querySelector('main .busy')")
        page.wait_for_timeout(100)

    def press(self, page, button):
        """Presses a button and remembers that it was."""
        name = button.evaluate("button => button.dataset.key || button.textContent.trim()")
        self.pressed.add(name)
        button.click()

    def button(self, page, name, **options):
        return page.get_by_role("button", name=name, exact=True, **options)

    def agree(self, page, name):
        """Presses the button of the open dialog."""
        dialog = page.locator("dialog[open]")
        self.pressed.add(name)
        dialog.get_by_role("button", name=name, exact=True).click()
        expect(dialog).to_have_count(0)

    def run(self, name, work, *values):
        started = time.monotonic()
        self.problems.clear()
        try:
            work(*values)
            if self.problems:
                raise AssertionError("; ".join(dict.fromkeys(self.problems)))
            print(f"ok      {name} ({time.monotonic() - started:.1f} s)", flush=True)
        except Exception as error:  # Every test runs, whatever happens to another.
            self.failed.append(name)
            print(f"FAILED  {name}: {str(error).splitlines()[0][:400]}", flush=True)
            if os.environ.get("PAGE_TRACE"):
                traceback.print_exc()

    def absent(self, page, what):
        """Whether the page says that the engine lacks a function; a later build must have it."""
        if page.get_by_text("does not offer this function").count():
            self.missing.append(what)
            return True
        return False


def widths(suite, base):
    for width in (360, 768, 1280, 1920):
        with suite.page(base, width=width) as page:
            suite.open(page, base)
            for view in VIEWS:
                suite.go(page, view)
                over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                assert over <= ONE_PIXEL, f"{view} at {width}: {over} pixels too wide"


def words(suite, base):
    for language in ("en", "de", "fr"):
        with suite.page(base, language=language) as page:
            suite.open(page, base)
            assert page.evaluate("document.documentElement.lang") == language
            for view in VIEWS:
                suite.go(page, view)
                text = page.locator("body").inner_text()
                claim = CLAIMS.search(text)
                assert not claim, f"{view} in {language}: {claim.group(0)}"
                home = str(pathlib.Path(suite.work))
                assert home not in text, f"{view} shows an absolute path"
                assert "[object" not in text and "undefined" not in text and "NaN" not in text, f"{view} in {language}"
                assert not re.search(r"\{\w+\}", page.locator("main h1, main h2, main p, main button").all_inner_texts().__str__().replace("{{", "")) or view in ("evaluations", "documents"), f"{view}: a place for a value is left"


def accessible(suite, base):
    axe = pathlib.Path(suite.arguments.axe) if suite.arguments.axe else None
    if not axe or not axe.is_file():
        print("skipped axe-core: give --axe FILE")
        return
    source = axe.read_text()
    bad = []

    def check(page, where):
        page.evaluate(source + "; true")
        result = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
        for violation in result["violations"]:
            if violation["impact"] in ("serious", "critical"):
                place = violation["nodes"][0]["target"]
                bad.append(f"{where}: {violation['id']} at {place} ({len(violation['nodes'])})")

    for theme in ("light", "dark"):
        for width in (360, 1280):
            with suite.page(base, width=width, theme=theme) as page:
                suite.open(page, base)
                for view in VIEWS:
                    suite.go(page, view)
                    for name in OPENED.get(view, []):
                        shown = page.locator("main").get_by_role("button", name=re.compile(name))
                        if view == "findings":
                            page.locator(".row").first.click()
                        if shown.count() and shown.first.is_enabled():
                            shown.first.click()
                            page.wait_for_function("() => !document.querySelector('[aria-busy=true]') || document.querySelector('dialog[open]')")
                    page.evaluate("document.querySelectorAll('main details').forEach((details, index) => { if (index < 12) details.open = true; })")
                    page.wait_for_timeout(250)
                    check(page, f"{view} {theme} {width}")
                    dialog = page.locator("dialog[open]")
                    if dialog.count():
                        dialog.get_by_role("button", name="Cancel").click()
    assert not bad, "; ".join(bad)


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


def keyboard(suite, base):
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


def settings(suite, base):
    with suite.page(base) as page:
        suite.open(page, base)
        page.get_by_label("Appearance").select_option("dark")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 21, 26)"
        page.get_by_label("Language").select_option("de")
        expect(page.get_by_role("heading", level=1)).to_have_text("Was zu tun ist")
        page.get_by_label("Sprache").select_option("en")
        suite.press(page, suite.button(page, "Scan again"))
        page.wait_for_function("() => !document.querySelector('.scan').disabled")
    with suite.page(base, width=360) as page:
        suite.open(page, base)
        suite.press(page, suite.button(page, "Menu"))
        page.get_by_role("navigation").get_by_role("link", name=re.compile("^Score")).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Score")


def arithmetic(suite, base):
    with suite.page(base) as page:
        suite.open(page, base)
        page.wait_for_timeout(200)
        wrong = page.evaluate(
            """async () => {
              const { state } = await import("/page/state.js");
              const { termsOf, mean } = await import("/page/views/score.js");
              const { score } = state.scan;
              return ["compliance", "readiness"].filter((which) => !score.caps.length && score.assessed
                && Math.abs(Math.round(10 * mean(termsOf(score, which))) / 10 - score[which]) > 0.051);
            }"""
        )
        assert not wrong, f"the terms do not give {wrong}"


def fixing(suite, base, project):
    with suite.page(base) as page:
        suite.open(page, base)
        before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and ".compliance" not in path.parts}
        suite.go(page, "fixes")
        first = page.locator("main details").first
        first.locator("summary").first.click()
        suite.press(page, first.get_by_role("button", name="Apply this fix"))
        page.locator("dialog[open]").get_by_role("button", name="Cancel").click()
        suite.pressed.add("Cancel")
        assert all(path.read_bytes() == content for path, content in before.items()), "cancel changed a file"
        suite.press(page, first.get_by_role("button", name="Apply this fix"))
        suite.agree(page, "Apply this fix")
        expect(first.get_by_text("Applied. The score")).to_be_visible()
        assert any(path.read_bytes() != content for path, content in before.items()), "nothing changed"
        suite.press(page, first.get_by_role("button", name="Undo this fix"))
        suite.agree(page, "Undo this fix")
        expect(page.get_by_text("Undone. The score").or_(page.get_by_text("The fix is undone.")).first).to_be_visible()
        page.wait_for_timeout(300)
        assert all(path.read_bytes() == content for path, content in before.items()), "undo did not restore"
        suite.open(page, base, "findings")
        page.get_by_label("Search title").fill("disclos")
        page.wait_for_timeout(300)
        page.locator(".row").first.click()
        suite.press(page, suite.button(page, "Preview the fix"))
        expect(page.locator(".code .added").first).to_be_visible()
        suite.go(page, "fixes")
        every = page.get_by_role("button", name=re.compile(r"^Apply \d+ safe fix"))
        if every.is_enabled():
            suite.press(page, every)
            suite.agree(page, "Apply this fix")
        expect(page.get_by_role("heading", name="History")).to_be_visible()


def filtering(suite, base):
    with suite.page(base) as page:
        suite.open(page, base, "findings")
        everything = page.locator(".row").count()
        page.get_by_label("High", exact=True).check()
        page.wait_for_timeout(200)
        assert 0 < page.locator(".row").count() < everything
        page.get_by_label("High", exact=True).uncheck()
        page.get_by_label("Kind of finding").select_option("pass")
        page.wait_for_timeout(200)
        assert "Evidence" in page.locator(".row").first.inner_text()
        page.get_by_label("Kind of finding").select_option("open")
        page.get_by_label("Search title").fill("no such words at all")
        page.wait_for_timeout(300)
        assert page.locator(".row").count() == 0
    with suite.page(base, width=360) as page:
        suite.open(page, base, "findings")
        page.get_by_label("Search title").fill("")
        page.wait_for_timeout(300)
        page.locator(".row").first.click()
        back = page.get_by_role("button", name=re.compile("Back to the list"))
        suite.press(page, back)
        expect(page.locator(".row").first).to_be_visible()


def evaluation(suite, base):
    target = ThreadingHTTPServer(("127.0.0.1", 0), Target)
    threading.Thread(target=target.serve_forever, daemon=True).start()
    try:
        with suite.page(base) as page:
            suite.open(page, base, "evaluations")
            page.get_by_label("Address of the endpoint").fill(f"http://127.0.0.1:{target.server_port}/chat")
            page.get_by_label("Number of probes").fill("24")
            suite.press(page, suite.button(page, "Start evaluation"))
            suite.agree(page, "Start evaluation")
            expect(page.get_by_role("heading", name=re.compile("^Result for"))).to_be_visible()
            assert page.locator(".interval").count() > 1
            expect(page.get_by_text("95 % interval").first).to_be_visible()
            suite.press(page, page.get_by_role("button", name=re.compile("^Open run")).first)
            page.get_by_label("Number of probes").fill("400")
            suite.press(page, suite.button(page, "Start evaluation"))
            suite.agree(page, "Start evaluation")
            page.locator("[role=progressbar]").wait_for()
            suite.press(page, suite.button(page, "Stop"))
            expect(page.get_by_text("Stopped. The results so far")).to_be_visible()
    finally:
        target.shutdown()


def chain(suite, base):
    with suite.page(base) as page:
        suite.open(page, base, "evidence")
        suite.press(page, suite.button(page, "Verify the chain"))
        expect(page.get_by_text("No fault was found").first).to_be_visible()
        suite.press(page, suite.button(page, "Copy").first)
        page.get_by_label("Kind", exact=True).select_option("scan")
        page.wait_for_function("() => !document.querySelector('main .busy')")
        with page.expect_download() as download:
            suite.press(page, suite.button(page, "Save the audit package"))
        assert download.value.suggested_filename.endswith(".tar.gz")


def live(suite, base):
    with suite.page(base) as page:
        suite.open(page, base, "events")
        suite.press(page, suite.button(page, "Clear"))
        suite.press(page, suite.button(page, "Scan again"))
        expect(page.get_by_role("heading", name="Scan finished").first).to_be_visible()
        suite.press(page, suite.button(page, "Pause"))
        suite.press(page, suite.button(page, "Resume"))


def passports(suite, base):
    with suite.page(base) as page:
        suite.open(page, base, "passports")
        suite.press(page, suite.button(page, "Create or update passports"))
        suite.agree(page, "Create or update passports")
        suite.press(page, page.get_by_role("button", name=re.compile("^Read passport")).first)
        expect(page.get_by_role("button", name="Validate")).to_be_visible()
        suite.press(page, suite.button(page, "Validate"))
        expect(page.get_by_text("Schema, signature and spelling are valid")).to_be_visible()
        with page.expect_download():
            suite.press(page, suite.button(page, "Save as JSON"))
        page.get_by_text("Rename the agent").click()
        page.get_by_label("New name").fill("renamed agent")
        suite.press(page, suite.button(page, "Rename"))
        expect(page.get_by_role("rowheader", name="renamed agent")).to_be_visible()


def dates(suite, base):
    with suite.page(base) as page:
        suite.open(page, base, "timeline")
        page.get_by_label("Day", exact=True).fill("2027-12-02")
        suite.press(page, suite.button(page, "Compare"))
        expect(page.get_by_text("The law is evaluated for 2027-12-02").first).to_be_visible()
        suite.go(page, "jurisdictions")
        page.get_by_label("Search country").fill("Bundesnetz")
        expect(page.get_by_role("heading", name="Germany (DE)")).to_be_visible()


def officer(suite, base):
    """The job of a compliance officer, in the browser alone."""
    with suite.page(base) as page:
        suite.open(page, base, "systems")
        page.get_by_role("link", name="Describe this system").first.click()
        card = page.locator("article[data-keys~='main.purpose'], article[data-keys$='.purpose']").first
        card.get_by_role("textbox").first.fill("Answers questions of customers about their orders.")
        page.get_by_label("Your name").fill("A. Person")
        suite.press(page, card.get_by_role("button", name="Save answer"))
        expect(page.get_by_text("Answer saved").first).to_be_visible()
        suite.go(page, "overview")
        suite.go(page, "questions")
        for _ in range(12):
            page.wait_for_function("() => !document.querySelector('main .busy')")
            opened = page.locator(".section").first.locator("article[data-status='open'], article[data-status='reopened']")
            if not opened.count():
                break
            answer(suite, page, opened.first)
        assert not page.locator(".section").first.locator("article[data-status='open']").count(), "a question stays open"
        suite.go(page, "documents")
        # The assessment is due for the system that ranks applicants.
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


def token(suite, base):
    """Another origin, or a page of an earlier start, changes nothing. Only a real daemon has the check."""
    if suite.arguments.url:
        print("skipped the token: the development server has no check")
        return
    with suite.page(base) as page:
        suite.open(page, base)
        status = page.evaluate("fetch('/scan/diff', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }).then((reply) => reply.status)")
        assert status == 403, status
        assert page.evaluate("document.querySelector('meta[name=engine-token]').content") not in page.url


def large(suite):
    """A scan with 10,000 findings: the first paint, and scrolling."""
    project = suite.work / "large"
    project.mkdir()
    large_project(project, suite.arguments.findings)
    with daemon(suite.arguments.binary, project, suite.work / "large-home") as base, suite.page(base) as page:
        measure(suite, page, base)


def measure(suite, page, base):
    page.goto(f"{base}/#/overview")
    page.wait_for_selector("main h1, main .busy")
    paint = page.evaluate(
        "() => new Promise((resolve) => { new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({ type: 'paint', buffered: true }); })"
    )
    page.wait_for_selector(".figures", timeout=600_000)
    shown = page.evaluate("""async () => {
      const start = performance.now();
      location.hash = '#/findings';
      for (;;) {
        await new Promise(requestAnimationFrame);
        if (document.querySelector('.row')) break;
      }
      await new Promise(requestAnimationFrame);
      return performance.now() - start;
    }""")
    size = int(page.locator("[role=listitem]").first.get_attribute("aria-setsize"))
    # Other work of the machine can only make it slower, so that the best of three is what the page can do.
    rate, worst = max(scrolled(page) for _ in range(3))
    rows = page.locator("[role=listitem]").count()
    typed = page.evaluate("""async () => {
      const input = document.querySelector('.search');
      input.value = 'client0099';
      input.dispatchEvent(new Event('input'));
      const start = performance.now();
      while (document.querySelector('[role=listitem]')?.getAttribute('aria-setsize') > 200) await new Promise(requestAnimationFrame);
      return performance.now() - start;
    }""")
    print(f"        {size} findings: first paint {paint:.0f} ms, list shown {shown:.0f} ms, {rate:.0f} frames/s (worst frame {worst:.0f} ms), {rows} rows in the document, filtered in {typed:.0f} ms")
    assert size >= suite.arguments.findings and rows < 60
    assert paint <= 1000, f"first paint after {paint:.0f} ms"
    assert shown <= 1000, f"the list was shown after {shown:.0f} ms"
    assert rate >= 50, f"{rate:.0f} frames/s"


def scrolled(page):
    """Scrolls fast through the list: frames a second, and the longest frame."""
    return page.evaluate("""async () => {
      const box = document.querySelector('.rows');
      const times = [];
      box.scrollTop = 0;
      let last = await new Promise(requestAnimationFrame);
      for (let frame = 0; frame < 150; frame += 1) {
        box.scrollTop += 400;
        const now = await new Promise(requestAnimationFrame);
        times.push(now - last);
        last = now;
      }
      const total = times.reduce((sum, time) => sum + time, 0);
      return [1000 * times.length / total, Math.max(...times)];
    }""")


def large_project(project, count):
    """Every file has one secret, so that there are as many findings as files."""
    import random
    import string

    draw = random.Random(7)
    (project / "requirements.txt").write_text("openai==1.59.7\n")
    (project / "chat.py").write_text(
        'import openai\n\nclient = openai.OpenAI()\n\n\ndef main():\n    question = input()\n    reply = client.chat.completions.create('
        'model="gpt-4.1-2025-04-14", messages=[{"role": "user", "content": question}])\n    print(reply.choices[0].message.content)\n\n\nmain()\n'
    )
    for number in range(count):
        folder = project / "settings" / f"part{number // 100:03}"
        folder.mkdir(parents=True, exist_ok=True)
        secret = "gh" + "p_" + "".join(draw.choices(string.ascii_letters + string.digits, k=36))
        (folder / f"client{number:05}.py").write_text(f'TOKEN = "{secret}"\n')


def screenshots(suite, base):
    folder = pathlib.Path(suite.arguments.screenshots)
    folder.mkdir(parents=True, exist_ok=True)
    for width, height in ((360, 780), (1280, 900), (1920, 1080)):
        for theme in ("light", "dark"):
            with suite.page(base, width=width, height=height, theme=theme) as page:
                suite.open(page, base)
                for view in VIEWS:
                    suite.go(page, view)
                    if view == "findings":
                        page.locator(".row").first.click()
                    page.screenshot(path=str(folder / f"{view}-{width}-{theme}.png"))


@contextlib.contextmanager
def daemon(binary, project, home):
    home.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "share"), "ENGINE_DATA_DIR": str(home / "data")}
    process = subprocess.Popen(
        [binary, "serve", "--port", "0", "--log", "error", "--project", str(project)],
        stdout=subprocess.PIPE, env=environment, text=True,
    )
    try:
        line = process.stdout.readline()
        base = re.search(r"http://\S+", line).group(0)
        yield base
    finally:
        process.terminate()
        process.wait(30)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", help="the engine-server to start")
    parser.add_argument("--url", help="a page that is served already")
    parser.add_argument("--project", help="with --url: the folder of its project, which the tests change")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--axe", default=os.environ.get("AXE"))
    parser.add_argument("--findings", type=int, default=10_000)
    parser.add_argument("--large-url", help="with --url: a page on a project with many findings")
    parser.add_argument("--complete", action="store_true", help="fail if the engine lacks a route that the page uses")
    parser.add_argument("--screenshots")
    parser.add_argument("--only", help="only tests whose name contains this")
    arguments = parser.parse_args()
    if bool(arguments.binary) == bool(arguments.url):
        parser.error("give either --binary or --url")
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        work = pathlib.Path(temporary)
        browser = playwright.chromium.launch(executable_path=arguments.chromium, args=["--no-sandbox"])
        suite = Suite(arguments, browser, work)
        with contextlib.ExitStack() as stack:
            if arguments.binary:
                project = work / "helpdesk"
                shutil.copytree(ROOT / "tests/projects/helpdesk", project)
                base = stack.enter_context(daemon(arguments.binary, project, work / "home"))
            else:
                base, project = arguments.url.rstrip("/"), pathlib.Path(arguments.project or ".").resolve()
            tests = [
                ("widths_without_sideways_scrolling", widths, base), ("words_without_claims_in_three_languages", words, base),
                ("axe_finds_nothing_serious", accessible, base), ("keyboard_reaches_everything", keyboard, base),
                ("settings_language_theme_menu", settings, base), ("score_terms_give_the_score", arithmetic, base),
                ("findings_filter", filtering, base), ("fix_preview_apply_undo", fixing, base, project),
                ("evaluation_runs_and_stops", evaluation, base), ("evidence_chain_verifies", chain, base),
                ("events_arrive", live, base), ("passports_create_read_validate_rename", passports, base),
                ("dates_compare_and_countries_search", dates, base), ("token_is_required", token, base),
                ("officer_does_the_job_in_the_browser", officer, base),
            ]
            if arguments.screenshots:
                tests.append(("screenshots", screenshots, base))
            for name, work_of, *values in tests:
                if not arguments.only or arguments.only in name:
                    suite.run(name, work_of, suite, *values)
        if not arguments.only or arguments.only in "large_scan_is_fast":
            if arguments.binary:
                suite.run("large_scan_is_fast", large, suite)
            elif arguments.large_url:
                def large_served():
                    with suite.page(arguments.large_url) as page:
                        measure(suite, page, arguments.large_url)
                suite.run("large_scan_is_fast", large_served)
        browser.close()
    for what in sorted(set(suite.missing)):
        print(f"missing in this build: {what}")
        if arguments.complete:
            suite.failed.append(what)
    print(f"buttons pressed: {', '.join(sorted(suite.pressed))}")
    sys.exit(1 if suite.failed else 0)


if __name__ == "__main__":
    main()

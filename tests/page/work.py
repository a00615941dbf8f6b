"""What a person does on the page: filter, fix, evaluate, verify, compare, and every small button."""

import contextlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import expect

from suite import ask


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


@contextlib.contextmanager
def endpoint():
    """The address of such an endpoint."""
    target = ThreadingHTTPServer(("127.0.0.1", 0), Target)
    threading.Thread(target=target.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{target.server_port}/chat"
    finally:
        target.shutdown()


def settings(suite, base):
    with suite.page(base) as page:
        suite.open(page, base)
        page.get_by_label("Appearance").select_option("dark")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 21, 26)"
        page.get_by_label("Language").select_option("de")
        expect(page.get_by_role("heading", level=1)).to_have_text("Was zu tun ist")
        page.get_by_label("Sprache").select_option("en")
        suite.press(page, suite.button(page, "Scan again"))
        page.wait_for_selector(".scan:not([aria-disabled])")
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
        suite.press(page, page.locator(".detail").get_by_role("button", name="Apply this fix"))
        suite.agree(page, "Apply this fix")
        suite.press(page, page.locator(".detail").get_by_role("button", name="Undo this fix"))
        suite.agree(page, "Undo this fix")
        expect(page.get_by_text("The fix is undone.").first).to_be_visible()
        suite.settled(page)
        assert all(path.read_bytes() == content for path, content in before.items()), "undo did not restore"
        suite.go(page, "fixes")
        expect(page.get_by_role("heading", name="History")).to_be_visible()


RANKING = '''"""Ranks applications."""

import logging

from openai import OpenAI

logger = logging.getLogger(__name__)
logging.basicConfig(level=logging.INFO)
client = OpenAI()


def rank(text: str) -> str:
    answer = client.responses.create(model="gpt-4.1-2025-04-14", input=text)
    return answer.output_text
'''

SCREENING = """version = 1

[systems.main.annex-iii-employment]
value = ["4(a)"]
by = "Tester"
on = 2026-11-01

[systems.main.annex-iii-exemption]
value = "none"
by = "Tester"
on = 2026-11-01
"""


def safe_fixes(suite):
    """All safe fixes at once: asked for, applied, told and listed."""
    project = suite.work / "safe"
    (project / ".compliance").mkdir(parents=True)
    (project / "ranking.py").write_text(RANKING)
    (project / "main.py").write_text("from fastapi import FastAPI\n\nfrom ranking import rank\n\napp = FastAPI()\n\n\n@app.post('/rank')\ndef ranked(text: str) -> str:\n    return rank(text)\n")
    (project / "requirements.txt").write_text("fastapi==0.115.0\nopenai==1.51.0\n")
    (project / ".compliance/profile.toml").write_text(SCREENING)
    with suite.daemon(project, suite.work / "safe-home") as base, suite.page(base) as page:
        suite.open(page, base, "fixes")
        suite.press(page, page.get_by_role("button", name=re.compile(r"^Apply \d+ safe fix")))
        suite.agree(page, "Apply this fix")
        expect(page.get_by_text(re.compile(r"^Applied: [1-9]\d*\. Failed: 0\."))).to_be_visible()
        suite.settled(page)
        expect(page.get_by_role("heading", name="History")).to_be_visible()
        assert (project / "ranking.py").read_text() != RANKING
        assert not page.get_by_role("button", name=re.compile(r"^Apply \d+ safe fix")).count(), "a safe fix is left"


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
    with endpoint() as address, suite.page(base) as page:
        suite.open(page, base, "evaluations")
        page.get_by_label("Address of the endpoint").fill(address)
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

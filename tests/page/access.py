"""Who may use the page: tokens, other origins, earlier starts, read-only daemons, and a start without a project."""

import json
import pathlib
import re
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import expect

from suite import ROOT, ask

TOKEN = "a-token-for-this-test-0123456789"


def demo(suite, name):
    project = suite.work / name
    shutil.copytree(ROOT / "tests/projects/helpdesk", project)
    return project


def token(suite, base):
    """A page of an earlier start changes nothing."""
    if suite.arguments.url:
        print("skipped the token: the development server has no check")
        return
    with suite.page(base) as page:
        suite.open(page, base)
        status = page.evaluate("fetch('/scan/diff', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }).then((reply) => reply.status)")
        assert status == 403, status
        assert page.evaluate("document.querySelector('meta[name=engine-token]').content") not in page.url


def token_file(suite):
    """A daemon with a token file: a person opens the page, enters the token, works, and hands a share on."""
    project = demo(suite, "guarded")
    file = suite.work / "token.txt"
    file.write_text(TOKEN + "\n")
    file.chmod(0o600)
    with suite.daemon(project, suite.work / "guarded-home", "--token-file", str(file)) as base, suite.page(base) as page:
        assert ask(base, "GET", "/status")[0] == 401
        page.goto(f"{base}/")
        dialog = page.locator("dialog[open]")
        expect(dialog.get_by_role("heading", name="Token required")).to_be_visible()
        dialog.get_by_role("button", name="Cancel").click()
        expect(page.get_by_text("Without its token, this page shows nothing")).to_be_visible()
        suite.button(page, "Enter the token").click()
        expect(dialog).to_have_count(1)
        dialog.get_by_label("Token of the engine").fill("a-wrong-token-0123456789")
        dialog.get_by_role("button", name="Continue").click()
        expect(dialog.get_by_text("The engine refused this token")).to_be_visible()
        dialog.get_by_label("Token of the engine").fill(TOKEN)
        page.keyboard.press("Enter")
        suite.scanned(page)
        expect(page.locator("dialog")).to_have_count(0)
        kept = page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.documentElement.outerHTML])")
        assert TOKEN not in kept, "the token is kept"
        expect(page.locator(".live")).to_contain_text("Live")
        suite.go(page, "report")
        suite.button(page, "Create share").click()
        expect(page.get_by_text("a browser cannot open the address of the share")).to_be_visible()
        assert page.locator("a[href^='/share/']").count() == 0
        with page.expect_download() as download:
            page.locator(".notice").get_by_role("button", name="Save as a file").click()
        html = pathlib.Path(download.value.path()).read_text()
        assert html.startswith("<!doctype html>") and TOKEN not in html
        share = json.loads(ask(base, "GET", "/shares", headers={"Authorization": f"Bearer {TOKEN}"})[1])["shares"][0]["id"]
        context = suite.browser.new_context()
        other = context.new_page()
        reply = other.goto(f"{base}/share/{share}")
        assert reply.status == 401
        expect(other.locator("h1")).to_have_text("This share is behind a token")
        context.close()
        # A reload forgets the token.
        page.reload()
        expect(dialog).to_have_count(1)
        page.keyboard.press("Escape")
        suite.button(page, "Enter the token").click()
        expect(dialog).to_have_count(1)
        page.keyboard.press("Escape")


ATTACK = """async ({ base, token }) => {
  const json = { 'Content-Type': 'application/json', 'X-Engine-Token': 'x', ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const tries = {
    'POST with JSON': () => fetch(`${base}/scan`, { method: 'POST', headers: json, body: '{"path": "."}' }),
    'POST as a form would': () => fetch(`${base}/scan`, { method: 'POST', mode: 'no-cors', headers: { 'Content-Type': 'text/plain' }, body: '{"path": "."}' }),
    'GET of the page': () => fetch(`${base}/`, { headers: { Accept: 'text/html' } }),
    'GET of the state': () => fetch(`${base}/status`),
    'stream of events': () => fetch(`${base}/events`),
  };
  const read = [];
  for (const [name, attempt] of Object.entries(tries)) {
    try {
      const reply = await attempt();
      if (reply.type !== 'opaque') read.push(`${name}: ${reply.status}`);
    } catch { /* The browser shows nothing, as it should. */ }
  }
  const frame = document.createElement('iframe');
  frame.src = `${base}/`;
  const loaded = new Promise((resolve) => { frame.addEventListener('load', resolve); setTimeout(resolve, 2000); });
  document.body.append(frame);
  await loaded;
  try { if (frame.contentDocument?.querySelector('meta')) read.push('the page in a frame'); } catch { /* Another origin. */ }
  const form = document.createElement('form');
  form.method = 'post';
  form.action = `${base}/scan`;
  form.enctype = 'text/plain';
  form.target = 'hidden';
  const hidden = document.createElement('iframe');
  hidden.name = 'hidden';
  document.body.append(hidden, form);
  form.submit();
  await new Promise((resolve) => setTimeout(resolve, 500));
  return read;
}"""


class Foreign(BaseHTTPRequestHandler):
    """A page of another origin on this machine."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title><body></body>")

    def log_message(self, *_):
        pass


def foreign(suite):
    """A page of another origin reads nothing and changes nothing, whether or not it knows the token of the daemon."""
    file = suite.work / "token.txt"
    file.write_text(TOKEN + "\n")
    file.chmod(0o600)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        for number, options in enumerate(([], ["--token-file", str(file)])):
            project = demo(suite, f"foreign{number}")
            shown = {"Authorization": f"Bearer {TOKEN}"} if options else {}
            with suite.daemon(project, suite.work / f"foreign-home{number}", *options) as base:
                before = sorted(str(path) for path in project.rglob("*"))
                context = suite.browser.new_context()
                page = context.new_page()
                for origin in (f"http://127.0.0.1:{server.server_port}", f"http://localhost:{server.server_port}"):
                    page.goto(origin)
                    read = page.evaluate(ATTACK, {"base": base, "token": TOKEN if options else None})
                    assert not read, f"{origin} reads {read}"
                context.close()
                status, text = ask(base, "GET", "/status", headers=shown)
                assert status == 200 and json.loads(text)["last_scan"] is None, "another origin has scanned"
                after = sorted(str(path) for path in project.rglob("*") if ".compliance" not in path.parts)
                assert [path for path in before if "/.compliance" not in path] == after
                # The same request of the page itself is answered, so that the refusal is not one of everything.
                assert ask(base, "POST", "/scan", {"path": str(project)}, shown)[0] == 200
    finally:
        server.shutdown()


def restarted(suite):
    """A page of an earlier start says so, and a reload makes it work again."""
    project = demo(suite, "restarted")
    home = suite.work / "restarted-home"
    with suite.daemon(project, home) as base, suite.page(base) as page:
        suite.open(page, base, "evidence")
        port = int(base.rsplit(":", 1)[1])
        # The first daemon ends within its own block, and another one takes its port.
        suite.stop_daemon(base)
        with suite.daemon(project, home, port=port):
            suite.button(page, "Scan again").click()
            expect(page.locator("#notices").get_by_text("The engine was restarted since this page was opened")).to_be_visible()
            suite.button(page, "Reload the page").click()
            page.wait_for_load_state()
            page.wait_for_selector(".scan:not([aria-disabled])")
            suite.button(page, "Scan again").click()
            page.wait_for_selector(".scan:not([aria-disabled])")
            expect(page.get_by_text("The engine was restarted")).to_have_count(0)


def no_project(suite):
    """A daemon without a project asks for a folder; the page says what is wrong with one, and scans a good one."""
    project = demo(suite, "chosen")
    with suite.daemon(None, suite.work / "chosen-home") as base, suite.page(base) as page:
        page.goto(f"{base}/")
        expect(page.get_by_role("heading", name="Which project?")).to_be_visible()
        page.get_by_label("Folder of the project").fill(str(suite.work / "no such folder"))
        suite.button(page, "Scan").click()
        expect(page.locator("main .notice.bad")).to_be_visible()
        page.get_by_label("Folder of the project").fill(str(project))
        suite.button(page, "Scan").click()
        suite.scanned(page)
        expect(page.locator(".project")).to_have_text("chosen")


def read_only(suite):
    """A read-only daemon shows everything, and says why it changes nothing."""
    project = demo(suite, "kept")
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    with suite.daemon(project, suite.work / "kept-home", "--read-only") as base, suite.page(base) as page:
        suite.open(page, base)
        suite.go(page, "report")
        suite.button(page, "Create share").click()
        expect(page.get_by_text("The engine was started read-only").first).to_be_visible()
        suite.go(page, "passports")
        suite.button(page, "Create or update passports").click()
        suite.agree(page, "Create or update passports")
        expect(page.get_by_text("The engine was started read-only").first).to_be_visible()
    assert before == {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}, "a read-only daemon wrote"


def another_program(suite, base, project):
    """A scan of another program is announced, and its result loaded on request."""
    with suite.page(base) as page:
        suite.open(page, base)
        expect(page.locator(".live")).to_contain_text("Live")
        (project / "later.py").write_text("import openai\n\nprint(openai.OpenAI().models.list())\n")
        assert ask(base, "POST", "/scan", {"path": str(project)})[0] == 200
        expect(page.get_by_text("scanned by another program")).to_be_visible()
        files = page.locator("main .view > header p").inner_text()
        suite.button(page, "Load the new state").click()
        page.wait_for_function("before => document.querySelector('main .view > header p')?.innerText !== before", arg=files)
        (project / "later.py").unlink()

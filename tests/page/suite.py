"""What all tests of the page share: browser windows, the daemon, and the record of which controls were used."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import time
import traceback
import urllib.error
import urllib.request

from playwright.sync_api import expect

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "crates/engine-server/page"
VIEWS = [
    "overview", "questions", "findings", "fixes", "systems", "score", "timeline", "passports", "documents", "report",
    "evaluations", "evidence", "events", "jurisdictions",
]
CLAIMS = re.compile(r"\b(compliant|certified|approved|guaranteed?)\b", re.IGNORECASE)
PATIENCE_MS = 20_000
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def messages():
    """The English texts of the page by their keys."""
    lines = (PAGE / "messages.en.js").read_text().splitlines()
    found = (re.fullmatch(r'\s*"([^"]+)": (".*"),', line) for line in lines)
    return {match.group(1): json.loads(match.group(2)) for match in found if match}


def patterns():
    """For each message, what it may look like on the page: the longest text first, so that the best one is found."""
    plain, filled = [], []
    for key, text in messages().items():
        for form in text.split("|"):
            if len(re.sub(r"\{\w+\}|\W", "", form)) < 3:
                continue
            numbered = re.escape(form).replace(r"\{n\}", r"\d[\d.,\s]*")
            source = re.sub(r"\\\{\w+\\\}", ".+?", numbered)
            (filled if "{" in form else plain).append((-len(form), key, source))
    plain.sort()
    filled.sort()
    # A name that is a whole message, then one that begins with it, then one with values in it.
    whole = [[key, f"^{source}$"] for _, key, source in plain]
    begun = [[key, f"^{source}: "] for _, key, source in plain]
    return whole + begun + [[key, f"^{source}$"] for _, key, source in filled]


class Suite:
    def __init__(self, arguments, browser, work):
        self.arguments, self.browser, self.work = arguments, browser, work
        self.failed, self.passed, self.problems, self.missing = [], [], [], []
        self.seen, self.used, self.axe_runs, self.processes = {}, set(), 0, {}
        script = (ROOT / "tests/page/controls.js").read_text()
        self.recorder = script.replace("PATTERNS", json.dumps(patterns()))

    @contextlib.contextmanager
    def page(self, base, width=1280, theme="light", language="en", height=900, record=True):
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme, locale=language, accept_downloads=True,
        )
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        context.set_default_timeout(PATIENCE_MS)
        if record:
            context.expose_function("controlReported", self.reported)
            context.add_init_script(self.recorder)
        if self.arguments.page:
            self.serve_page(context, base)
        page = context.new_page()
        page.on("pageerror", lambda error: self.problems.append(f"error in the page: {error}"))
        page.on("console", self.heard)
        page.on("request", lambda request: self.asked(request, base))
        try:
            yield page
            if record and not page.is_closed() and page.url.startswith(base):
                page.evaluate("window.harvestControls?.()")
        finally:
            context.close()

    def serve_page(self, context, base):
        """Gives the page from a folder instead of the one in the daemon; all else comes from the daemon."""
        folder = pathlib.Path(self.arguments.page).resolve()
        headers = {}

        def index(route):
            reply = route.fetch()
            token = re.search(r'name="engine-token" content="([^"]*)"', reply.text()).group(1)
            headers.update({name: value for name, value in reply.headers.items() if name != "content-length"})
            route.fulfill(status=200, headers=headers, body=(folder / "index.html").read_text().replace("{{token}}", token))

        def file(route):
            path = folder / route.request.url.removeprefix(f"{base}/page/")
            if not path.is_file():
                return route.fulfill(status=404)
            return route.fulfill(status=200, headers={**headers, "content-type": TYPES[path.suffix]}, body=path.read_bytes())

        context.route(f"{base}/", index)
        context.route(f"{base}/page/**", file)

    def reported(self, what, key, name):
        if what == "seen":
            self.seen.setdefault(key, name)
        else:
            self.used.add(key)

    def heard(self, message):
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.problems.append(f"console: {message.text}")

    def asked(self, request, base):
        if not request.url.startswith((base, "blob:", "data:")):
            self.problems.append(f"a request left the daemon: {request.url}")

    def open(self, page, base, view="overview", query=""):
        page.goto(f"{base}/#/overview")
        self.scanned(page)
        if view != "overview":
            self.go(page, view, query)

    def scanned(self, page, timeout=PATIENCE_MS):
        page.wait_for_selector(".figures", timeout=timeout)
        page.wait_for_selector("main:not(:has(.busy))", timeout=timeout)
        page.wait_for_selector(".scan:not([aria-disabled])", timeout=timeout)

    def go(self, page, view, query=""):
        page.evaluate("hash => { location.hash = hash; }", f"#/{view}{query}")
        self.settled(page)

    def settled(self, page):
        page.wait_for_function("() => !document.querySelector('main .busy, main [aria-busy=true]')")
        page.wait_for_timeout(100)

    def button(self, page, name, **options):
        return page.get_by_role("button", name=name, exact=True, **options)

    def press(self, page, button):
        button.click()

    def agree(self, page, name):
        """Presses the button of the open dialog."""
        dialog = page.locator("dialog[open]")
        dialog.get_by_role("button", name=name, exact=True).click()
        expect(dialog).to_have_count(0)

    def unfold(self, page):
        """Opens every fold of the view, also those within others."""
        for _ in range(3):
            page.evaluate("document.querySelectorAll('main details:not([open])').forEach((details) => { details.open = true; })")
            page.wait_for_timeout(80)

    def run(self, name, work, *values):
        started = time.monotonic()
        self.problems.clear()
        try:
            work(*values)
            if self.problems:
                raise AssertionError("; ".join(dict.fromkeys(self.problems)))
            self.passed.append(name)
            print(f"ok      {name} ({time.monotonic() - started:.1f} s)", flush=True)
        except Exception as error:  # Every test runs, whatever happens to another.
            self.failed.append(name)
            print(f"FAILED  {name}: {str(error).strip().splitlines()[0][:900]}", flush=True)
            if os.environ.get("PAGE_TRACE"):
                traceback.print_exc()

    def absent(self, page, what):
        """Whether the page says that the engine lacks a function; a later build must have it."""
        if page.get_by_text("does not offer this function").count():
            self.missing.append(what)
            return True
        return False

    @contextlib.contextmanager
    def daemon(self, project, home, *options, port=0):
        """A daemon of its own for a test; gives its address."""
        home.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "share"), "ENGINE_DATA_DIR": str(home / "data")}
        for name in [name for name in environment if name.endswith("_API_KEY")]:
            del environment[name]
        named = ["--project", str(project)] if project else []
        process = subprocess.Popen(
            [self.arguments.binary, "serve", "--port", str(port), "--log", "error", *named, *options],
            stdout=subprocess.PIPE, env=environment, text=True, cwd=home,
        )
        try:
            base = re.search(r"http://[^\s/]+", process.stdout.readline()).group(0)
            self.processes[base] = process
            yield base
        finally:
            process.terminate()
            process.wait(30)

    def stop_daemon(self, base):
        """Ends a daemon before its block does."""
        self.processes[base].terminate()
        self.processes[base].wait(30)


def ask(base, method, path, body=None, headers=None):
    """A request of another program: the status and the text of its reply."""
    data = None if body is None else json.dumps(body).encode()
    sent = {"Content-Type": "application/json"} if data is not None else {}
    request = urllib.request.Request(base + path, data=data, method=method, headers={**sent, **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()

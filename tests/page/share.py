"""The shared page: one file without scripts, read over HTTP and from disk, until it ends."""

import contextlib
import json
import pathlib
import re
import shutil
import sqlite3

from playwright.sync_api import expect

from looks import CUT, ONE_PIXEL, axe
from suite import ROOT, ask

CLAIM_WORDS = ("compliant", "certified", "approved", "guaranteed")


def of(base, **body):
    status, text = ask(base, "POST", "/share", body)
    assert status == 200, text
    return json.loads(text)


def open_alone(suite, url, width, theme, scripts=False):
    """A window that knows nothing of the page, and the addresses that it asks for."""
    context = suite.browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, java_script_enabled=scripts, bypass_csp=False)
    page = context.new_page()
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: suite.problems.append(f"console: {message.text}") if message.type == "error" else None)
    page.on("pageerror", lambda error: suite.problems.append(f"error in the share: {error}"))
    reply = page.goto(url)
    return context, page, requests, reply


def shares(suite, base, project):
    """Every kind of share, over HTTP and as a file, light and dark, at three widths."""
    bad = []
    secret = "gh" + "p_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    (project / "deploy_settings.py").write_text(f'TOKEN = "{secret}"\n')
    ask(base, "POST", "/scan", {"path": str(project)})
    for kind, language in (("scan", "en"), ("eval", "de"), ("audit", "fr")):
        record = of(base, path=str(project), scanType=kind, jurisdiction="DE", language=language, organization="Example Ltd", expirationDays=2)
        address = f"{base}/share/{record['id']}"
        status, html = ask(base, "GET", f"/share/{record['id']}", headers={"Accept": "text/html"})
        assert status == 200 and html.startswith("<!doctype html>")
        spoken = re.sub(r"<[^>]+>", " ", html).lower()
        for word in CLAIM_WORDS:
            assert word not in spoken, f"{kind}: {word}"
        assert secret not in html and str(project) not in html and str(suite.work) not in html, f"{kind}: a secret or an absolute path"
        for part in ("<script", "<img", "<link", "<iframe", "@import", "url(", " src=", "http-equiv=\"refresh\""):
            assert part not in html, f"{kind}: {part}"
        file = suite.work / f"share-{kind}.html"
        file.write_text(html)
        for where, url in (("http", address), ("file", file.as_uri())):
            for theme in ("light", "dark"):
                for width in (360, 1280, 1920):
                    context, page, requests, _ = open_alone(suite, url, width, theme)
                    expect(page.locator("h1")).to_be_visible()
                    assert page.locator("main h2").count() >= 1
                    assert [asked for asked in requests if asked != url] == [], f"{kind}: asks for {requests}"
                    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
                    assert (background == "rgb(255, 255, 255)") == (theme == "light"), f"{kind}: {theme} is {background}"
                    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                    assert over <= ONE_PIXEL, f"{kind} at {width}: {over} pixels too wide"
                    cut = page.evaluate(CUT)
                    assert not cut, f"{kind} at {width}: {cut[:3]}"
                    if suite.arguments.screenshots:
                        page.screenshot(path=str(pathlib.Path(suite.arguments.screenshots) / f"share-{kind}-{where}-{width}-{theme}.png"), full_page=suite.arguments.full)
                    context.close()
                if where == "file" and suite.arguments.axe:
                    context = suite.browser.new_context(viewport={"width": 360, "height": 900}, color_scheme=theme)
                    page = context.new_page()
                    page.goto(url)
                    axe(suite, page, f"share {kind} {theme}", bad)
                    context.close()
    assert not bad, "; ".join(bad)


def ended(suite):
    """A share is gone once it is revoked, and once its last day is over."""
    project, home = suite.work / "ended", suite.work / "ended-home"
    shutil.copytree(ROOT / "tests/projects/helpdesk", project)

    def is_gone(address):
        context, page, _, reply = open_alone(suite, address, 1280, "light")
        assert reply.status == 404, reply.status
        expect(page.locator("h1")).to_have_text("This share cannot be read")
        context.close()
        # The browser reports the status of the document as an error, which it is meant to be.
        suite.problems[:] = [problem for problem in suite.problems if "404" not in problem]
        assert ask(address, "GET", "")[0] == 404

    def is_there(address):
        context, page, _, reply = open_alone(suite, address, 1280, "light")
        assert reply.status == 200, reply.status
        context.close()

    with suite.daemon(project, home) as base:
        ask(base, "POST", "/scan", {"path": str(project)})
        record = of(base, path=str(project), scanType="scan")
        address = f"{base}/share/{record['id']}"
        is_there(address)
        with suite.page(base) as page:
            suite.open(page, base, "report")
            row = page.locator("tr", has_text=record["id"][:8])
            with page.context.expect_page() as opened:
                row.get_by_role("link").click()
            expect(opened.value.locator("h1")).to_be_visible()
            opened.value.close()
            with page.expect_download() as download:
                row.get_by_role("button", name="Save as a file").click()
            kept = pathlib.Path(download.value.path()).read_text()
            assert download.value.suggested_filename.endswith(".html") and kept.startswith("<!doctype html>")
            row.get_by_role("button", name="Revoke").click()
            suite.agree(page, "Revoke")
            expect(page.get_by_text("The share is revoked").first).to_be_visible()
            suite.button(page, "Close").first.click()
        is_gone(address)

        record = of(base, path=str(project), scanType="scan", expirationDays=1)
        ending = f"/share/{record['id']}"
        is_there(base + ending)
    end_yesterday(project, record["id"])
    with suite.daemon(project, home) as base:
        is_gone(base + ending)
        _, text = ask(base, "GET", "/shares")
        mine = next(share for share in json.loads(text)["shares"] if share["id"] == record["id"])
        assert mine["status"] == "expired", mine


def end_yesterday(project, share):
    """Moves the last day of a share into the past, as no clock of a test may run ahead."""
    changed = 0
    for file in (project / ".compliance").rglob("*"):
        if not file.is_file() or file.read_bytes()[:15] != b"SQLite format 3":
            continue
        with contextlib.closing(sqlite3.connect(file, timeout=10)) as database, database:
            tables = [name for (name,) in database.execute("select name from sqlite_master where type = 'table' and name like '%share%'")]
            for table in tables:
                columns = [column[1] for column in database.execute(f"pragma table_info({table})")]
                ends = next((column for column in columns if "expire" in column or "ends" in column), None)
                if ends:
                    kind = type(database.execute(f"select {ends} from {table} limit 1").fetchone()[0])
                    past = 1_000_000_000 if kind is int else "2026-01-01T00:00:00Z"
                    changed += database.execute(f"update {table} set {ends} = ? where id = ?", (past, share)).rowcount
    assert changed == 1, "the share was not found in the database"

"""Tests of the page in the browser, in headless Chromium.

    python tests/page/page_test.py --binary target/release/engine-server
    python tests/page/page_test.py --binary target/release/engine-server --page crates/engine-server/page    (page from disk)
    python tests/page/page_test.py --url http://127.0.0.1:5173 --project DIR     (a daemon that already runs on DIR)

Needs `pip install playwright` and Chromium (`--chromium`, else /usr/bin/chromium), and axe-core (`--axe FILE`, else the
variable AXE: axe.min.js of `npm pack axe-core`). With `--screenshots DIR` every view is also saved as a picture at 360,
1280 and 1920 pixels, light and dark. With `--page` the files of the page come from that folder and all else from the
daemon, so that a change needs no build. Ends with 1 if a test failed, and if a control of the page was used by no test.
"""

import argparse
import contextlib
import os
import pathlib
import shutil
import sys
import tempfile

from playwright.sync_api import sync_playwright

sys.dont_write_bytecode = True

import access
import every
import keyboard
import large
import looks
import officer
import share
import work as tasks
from suite import ROOT, Suite


def shared_tests(suite, base, project):
    """The tests on one daemon and one project, in this order."""
    tests = [
        ("widths_without_sideways_scrolling", looks.widths, base),
        ("words_without_claims_in_three_languages", looks.words, base),
        ("nothing_is_cut_at_360_pixels", looks.narrow, base),
        ("keyboard_reaches_everything", keyboard.basics, base),
        ("settings_language_theme_menu", tasks.settings, base),
        ("score_terms_give_the_score", tasks.arithmetic, base),
        ("findings_filter", tasks.filtering, base),
        ("fix_preview_apply_undo", tasks.fixing, base, project),
        ("evaluation_runs_and_stops", tasks.evaluation, base),
        ("evidence_chain_verifies", tasks.chain, base),
        ("events_arrive", tasks.live, base),
        ("passports_create_read_validate_rename", tasks.passports, base),
        ("dates_compare_and_countries_search", tasks.dates, base),
        ("keyboard_alone_does_the_main_path", keyboard.path, base),
        ("token_is_required", access.token, base),
        ("open_questions_are_linked", every.open_questions, base),
        ("officer_does_the_job_in_the_browser", officer.officer, base),
        ("small_controls", every.small_controls, base),
        ("scan_of_another_program_is_announced", access.another_program, base, project),
        ("axe_finds_nothing_serious", looks.accessible, base),
        ("shares_are_self_contained", share.shares, base, project),
    ]
    if suite.arguments.screenshots:
        tests.append(("screenshots", looks.screenshots, base))
    return tests


OWN_TESTS = [
    ("token_file_and_page", access.token_file),
    ("another_origin_drives_nothing", access.foreign),
    ("restarted_daemon_needs_a_reload", access.restarted),
    ("no_project_asks_for_a_folder", access.no_project),
    ("safe_fixes_at_once", tasks.safe_fixes),
    ("read_only_daemon_changes_nothing", access.read_only),
    ("shares_end", share.ended),
    ("large_scan_is_fast", large.large),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", help="the engine-server to start")
    parser.add_argument("--page", help="with --binary: a folder with the files of the page")
    parser.add_argument("--url", help="a page that is served already")
    parser.add_argument("--project", help="with --url: the folder of its project, which the tests change")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--axe", default=os.environ.get("AXE"))
    parser.add_argument("--findings", type=int, default=10_000)
    parser.add_argument("--complete", action="store_true", help="fail if the engine lacks a route that the page uses")
    parser.add_argument("--screenshots")
    parser.add_argument("--full", action="store_true", help="with --screenshots: whole pages, not only what a window shows")
    parser.add_argument("--only", help="only tests whose name contains one of these words, divided by commas")
    arguments = parser.parse_args()
    if bool(arguments.binary) == bool(arguments.url):
        parser.error("give either --binary or --url")
    if arguments.binary:
        # The daemons of the tests start in folders of their own.
        arguments.binary = str(pathlib.Path(arguments.binary).resolve())
    chosen = [word for word in (arguments.only or "").split(",") if word]
    wanted = lambda name: not chosen or any(word in name for word in chosen)  # noqa: E731
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = pathlib.Path(temporary)
        browser = playwright.chromium.launch(executable_path=arguments.chromium, args=["--no-sandbox"])
        suite = Suite(arguments, browser, folder)
        with contextlib.ExitStack() as stack:
            if arguments.binary:
                project = folder / "helpdesk"
                shutil.copytree(ROOT / "tests/projects/helpdesk", project)
                base = stack.enter_context(suite.daemon(project, folder / "home"))
            else:
                base, project = arguments.url.rstrip("/"), pathlib.Path(arguments.project or ".").resolve()
            for name, work, *values in shared_tests(suite, base, project):
                if wanted(name):
                    suite.run(name, work, suite, *values)
        for name, work in OWN_TESTS:
            if wanted(name) and arguments.binary:
                suite.run(name, work, suite)
        if wanted("every_control_was_used") and arguments.binary:
            suite.run("every_control_was_used", every.every_control, suite)
        browser.close()
    for what in sorted(set(suite.missing)):
        print(f"missing in this build: {what}")
        if arguments.complete:
            suite.failed.append(what)
    print(f"{len(suite.passed)} passed, {len(suite.failed)} failed; {len(suite.used)} kinds of controls used, {suite.axe_runs} pages checked with axe-core")
    sys.exit(1 if suite.failed else 0)


if __name__ == "__main__":
    main()

"""Every control of the page is used by a test: what was seen is compared with what was used."""

import json
import re
import shutil

from playwright.sync_api import expect

import work as tasks
from suite import PAGE, ROOT, VIEWS, messages


def small_controls(suite, base):
    """What no other test needs: links between views, folds, choices and second buttons. Each must do what it says."""
    with suite.page(base) as page:
        suite.open(page, base)
        frame(suite, page)
        bad = []
        for task in (overview, questions, findings, fixes, systems, folds, documents, report, evaluations, passports, evidence, countries):
            suite.go(page, "overview")
            try:
                task(suite, page)
            except Exception as error:  # Each task runs, whatever happens to another.
                line = error.__traceback__.tb_next.tb_lineno
                bad.append(f"{task.__name__} (line {line}): {' '.join(str(error).split())[:300]}")
        assert not bad, "; ".join(bad)


def open_questions(suite, base):
    """What is there only while questions are open."""
    with suite.page(base) as page:
        suite.open(page, base, "systems")
        page.locator("main .meta a[href='#/questions']").first.click()
        title(page, "Questions")
        suite.settled(page)
        press_folds(suite, page, "questions")
        for selector, heading in ((".obligation a[href^='#/questions?q=']", "Questions"), (".obligation a[href^='#/findings']", "Findings")):
            suite.go(page, "systems")
            press_folds(suite, page, "systems")
            suite.unfold(page)
            page.locator(f"main {selector}").first.click()
            title(page, heading)
        suite.go(page, "timeline")
        press_folds(suite, page, "timeline")
        lead_from_dates(suite, page)


def lead_from_dates(suite, page):
    """A duty of today and one of a later day each lead to the system that has it."""
    for day in (".past", "li:not(.past)"):
        suite.go(page, "timeline")
        suite.unfold(page)
        page.locator(f".dates > {day} a").first.click()
        title(page, "AI systems")


def title(page, name):
    expect(page.locator("main h1")).to_have_text(name)


def choice(page, name):
    """The choice of that name. Its label holds the options too, so that the label alone does not find it."""
    return page.locator("main label.field", has=page.locator(f"span:text-is('{name}')")).locator("select")


def frame(suite, page):
    """Every link of the navigation leads to its view."""
    for view in VIEWS:
        name = messages()[f"nav.{view}"]
        page.get_by_role("navigation").get_by_role("link", name=re.compile(f"^{name}")).click()
        suite.settled(page)
        assert page.evaluate("location.hash").startswith(f"#/{view}")
        expect(page.locator("nav [aria-current=page]")).to_have_count(1)
    page.locator("a.brand").click()
    title(page, "What to do")
    page.get_by_label("Appearance").select_option("light")
    page.get_by_label("Appearance").select_option("auto")


def overview(suite, page):
    page.get_by_role("link", name="How it is calculated").click()
    title(page, "Score")
    for link, heading in (("Answer", "Questions"), ("Open finding", "Findings"), ("Draft document", "Documents"), ("See obligation", "AI systems")):
        suite.go(page, "overview")
        for more in page.get_by_role("button", name=re.compile("^Show .* more of")).all():
            before = page.locator("main li").count()
            more.click()
            assert page.locator("main li").count() > before
        links = page.get_by_role("link", name=re.compile(f"^{link}: "))
        if links.count():
            links.first.click()
            title(page, heading)
    suite.go(page, "overview")
    fold = page.locator("main summary", has_text="not read")
    if fold.count():
        fold.click()
        expect(page.locator("main details[open] li").first).to_be_visible()


def questions(suite, page):
    suite.go(page, "questions")
    page.get_by_label("Your name").fill("A. Person")
    block = page.locator("details.block").nth(1)
    block.locator("summary").first.click()
    card = block.locator("article").first
    card.locator("summary", has_text="Add a reason").click()
    card.get_by_label("Reason").fill("Stated in the test.")
    card.get_by_role("textbox").first.fill("Answers customers.")
    card.get_by_role("button", name="Save answer").click()
    expect(page.get_by_text("Answer saved").first).to_be_visible()
    suite.settled(page)
    # An answer that was not given is not sent.
    while page.locator("details.block:not([open])").count():
        page.locator("details.block:not([open]) > summary").first.click()
    empty = page.locator("article:has(input[type=radio]:not(:checked)):not(:has(:checked))").first
    empty.get_by_role("button", name="Save answer").click()
    press_answers(suite, page)
    expect(empty.get_by_text("Choose or enter an answer first")).to_be_visible()


def press_answers(suite, page):
    """Chooses one answer of each kind that no test has chosen yet, without saving it."""
    for input in page.locator("details.block input").element_handles():
        if not input.is_visible() or input.evaluate("input => controlKey(input)") in suite.used:
            continue
        if input.get_attribute("type") in ("checkbox", "radio"):
            was = input.is_checked()
            input.click()
            assert input.is_checked() or was
        else:
            input.fill("2026-03-01" if input.get_attribute("type") == "date" else "Stated in the test")


def findings(suite, page):
    suite.go(page, "findings")
    for name in ("Critical", "High", "Medium", "Low"):
        box = page.get_by_label(name, exact=True)
        box.check()
        page.wait_for_timeout(150)
        shown = page.locator(".row .tag").all_inner_texts()
        assert all(name in text for text in shown), f"{name}: {shown[:3]}"
        box.uncheck()
    for label in ("Layer", "System"):
        choice = page.get_by_label(label, exact=True)
        choice.select_option(index=1)
        page.wait_for_timeout(150)
        narrowed = page.locator("[role=listitem]").count()
        choice.select_option(index=0)
        page.wait_for_timeout(150)
        assert narrowed <= page.locator("[role=listitem]").count()
    page.locator(".row").first.click()
    page.locator(".detail dd a[href^='#/systems']").first.click()
    title(page, "AI systems")
    expect(page.locator("details.obligation[open]").first).to_be_visible()


def fixes(suite, page):
    suite.go(page, "fixes")
    fold = page.locator("summary", has_text="without a known fix")
    fold.click()
    history = page.locator("article summary", has_text="Change as a diff").first
    history.click()
    expect(page.locator("article .code").first).to_be_visible()
    page.locator("details[open] li a[href^='#/findings']").first.click()
    title(page, "Findings")
    expect(page.locator(".detail h2")).to_be_visible()


def systems(suite, page):
    suite.go(page, "systems")
    page.locator("main details:not(.obligation) > summary").first.click()
    page.locator("main details:not(.obligation) > summary").first.click()
    page.locator("details.obligation > summary").first.click()
    expect(page.locator("details.obligation[open]").first).to_be_visible()
    suite.unfold(page)
    for selector, heading in ((".meta a[href='#/questions']", "Questions"), (".obligation a[href^='#/questions?q=']", "Questions"), (".obligation a[href^='#/findings']", "Findings")):
        suite.go(page, "systems")
        suite.unfold(page)
        link = page.locator(f"main {selector}")
        if link.count():
            link.first.click()
            title(page, heading)
    lead_from_dates(suite, page)


def folds(suite, page):
    """Every fold of every view opens and closes by its summary."""
    for view in VIEWS:
        suite.go(page, view)
        press_folds(suite, page, view)


def press_folds(suite, page, view):
    """Opens and closes one fold of each kind that no test has pressed yet."""
    for _ in range(3):
        for fold in page.locator("main details > summary").element_handles():
            if not fold.is_visible() or fold.evaluate("summary => controlKey(summary)") in suite.used:
                continue
            was = fold.evaluate("summary => summary.parentElement.open")
            fold.click()
            assert fold.evaluate("summary => summary.parentElement.open") != was, f"{view}: {fold.inner_text()}"
            if was:
                fold.click()


def documents(suite, page):
    suite.go(page, "documents")
    for kind in choice(page, "Document").locator("option").all():
        choice(page, "Document").select_option(kind.get_attribute("value"))
        for input in page.locator("main .fields [name]").all():
            if input.evaluate("input => input.tagName") == "SELECT":
                input.select_option(index=0)
            elif input.get_attribute("type") == "date":
                input.fill("2026-12-01")
            elif input.get_attribute("type") == "email":
                input.fill("person@example.org")
            elif input.get_attribute("name") != "docType":
                input.fill("Stated in the test")
    row = page.locator("tr", has=page.get_by_role("button", name=re.compile("^Prepare …"))).last
    wanted = row.locator("th").inner_text()
    row.get_by_role("button").click()
    chosen = choice(page, "Document")
    assert chosen.evaluate("select => select === document.activeElement"), "the form does not take the focus"
    other = choice(page, "Kind of document")
    assert wanted in (other if other.count() else chosen).evaluate("select => select.selectedOptions[0].textContent") or chosen.input_value() != "other", wanted
    page.get_by_label("Language of the document").first.select_option("de")
    page.get_by_label("Language of the document").first.select_option("")
    choice(page, "Document").select_option("ai-usage-policy")
    suite.button(page, "Prepare this draft").click()
    expect(page.locator(".paper")).to_be_visible()
    page.locator("main .card select").first.select_option(index=0)
    page.get_by_label("Organisation").first.fill("Example Ltd")
    page.get_by_text("Make it final").first.click()
    page.get_by_label("Responsible person").fill("A. Person")
    page.get_by_label("Date", exact=True).fill("2026-11-29")
    suite.button(page, "Make final").click()
    suite.agree(page, "Make final")
    # A draft with open questions stays a draft.
    expect(page.locator("main .notice.bad").or_(page.get_by_text("Final: A. Person")).first).to_be_visible()
    press_folds(suite, page, "documents")
    suite.button(page, "Prepare drafts").click()
    suite.agree(page, "Prepare drafts")
    expect(page.get_by_role("heading", name=re.compile("^Drafts: "))).to_be_visible()
    press_folds(suite, page, "documents")
    suite.unfold(page)
    press_folds(suite, page, "documents")


def report(suite, page):
    suite.go(page, "report")
    page.get_by_label("Organisation").fill("Example Ltd")
    page.get_by_label("Short edition").check()
    suite.button(page, "Read here").click()
    expect(page.locator(".paper")).to_be_visible()
    assert "Example Ltd" in page.locator(".paper").inner_text()
    page.locator(".card", has=page.locator(".paper")).get_by_role("button", name="Copy", exact=True).click()
    assert "Example Ltd" in page.evaluate("navigator.clipboard.readText()")
    page.get_by_label("Short edition").uncheck()
    page.get_by_label("Content").select_option("scan")
    page.get_by_label("Days until it expires").fill("400")
    suite.button(page, "Create share").click()
    expect(page.get_by_text("The share is ready")).to_have_count(0)
    page.get_by_label("Days until it expires").fill("3")
    suite.button(page, "Create share").click()
    suite.button(page, "Copy the address").click()
    address = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(r"http://[^/]+/share/[0-9a-f]{32}", address), address
    with page.context.expect_page() as opened:
        page.locator(".notice").get_by_role("link").click()
    assert opened.value.url == address.replace("localhost", "127.0.0.1") or opened.value.url.endswith(address.rsplit("/", 1)[1])
    opened.value.close()
    with page.expect_download():
        page.locator(".notice").get_by_role("button", name=re.compile("^Save as a file")).click()


def evaluations(suite, page):
    suite.go(page, "evaluations")
    page.locator("summary", has_text="More settings").click()
    choice(page, "Probes").select_option("security")
    page.get_by_label("Model", exact=True).fill("demo")
    page.get_by_label("API key of the endpoint").fill("a-key-of-this-test")
    page.get_by_label("Parallel dialogues").fill("2")
    page.get_by_label("Path of the answer").fill("reply")
    page.get_by_label("Request template").fill('{"message": "{{prompt}}"}')
    page.get_by_label("Number of probes").fill("12")
    with tasks.endpoint() as address:
        page.get_by_label("Address of the endpoint").fill(address)
        suite.button(page, "Start evaluation").click()
        suite.agree(page, "Start evaluation")
        expect(page.get_by_role("heading", name=re.compile("^Result for"))).to_be_visible()
    assert page.get_by_label("API key of the endpoint").input_value() == "", "the key stays in the page"
    # The run with most failures has more of them than are shown at first.
    for run in page.get_by_role("button", name=re.compile("^Open run")).all():
        run.click()
        suite.settled(page)
        more = page.get_by_role("button", name=re.compile("^Show .* more of"))
        if more.count() and more.is_visible():
            before = page.locator("main .card details").count()
            more.click()
            assert page.locator("main .card details").count() > before
            break
    page.locator("main .card .stack > details > summary").last.click()
    expect(page.get_by_role("heading", name="Question", exact=True).last).to_be_visible()


def passports(suite, page):
    suite.go(page, "passports")
    page.get_by_role("button", name=re.compile("^Read passport")).first.click()
    suite.settled(page)
    press_folds(suite, page, "passports")


def evidence(suite, page):
    suite.go(page, "evidence")
    page.locator("td summary", has_text="Show").first.click()
    assert json.loads(page.locator("td pre").first.inner_text())


def countries(suite, page):
    suite.go(page, "jurisdictions")
    page.get_by_label("Search country or authority").fill("Malta")
    page.wait_for_timeout(100)
    assert page.locator("main .card").count() == 1
    page.locator("main .card summary").click()
    expect(page.locator("main .card dt", has_text="Market surveillance")).to_be_visible()


def labels_in_source():
    """The messages that name a button, as the files of the page write them."""
    found = set()
    for file in PAGE.rglob("*.js"):
        text = file.read_text()
        found |= set(re.findall(r'(?:workButton|copyButton)\(\s*t\("([^"]+)"', text))
        for button in re.findall(r'el\("button", \{[^\n]*\}, [^\n]*', text):
            found |= set(re.findall(r't\("([^"]+)"', button))
    return found


def every_control(suite):
    # All views once more, with every fold open, so that nothing is missing that no test came across.
    project = suite.work / "every"
    shutil.copytree(ROOT / "tests/projects/helpdesk", project)
    with suite.daemon(project, suite.work / "every-home") as base, suite.page(base) as page:
        suite.open(page, base)
        for view in VIEWS:
            suite.go(page, view)
            suite.unfold(page)
            page.evaluate("harvestControls()")
        # The record itself works: a control that nobody uses is in it.
        page.evaluate("document.querySelector('main').append(Object.assign(document.createElement('button'), { textContent: 'Never pressed' }))")
        page.evaluate("harvestControls()")
    unused = {key: name for key, name in suite.seen.items() if key not in suite.used}
    planted = [key for key, name in unused.items() if name == "Never pressed"]
    assert len(planted) == 1, "the record of controls does not work"
    for key in planted:
        del unused[key]
    english = messages()
    # Several messages have the same text; the record names one of them.
    pressed = {english.get(key.split(" ")[-1]) for key in suite.used}
    never = sorted(label for label in labels_in_source() if english[label] not in pressed)
    for key, name in sorted(unused.items()):
        print(f"        not used: {key} ({name})")
    said = "; ".join(f"{key} ({name})" for key, name in sorted(unused.items()))
    assert not unused, f"{len(unused)} of {len(suite.seen)} kinds of controls are used by no test: {said}"
    assert not never, f"buttons in the source that no test presses: {never}"
    assert len(suite.seen) > 100, len(suite.seen)

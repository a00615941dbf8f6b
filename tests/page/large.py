"""A scan with 10,000 findings: the first paint, and scrolling."""


def large(suite):
    """Opens the page twice: before any scan, and with the result of one."""
    project = suite.work / "large"
    project.mkdir()
    large_project(project, suite.arguments.findings)
    with suite.daemon(project, suite.work / "large-home") as base:
        for earlier in (False, True):
            with suite.page(base, record=False) as page:
                measure(suite, page, base, earlier)


def measure(suite, page, base, earlier):
    page.goto(f"{base}/#/overview")
    page.wait_for_selector("main h1, main .busy")
    paint = page.evaluate(
        "() => new Promise((resolve) => { new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({ type: 'paint', buffered: true }); })"
    )
    if earlier:
        # The result of the last scan is there while the project is scanned again.
        page.wait_for_selector(".figures")
        first_figures = page.evaluate("performance.now()")
        assert page.locator("main .busy").count() == 1, "the page does not say that it scans"
    # Views that need no scan open while it runs.
    opened = page.evaluate("""async () => {
      const start = performance.now();
      location.hash = '#/jurisdictions';
      while (document.querySelectorAll('main .cards .card').length < 30) await new Promise(requestAnimationFrame);
      return [performance.now() - start, document.querySelector('.scan')?.getAttribute('aria-disabled') === 'true'];
    }""")
    assert opened[1], "the scan was over before another view was opened"
    page.evaluate("location.hash = '#/overview'")
    suite.scanned(page, timeout=600_000)
    whole = page.evaluate("performance.now()")
    shown = page.evaluate("""async () => {
      const start = performance.now();
      location.hash = '#/findings';
      while (!document.querySelector('.row')) await new Promise(requestAnimationFrame);
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
    print(
        f"        {size} findings, {'opened again' if earlier else 'first scan'}: first paint {paint:.0f} ms"
        + (f", last result {first_figures:.0f} ms" if earlier else "")
        + f", other view during the scan {opened[0]:.0f} ms, scan shown {whole:.0f} ms, list {shown:.0f} ms, {rate:.0f} frames/s"
        f" (worst frame {worst:.0f} ms), {rows} rows in the document, filtered in {typed:.0f} ms"
    )
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

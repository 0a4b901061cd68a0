"""Pages of the console in a real browser, for its tests."""

from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect

from host_tools.tests.served import PASSWORD

WAIT_MS = 60_000  # for what a page is to show, on a machine with much to do
expect.set_options(timeout=WAIT_MS)
AXE = Path(__file__).resolve().parents[2] / "node_modules/axe-core/axe.min.js"


@contextmanager
def console(browser, url, *, name=None, heading="Pit", **options):
    """A console page, logged in if a user is given; errors in the page fail the test.

    heading: of the first page, in the language of the browser.
    Requests to any host other than the test server fail the test too.
    """
    context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})
    wrong = []

    def asked(request):
        if not request.url.startswith((f"{url}/", "data:")):
            wrong.append(f"asked for {request.url}")

    context.on("request", asked)
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(f"a dialogue: {dialog.message}"))
    page.on("console", lambda said: _verdict(said.text, wrong))
    try:
        page.goto(url)
        if name is not None:
            log_in(page, name, heading=heading)
        yield page
    finally:
        context.close()
    assert not wrong, wrong


def _verdict(text, wrong):
    if "Content Security Policy" in text:
        wrong.append(text)


def log_in(page, name, password=PASSWORD, heading="Pit"):
    """Log in by keyboard alone: the focus is where one types."""
    expect(page.locator("input[name=name]")).to_be_focused()
    page.keyboard.type(name)
    page.keyboard.press("Tab")
    page.keyboard.type(password)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=heading, level=1).wait_for()


def rested(page):
    """The page as a test finds it: the pit in daylight, no dialogue, nothing in focus."""
    page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    page.evaluate("""() => {
      document.querySelectorAll("dialog").forEach((one) => one.close());
      location.hash = "#/";
    }""")
    page.get_by_role("heading", name="Pit", level=1).wait_for()
    page.evaluate("document.activeElement.blur()")
    return page


def go(page, place, heading=None):
    """Go to a page of the console and wait until it is there. heading: None: any."""
    page.evaluate("place => { location.hash = place; }", place)
    named = {} if heading is None else {"name": heading}
    page.locator("main:not([aria-busy])").get_by_role("heading", level=1, **named).wait_for()


def breaches(page, part="document"):
    """What axe objects to on a page, or a part of it: each rule with its element."""
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    report = page.evaluate(f"axe.run({part}, {{resultTypes: ['violations']}})")
    return [(one["id"], node["html"]) for one in report["violations"] for node in one["nodes"]]

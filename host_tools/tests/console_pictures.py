"""The pictures of the console in the README, from a running `make demo`.

`python -m host_tools.tests.console_pictures URL PASSWORD`: the pit in daylight, a table in the
dark, in the system's Chromium. Let the demo run for some rounds first.
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from host_tools.tests.browser import console, go, log_in
from host_tools.tests.chromium_browser import launched

DOCS = Path(__file__).resolve().parents[1] / "docs"
SIZE = {"width": 1280, "height": 800}


def draw(url: str, password: str) -> None:
    """Write both pictures."""
    with sync_playwright() as playwright:
        browser = launched(playwright)
        for scheme in ("light", "dark"):
            with console(browser, url, color_scheme=scheme, viewport=SIZE) as page:
                log_in(page, "Sue", password)
                if scheme == "dark":
                    go(page, "#/table/1", "Roulette 1")
                    page.locator(".last-round dl").wait_for()
                page.locator(".fact").first.wait_for()
                page.wait_for_load_state("load")
                page.locator(".result:not(:empty)").first.wait_for()
                page.evaluate("document.activeElement.blur()")
                page.screenshot(path=DOCS / f"console-{scheme}.png")
        browser.close()


if __name__ == "__main__":
    draw(sys.argv[1], sys.argv[2])

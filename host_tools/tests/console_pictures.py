"""Draws the pictures of the console in the README: `make pictures`.

Starts a demo of its own, lets it play some rounds, and photographs the pit in daylight and a table
in the dark, in the system's Chromium. Look at both before you commit them.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from host_tools.tests.browser import console, go, log_in
from host_tools.tests.chromium_browser import launched

DOCS = Path(__file__).resolve().parents[1] / "docs"
SIZE = {"width": 1280, "height": 800}
ROUNDS = 5
"""Results of the first table that the pictures show at least."""
WAIT_MS = 600_000


@contextmanager
def demo() -> Iterator[tuple[str, str]]:
    """A running demo: the address of its console, and the password of Sue."""
    command = [Path(sys.executable).parent / "tabletool", "demo"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        text = ""
        for line in process.stdout:
            text += line
            if "Ctrl-C" in line:
                break
        try:
            [url] = re.findall(r"console: (\S+)", text)
            [password] = re.findall(r"password: (\S+)", text)
            yield url, password
        finally:
            process.terminate()


def draw(url: str, password: str) -> None:
    """Write both pictures."""
    with sync_playwright() as playwright:
        browser = launched(playwright)
        for scheme in ("light", "dark"):
            with console(browser, url, color_scheme=scheme, viewport=SIZE) as page:
                log_in(page, "Sue", password)
                _wait(page)
                if scheme == "dark":
                    go(page, "#/table/1")
                    page.locator(".last-round dl").wait_for()
                page.evaluate("document.activeElement.blur()")
                page.screenshot(path=DOCS / f"console-{scheme}.png")
        browser.close()


def _wait(page: Page) -> None:
    """Wait until the tables have played, so that nothing in the picture is empty."""
    card = page.locator(".table-card").filter(has_text="Roulette 1")
    expect(card.locator(".result:not(:empty)")).to_have_count(ROUNDS, timeout=WAIT_MS)


if __name__ == "__main__":
    with demo() as (url, password):
        draw(url, password)
    print(f"drawn: look at {DOCS / 'console-light.png'} and {DOCS / 'console-dark.png'}")

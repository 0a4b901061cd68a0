"""The browser for tests of the console: the system's Chromium, started once, offline."""

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome")
HOW = "apt install chromium (Debian), or a Chrome of your own on the path"


def executable():
    """The path of the system's Chromium, None if it is not installed."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def launched(playwright):
    """A browser without a window. As root it has to do without its sandbox."""
    # No name leads anywhere but here: what asks another host fails, and is raised.
    alone = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    plain = ["--disable-gpu", "--disable-dev-shm-usage", alone]
    options = [*plain, "--no-sandbox"] if os.geteuid() == 0 else plain
    return playwright.chromium.launch(executable_path=executable(), args=options)

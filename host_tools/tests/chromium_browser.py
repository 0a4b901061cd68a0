"""The browser for tests of the console: the system's Chromium, started once, offline."""

import os
import shutil

# The first is the same browser without what a person sees around a page: a quarter less processor.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# Each window would load two pages of the address bar's own, hidden: 0.7 s of processor a test.
# Chromium accepts the last list only, so Playwright's entries that matter here are in this one.
SWITCHED_OFF = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "AimEnabled",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
)
HOW = "apt install chromium (Debian), or a Chrome of your own on the path"


def executable():
    """The path of the system's Chromium, None if it is not installed."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def launched(playwright):
    """A browser without a window. As root it has to do without its sandbox."""
    # No name leads anywhere but here: what asks another host fails, and is raised.
    alone = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    switched_off = f"--disable-features={','.join(SWITCHED_OFF)}"
    plain = ["--disable-gpu", "--disable-dev-shm-usage", switched_off, alone]
    options = [*plain, "--no-sandbox"] if os.geteuid() == 0 else plain
    return playwright.chromium.launch(executable_path=executable(), args=options)

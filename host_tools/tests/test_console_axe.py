"""Every page, for every role and on every screen, passes the checks of axe (WCAG 2.2 A and AA)."""

from itertools import product

import pytest
from playwright.sync_api import expect

from hil_tests.thinned import IS_SOAK
from host_tools.tests.browser import breaches, console, go
from host_tools.tests.full_floor import full_floor
from host_tools.tests.test_console_web import PLACES

SCREENS = {390: 844, 768: 1024, 1280: 800}
ROLES = ("Sue", "Dan", "Cas", "Tim", "Amy")
# Each page, screen and theme; with every role when all steps are asked for.
FEW = (
    ("Sue", 1280, "light"),  # every page
    ("Tim", 390, "dark"),
    ("Amy", 768, "dark"),
)
EVERY = tuple(product(ROLES, SCREENS, ("light", "dark")))
LOOKS = EVERY if IS_SOAK else FEW


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    """A pit with everything that needs a person."""
    new_floor = full_floor(str(tmp_path_factory.mktemp("axe") / "ledger"))
    yield new_floor
    new_floor.close()


@pytest.mark.parametrize(("name", "width", "scheme"), LOOKS)
def test_every_page_passes_the_checks_of_axe(chromium, floor, name, width, scheme):
    """No breach that a program can find, headings in order, and the page marked in the menu."""
    faults, size = [], {"width": width, "height": SCREENS[width]}
    with console(chromium, floor.host.url, name=name, viewport=size, color_scheme=scheme) as page:
        links = page.get_by_role("navigation").get_by_role("link")
        mine = set(links.evaluate_all("all => all.map((one) => one.getAttribute('href'))"))
        for place, heading in PLACES.items():
            path = place.partition("?")[0]
            if path.count("/") == 1 and path not in mine:
                continue
            go(page, place, heading if path in mine else None)
            current = page.locator("nav [aria-current]")
            assert current.count() <= 1  # none where a role has no such page
            if path in mine:
                expect(current).to_have_attribute("href", path)
                expect(current).to_have_attribute("aria-current", "page")
            faults += [(heading, *breach) for breach in breaches(page)]
    assert not faults

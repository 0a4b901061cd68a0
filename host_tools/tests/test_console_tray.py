"""The page of a tray: its floor corrected by keyboard, mouse and touch, in a browser."""

import re
from itertools import product

import pytest
from playwright.sync_api import expect

from hil_tests.thinned import IS_SOAK
from host_tools.tests.browser import breaches, console, go
from host_tools.tests.camera_table import camera_host
from host_tools.tests.served import until
from host_tools.tests.test_console_axe import SCREENS

PAGE, HEADING = "#/tray/1", "Tray of D1"


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """A host with a camera above table D1."""
    with camera_host(tmp_path_factory.mktemp("tray")) as new_host:
        until(lambda: new_host.pit.seats[1].host.lease)
        yield new_host


def floor_of(host):
    return host.login("Tim").get("/v1/tables/1/tray").json()["floor"]


def corners(page):
    """What the handles say to a screen reader."""
    handles = page.get_by_role("group", name="Corners of the floor").get_by_role("button")
    texts = handles.evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
    return [[int(word) for word in re.findall(r"\d+", text)[2:]] for text in texts]


def corner(page, number):
    return page.get_by_role("button", name=re.compile(f"^Corner {number} of "))


def store(page, reason="the print is floor"):
    page.get_by_role("button", name="Store this floor").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill(reason)
    dialog.get_by_role("button", name="Store", exact=True).click()
    return dialog


def test_a_technician_corrects_the_floor_by_keyboard(chromium, host):
    """From the page of the table: move, add, remove, undo, store; each is said aloud."""
    with console(chromium, host.url, name="Tim") as page:
        go(page, "#/table/1", "D1")
        page.get_by_role("link", name="Tray of the host's camera").press("Enter")
        expect(page.get_by_role("heading", name=HEADING)).to_be_focused()
        before = floor_of(host)
        assert corners(page) == before
        expect(page.get_by_role("button", name="Store this floor")).to_be_disabled()
        corner(page, 2).focus()
        page.keyboard.press("Shift+ArrowLeft")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowDown")
        (x, y), said = before[1], page.locator("[aria-live=polite].unseen")
        assert corners(page)[1] == [x - 11, y + 1]
        expect(said).to_have_text(f"Corner 2 of 4: {x - 11} right, {y + 1} down")
        page.keyboard.press("Insert")
        expect(corner(page, 3)).to_be_focused()
        assert len(corners(page)) == 5
        expect(page.get_by_role("status")).to_have_text("Changed, not stored yet.")  # convex
        page.keyboard.press("Delete")
        assert len(corners(page)) == 4
        page.keyboard.press("Control+z")
        page.keyboard.press("Control+z")
        assert corners(page) == [before[0], [x - 11, y + 1], *before[2:]]
        page.get_by_role("button", name="Undo").press("Enter")  # three presses in a row are one
        assert corners(page) == before
        expect(page.get_by_role("button", name="Undo")).to_be_disabled()
        corner(page, 1).focus()
        for _ in range(4):
            page.keyboard.press("ArrowRight")
        store(page)
        expect(said).to_have_text("The floor is stored; it holds from the next throw on.")
        expect(page.get_by_text("By Tim: the print is floor")).to_be_visible()
    assert floor_of(host) == [[before[0][0] + 4, before[0][1]], *before[1:]]


def test_who_leaves_with_changes_is_asked(chromium, host):
    """Cancelled, the page stays with its corners; agreed to, the next one opens."""
    with console(chromium, host.url, name="Tim") as page:
        go(page, PAGE, HEADING)
        corner(page, 1).press("ArrowRight")
        changed = corners(page)
        page.get_by_role("link", name="To the table").click()
        dialog = page.get_by_role("dialog", name="Leave without storing?")
        dialog.get_by_role("button", name="Cancel").click()
        assert (page.url.endswith(PAGE), corners(page)) == (True, changed)
        page.get_by_role("link", name="To the table").click()
        dialog.get_by_role("button", name="Leave the page").press("Enter")
        expect(page.get_by_role("heading", name="D1", exact=True)).to_be_focused()
        go(page, PAGE, HEADING)
        expect(corner(page, 1)).to_be_visible()
        page.get_by_role("link", name="To the table").click()  # nothing was changed
        expect(page.get_by_role("heading", name="D1", exact=True)).to_be_focused()


@pytest.mark.parametrize("touch", [False, True])
@pytest.mark.one_in(2)
def test_a_corner_follows_mouse_and_finger(chromium, host, touch):
    """By as many pixels of the picture as the finger moves over it; the page does not scroll."""
    size = {"viewport": {"width": 390, "height": 844}, "has_touch": touch}
    with console(chromium, host.url, name="Tim", **size) as page:
        go(page, PAGE, HEADING)
        before, box = corners(page), page.get_by_role("img").last.bounding_box()
        handle = corner(page, 1).bounding_box()
        x, y = handle["x"] + 20, handle["y"] + 12  # not its middle: it does not jump
        right, down = round(40 * box["width"] / 640), round(30 * box["height"] / 480)
        if touch:
            swipe(page, (x, y), (x + right, y + down))
        else:
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(x + 3, y + 3)
            page.mouse.move(x + right, y + down)
            page.mouse.up()
        [moved, *others] = corners(page)
        assert others == before[1:]
        assert abs(moved[0] - before[0][0] - right * 640 / box["width"]) <= 1
        assert abs(moved[1] - before[0][1] - down * 480 / box["height"]) <= 1
        assert page.evaluate("scrollY") == 0
        page.mouse.move(x, y)  # it was let go
        assert corners(page)[0] == moved
        page.get_by_role("button", name="Undo").click()
        assert corners(page) == before


def swipe(page, start, end):
    """A finger from one place to another."""
    client = page.context.new_cdp_session(page)
    points = [start, tuple((a + b) / 2 for a, b in zip(start, end, strict=True)), end]
    for kind, (x, y) in zip(("touchStart", "touchMove", "touchMove"), points, strict=True):
        place = {"x": x, "y": y}
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [place]})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_numbers_may_be_typed(chromium, host):
    """The way without a drag; what is outside the picture is not taken."""
    with console(chromium, host.url, name="Sue") as page:
        go(page, PAGE, HEADING)
        before = corners(page)
        corner(page, 3).focus()
        right = page.get_by_label("To the right, px")
        right.fill("600")
        right.press("Tab")
        assert corners(page)[2] == [600, before[2][1]]
        right.fill("641")
        right.press("Tab")
        assert corners(page)[2] == [600, before[2][1]]
        expect(right).to_have_value("600")


def test_an_outline_that_crosses_itself_cannot_be_sent(chromium, host):
    with console(chromium, host.url, name="Tim") as page:
        go(page, PAGE, HEADING)
        corner(page, 1).focus()
        page.get_by_label("To the right, px").fill("620")
        page.get_by_label("Down, px").fill("400")
        page.get_by_label("Down, px").press("Tab")
        expect(page.get_by_role("status")).to_contain_text("crosses itself or bends inwards")
        expect(page.get_by_role("button", name="Store this floor")).to_be_disabled()
        page.get_by_role("button", name="Discard all changes").click()
        expect(page.get_by_role("status")).to_have_text("This floor is in force.")


def test_what_the_host_refuses_is_marked_where_it_is(chromium, host):
    """The corners between which the rim is; the floor on the page stays as it was drawn."""
    before = floor_of(host)
    with console(chromium, host.url, name="Tim") as page:
        go(page, PAGE, HEADING)
        for number, place in ((1, "4,3"), (2, "636,3"), (3, "636,477"), (4, "4,477")):
            corner(page, number).focus()
            right, down = place.split(",")
            page.get_by_label("To the right, px").fill(right)
            page.get_by_label("Down, px").fill(down)
            page.get_by_label("Down, px").press("Tab")
        dialog = store(page)
        expect(dialog.get_by_role("alert")).to_contain_text("the rim of the tray is")
        expect(page.locator(".corner.refused")).to_have_count(2)
        assert len(set(map(tuple, corners_in(page)))) == 4
        dialog.get_by_role("button", name="Cancel").click()
        assert corners(page)[0] == [4, 3]
    assert floor_of(host) == before


def corners_in(page):
    """The same while a dialogue hides them from a screen reader."""
    texts = page.locator(".corner").evaluate_all(
        "all => all.map((one) => one.getAttribute('aria-label'))"
    )
    return [re.findall(r"\d+", text)[2:] for text in texts]


def test_who_saves_second_is_told(chromium, host):
    with console(chromium, host.url, name="Tim") as page:
        go(page, PAGE, HEADING)
        sue = host.login("Sue")
        digest = sue.get("/v1/tables/1/tray").json()["digest"]
        floor = [[70, 60], [570, 60], [570, 420], [70, 420]]
        sent = {"floor": floor, "digest": digest, "reason": "smaller"}
        assert sue.post("/v1/tables/1/tray/floor", json=sent).status_code == 201
        corner(page, 1).press("ArrowRight")
        expect(store(page).get_by_role("alert")).to_contain_text("another floor of table D1")
    assert floor_of(host) == floor


@pytest.mark.parametrize("name", ["Dan", "Amy"])
@pytest.mark.one_in(2)
def test_others_see_it_and_change_nothing(chromium, host, name):
    with console(chromium, host.url, name=name) as page:
        go(page, PAGE, HEADING)
        expect(page.get_by_alt_text(re.compile("^The empty tray"))).to_be_visible()
        expect(page.locator(".corner")).to_have_count(0)
        expect(page.get_by_role("button", name="Store this floor")).to_have_count(0)


LANGUAGES = {
    "de": ("Schale von D1", "Ecke 1 von "),
    "nl": ("Bak van D1", "Hoek 1 van "),
    "el": ("Δίσκος: D1", "Γωνία 1 από "),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.one_in(3)
def test_it_speaks_the_language_of_the_browser(chromium, host, language):
    heading, label = LANGUAGES[language]
    with console(chromium, host.url, name="Tim", locale=language) as page:
        go(page, PAGE, heading)
        expect(page.locator(".corner").first).to_have_attribute(
            "aria-label", re.compile(f"^{label}")
        )


FEW = (("Tim", 390, "dark"), ("Amy", 1280, "light"))
EVERY = tuple(product(("Tim", "Amy"), SCREENS, ("light", "dark")))
LOOKS = EVERY if IS_SOAK else FEW


@pytest.mark.parametrize(("name", "width", "scheme"), LOOKS)
@pytest.mark.one_in(2)
def test_the_page_passes_the_checks_of_axe(chromium, host, name, width, scheme):
    """As loaded, and with a corner in focus that makes it cross itself; it fits its screen."""
    size = {"viewport": {"width": width, "height": SCREENS[width]}, "color_scheme": scheme}
    with console(chromium, host.url, name=name, **size) as page:
        go(page, PAGE, HEADING)
        assert breaches(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if name == "Tim":
            corner(page, 2).focus()
            for _ in range(40):
                page.keyboard.press("Shift+ArrowDown")
            assert breaches(page) == []

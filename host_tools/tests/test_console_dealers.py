"""The dealer's page of each kind of machine: on every screen and theme, by touch and by keyboard.

The page shows what a host would answer of such a table; the orders it sends are caught.
"""

import json
import os
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import expect

from hil_tests.thinned import IS_SOAK
from host_tools.tests.browser import breaches, console, go
from host_tools.tests.full_floor import full_floor
from host_tools.tests.test_console_languages import CUT, REGIONS, messages

SCREENS = {390: 844, 768: 1024, 1280: 800}
TABLE = 99  # the live stream knows none of that number
# The game of each machine, and the buttons for Sue between two rounds in the order of play.
MACHINES = {
    "roulette": ("roulette", []),
    "money_wheel": ("big_wheel", []),
    "dice_tray": ("sic_bo", []),
    "draw_machine": ("keno", ["End the draw: a player has won", "Declare the balls"]),
    "card_shoe": (
        "blackjack",
        ["Open a round", "End the deal", "Declare a new shoe", "Continue with this shoe"],
    ),
    "shuffler": ("three_card", ["Open a round", "End the round", "Declare a replacement"]),
}
LOOKS = tuple(product(SCREENS, ("light", "dark")))
EVERY = tuple((role, *look, code) for role in MACHINES for look in LOOKS for code in REGIONS)
# Each machine, each screen with each theme, each language.
FEW = tuple(
    (role, *look, list(REGIONS)[place % len(REGIONS)])
    for place, (role, look) in enumerate(zip(MACHINES, LOOKS, strict=True))
)
SHOWN = EVERY if IS_SOAK else FEW
SMALL = """() => [...document.querySelectorAll("button, select, input, nav a, main a")]
  .filter((one) => one.checkVisibility() && !one.closest("p.terms")
    && one.getBoundingClientRect().height < 44).map((one) => one.outerHTML)"""


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    new_floor = full_floor(str(tmp_path_factory.mktemp("dealers") / "ledger"))
    yield new_floor
    new_floor.close()


@pytest.fixture(scope="module")
def real(floor):
    """What the host answers of its roulette table."""
    return floor.host.login("Sue").get(f"/v1/tables/{floor.table}").json()


def answer(page, path, body, status=200):
    page.route(
        f"**/v1{path}",
        lambda route: route.fulfill(
            status=status, body=json.dumps(body), content_type="application/json"
        ),
    )


def show(page, real, role, *, bets_open):
    """The dealer's page of a table with that machine, between two rounds or with open bets."""
    game, _ = MACHINES[role]
    phase = "bets_open" if bets_open else "closed"
    live = {**real["live"], "role": role, "game": game, "phase": phase, "bets_open": bets_open}
    live |= {"faults": [], "fault_count": 0, "round": None, "link": "online", "held": True}
    table = {**real, "id": TABLE, "name": f"Table {role}", "game": game, "variant": None}
    answer(page, f"/tables/{TABLE}", {**table, "live": live})
    answer(page, f"/tables/{TABLE}/dealer", {"name": None})
    answer(page, f"/tables/{TABLE}/thrower", {"thrower": None})
    go(page, f"#/deal/{TABLE}")


@pytest.mark.parametrize(("role", "width", "scheme", "language"), SHOWN)
@pytest.mark.one_in(2)
def test_a_dealer_s_page_fits_every_screen(chromium, floor, real, role, width, scheme, language):
    """Nothing is smaller than a finger, nothing cut, no breach of axe, in its language."""
    options = {"viewport": {"width": width, "height": SCREENS[width]}, "color_scheme": scheme}
    options |= {"locale": REGIONS[language], "heading": messages(language)["common.pit", ""]}
    with console(chromium, floor.host.url, name="Sue", **options) as page:
        for bets_open in (False, True):
            go(page, "#/rules")
            show(page, real, role, bets_open=bets_open)
            if folder := os.environ.get("TABLEWIRE_PICTURES"):
                place = Path(folder) / f"dealer-{role}-{width}-{scheme}-{language}-{bets_open}.png"
                page.screenshot(path=place, full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert page.evaluate(SMALL) == []
            assert page.evaluate(CUT) == []
            assert breaches(page) == []


@pytest.fixture(scope="module")
def page(chromium, floor):
    with console(chromium, floor.host.url, name="Sue") as entered:
        yield entered


@pytest.mark.parametrize("role", MACHINES)
@pytest.mark.one_in(2)
def test_the_buttons_are_in_the_order_of_play(page, real, role):
    """Open, no more bets, what is entered, a supervisor; what voids the round comes last."""
    go(page, "#/rules")
    show(page, real, role, bets_open=True)
    _, own = MACHINES[role]
    opening = [one for one in own if one == "Open a round"]
    wanted = [*opening, "No more bets", *own[len(opening) :], "Call a supervisor"]
    wanted += ["Announce the end of play", "Void the round"]
    buttons = page.get_by_role("region", name="Actions").get_by_role("button")
    assert buttons.all_inner_texts() == wanted
    expect(buttons.filter(has_text="No more bets")).to_be_enabled()
    current = page.locator("nav [aria-current]")
    expect(current).to_have_attribute("href", "#/")


def test_no_more_bets_is_sent_and_the_focus_stays_in_the_row(page, real):
    """By keyboard; the button is dimmed once bets are closed, and the next one has the focus."""
    go(page, "#/rules")
    show(page, real, "roulette", bets_open=True)
    sent = []
    page.route(
        f"**/v1/tables/{TABLE}/close-bets",
        lambda route: (sent.append(route.request.method), route.fulfill(status=204)),
    )
    page.get_by_role("button", name="No more bets").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.textContent === 'No more bets'")
    assert sent == ["POST"]
    page.evaluate("""async () => {
      const { keepingFocus } = await import("./dom.js");
      const one = document.activeElement;
      keepingFocus(one.parentElement, () => { one.disabled = true; });
    }""")
    assert page.evaluate("document.activeElement.textContent") == "Call a supervisor"


def test_a_supervisor_is_called_and_the_focus_returns(page, real):
    """What was typed is sent; then the button has the focus again."""
    go(page, "#/rules")
    show(page, real, "dice_tray", bets_open=False)
    sent = []
    page.route(
        f"**/v1/tables/{TABLE}/call",
        lambda route: (sent.append(route.request.post_data_json), route.fulfill(status=204)),
    )
    button = page.get_by_role("button", name="Call a supervisor")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_label("Why")).to_be_focused()
    page.keyboard.type("a die fell off")
    page.keyboard.press("Enter")
    expect(button).to_be_focused()
    assert sent == [{"why": "a die fell off"}]


def test_the_dice_are_passed_on(page, real):
    """Place 20 has the turn: the next one clockwise is 1; the player there sits at terminal T4."""
    go(page, "#/rules")
    show(page, real, "dice_tray", bets_open=False)
    turn = {"place": 20, "account": None, "player_number": None}
    answer(page, f"/tables/{TABLE}/thrower", {"thrower": turn})
    answer(page, f"/tables/{TABLE}/sessions", {"sessions": [{"account_id": 12, "terminal": "T4"}]})
    go(page, "#/rules")
    go(page, f"#/deal/{TABLE}")
    expect(page.get_by_text("Place 20 throws")).to_be_visible()
    sent = []

    def moved(route):
        sent.append((route.request.method, route.request.post_data_json))
        turn.update(place=1, account=12, player_number="P-7")
        answer(page, f"/tables/{TABLE}/thrower", {"thrower": turn})
        route.fulfill(status=204)

    page.get_by_role("button", name="Pass the dice on").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Place")).to_have_value("1")
    page.unroute_all()
    page.route(f"**/v1/tables/{TABLE}/thrower", moved)
    dialog.get_by_label("Player", exact=True).select_option(label="Account 12, terminal T4")
    dialog.get_by_role("button", name="Give the turn").click()
    expect(page.get_by_text("Place 1 throws: player P-7")).to_be_visible()
    expect(page.get_by_role("button", name="Pass the dice on")).to_be_focused()
    assert sent == [("PUT", {"place": 1, "why": "won", "account": 12})]

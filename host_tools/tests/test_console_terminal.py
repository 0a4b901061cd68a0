"""The page of a player at a terminal, in a browser: a seat, a bet, a call bet, Keno tickets."""

import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from host_tools.tests.browser import breaches, console
from host_tools.tests.emulated import DEVICE, Played
from host_tools.tests.served import PIN, Host, until
from tableemulator.machines.repeater import Served
from tablespec.names import KEY_NAMES
from tabletools.money import cash
from tabletools.pit.settings import TableSettings
from tabletools.store import Actor
from tablewire.messages import PHASE_BETS_OPEN, ROUND_OPENED

ROULETTE = TableSettings(
    "R1",
    "",
    DEVICE,
    "roulette",
    "hc2023",
    "french",
    limits={"minimum": 500, "call_bets": ["voisins", "tiers", "neighbours"]},
)
PAYS = {"1": {"1": [5, 2]}, "2": {"2": 12}, "4": {"4": 100}}
KENO = TableSettings(
    "K1", "", DEVICE, "keno", "hc2023", None, limits={"minimum": 100}, options={"pays": PAYS}
)
OPENED = {"roulette": (1, 7, 60_000), "keno": (7, 20, 60_000)}


class Terminal:
    """A table with its host, and Ada, who was offered a seat. code: of the offer."""

    def __init__(self, place, stack, settings):
        self.played = Played()
        if settings.game == "keno":
            self.played.configuration[KEY_NAMES.index("role") + 1] = 5
        port = stack.enter_context(Served(self.played))
        self.host = stack.enter_context(Host(place, [replace(settings, port=port.url)]))
        [self.table] = self.host.pit.seats
        self.host.user("Sue", "supervisor")
        sue = self.host.login("Sue")
        account = {"player_number": "ADA", "name": "Ada", "pin": PIN}
        self.account = sue.post("/v1/accounts", json=account).json()["id"]
        cash.deposit(self.host.ledger, self.account, 100_000, "first", Actor("house"))
        seat = {"account": self.account, "terminal": "seat 1"}
        self.code = sue.post(f"/v1/tables/{self.table}/sessions", json=seat).json()["code"]
        self.live = self.host.pit.seat(self.table).live
        self.host.ready(self.table)
        self.game = settings.game

    def open(self):
        self.played.order(ROUND_OPENED, OPENED[self.game], 1, PHASE_BETS_OPEN)
        until(lambda: self.live.facts["bets_open"], detail=lambda: self.live.facts)

    def sit(self, page):
        """Ada types the code and her PIN; the table opens."""
        page.evaluate("location.hash = '#/terminal'")
        page.get_by_label("Code of the seat").fill(self.code)
        page.get_by_label("PIN").fill(PIN)
        page.get_by_role("button", name="Sit down").click()
        page.get_by_role("heading", name="Ada", level=1).wait_for()
        self.open()
        expect(page.get_by_text("Bets open", exact=True)).to_be_visible()


@pytest.fixture
def at(tmp_path):
    with ExitStack() as stack:
        yield lambda settings: Terminal(str(tmp_path / "ledger"), stack, settings)


def look(page, name):
    """It fits a telephone and a screen, and axe has no objection; keeps a picture if asked."""
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        if folder := os.environ.get("TABLEWIRE_PICTURES"):
            page.screenshot(path=Path(folder) / f"{name}-{width}.png", full_page=True)
    assert breaches(page, "document.body") == []


def test_bets_and_call_bets_of_roulette(at, chromium):
    """Voisins is nine chips, so 45.00 is 5.00 a chip; 46.00 is refused with the reason."""
    table = at(ROULETTE)
    with console(chromium, table.host.url) as page:
        table.sit(page)
        bet = page.get_by_role("form", name="A bet", exact=True)
        bet.get_by_label("Bet").select_option("split")
        bet.get_by_label("Numbers").fill("14 17")
        bet.get_by_label("Stake").fill("5.00")
        bet.get_by_role("button", name="Place").click()
        bets = page.get_by_role("region", name="Own bets")
        expect(bets).to_contain_text("Split 14-17")
        call = page.get_by_role("form", name="A call bet")
        call.get_by_label("Call bet").select_option("voisins")
        call.get_by_label("Stake").fill("46.00")
        call.get_by_role("button", name="Place").click()
        expect(call.get_by_role("alert")).to_contain_text("9")
        call.get_by_label("Stake").fill("45.00")
        call.get_by_role("button", name="Place").click()
        expect(bets).to_contain_text("Corner 25-26-28-29")
        expect(page.get_by_text("€950.00")).to_be_visible()
        call.get_by_label("Call bet").select_option("neighbours")
        call.get_by_label("Number in the middle").fill("0")
        call.get_by_label("Stake").fill("25.00")
        call.get_by_role("button", name="Place").click()
        expect(bets).to_contain_text("Straight 26")
        look(page, "terminal-roulette")
        bets.get_by_role("button", name="Withdraw").first.click()
        expect(page.get_by_text("€930.00")).to_be_visible()
        page.reload()
        page.get_by_role("heading", name="Ada", level=1).wait_for()
        page.get_by_role("button", name="Leave").click()
        expect(page.get_by_label("Code of the seat")).to_be_visible()


def test_marked_numbers_and_combination_tickets_of_keno(at, chromium):
    """Two groups of two, singly and as a pair: three sets, 1.00 each."""
    table = at(KENO)
    with console(chromium, table.host.url) as page:
        table.sit(page)
        marked = page.get_by_role("form", name="Marked numbers")
        marked.get_by_label("Numbers marked").fill("42, 3")
        marked.get_by_label("Stake").fill("2.00")
        marked.get_by_role("button", name="Place").click()
        bets = page.get_by_role("region", name="Own bets")
        expect(bets).to_contain_text("Numbers 3 42")
        ticket = page.get_by_role("form", name="A combination ticket")
        ticket.get_by_label("Groups", exact=True).fill("1 2\n70 71")
        ticket.get_by_label("Groups in a set").fill("1 2")
        ticket.get_by_label("Stake").fill("2.00")
        ticket.get_by_role("button", name="Place").click()
        expect(ticket.get_by_role("alert")).to_contain_text("3 sets of groups")
        ticket.get_by_label("Stake").fill("3.00")
        ticket.get_by_role("button", name="Place").click()
        expect(bets).to_contain_text("1 2 / 70 71")
        expect(page.get_by_text("€995.00")).to_be_visible()
        look(page, "terminal-keno")

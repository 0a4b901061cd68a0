"""The dealer's page in a browser: a Black Jack round with a shoe, and no second password. By hand.

9H 8D stands on 17 and 7S KC takes 5D and busts; the bank has 6C QD and draws KS: 26.
"""

import json
import os
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from host_tools.tests import machines
from host_tools.tests.browser import breaches, console, go
from host_tools.tests.emulated import DEVICE, Played
from host_tools.tests.served import Host, until
from tableemulator.machines.repeater import Served
from tablespec.names import KEY_NAMES
from tabletools.pit.settings import TableSettings
from tabletools.store.schema.play import dealer_entries
from tabletools.table.verify import check
from tablewire.card_shoe import WHEEL_SHOE
from tablewire.messages import PHASE_BETS_OPEN, PHASE_CLOSED, ROUND_OPENED

CARDS = "9H 7S 6C 8D KC 5D QD KS".split()
SMALL = """() => [...document.querySelectorAll("main button, main select, main input")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 44)
  .map((one) => one.outerHTML)"""


class Shoe:
    """A card table with a shoe, its host, Dan the dealer and two players."""

    def __init__(self, place, stack, game="blackjack", first="bet", **limits):
        self.first = first
        self.played = Played()
        self.played.configuration[KEY_NAMES.index("role") + 1] = 6
        port = stack.enter_context(Served(self.played))
        table = TableSettings(
            "BJ1", port.url, DEVICE, game, "hc2023", None, limits={"minimum": 500, **limits}
        )
        self.host = stack.enter_context(Host(place, [table]))
        [self.table] = self.host.pit.seats
        self.host.user("Dan", "dealer")
        self.host.user("Sue", "supervisor")
        self.sue = self.host.login("Sue")
        self.ada, self.ben = (
            self.host.terminal(self.sue, self.table, name) for name in ("Ada", "Ben")
        )
        self.live = self.host.pit.seat(self.table).live
        self.host.ready(self.table)

    def open(self, number):
        """A round opens, and each player bets 10.00."""
        self.played.order(ROUND_OPENED, (WHEEL_SHOE, 8, 60_000), number, PHASE_BETS_OPEN)
        until(lambda: self.live.facts["bets_open"], detail=lambda: self.live.facts)
        for terminal in (self.ada, self.ben):
            bet = {"bet": self.first, "stake_cents": 1000}
            key = {"Idempotency-Key": f"k{number}"}
            assert terminal.post("/v1/bets", json=bet, headers=key).status_code == 201
        threading.Event().wait(0.5)  # so that the bets are proved earlier on the table's clock
        self.played.close(number)
        until(lambda: not self.live.facts["bets_open"])
        return self.live.facts["round"]

    def deal(self, number, cards, first=0):
        """Cards leave the shoe. first: how many did so before."""
        for record in machines.dealt(cards)[first:]:
            self.played.order(*record, number, PHASE_CLOSED)

    def end(self, number, cards=CARDS):
        self.played.order(*machines.ended(cards), number, PHASE_CLOSED)

    def balances(self):
        return [t.get("/v1/seat").json()["balance_cents"] for t in (self.ada, self.ben)]


@pytest.fixture(scope="module")
def shoe(tmp_path_factory):
    with ExitStack() as stack:
        yield Shoe(str(tmp_path_factory.mktemp("deal") / "ledger"), stack)


@pytest.fixture(scope="module")
def page(chromium, shoe):
    with console(chromium, shoe.host.url, name="Dan") as entered:
        yield entered


def picture(page, name):
    """Keep what is shown where somebody wants to look at it."""
    if folder := os.environ.get("TABLEWIRE_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_a_round_of_black_jack_without_a_second_password(page, shoe):
    """Boxes, cards, decisions by keyboard and touch, the end of the deal: 10.00 for Ada."""
    shoe.open(1)
    go(page, f"#/deal/{shoe.table}", "Deal: BJ1")
    lacks = page.get_by_role("region", name="Round")
    expect(lacks).to_contain_text("Which bet is on which box")
    page.get_by_role("button", name="Enter the boxes").click()
    expect(page.get_by_role("heading", name="What the boxes decided")).to_be_visible()
    shoe.deal(1, CARDS[:6])
    page.get_by_role("button", name="Box 1: stand").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Box 2: card").click()
    page.get_by_role("button", name="Box 2: double").click()
    page.get_by_role("button", name="Undo the last decision").click()
    page.get_by_role("button", name="Remove double of Ben").click()
    expect(page.get_by_role("list", name="Decisions in order")).to_have_text(
        "Box 1: standBox 2: card"
    )
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        assert page.evaluate(SMALL) == []
        page.evaluate("scrollTo(0, 0)")
        picture(page, f"deal-{width}")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert breaches(page, "document.querySelector('main')") == []
    page.get_by_role("button", name="Enter the decisions").click()
    expect(lacks).to_contain_text("The end of the deal")
    shoe.deal(1, CARDS, 6)
    shoe.end(1)
    expect(lacks).to_contain_text("Settled")
    assert shoe.balances() == [101_000, 99_000]
    with shoe.host.ledger.read() as db:
        assert check(db).problems == []
    assert shoe.sue.get("/v1/alarms").json()["alarms"] == []
    [settled] = shoe.sue.get("/v1/rounds").json()["rounds"][0:1]
    [row] = shoe.sue.get(f"/v1/rounds/{settled['id']}").json()["settlements"]
    assert (row["first_user"], row["second_user"]) == (None, None)


def test_what_contradicts_the_shoe_is_shown_with_the_way_to_two_users(page, shoe):
    """Dan forgot the card of box 2: the bank would have drawn at 21 points."""
    before = shoe.balances()
    shoe.open(2)
    go(page, f"#/deal/{shoe.table}", "Deal: BJ1")
    page.get_by_role("button", name="Enter the boxes").click()
    page.get_by_role("button", name="Box 1: stand").click()
    page.get_by_role("button", name="Enter the decisions").click()
    lacks = page.get_by_role("region", name="Round")
    expect(lacks).to_contain_text("The end of the deal")
    shoe.deal(2, CARDS)
    shoe.end(2)
    expect(lacks).to_contain_text("Two users rule on it")
    expect(lacks.get_by_role("link", name="Rule on it with a second user")).to_be_visible()
    assert shoe.balances() == [balance - 1_000 for balance in before]


def test_a_supervisor_is_called(page, shoe):
    """An alarm names who calls and why; an auditor calls nobody, and enters nothing."""
    go(page, f"#/deal/{shoe.table}", "Deal: BJ1")
    page.get_by_role("button", name="Call a supervisor").click()
    page.get_by_role("dialog").get_by_label("Why").fill("a card fell to the floor")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    texts = [row["text"] for row in shoe.sue.get("/v1/alarms").json()["alarms"]]
    assert "Dan calls a supervisor: a card fell to the floor" in texts
    shoe.host.user("Amy", "auditor")
    amy = shoe.host.login("Amy")
    round_ = shoe.live.facts["round"]
    for place, body in (
        (f"/v1/tables/{shoe.table}/call", {"why": "x"}),
        (f"/v1/rounds/{round_}/layout", {"boxes": {"1": []}}),
        (f"/v1/rounds/{round_}/hands", {"outcome": {"boxes": {}}}),
    ):
        answer = amy.post(place, json=body, headers={"Idempotency-Key": "a"})
        assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")


def test_the_end_of_play_is_announced_and_withdrawn(page, shoe):
    """hc2023 1:1(11): on the page and at the terminals; the next round opens no bets."""
    go(page, f"#/deal/{shoe.table}", "Deal: BJ1")
    page.get_by_role("button", name="Announce the end of play").click()
    dialogue = page.get_by_role("dialog")
    dialogue.get_by_label("What is announced").select_option("minutes")
    dialogue.get_by_role("button", name="Announce").click()
    expect(page.get_by_text("The last fifteen minutes: no round opens bets")).to_be_visible()
    until(lambda: shoe.live.facts["play_end"] == "minutes")
    page.get_by_role("button", name="Withdraw the announced end").click()
    expect(page.get_by_text("The last fifteen minutes")).to_be_hidden()
    go(page, f"#/table/{shoe.table}", "BJ1")
    page.get_by_role("button", name="Announce the end of play").click()
    dialogue.get_by_role("button", name="Announce").click()
    expect(page.get_by_text("The last round was announced")).to_be_visible()
    assert [shoe.ada.get("/v1/seat").json()[name] for name in ("play_end", "play_end_at")] == [
        "round",
        None,
    ]
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        picture(page, f"ending-{width}")
    again = shoe.sue.post(f"/v1/tables/{shoe.table}/play-end", json={"last": "round"})
    assert (again.status_code, again.json()["code"]) == (409, "play_end_announced")
    page.get_by_role("button", name="Withdraw the announced end").click()
    expect(page.get_by_text("The last round was announced")).to_be_hidden()
    none = shoe.sue.delete(f"/v1/tables/{shoe.table}/play-end")
    assert (none.status_code, none.json()["code"]) == (409, "play_end_none")


@pytest.fixture
def other(tmp_path, chromium):
    """A table of another game with Dan at its page, and a round whose boxes he has entered."""
    with ExitStack() as stack:

        def table(*game, **limits):
            shoe = Shoe(str(tmp_path / "ledger"), stack, *game, **limits)
            shoe.open(1)
            page = stack.enter_context(console(chromium, shoe.host.url, name="Dan"))
            go(page, f"#/deal/{shoe.table}", "Deal: BJ1")
            page.get_by_role("button", name="Enter the boxes").click()
            page.get_by_role("heading", name="What the boxes decided").wait_for()
            return shoe, page

        yield table


def test_who_holds_a_box_of_two_players(tmp_path, chromium):
    """Ada holds it: Ben alone cannot double (3:2(2)); 9H 8D wins 10.00 each from 6C QD KS."""
    with ExitStack() as stack:
        shoe = Shoe(str(tmp_path / "ledger"), stack)
        page = stack.enter_context(console(chromium, shoe.host.url, name="Dan"))
        shoe.open(1)
        go(page, f"#/deal/{shoe.table}", "Deal: BJ1")
        page.get_by_label("Boxes dealt to").select_option("1")
        page.get_by_label("Ben: Bet").select_option("1")
        page.get_by_role("button", name="Enter the boxes").click()
        page.get_by_label("Holder of box 1").select_option(label="Ada")
        page.get_by_role("button", name="Box 1: stand").click()
        ends(shoe, page, ["9H", "6C", "8D", "QD", "KS"], [101_000, 101_000])
        [hands] = [json.loads(row.content) for row in rows_of(shoe, "hands")]
        assert hands["outcome"]["boxes"]["1"]["holder"] == "1"


def rows_of(shoe, kind):
    """The entries of a kind."""
    with shoe.host.ledger.read() as db:
        return db.execute(select(dealer_entries).where(dealer_entries.c.kind == kind)).all()


def ends(shoe, page, cards, balances):
    """The shoe reports its cards and the end of the deal: the round is settled by itself."""
    page.get_by_role("button", name="Enter the decisions").click()
    lacks = page.get_by_role("region", name="Round")
    expect(lacks).not_to_contain_text("What the boxes decided, and")
    expect(lacks).to_contain_text("The end of the deal")
    shoe.deal(1, cards)
    shoe.end(1, cards)
    expect(lacks).to_contain_text("Settled")
    assert shoe.balances() == balances
    with shoe.host.ledger.read() as db:
        assert check(db).problems == []


def test_a_round_of_casino_war(other):
    """8H and KS against KC: Ada loses 10.00, Ben is tied and gives up half. No card is typed."""
    shoe, page = other("casino_war", maximum={"bet": 50_000})
    page.get_by_label("Ben decides").select_option("surrender")
    picture(page, "deal-war")
    ends(shoe, page, ["8H", "KS", "KC"], [99_000, 99_500])


def test_a_war_is_declared(other):
    """Ben is tied and goes to war: his stake stays for the next round (READING-26)."""
    shoe, page = other("casino_war", maximum={"bet": 50_000})
    page.get_by_label("Ben decides").select_option("war")
    ends(shoe, page, ["8H", "KS", "KC"], [99_000, 99_000])


def test_a_round_of_three_card_poker(other):
    """Ada plays her pair of nines and wins 20.00 from queen high; Ben folds and loses 10.00."""
    limits = {"not_offered": ["bet"], "maximum": {"ante": 50_000, "pair_plus": 50_000}}
    shoe, page = other("three_card", "ante", **limits)
    page.get_by_label("Ada decides").select_option("play")
    expect(page.get_by_label("Ada: Bet, EUR")).to_have_value("10.00")
    page.get_by_label("Ben decides").select_option("fold")
    page.get_by_label("Cards of box 1").fill("9H 9C 2D")
    bank = page.get_by_label("Bank")
    bank.focus()
    for rank, suit in (("Q", "Diamonds"), ("7", "Spades"), ("4", "Clubs")):
        page.get_by_role("button", name=f"Rank {rank}").click()
        page.get_by_role("button", name=suit).click()
    expect(bank).to_have_value("QD 7S 4C")
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        assert page.evaluate(SMALL) == []
        picture(page, f"deal-poker-{width}")
    ends(shoe, page, "9H 9C 2D KS 5D 3C QD 7S 4C".split(), [102_000, 99_000])


# Which buttons the dealer of each kind of table has, and how high the lowest is.
DEALER = """async (role) => {
  const { actions } = await import("./pages/deal.js");
  const shown = actions({ id: 1, name: "T1", game: "" }, { announce() {} });
  document.querySelector("main").append(shown.element);
  shown.update({ role, held: true, link: "online", phase: "bets_open", bets_open: true });
  const buttons = [...shown.element.querySelectorAll("button")];
  const heights = buttons.map((one) => one.getBoundingClientRect().height);
  const found = [buttons.map((one) => one.textContent), Math.min(...heights)];
  shown.element.remove();
  return found;
}"""
CLOSE, CALL, END = "No more bets", "Call a supervisor", "Announce the end of play"
SHOE = ["Declare a new shoe", "Continue with this shoe"]


@pytest.mark.parametrize(
    ("role", "labels"),
    [
        ("roulette", [CLOSE, CALL, END]),
        ("money_wheel", [CLOSE, CALL, END]),
        ("dice_tray", [CLOSE, CALL, END]),
        ("shuffler", ["Open a round", CLOSE, "End the round", "Declare a replacement", CALL, END]),
        ("card_shoe", ["Open a round", CLOSE, "End the deal", *SHOE, CALL, END]),
        (
            "draw_machine",
            [CLOSE, "End the draw: a player has won", "Declare the balls", CALL, END],
        ),
    ],
)
@pytest.mark.one_in(2)
def test_the_dealer_of_each_kind_of_table_has_its_buttons(page, role, labels):
    """In the order of a round, each large enough for a finger; only a supervisor voids."""
    texts, height = page.evaluate(DEALER, role)
    assert texts == labels
    assert height >= 44

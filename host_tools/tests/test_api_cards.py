"""Cards and Bingo over HTTP: bets at a terminal, a shoe or a draw machine, the money."""

import threading

import pytest

from host_tools.tests import machines
from host_tools.tests.emulated import DEVICE, Played
from host_tools.tests.served import PASSWORD, Host, until
from tableemulator.machines.repeater import Served
from tablespec.names import KEY_NAMES
from tabletools.pit.settings import TableSettings
from tabletools.table.verify import check
from tablewire.card_shoe import WHEEL_SHOE
from tablewire.draw_machine import WHEEL_BALLS
from tablewire.messages import PHASE_BETS_OPEN, PHASE_CLOSED, ROLE_SHUFFLER, ROUND_OPENED
from tablewire.shuffler import CARD_ROUND_ENDED, WHEEL_CARDS

PUNTO = {"game": "punto_banco", "rules": "hc2023", "limits": {"minimum": 500}}
BINGO = {
    "game": "bingo",
    "rules": "hc2023",
    "variant": "80",
    "limits": {"price": 200},
    "options": {"pattern": "row", "prize": 50_000},
}
CARDS = "4H 5C 5D 2D".split()  # 9 against 7
BALLS = [4, 3, 77, 1, 2]
CARD = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]
ROLES = {
    "shoe": (
        PUNTO,
        [*machines.dealt(CARDS), machines.ended(CARDS)],
        ({"bet": "punto_pair", "stake_cents": 500}, {"bet": "punto", "stake_cents": 1000}),
        {"bet": "player", "stake_cents": 500},
        100_500,
        {"role": 6},
        (WHEEL_SHOE, 8, 60_000),
    ),
    "bingo": (
        BINGO,
        machines.drawn(BALLS, 80),
        ({"bet": "card", "on": CARD, "stake_cents": 200},),
        {"bet": "card", "on": CARD, "stake_cents": 100},
        149_800,
        {"role": 5, "balls": 80, "draw_count": 0},
        (WHEEL_BALLS, 20, 60_000),
    ),
}


@pytest.mark.parametrize("role", ROLES)
def test_a_round_from_the_terminal_to_the_money(tmp_path, role):
    """Bets are taken while the round is open, refused when wrong, and paid once by the table."""
    settings, records, bets, wrong, balance, configuration, opened = ROLES[role]
    played = Played()
    for key, value in configuration.items():
        played.configuration[KEY_NAMES.index(key) + 1] = value
    with Served(played) as port:
        table = TableSettings("T1", port.url, DEVICE, **settings)
        with Host(str(tmp_path / "ledger"), [table]) as host:
            [number] = host.pit.seats
            live = host.pit.seat(number).live
            host.user("Sue", "supervisor")
            terminal = host.terminal(host.login("Sue"), number, "Ada")
            host.ready(number)
            played.order(ROUND_OPENED, opened, 1, PHASE_BETS_OPEN)
            until(lambda: live.facts["bets_open"], detail=lambda: live.facts)
            for key, bet in enumerate((wrong, *bets)):
                sent = terminal.post("/v1/bets", json=bet, headers={"Idempotency-Key": f"k{key}"})
                assert sent.status_code == (422 if bet is wrong else 201), sent.text
            threading.Event().wait(0.5)  # so that the bets are proved earlier on the table's clock
            played.close(1)
            for ident, values in records:
                played.order(ident, values, 1, PHASE_CLOSED)
            until(lambda: terminal.get("/v1/seat").json()["balance_cents"] == balance)
            with host.ledger.read() as db:
                assert check(db).problems == []


JACKPOT = {
    "game": "jackpot",
    "rules": "hc2023",
    "variant": "caribbean",
    "limits": {"price": 100},
    "options": {"contribution": {"mega": [1, 10]}},
}
ROOM = {
    "game": "poker_room",
    "rules": "oostende2011",
    "variant": "holdem",
    "limits": {"minimum": 2000},
    "options": {"rake": [1, 20], "chip": 100},
}
STARTS = {"mega": 2_500_000, "major": 250_000, "minor": 50_000}


def hands_of(game, placed):
    """Two players' hands: kings against nothing; by bet, or as a pot of 4,000. placed: answers."""
    (ada, first), (ben, second) = placed
    if game == "jackpot":
        return {"hands": {str(first): "9S 9H 9D AC KS", str(second): "2C 4D 7H 8D JC"}}
    return {
        "order": [ada, ben],
        "put_in": {ada: 2000, ben: 2000},
        "board": "2C 7S TD JC 4H",
        "hands": {ada: "KH KD", ben: "3H 5D"},
    }


@pytest.mark.parametrize(
    ("settings", "bet", "balances", "meters"),
    [
        # Three nines 5:1 and the stake back; 10 cents of each bet went to the mega.
        (
            JACKPOT,
            {"bet": "jackpot", "stake_cents": 100},
            [100_500, 99_900],
            {**STARTS, "mega": 2_500_020},
        ),
        # 4,000 less a rake of 200; 1,000 were never put in.
        (ROOM, {"bet": "hand", "stake_cents": 3000}, [101_800, 98_000], {}),
    ],
)
def test_hands_two_users_rule_on(tmp_path, settings, bet, balances, meters):
    """From the terminal by a shuffler's round and a ruling to the money and the meters shown."""
    played = Played()
    played.configuration[KEY_NAMES.index("role") + 1] = ROLE_SHUFFLER
    with Served(played) as port:
        table = TableSettings("T1", port.url, DEVICE, **settings)
        with Host(str(tmp_path / "ledger"), [table]) as host:
            [number] = host.pit.seats
            live = host.pit.seat(number).live
            host.user("Sue", "supervisor")
            host.user("Dan", "dealer")
            sue = host.login("Sue")
            terminals = [host.terminal(sue, number, name) for name in ("Ada", "Ben")]
            [row] = sue.get("/v1/tables").json()["tables"]
            assert row["meters"] == (STARTS if meters else {})
            host.ready(number)
            played.order(ROUND_OPENED, (WHEEL_CARDS, 1, 60_000), 1, PHASE_BETS_OPEN)
            until(lambda: live.facts["bets_open"], detail=lambda: live.facts)
            placed = []
            for terminal in terminals:
                sent = terminal.post("/v1/bets", json=bet, headers={"Idempotency-Key": "k"})
                assert sent.status_code == 201, sent.text
                account = terminal.get("/v1/seat").json()["account"]
                placed.append((str(account), sent.json()["bet"]))
            threading.Event().wait(0.5)  # so that the bets are proved earlier on the table's clock
            played.close(1)
            played.order(CARD_ROUND_ENDED, (5000,), 1, PHASE_CLOSED)
            key = until(lambda: [row for row in sue.get("/v1/rounds").json()["rounds"]
                                 if row["verdict"] == "believed"])[0]["id"]  # fmt: skip
            outcome = hands_of(settings["game"], placed)
            where = f"/v1/rounds/{key}/ruling"
            preview = sue.post(f"{where}/preview", json={"outcome": outcome})
            assert preview.status_code == 200, preview.text
            assert [one["after_cents"] for one in preview.json()["balances"]] == balances
            ruling = {
                "outcome": outcome, "settled": 0, "reason": "hands shown", "evidence": "camera 4",
                "preview": preview.json()["preview"],
                "second": {"name": "Dan", "password": PASSWORD},
            }  # fmt: skip
            answer = sue.post(where, json=ruling, headers={"Idempotency-Key": "r"})
            assert answer.status_code == 200, answer.text
            cents = [terminal.get("/v1/seat").json()["balance_cents"] for terminal in terminals]
            assert cents == balances
            [row] = sue.get("/v1/tables").json()["tables"]
            assert row["meters"] == meters
            until(lambda: live.facts["meters"] == meters, detail=lambda: live.facts)
            with host.ledger.read() as db:
                assert check(db).problems == []

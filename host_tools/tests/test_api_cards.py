"""Cards and Bingo over HTTP: bets at a terminal, a shoe or a draw machine, the money."""

import threading

import pytest

from hil_tests.emulators.repeater import Served
from host_tools.tests import machines
from host_tools.tests.emulated import DEVICE, Played
from host_tools.tests.served import Host, until
from tabletools.money.verify import check
from tabletools.pit.settings import TableSettings
from tablewire.card_shoe import WHEEL_SHOE
from tablewire.draw_machine import WHEEL_BALLS
from tablewire.messages import PHASE_BETS_OPEN, PHASE_CLOSED, ROUND_OPENED
from tablewire.names import KEY_NAMES

PUNTO = {"game": "punto_banco", "rules": "hc2023", "limits": {"minimum": 500}}
BINGO = {
    "game": "bingo", "rules": "hc2023", "variant": "80", "limits": {"price": 200},
    "options": {"pattern": "row", "prize": 50_000},
}  # fmt: skip
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
            until(lambda: live.facts["link"] == "online")
            until(lambda: 1 in played.read_keys and len(played.read_keys) >= len(configuration))
            played.order(ROUND_OPENED, opened, 1, PHASE_BETS_OPEN)
            until(lambda: live.facts["bets_open"], of=lambda: live.facts)
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

"""A dice tray: one throw of three dice, Sic Bo by the rules of hc2023."""

from typing import Any

from tableemulator.machines.dice_tray.physical_tray import TraySetup
from tabletools.cli.play.stage import MINIMUM_CENTS, Act, Performance
from tabletools.evidence import Terms
from tabletools.play.players import Bet, always, bet
from tabletools.roles.dice_tray import HOST

BETS: tuple[Bet, ...] = (
    bet("Ada", "small", 1000),
    bet("Ben", "big", 1000),
    bet("Ben", "single", 500, on=[6]),
    bet("Cleo", "two", 500, on=[1, 2]),
)


def perform(performance: Performance, _table: Any) -> None:
    """Play a throw that is not void."""

    def differs(thrown: Any) -> str:
        reported = performance.outcome("dice")
        agrees = reported is None or tuple(reported) == thrown.dice
        return "" if agrees else f"the table reported {reported}, the dice show {thrown.true}"

    performance.until_it_counts(differs, true_outcome=lambda thrown: {"dice": [*thrown.dice]})


ACT = Act(
    "dice",
    ("Sic Bo: three dice thrown against the far wall, read by the host in the table's picture.",),
    TraySetup(3, host=True),
    Terms(
        "sic_bo",
        "hc2023",
        None,
        {"minimum": MINIMUM_CENTS},
        void_policy="stand",
        dice_reading=HOST,
    ),
    always(BETS),
    perform,
    # Three dice on three plates often sound like two hits: here the croupier watches the wall. The
    # next round opens when the host has read the picture, which takes some 15 s.
    changed={"wall_hits": 2, "result_hold_ms": 20_000},
)

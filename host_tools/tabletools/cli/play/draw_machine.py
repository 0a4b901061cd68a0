"""A draw machine: one draw of Keno, 20 of 80 balls."""

from typing import Any

from tableemulator.machines.draw_machine.draw_caller import BallDraw
from tableemulator.machines.draw_machine.physical_draw import DrawSetup
from tabletools.cli.play.stage import Act, Performance
from tabletools.evidence import Terms
from tabletools.play.players import Bet, bet, once

# What the house pays, to one: numbers chosen, numbers hit.
PAYS = {"1": {"1": 2}, "2": {"2": 9}, "3": {"2": 1, "3": 25}}
BETS: tuple[Bet, ...] = (
    bet("Ada", "numbers", 200, on=[7]),
    bet("Ben", "numbers", 200, on=[12, 40]),
    bet("Cleo", "numbers", 500, on=[2, 33, 71]),
)


def perform(performance: Performance, _table: Any) -> None:
    """Play a draw that is not void; the machine opens another after it, which has no bets."""

    def differs(drawn: BallDraw) -> str:
        reported = performance.outcome("drawn")
        agrees = reported is None or reported == sorted(drawn.rested)
        return (
            "" if agrees else f"the table reported {reported}, the balls drawn were {drawn.true}"
        )

    performance.until_it_counts(differs)


ACT = Act(
    "draw_machine",
    ("A draw machine: twenty of eighty balls of Keno, each read twice, as it falls and at rest.",),
    DrawSetup(),
    Terms("keno", "hc2023", None, {}, {"pays": PAYS}, void_policy="stand"),
    once(BETS),
    perform,
)

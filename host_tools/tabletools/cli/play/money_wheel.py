"""A money wheel: one turn of 52 segments, by the rules of hc2023."""

from typing import Any

from tableemulator.machines.money_wheel.physical_money_wheel import MoneyWheelSetup
from tableemulator.machines.money_wheel.wheel_presenter import Turn
from tabletools.cli.play.stage import MINIMUM_CENTS, Act, Performance
from tabletools.evidence import Terms
from tabletools.play.players import Bet, always, bet

BETS: tuple[Bet, ...] = (
    bet("Ada", "segment", 1000, on=[1]),
    bet("Ben", "segment", 1000, on=[3]),
    bet("Ben", "segment", 500, on=[10]),
    bet("Cleo", "segment", 500, on=[45]),
)


def perform(performance: Performance, _table: Any) -> None:
    """Play a turn that is not void."""

    def differs(turn: Turn) -> str:
        reported = performance.outcome("pays")
        agrees = reported is None or reported == turn.pays
        return "" if agrees else f"the table reported {reported}, the wheel shows {turn.pays}"

    performance.until_it_counts(differs)


ACT = Act(
    "money_wheel",
    ("A money wheel: set in motion, pushed again, four turns at least.",),
    MoneyWheelSetup(52),
    Terms("money_wheel", "hc2023", None, {"minimum": MINIMUM_CENTS}, void_policy="stand"),
    always(BETS),
    perform,
)

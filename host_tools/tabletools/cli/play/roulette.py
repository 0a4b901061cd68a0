"""An American table: spins, two of them void, by the rules of hc2023."""

from typing import Any

from tableemulator import fault_catalogue
from tableemulator.machines.roulette.croupier import Spin
from tableemulator.machines.roulette.physical_wheel import Geometry
from tableemulator.play_session import play as play_spin
from tabletools.cli.play.stage import MINIMUM_CENTS, Act, Performance
from tabletools.evidence import Terms
from tabletools.games.roulette import rules_of
from tabletools.play.roulette import bets_of, seeded_players

RULES = rules_of("hc2023", "american00")
# Which spins fail: a third and two thirds of the way through.
FAULTS = ("short_spin", "wrong_direction")
# A void on the last spin leaves bets on the cloth; it is repeated at most this often.
RESPINS = 5


def perform(performance: Performance, table: Any) -> None:
    """Play the spins of the performance."""
    spins = performance.stage.spins
    wrong = dict(zip(places(spins), FAULTS, strict=True))
    for number in range(spins + RESPINS):
        if number >= spins and not performance.in_play_cents:
            break
        fault = fault_catalogue.find(wrong[number]) if number in wrong else None
        spin = play_spin(table, fault)
        performance.verify_report(
            spin, _differs(spin, performance, fault.reason if fault else None)
        )


def places(spins: int) -> tuple[int, int]:
    """Return which spins fail: never the last one, or its bets would need another."""
    return min(spins // 3, spins - 3), min(2 * spins // 3, spins - 2)


def _differs(spin: Spin, performance: Performance, reason: int | None) -> str:
    """Compare the table's report with what happened. reason: of the void provoked, if any."""
    reported = performance.outcome("pocket")
    if reported is not None and reported != spin.pocket:
        return f"the table reported {reported}, the ball is in {spin.pocket}"
    if reason is not None and spin.reason != reason:
        return f"the table did not void {spin.fault} with code {reason}"
    return ""


def players(seed: int) -> Any:
    """Return a function that returns the bets of the next round."""
    seated = seeded_players(seed)
    return lambda: bets_of(seated, RULES)


ACT = Act(
    "roulette",
    (
        "An American table with a double zero; two of its spins go wrong and are spun again.",
        "↻ is clockwise, ↺ counter-clockwise, seen from above.",
    ),
    Geometry("double"),
    Terms("roulette", "hc2023", "american00", {"minimum": MINIMUM_CENTS}, void_policy="stand"),
    players,
    perform,
    late_in=2,
)

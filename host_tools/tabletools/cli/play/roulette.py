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
    faults = dict(zip(failing_spins(spins), FAULTS, strict=True))
    for number in range(spins + RESPINS):
        if number >= spins and not performance.in_play_cents:
            break
        fault = fault_catalogue.find(faults[number]) if number in faults else None
        spin = play_spin(table, fault)
        reason = None if fault is None else fault.reason
        performance.verify_report(spin, _difference(spin, performance, reason))


def failing_spins(spins: int) -> tuple[int, int]:
    """Return which of so many spins fail, counted from 0.

    Never the last one, or its bets would need another.
    """
    return min(spins // 3, spins - 3), min(2 * spins // 3, spins - 2)


def _difference(spin: Spin, performance: Performance, reason: int | None) -> str:
    """Return how the table's report differs from what happened, "" if it does not.

    reason: of the void that was provoked, if any.
    """
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

"""Keno: 1 to 15 numbers of 80, 20 are drawn. hc2023 5:2, hc2011 4:3 (rulebook 12.2).

The pay table is data of the table: no edition prints one. A form of a series has one stake for all
its games. It is settled with all its draws at once, or draw by draw, with the stake of the games
to come still in play. The stake is the price of the form; a prize does not include it.
"""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from tabletools.rules.codes.bets import BET_NOT_OFFERED, SELECTION_INVALID
from tabletools.rules.codes.outcomes import DEAL_NOT_BY_RULE
from tabletools.rules.codes.stakes import (
    BELOW_MINIMUM,
    LIMITS_INVALID,
    NOT_A_MULTIPLE,
    NOT_WHOLE_CENTS,
    STAKE_NOT_DIVISIBLE,
)
from tabletools.rules.violation import RuleViolation

NUMBERS, DRAWN, MOST_MARKED, PROGRESSIVE = 80, 20, 15, 20
"""PROGRESSIVE: numbers marked for the progressive jackpot, an example of 5:2(6) and 4:3(7)."""
LEAST_2011 = 50
"""hc2011 4:3(8): cents, for each card or combination."""
MOST_PAID_2011 = 2_500_000
"""hc2011 4:3(8): highest payment, cents."""

MOST_GAMES = 20
"""hc2023 5:2, hc2011 4:3: most games of a series."""

PayTable = Mapping[int, Mapping[int, Fraction]]
"""Payment per stake of one game, by numbers marked and numbers hit."""


def marked_of(on: Sequence[object]) -> tuple[int, ...]:
    """Return the numbers marked; raise RuleViolation unless they are 1 to 15, or 20, in order."""
    marked = tuple(n for n in on if isinstance(n, int) and 1 <= n <= NUMBERS)
    if len(marked) != len(on) or list(marked) != sorted(set(marked)):
        what = f"numbers from 1 to {NUMBERS} are marked, each once, from low to high"
        raise RuleViolation(SELECTION_INVALID, what, "on")
    if not (1 <= len(marked) <= MOST_MARKED or len(marked) == PROGRESSIVE):
        what = f"{len(marked)} numbers are marked, 1 to {MOST_MARKED} are, or {PROGRESSIVE}"
        raise RuleViolation(SELECTION_INVALID, what, "on")
    return marked


def verify_draw(drawn: Sequence[int]) -> None:
    """Raise RuleViolation unless 20 different balls of 80 were drawn."""
    if len(drawn) != DRAWN or len(set(drawn)) != DRAWN:
        what = f"{DRAWN} different balls are drawn, found {len(set(drawn))} of {len(drawn)}"
        raise RuleViolation(DEAL_NOT_BY_RULE, what, "drawn")
    for ball in drawn:
        if not 1 <= ball <= NUMBERS:
            what = f"ball {ball} is not one of 1 to {NUMBERS}"
            raise RuleViolation(DEAL_NOT_BY_RULE, what, "drawn")


def verify_pays(pays: PayTable) -> None:
    """Raise RuleViolation unless every entry is possible and pays something."""
    for marked, hits in pays.items():
        for hit, times in hits.items():
            most = min(marked, DRAWN)
            if not (1 <= marked <= MOST_MARKED or marked == PROGRESSIVE) or not 0 <= hit <= most:
                what = f"{hit} of {marked} marked numbers cannot be hit"
                raise RuleViolation(LIMITS_INVALID, what, f"pays.{marked}")
            if times <= 0:
                raise RuleViolation(LIMITS_INVALID, "a prize is above 0", f"pays.{marked}.{hit}")


def prize(
    marked: Collection[int],
    draws: Sequence[Collection[int]],
    stake: int,
    pays: PayTable,
    most: int | None,
) -> int:
    """Return what a form wins over the games of its series, cents. most: of one payment.

    Raises RuleViolation if a part of a cent would be paid.
    """
    if stake % len(draws):
        what = f"stake {stake} does not divide by the {len(draws)} games of the series"
        raise RuleViolation(NOT_WHOLE_CENTS, what, "stake")
    total = 0
    for drawn in draws:
        hit = len(set(marked).intersection(drawn))
        amount = pays.get(len(marked), {}).get(hit, Fraction(0)) * (stake // len(draws))
        if amount.denominator > 1:
            what = f"{hit} of {len(marked)} would pay a part of a cent on {stake}"
            raise RuleViolation(NOT_WHOLE_CENTS, what, "stake")
        total += int(amount) if most is None else min(int(amount), most)
    return total


def verify_games(games: int, where: str) -> None:
    """Raise RuleViolation unless a form may be for this many games."""
    if not 1 <= games <= MOST_GAMES:
        what = f"{games} games, a series is of up to {MOST_GAMES}"
        raise RuleViolation(SELECTION_INVALID, what, where)


def verify_form(stake: int, games: int, least: int) -> None:
    """Raise RuleViolation if the stake per game of a form is below the minimum, cents."""
    if stake < least * games:
        what = f"stake {stake} for {games} games is below {least} each (hc2011 4:3(8))"
        raise RuleViolation(BELOW_MINIMUM, what, "stake")


def verify_placed(
    marked: Collection[int], whole: int, pays: PayTable, minimum: int, games: int = 1
) -> None:
    """Raise RuleViolation unless a form can be placed. minimum: cents of a game, and the step.

    A valid form can win something, and every draw pays whole cents.
    """
    if whole % games:
        what = f"stake {whole} does not divide by the {games} games of the series"
        raise RuleViolation(STAKE_NOT_DIVISIBLE, what, "stake")
    stake = whole // games
    if len(marked) not in pays:
        what = f"{len(marked)} numbers are marked, the table pays {' '.join(map(str, pays))}"
        raise RuleViolation(BET_NOT_OFFERED, what, "on")
    if stake < minimum:
        raise RuleViolation(BELOW_MINIMUM, f"stake {stake} is below {minimum}", "stake")
    if stake % minimum:
        raise RuleViolation(
            NOT_A_MULTIPLE, f"stake {stake} is not a multiple of {minimum}", "stake"
        )
    for hit, times in pays[len(marked)].items():
        if stake % times.denominator:
            what = f"{hit} of {len(marked)} would pay a part of a cent on {stake}"
            raise RuleViolation(STAKE_NOT_DIVISIBLE, what, "stake")

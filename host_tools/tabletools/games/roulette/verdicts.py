"""What each pocket, or a void, does to a roulette bet: the table all settlements use.

En prison, hc2023 2:2(1), hc2011 2:2(1)b (rulebook 3.4). The stake of a bet is what is in play:
S while new and in `prison1` (one zero), S/2 in `prison2` (two zeros).
"""

from fractions import Fraction
from functools import cache
from math import gcd, lcm

from tabletools.games.roulette.editions import CHOICE, LOSE_HALF, RouletteRules
from tabletools.games.roulette.layout import EVEN_CHANCES, TWELVES, Position
from tabletools.rules.verdict import HALF as HALF_LOST
from tabletools.rules.verdict import PRISON, Verdict, half, lose, push, stand, verdict, win

CHOICES: tuple[str, ...] = ("half", "prison")
"""The choices of a player when zero comes on a French even chance."""
DEFAULT_CHOICE = "half"
"""Used when no choice is given: the bet ends, as it does on a table without en prison."""

PRISON_1 = "prison1"
PRISON_2 = "prison2"
STATES: tuple[str | None, ...] = (None, PRISON_1, PRISON_2)

VOID = -1
"""Index of the void in a row of verdicts: after the last pocket."""


def zero_on_even_chance(rules: RouletteRules, state: str | None, choice: str) -> Verdict:
    """Return what a zero does to an even chance, by state and the player's choice."""
    rule = rules.zero_article
    if rules.zero == LOSE_HALF:
        return half(rule)
    if rules.zero != CHOICE:
        return lose(rule)
    if state == PRISON_2:
        return lose(rule)  # the third zero: definitively lost
    if state == PRISON_1:
        # "The same two options, only the original stake has already lost half its value":
        # half of the remaining half is returned (READING-1).
        if choice == "half":
            return verdict(HALF_LOST, rule, back=Fraction(1, 4))
        return verdict(PRISON, rule, live=Fraction(1, 2), state=PRISON_2)
    if choice == "half":
        return half(rule)
    return verdict(PRISON, rule, live=1, state=PRISON_1)


def _at_pocket(
    rules: RouletteRules, position: Position, state: str | None, choice: str, pocket: str
) -> Verdict:
    is_zero = pocket in rules.wheel.zeros
    rule = rules.odds_article
    if position.kind == "top_line":
        rule = rules.top_line_article
    elif is_zero and position.kind in TWELVES + EVEN_CHANCES:
        rule = rules.zero_article
    if pocket in position.numbers:
        return win(rules.odds[position.kind], rule) if state is None else push(rule)
    if is_zero and position.kind in EVEN_CHANCES:
        return zero_on_even_chance(rules, state, choice)
    return lose(rule)


@cache
def verdict_row(
    rules: RouletteRules, position: Position, state: str | None, choice: str
) -> tuple[Verdict, ...]:
    """Return the verdicts of one bet, by index of the pocket in the wheel; the last is the void.

    state: one of STATES; choice: one of CHOICES, without effect where the rules give no choice.
    A void decides nothing and changes no state (rulebook R-1..R-4, READING-4).
    """
    by_pocket = [
        _at_pocket(rules, position, state, choice, pocket) for pocket in rules.wheel.pockets
    ]
    return (*by_pocket, stand(rules.void_article, state=state))


@cache
def whole_unit(rules: RouletteRules, position: Position, state: str | None = None) -> int:
    """Return the number of cents a stake must be a multiple of to stay whole for every result.

    Computed over every pocket, choice and later state: 4 for a French even chance (half on
    zero, a quarter after the second), 2 where zero takes half, else 1.
    """
    unit = 1
    for choice in CHOICES:
        for case in verdict_row(rules, position, state, choice)[:VOID]:
            unit = lcm(unit, case.den)
            if case.live:
                later = whole_unit(rules, position, case.state) * case.den
                unit = lcm(unit, later // gcd(later, case.live))
    return unit

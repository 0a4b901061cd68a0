"""Bets of rounds whose prizes are amounts, not odds: each carries the one verdict it came to."""

from fractions import Fraction

from tabletools.rules.bets import Placed
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.money import MAX_ODDS, MAX_STAKE, verify_stake
from tabletools.rules.refusal import Refusal
from tabletools.rules.verdict import HALF, PUSH, WIN, Verdict, lose, verdict
from tabletools.settle.strict_json import Fields

KEY = 0
"""The outcome such bets are settled with."""

MOST_WON = MAX_ODDS * MAX_STAKE
"""Most a bet may win, cents: as with odds."""


def bet_of(fields: Fields, chance: object) -> Placed:
    """Return a bet whose verdict is not known yet."""
    stake = fields.integer("stake")
    verify_stake(stake)
    return Placed(fields.text("id"), stake, {}, chance, fields.optional_text("player"))


def came_to(bet: Placed, rule: str, *, win: int = 0, back: int = 0) -> Placed:
    """Return the bet with what it came to, cents on top of the stake and of the stake.

    Raises Refusal at a win no JSON reader is sure to keep exact.
    """
    if win > MOST_WON:
        raise Refusal(LIMITS_INVALID, f"{win} cents are won, above the {MOST_WON} that are exact")
    outcome = WIN if win else PUSH if back == bet.stake else HALF
    found = lose(rule)
    if win or back:
        won, returned = Fraction(win, bet.stake), Fraction(back, bet.stake)
        found = verdict(outcome, rule, win=won, back=returned)
    return decided(bet, found)


def decided(bet: Placed, found: Verdict) -> Placed:
    """Return the bet with its verdict."""
    return bet._replace(verdicts=(found,))

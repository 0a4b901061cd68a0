"""Bets whose prizes are amounts instead of odds: each bet carries its one verdict."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

from msgspec import Meta

from tabletools.rules.bets import CompiledBet
from tabletools.rules.codes.stakes import ABOVE_MAXIMUM, BELOW_MINIMUM, LIMITS_INVALID
from tabletools.rules.declared import Declared, Stake, Text, replaced
from tabletools.rules.money import MAX_ODDS, MAX_STAKE, verify_stake
from tabletools.rules.verdict import HALF, PUSH, WIN, Verdict, lose, verdict
from tabletools.rules.violation import RuleViolation

KEY = 0
"""The outcome such bets are settled with."""

MOST_WON = MAX_ODDS * MAX_STAKE
"""Most a bet may win, cents: as with odds."""


class Bet(Declared, frozen=True, kw_only=True):
    """A bet of a game that has only one kind of bet."""

    id: Annotated[Text, Meta(description="Unique in its round.")]
    player: Text | None = None
    bet: Text
    stake: Stake


def only_bet(name: str) -> dict[str, object]:
    """Return the JSON Schema of the bets of a game that has only one kind of bet."""
    return {"items": {"properties": {"bet": {"const": name}}}}


def undecided(bet: Bet, chance: object) -> CompiledBet:
    """Return a bet whose verdict is not known yet."""
    verify_stake(bet.stake)
    return CompiledBet(bet.id, bet.stake, {}, chance, bet.player)


def verify_price(bets: Sequence[CompiledBet], price: int | None, what: str) -> None:
    """Raise RuleViolation if a stake is not the price.

    price: None for any; what: the thing the price is for.
    """
    for place, bet in enumerate(bets if price is not None else ()):
        if bet.stake != price:
            code = BELOW_MINIMUM if bet.stake < price else ABOVE_MAXIMUM  # type: ignore[operator]
            text = f"{what} costs {price}, the stake is {bet.stake}"
            raise RuleViolation(code, text, f"bets[{place}].stake")


def came_to(bet: CompiledBet, rule: str, *, win: int = 0, back: int = 0) -> CompiledBet:
    """Return the bet with its result: cents won on top of the stake, and cents returned.

    Raises RuleViolation if a win exceeds the integers that every JSON reader keeps exact.
    """
    if win > MOST_WON:
        raise RuleViolation(
            LIMITS_INVALID, f"{win} cents are won, above the {MOST_WON} that are exact"
        )
    outcome = WIN if win else PUSH if back == bet.stake else HALF
    verdict_ = lose(rule)
    if win or back:
        won, returned = Fraction(win, bet.stake), Fraction(back, bet.stake)
        verdict_ = verdict(outcome, rule, win=won, back=returned)
    return decided(bet, verdict_)


def decided(bet: CompiledBet, own_verdict: Verdict) -> CompiledBet:
    """Return the bet with its verdict."""
    return replaced(bet, verdicts=(own_verdict,))

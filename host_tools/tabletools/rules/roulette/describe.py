"""Roulette bets in words, with odds, source and exact house edge, for players and auditors."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tabletools.rules.money import Odds
from tabletools.rules.roulette.editions import RouletteRules
from tabletools.rules.roulette.layout import KINDS, Position
from tabletools.rules.roulette.verdicts import DEFAULT_CHOICE, VOID, verdict_row

_WORDS = {
    "straight": "one number, zero included",
    "split": "two numbers that touch on the cloth, zeros included",
    "street": "three numbers of one row, or a trio with zero",
    "corner": "four numbers that meet, or 0-1-2-3 on a single-zero cloth",
    "top_line": "0, 00, 1, 2 and 3 on a double-zero cloth",
    "six_line": "six numbers of two neighbouring rows",
    "dozen": "1-12, 13-24 or 25-36",
    "column": "twelve numbers down the cloth, below 1, 2 or 3",
    "even": "the even numbers; zero is not even",
    "odd": "the odd numbers",
    "low": "1 to 18",
    "high": "19 to 36",
    "red": "the red numbers; zero has no colour",
    "black": "the black numbers; zero has no colour",
}


@dataclass(frozen=True, slots=True)
class BetRule:
    """One bet: words, numbers covered, winnings per stake, article, and the bank's exact share.

    edge: of the stake, with DEFAULT_CHOICE at zero.
    """

    kind: str
    words: str
    covers: int
    odds: Odds
    article: str
    edge: Fraction


def expected_return(
    rules: RouletteRules, position: Position, choices: Sequence[str] = (), state: str | None = None
) -> Fraction:
    """Return the expected return on a stake of 1, winnings included, until the bet has ended.

    choices: the player's choices at the first and second zero; DEFAULT_CHOICE after those.
    """
    choice = choices[0] if choices else DEFAULT_CHOICE
    row = verdict_row(rules, position, state, choice)[:VOID]
    total = Fraction(0)
    for given in row:
        total += Fraction(given.win + given.back, given.den)
        if given.live:
            later = expected_return(rules, position, choices[1:], given.state)
            total += Fraction(given.live, given.den) * later
    return total / len(row)


def bet_rule(rules: RouletteRules, kind: str) -> BetRule:
    """Return the rule of one kind of bet the variant offers; KeyError if it does not offer it."""
    odds = rules.odds[kind]
    position = rules.wheel.positions[kind][0]
    article = rules.top_line_article if kind == "top_line" else rules.odds_article
    edge = 1 - expected_return(rules, position)
    return BetRule(kind, _WORDS[kind], KINDS[kind], odds, article, edge)

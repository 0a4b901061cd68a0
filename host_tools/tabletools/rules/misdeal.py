"""What a misdeal does to a round: whose bets are void and whose stay, with the article.

gr2003 rules on the number of cards (§10), de-live on interruptions (Bac 2.1.8, BJ 2.1.5); both are
silent on the rest, which needs a ruling unless the table has an option for it (rulebook chapter
2). Holland Casino mentions only a shuffler's fault (3:1(7), cards.py).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tabletools.rules.codes.outcomes import DEAL_NOT_BY_RULE
from tabletools.rules.violation import RuleViolation, shown

STUD_CARDS, DECK = 5, 52
WRONG_HAND = "gr2003 §10β"
"""A wrong number of cards to a player cancels all cards of that player (rulebook G-1)."""
WRONG_BANK = "gr2003 §10γ"
"""A wrong number of cards to the dealer himself cancels the cards of all players (G-2)."""
REMAINING = "gr2003 §4"
"""The dealer counts what remains after the deal (G-4); the text does not say what follows."""
INTERRUPTED = {"baccarat": "de-live Bac 2.1.8", "blackjack": "de-live BJ 2.1.5"}
"""All payments and games are invalid, those decided and paid too (L-1, READING-20)."""


class Effect(NamedTuple):
    """void: players whose bets are all returned. article: the rule; "" if nothing happened."""

    void: frozenset[str]
    article: str


def stud(
    hands: Mapping[str, Sequence[str]],
    bank: Sequence[str],
    remaining: int | None = None,
    *,
    others: int = 0,
    count_voids: bool = False,
) -> Effect:
    """Return what gr2003 does to a round of stud, each hand and the bank as they were dealt.

    remaining: cards the dealer counted after the deal. others: cards dealt to players who are not
    in hands. count_voids: option of the table, as the text is silent: a count that is not 52 less
    those dealt cancels all hands; else it is refused. A void of the bank's hand takes precedence
    over those of the players.
    """
    if len(bank) != STUD_CARDS:
        return Effect(frozenset(hands), WRONG_BANK)
    wrong = frozenset(player for player, hand in hands.items() if len(hand) != STUD_CARDS)
    due = DECK - len(bank) - sum(map(len, hands.values())) - others
    if remaining is not None and remaining != due:
        if not count_voids:
            what = f"{remaining} cards remain of {due} ({REMAINING}); the text stops there"
            raise RuleViolation(DEAL_NOT_BY_RULE, what, "remaining")
        return Effect(frozenset(hands), REMAINING)
    return Effect(wrong, WRONG_HAND if wrong else "")


def live(
    game: str, players: Sequence[str], *, interrupted: bool, misdeal_voids: bool = False
) -> Effect:
    """Return what de-live does when the round was interrupted.

    interrupted: the system failed, as by a fault of the shoe or the scanner, which are part of it.
    Otherwise cards were misdealt, on which the text is silent: refused, unless the table has the
    option misdeal_voids, by which a misdeal counts as an interruption.
    """
    if game not in INTERRUPTED:
        what = f"de-live has no {shown(game)}, it has {' and '.join(INTERRUPTED)}"
        raise RuleViolation(DEAL_NOT_BY_RULE, what, "game")
    if not interrupted and not misdeal_voids:
        what = f"cards were dealt wrongly; {INTERRUPTED[game]} covers interruptions only"
        raise RuleViolation(DEAL_NOT_BY_RULE, what)
    return Effect(frozenset(players), INTERRUPTED[game])

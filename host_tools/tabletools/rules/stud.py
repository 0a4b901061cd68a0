"""Stud: five cards each, an ante and a second stake against the bank (rulebook 9.2)."""

from functools import partial
from typing import NamedTuple

from tabletools.rules.ante import (
    ANTE,
    BET,
    CHOICES,
    FOLD,
    Showdown,
    of_own,
    reopened,
    showdowns,
    unless_played,
    verify_stakes,
)
from tabletools.rules.cards import Hand, Results, card_kind
from tabletools.rules.citation import cite, over
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.game import Choice, Game, Kind, PrintedTable, State
from tabletools.rules.poker import (
    FLUSH,
    FOUR,
    FULL_HOUSE,
    HIGH,
    PAIR,
    ROYAL_FLUSH,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE,
    TWO_PAIR,
    best_of,
)
from tabletools.rules.selection import On
from tabletools.rules.verdict import Verdict, lose, push, win
from tabletools.rules.violation import RuleViolation

CARDS = 5
ACE_KING = (HIGH, 14, 13)
"""The lowest hand with which the bank qualifies."""
BET_PAYS = {
    HIGH: 1,
    PAIR: 1,
    TWO_PAIR: 2,
    THREE: 3,
    STRAIGHT: 4,
    FLUSH: 5,
    FULL_HOUSE: 7,
    FOUR: 20,
    STRAIGHT_FLUSH: 50,
    ROYAL_FLUSH: 100,
}
"""Winnings per second stake, the same in all editions; in gr2003 too the second stake is
multiplied, not the ante (READING-27)."""


class Articles(NamedTuple):
    """The articles of an edition.

    unqualified: if it overrides higher, equal and lower, `overrides` says so.
    """

    offer: str
    fold: str
    unqualified: str
    higher: str
    equal: str
    lower: str
    pays: str
    void: str
    overrides: bool = False


def results_of(player: Hand, bank: Hand, *, voided: bool) -> Results:
    """Return the results still possible; raise RuleViolation unless both hands have five cards.

    voided: a fault ended the round.
    """
    if max(len(player), len(bank)) > CARDS:
        raise RuleViolation(DEAL_NOT_BY_RULE, "player and bank are dealt five cards each")
    own, other = (best_of(hand) if len(hand) == CARDS else None for hand in (player, bank))
    if not voided and (own is None or other is None):
        raise RuleViolation(DEAL_INCOMPLETE, "player and bank are dealt five cards each")
    possible = showdowns(own, other, ACE_KING, ROYAL_FLUSH)
    return unless_played(possible, voided=voided)


def _without_qualifying(articles: Articles, sign: int) -> str:
    """Return what decides when the bank does not qualify, with what it overrides."""
    if not articles.overrides:
        return articles.unqualified
    main = {1: articles.higher, 0: articles.equal, -1: articles.lower}[sign]
    return over(articles.unqualified, main)


def _ante(articles: Articles, _on: On, _state: State, choice: Choice, result: object) -> Verdict:
    """Paid 1:1 when the bank does not qualify, with any hand, and when the player is higher."""
    assert isinstance(result, Showdown)
    if choice == FOLD:
        return lose(articles.fold)
    if not result.qualified:
        return win((1, 1), _without_qualifying(articles, result.sign))
    if result.sign == 0:
        return push(articles.equal)
    return win((1, 1), articles.higher) if result.sign == 1 else lose(articles.lower)


def _bet(articles: Articles, _on: On, _state: State, _choice: Choice, result: object) -> Verdict:
    """Paid by the player's combination, only against a qualified bank."""
    assert isinstance(result, Showdown)
    if not result.qualified:
        return push(_without_qualifying(articles, result.sign))
    if result.sign == 0:
        return push(articles.equal)
    if result.sign == -1:
        return lose(articles.lower)
    return win((BET_PAYS[result.combination], 1), articles.pays)


def stud(name: str, edition: str, articles: str, printed: PrintedTable | None) -> Game:
    """Return a game of stud. articles: as in Articles, without the edition.

    In hc2011 a lower hand loses by 3:6(6) and a higher one is paid by 3:6(7) whatever the bank
    has, and 3:6(8) overrides both.
    """
    cited = [cite(edition, article) for article in articles.split()]
    ruled = Articles._make([*cited, edition == "hc2011"])
    kinds: dict[str, Kind] = {
        ANTE: card_kind(partial(_ante, ruled), ruled.void, choices=CHOICES),
        BET: card_kind(partial(_bet, ruled), ruled.void),
    }
    return Game(
        name,
        edition,
        kinds,
        tuple(kinds),
        ruled.offer,
        printed,
        verify=partial(verify_stakes, times=(2,)),
        reopened=partial(reopened, possible_results=partial(of_own, ROYAL_FLUSH)),
    )


ARTICLES_2011 = "3:6(1) 3:6(3) 3:6(8) 3:6(7) 3:6(6) 3:6(6) 3:6(7) 3:1(7)"
"""As in Articles."""

"""Two hands by points, each of two cards or three: a punto's and a bank's.

Ace 1, 2 to 9 as printed, 10 and pictures 0; only the last digit counts. The drawing rules are the
same in all three documents (READING-44, READING-45).
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from tabletools.rules.cards import RANKS, Hand, Results, card_kind
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.dealing import Outcome, SharedDeal
from tabletools.rules.game import Choice, Kind, State
from tabletools.rules.money import Odds
from tabletools.rules.selection import On
from tabletools.rules.verdict import Verdict, lose, push, win
from tabletools.rules.violation import RuleViolation

COMMISSION: Odds = (19, 20)
"""5 % of the win on the bank; edge 1.0579 % with 8 decks."""
EVEN: Odds = (1, 1)
HALF: Odds = (1, 2)
"""Straight: the bank wins with 5; edge of the bank 0.9328 % with 8 decks."""
TIE_PAYS = 8
_BANK_DRAWS = (
    range(10),
    range(10),
    range(10),
    (0, 1, 2, 3, 4, 5, 6, 7, 9),
    range(2, 8),
    range(4, 8),
    (6, 7),
    (),
)
"""By the bank's points: the third cards of the punto on which it draws."""


class Result(NamedTuple):
    """Points of both hands, and whether their first two cards are of one rank."""

    punto: int
    banco: int
    punto_pair: bool
    banco_pair: bool


def value(card: str) -> int:
    """Return the points of a card."""
    rank = card[0]
    return 1 if rank == "A" else int(rank) if rank.isdigit() else 0


def points(hand: Sequence[str]) -> int:
    """Return the points of a hand, 0 to 9."""
    return sum(map(value, hand)) % 10


class _Hands(NamedTuple):
    """Both hands as far as they are dealt."""

    punto: Hand = ()
    banco: Hand = ()

    def hand(self, who: str) -> Hand:
        return self.punto if who == "punto" else self.banco

    def plus(self, who: str, card: str) -> "_Hands":
        hand = (*self.hand(who), card)
        return self._replace(punto=hand) if who == "punto" else self._replace(banco=hand)


def _next(punto: Hand, banco: Hand) -> str | None:
    """Return who is dealt the next card, None if the hands are complete."""
    if len(punto) < 2 or len(banco) < 2:
        return "punto" if len(punto) == len(banco) else "banco"
    if len(banco) == 3:
        return None
    bank = points(banco)
    if len(punto) == 2:
        if max(points(punto), bank) >= 8:
            return None
        return "punto" if points(punto) <= 5 else "banco" if bank <= 5 else None
    return "banco" if bank <= 7 and value(punto[2]) in _BANK_DRAWS[bank] else None


def still_to_come(punto: Hand, banco: Hand) -> str | None:
    """Return who is dealt the next card, None if the hands are complete.

    Raises RuleViolation if the cards could not have been dealt so.
    """
    hands, dealt = _Hands(punto, banco), _Hands()
    while (who := _next(*dealt)) is not None:
        count = len(dealt.hand(who))
        if count == len(hands.hand(who)):
            break
        dealt = dealt.plus(who, hands.hand(who)[count])
    if dealt != hands:
        what = f"after {len(dealt.punto)} and {len(dealt.banco)} cards, "
        what += f"{who or 'no one'} is dealt the next one"
        raise RuleViolation(DEAL_NOT_BY_RULE, what)
    return who


def results_of(punto: Hand, banco: Hand, *, voided: bool) -> Results:
    """Return the results still possible; raise RuleViolation at cards no rule deals.

    voided: a fault ended the round; else the hands must be complete. While the punto has less than
    two cards nothing is decided: any result can still come.
    """
    who = still_to_come(punto, banco)
    if who is None:
        pairs = (hand[0][0] == hand[1][0] for hand in (punto, banco))
        return frozenset([Result(points(punto), points(banco), *pairs)])
    if not voided:
        raise RuleViolation(DEAL_INCOMPLETE, f"{who} is dealt another card")
    if len(punto) < 2:
        return frozenset()
    more = [
        ((*punto, rank), banco) if who == "punto" else (punto, (*banco, rank)) for rank in RANKS
    ]
    return frozenset().union(*(results_of(*hands, voided=True) for hands in more))


class Terms(NamedTuple):
    """The differences: names of the bets, what a win of the bank pays, and articles."""

    punto: str
    banco: str
    tie: str
    pays: str
    pushes: str
    void: str
    straight: bool


def _side(own: str, terms: Terms) -> Kind:
    """Return the bet on a hand: more points win, equal points are neither won nor lost."""
    odds: tuple[Odds, ...] = (EVEN,) * 10
    if own == "banco":
        odds = (*(EVEN,) * 5, HALF, *(EVEN,) * 4) if terms.straight else (COMMISSION,) * 10
    paid, lost, pushed = [win(o, terms.pays) for o in odds], lose(terms.pays), push(terms.pushes)

    def decide(_on: On, _state: State, _choice: Choice, result: object) -> Verdict:
        assert isinstance(result, Result)
        if result.punto == result.banco:
            return pushed
        mine, other = result.punto, result.banco
        if own == "banco":
            mine, other = other, mine
        return paid[mine] if mine > other else lost

    return card_kind(decide, terms.void, unit=max(den for _, den in odds))


def _tie(terms: Terms) -> Kind:
    """Return the bet on equal points: 8:1, edge 14.3596 % with 8 decks."""
    paid, lost = win((TIE_PAYS, 1), terms.pays), lose(terms.pays)

    def decide(_on: On, _state: State, _choice: Choice, result: object) -> Verdict:
        assert isinstance(result, Result)
        return paid if result.punto == result.banco else lost

    return card_kind(decide, terms.void)


def side_kinds(terms: Terms) -> dict[str, Kind]:
    """Return the bets on either hand and on a tie."""
    return {
        terms.punto: _side("punto", terms),
        terms.banco: _side("banco", terms),
        terms.tie: _tie(terms),
    }


def deal_of(punto: str, banco: str) -> SharedDeal:
    """Return how a shoe deals such hands. punto, banco: their fields in the outcome."""
    names = (punto, banco)
    return SharedDeal(partial(_dealt, names), partial(_so_far, names))


def _in_turn(dealt: Hand) -> tuple[_Hands, str | None]:
    """Deal one card each in turn, then by the drawing rules.

    Also returns who is next.
    """
    hands = _Hands()
    for place, card in enumerate(dealt):
        who = still_to_come(*hands)
        if who is None:
            what = f"after {place} cards no one is dealt another, the shoe dealt {len(dealt)}"
            raise RuleViolation(DEAL_NOT_BY_RULE, what)
        hands = hands.plus(who, card)
    return hands, still_to_come(*hands)


def _dealt(names: tuple[str, str], dealt: Hand) -> Outcome:
    hands, who = _in_turn(dealt)
    if who is not None:
        what = f"after {len(dealt)} cards {who} is dealt another, and the shoe dealt none"
        raise RuleViolation(DEAL_INCOMPLETE, what)
    return dict(zip(names, map(" ".join, hands), strict=True))


def _so_far(names: tuple[str, str], dealt: Hand) -> Outcome:
    hands, _ = _in_turn(dealt)
    return {name: " ".join(hand) for name, hand in zip(names, hands, strict=True) if hand}

"""Hands of Black Jack: points, the bank's draws, and what a box may do with its cards.

hc2011 and hc2023 3:2, de-live BJ 2 to 4 (rulebook 9.11). Knows no bet and no odds.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from tabletools.games.blackjack.terms import DE_LIVE, Terms
from tabletools.rules.cards import RANKS, Hand
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.violation import RuleViolation

TWENTY_ONE, BANK_STANDS = 21, 17
DOUBLED = (9, 10, 11)
"""Points of two cards on which Holland Casino doubles (3:2(7), hc2011 3:2(8))."""


class Deal(NamedTuple):
    """The cards of one box and of the bank.

    groups: hands dealt to the box, each as the hands it was split into. switched: the second cards
    were exchanged (Switch). voided: a fault ended the round. others_play: another box still has a
    hand in play.
    """

    groups: tuple[tuple[Hand, ...], ...]
    bank: Hand
    switched: bool
    voided: bool
    others_play: bool = False
    holder: str | None = None
    """The player who decides for the box, None where that is not known."""

    @property
    def order(self) -> tuple[tuple[int, int], ...]:
        """Group of each hand and its index there, in order of the hands' numbers from 1.

        The dealt hands come first, so that a bet stays on its hand when another is split.
        """
        dealt = [(n, 0) for n in range(len(self.groups))]
        if len(dealt) == sum(map(len, self.groups)):
            return tuple(dealt)
        numbered = enumerate(self.groups)
        return (*dealt, *[(n, place) for n, group in numbered for place in range(1, len(group))])

    @property
    def hands(self) -> tuple[Hand, ...]:
        """All hands of the box in order of their numbers."""
        return tuple(self.groups[group][place] for group, place in self.order)

    @property
    def firsts(self) -> dict[int, int]:
        """The number of the dealt hand, by the number of each hand split from it."""
        return {number: group + 1 for number, (group, _) in enumerate(self.order, 1)}

    def field(self, group: int, place: int) -> str:
        """The field of a record that holds a hand."""
        name = "player" if len(self.groups) == 1 else f"player[{group}]"
        return f"{name}[{place}]" if len(self.groups[group]) > 1 else name


class Bank(NamedTuple):
    """The bank's final hand: its points, also above 21, and whether it is a Black Jack."""

    points: int
    natural: bool


VALUES = {rank: int(rank) if rank.isdigit() else 10 for rank in RANKS} | {"A": 1}


def value(card: str) -> int:
    """Return the points of a card; an ace is 1."""
    return VALUES[card[0]]


def lowest(hand: Iterable[str]) -> int:
    """Return the points of a hand with every ace as 1."""
    return sum([VALUES[card[0]] for card in hand])


def points(hand: Sequence[str], *, fixed: int = 0) -> int:
    """Return the points of a hand: an ace is 11 unless that exceeds 21.

    fixed: number of aces that keep the value 1.
    """
    low = lowest(hand)
    free = sum([card[0] == "A" for card in hand]) > fixed
    return low + 10 if free and low + 10 <= TWENTY_ONE else low


def doubled_points(hand: Hand, terms: Terms) -> int:
    """Return the points of a doubled hand: the ace of a 9 keeps the value 1 (READING-33)."""
    keeps = terms.doubles_on_nine and lowest(hand[:2]) == DOUBLED[0]
    return points(hand, fixed=sum(card[0] == "A" for card in hand[:2]) if keeps else 0)


@lru_cache
def _finals(low: int, has_ace: bool, count: int) -> frozenset[Bank]:
    """Return the final hands the bank can still reach. count: of its cards, 3 means 3 or more."""
    best = low + 10 if has_ace and low + 10 <= TWENTY_ONE else low
    if count >= 2 and best >= BANK_STANDS:
        return frozenset([Bank(best, count == 2 and best == TWENTY_ONE)])
    cards = {(value(rank), rank == "A") for rank in RANKS}
    more = (_finals(low + add, has_ace or ace, min(count + 1, 3)) for add, ace in cards)
    return frozenset().union(*more)


def is_in_play(hand: Iterable[str]) -> bool:
    """Whether a hand is not above 21."""
    return lowest(hand) <= TWENTY_ONE


def finals(bank: Hand) -> frozenset[Bank]:
    """Return the final hands the bank can still reach; raise RuleViolation at a wrong draw."""
    for count in range(2, len(bank)):
        if points(bank[:count]) >= BANK_STANDS:
            what = f"with {points(bank[:count])} points the bank stands"
            raise RuleViolation(DEAL_NOT_BY_RULE, what, "bank")
    has_ace = any(card[0] == "A" for card in bank)
    return _finals(lowest(bank), has_ace, min(len(bank), 3))


def _verify_split(group: tuple[Hand, ...], terms: Terms, where: str) -> None:
    if terms.most_hands is not None and len(group) > terms.most_hands:
        what = f"a hand may be split into {terms.most_hands} at most, found {len(group)}"
        raise RuleViolation(DEAL_NOT_BY_RULE, what, where)
    if len({value(hand[0]) for hand in group if hand}) > 1:
        raise RuleViolation(DEAL_NOT_BY_RULE, "only two cards of equal points are split", where)
    if not terms.one_card_on_aces or group[0][:1] == () or group[0][0][0] != "A":
        return
    if max(map(len, group)) > 2:
        raise RuleViolation(DEAL_NOT_BY_RULE, "a split ace is dealt one card only", where)


def _verify_doubled(hand: Hand, terms: Terms, where: str, *, split: bool, voided: bool) -> None:
    two = hand[:2]
    if split and not terms.doubles_after_split:
        raise RuleViolation(DEAL_NOT_BY_RULE, "a split hand is not doubled", where)
    if terms.doubles_on_nine and len(two) == 2 and lowest(two) not in DOUBLED:
        what = f"a hand is doubled on 9, 10 or 11 points, this one has {points(two)}"
        raise RuleViolation(DEAL_NOT_BY_RULE, what, where)
    if len(hand) != 3 and not (voided and len(hand) < 3):
        code = DEAL_NOT_BY_RULE if len(hand) > 3 else DEAL_INCOMPLETE
        raise RuleViolation(code, "a doubled hand is dealt exactly one more card", where)


def _verify_draws(hand: Hand, terms: Terms, where: str, *, split: bool) -> None:
    """Raise RuleViolation if a card was drawn at 21 or above; Casino21 lets a soft 21 draw.

    But not a Black Jack (hc2023 3:2(14)); two cards of 21 points after a split are not one.
    """
    for count in range(2, len(hand)):
        best = points(hand[:count])
        is_soft = lowest(hand[:count]) < TWENTY_ONE == best
        soft = terms.soft_21_draws and is_soft and (count > 2 or split)
        if best >= TWENTY_ONE and not soft:
            raise RuleViolation(DEAL_NOT_BY_RULE, f"a hand of {best} points draws no card", where)


def verify_deal(deal: Deal, doubled: Collection[int], terms: Terms) -> None:
    """Raise RuleViolation if the box could not have been played so. doubled: numbers of hands."""
    for number, group in enumerate(deal.groups):
        if len(group) > 1:
            _verify_split(group, terms, deal.field(number, 0))
    for number, (owner, place) in enumerate(deal.order, 1):
        hand, where, split = (
            deal.groups[owner][place],
            deal.field(owner, place),
            len(deal.groups[owner]) > 1,
        )
        if len(hand) < 2 and not deal.voided:
            raise RuleViolation(DEAL_INCOMPLETE, "a hand has two cards at least", where)
        if number in doubled:
            _verify_doubled(hand, terms, where, split=split, voided=deal.voided)
        _verify_draws(hand, terms, where, split=split)
    if not deal.bank and not deal.voided:
        raise RuleViolation(DEAL_INCOMPLETE, "the bank has one card at least", "bank")
    _verify_bank(deal, terms)


def _verify_bank(deal: Deal, terms: Terms) -> None:
    """Raise RuleViolation at a card the bank does not draw because all hands are above 21.

    It draws a second one only if somebody is insured, and no third (hc2023 3:2(4), (6), hc2011
    3:2(5), (7)). On de-live the second is dealt with the first, and no other is drawn (BJ 4.3).
    """
    if deal.voided or deal.others_play or any(map(is_in_play, deal.hands)):
        return
    is_insured = deal.bank[0][0] == "A" and not terms.casino21
    most = 2 if is_insured or terms.edition == DE_LIVE else 1
    if len(deal.bank) > most:
        what = (
            f"all hands are above 21, and the bank then has {most} of the {len(deal.bank)} cards "
            "given; another box with a hand up to 21 is in boxes with its cards, or, in a record "
            "of one box, others_play says so"
        )
        raise RuleViolation(DEAL_NOT_BY_RULE, what, "bank")

"""The cards of a round, as reported by the shoe that read them.

A round is settled from its cards only when count, places and check sums of all of them agree. hc
mentions only shufflers (3:1(7)), so a house decides whether its shoe counts as one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from tabletools.games import INTERRUPTED, SHARED
from tabletools.roles.dealt import outcomes, round_of
from tabletools.roles.role import (
    NOT_BY_HAND,
    VOID,
    ByHand,
    IncompleteError,
    Message,
    Played,
    Record,
    RoundEnd,
    count_of,
    kind_of,
)
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.dealing import Decision, Outcome, ShoeCards
from tabletools.rules.hands import BURNED
from tabletools.rules.records import NEEDS_RULING
from tabletools.rules.violation import RuleViolation, shown

CARD, ENDED = "card_dealt", "cards_ended"
SHOE_CODES = range(931, 960)
"""Reason codes of a shoe."""
_LIVE = "de-live"
NUMBERS = {
    rank + suit: 1 + 13 * high + low
    for high, suit in enumerate("CDHS")
    for low, rank in enumerate("23456789TJQKA")
}
_MODULUS = 65535
_ENDS = (ENDED, VOID)


class CardDealt(Message, frozen=True):
    """card_dealt: one card that left the shoe."""

    card: str | None
    use: str
    shoe_index: int = 0
    """Place in the shoe, from 1."""
    round_index: int | None = None
    """Place in the round, from 1; None for a card of no round."""
    passage_ms: int = 0

    def text(self) -> str:
        """Card, places, time."""
        what = f"card {self.round_index} of the round" if self.round_index else self.use
        place = f"{self.shoe_index} of the shoe"
        return f"{self.card or 'not read'}  {what}, {place}, {self.passage_ms} ms"


class CardsEnded(Message, frozen=True):
    """cards_ended: how many cards were dealt, from where to where, and their sums."""

    count: int
    first: int
    last: int
    check_1: int
    check_2: int
    last_round: int = 0

    def text(self) -> str:
        """Count and places."""
        end = ", the last round of this shoe" if self.last_round else ""
        return f"{count_of(self.count, 'card')}, {self.first}..{self.last} of the shoe{end}"


def dealt(records: Iterable[Record]) -> list[CardDealt]:
    """Return what the shoe reported of the cards of a round, in the order dealt."""
    return [card for card in _cards(records) if card.use == "round"]


def dealt_in(records: Iterable[Record]) -> list[str]:
    """Return the cards of a round that were read, in the order dealt."""
    return [each.card for each in dealt(records) if each.card is not None]


def burned_in(records: Iterable[Record]) -> list[str]:
    """Return the cards that were burned in a round and read, in their order.

    records: in the order of the table. A card burned after the end belongs to no round.
    """
    played = takewhile(lambda record: kind_of(record) not in _ENDS, records)
    burned = (each.card for each in _cards(played) if each.use == "burned")
    return [card for card in burned if card is not None]


def _cards(records: Iterable[Record]) -> Iterator[CardDealt]:
    return (CardDealt.of_record(record) for record in records if kind_of(record) == CARD)


def cards_of(ended: Record, records: Sequence[Record]) -> list[str]:
    """Return the cards of a round in the order dealt. Raises IncompleteError.

    ended: its decoded cards_ended. records: decoded records of the same round.
    """
    end, reports = CardsEnded.of_record(ended), dealt(records)
    cards = [each.card for each in reports]
    places = [(each.shoe_index, each.round_index) for each in reports]
    due = [(end.first + n, n + 1) for n in range(end.count)]
    if places != due or None in cards or reports[-1].shoe_index != end.last:
        what = f"{len(cards)} cards of {end.count} have arrived, or they are out of place"
        raise IncompleteError(what)
    read = [card for card in cards if card is not None]
    one = two = 0
    for card in read:
        one = (one + NUMBERS[card]) % _MODULUS
        two = (two + one) % _MODULUS
    if (one, two) != (end.check_1, end.check_2):
        raise IncompleteError("the cards do not match the summary of the shoe")
    return read


def shoe_cards(ended: Record, records: Sequence[Record]) -> ShoeCards | None:
    """Return the cards that the shoe of a round read, None where no shoe reported any.

    Raises RuleViolation unless all cards that were dealt are there.
    """
    if kind_of(ended) != ENDED:
        return None
    return ShoeCards(_every_card(ended, records), burned_in(records))


def _every_card(ended: Record, records: Sequence[Record]) -> list[str]:
    try:
        return cards_of(ended, records)
    except IncompleteError as error:
        raise RuleViolation(DEAL_INCOMPLETE, str(error)) from None


def cards_so_far(records: Sequence[Record]) -> list[str]:
    """Return the cards dealt before a round broke off; raise RuleViolation unless each was read.

    records: all decoded records of the round.
    """
    reports = dealt(records)
    cards = [each.card for each in reports if each.card is not None]
    places = [each.round_index for each in reports]
    if places != list(range(1, len(reports) + 1)) or len(cards) != len(reports):
        what = f"the {len(reports)} reported cards are not all of the round, or one was not read"
        raise RuleViolation(DEAL_INCOMPLETE, what)
    return cards


def void_by_shoe(ended: Record, hands: Mapping[str, object]) -> Outcome:
    """Return the outcome where the house treats its shoe as a shuffler (hc 3:1(7)).

    hands: as far as they were dealt; they decide the bets they can decide.
    """
    end = RoundEnd.of_record(ended)
    if end.type != VOID or end.code not in SHOE_CODES:
        what = f"void by {shown(end.reason)}: no fault of a shoe"
        raise RuleViolation(NEEDS_RULING, what, "outcome")
    return {**hands, "void": end.reason}


def card_round_from_shoe(
    played: Played, cards: ShoeCards, boxes: int | None, decisions: Sequence[Decision] | None
) -> Outcome:
    """Return the record of a card round as far as its shoe reported it: without the bets.

    boxes, decisions: see `dealt.round_of`. Raises RuleViolation where the cards do not determine
    it.
    """
    hole_card = played.rules == _LIVE
    outcome = round_of(played.game or "", cards.dealt, boxes, decisions, hole_card=hole_card)
    return with_burns(outcome, cards.burned)


def with_burns(outcome: Outcome, burned: Sequence[str]) -> Outcome:
    """Return an outcome with the cards that were burned in its round."""
    return {**outcome, BURNED: " ".join(burned)} if burned else outcome


def outcome(played: Played, ended: Record, records: Sequence[Record], by_hand: ByHand) -> Outcome:
    """The hands, dealt out of the cards as the game deals them."""
    cards = _every_card(ended, records)
    game = played.game
    if by_hand.dealt is not None:
        raise RuleViolation(
            NEEDS_RULING, "hands are given for a round whose shoe reported its cards"
        )
    if game is None:
        raise RuleViolation(NEEDS_RULING, "the game of the cards is not given")
    if game not in SHARED and by_hand is NOT_BY_HAND:
        what = f"the shoe reports its cards, but not which box of {game} each came to"
        raise RuleViolation(NEEDS_RULING, what)
    hole_card = played.rules == _LIVE
    box, boxes = by_hand.box, by_hand.boxes
    try:
        hands = outcomes(game, cards, boxes, by_hand.decisions, hole_card=hole_card)
    except RuleViolation as refusal:
        wrong = refusal.code in (DEAL_NOT_BY_RULE, DEAL_INCOMPLETE)
        if wrong and game in INTERRUPTED and played.options.get("misdeal_voids") is True:
            return {"misdeal": refusal.what}
        raise
    if not 1 <= box <= boxes:
        raise RuleViolation(NEEDS_RULING, f"there is no box {box}, only 1 to {boxes}")
    return with_burns(hands[min(box, len(hands)) - 1], burned_in(records))

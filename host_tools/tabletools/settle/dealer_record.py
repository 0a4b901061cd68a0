"""The record of a card round as its dealer entered it, compared with the cards its shoe read.

A game whose order of dealing is known gets its hands from the shoe; hands that were entered too
have to be the same. In the others the dealer enters hands, and the shoe must have dealt them in
one of the two usual orders: no hand can be moved to another box.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tabletools.games import GAMES
from tabletools.roles.dealt import round_of
from tabletools.rules.cards import hand_of
from tabletools.rules.dealing import BoxDeal, Decision, Outcome, ShoeCards
from tabletools.rules.hands import BANK, BURNED, PLAYER, texts_of
from tabletools.rules.records import NEEDS_RULING
from tabletools.rules.violation import RuleViolation
from tabletools.settle.boxes import BOXES, CARDS
from tabletools.settle.json_lines import BOX_GAMES


class DealerRecord(NamedTuple):
    """What the dealer entered of a round."""

    outcome: Mapping[str, Any]
    """As in `boxes`, with the bets of each box; hands that the shoe determines may be missing."""
    decisions: Sequence[Decision] | None = None
    """Of the boxes of Black Jack, in the order they were made."""


class Agreed(NamedTuple):
    """The record on which dealer and shoe agree."""

    outcome: Outcome
    drawn: int = 0
    """Cards at the end that the bank drew after the boxes had decided."""


def agreed(game: str, record: DealerRecord, cards: ShoeCards, *, hole_card: bool) -> Agreed:
    """Return the record of a round. hole_card: see `dealt.outcomes`.

    Raises RuleViolation where the cards contradict it, with every difference.
    """
    dealing = GAMES[game].dealing
    entered = _hands_of(record.outcome)
    if isinstance(dealing, BoxDeal):
        boxes = len(record.outcome[BOXES])
        by_shoe = round_of(game, cards.dealt, boxes, record.decisions, hole_card=hole_card)
        dealt, drawn = _hands_of(by_shoe), 0
        if dealing.bank_begins is not None:
            drawn = len(hand_of(dealt[BANK][0])) - dealing.bank_begins(hole_card)
    else:
        dealt, drawn = _in_usual_order(game, entered, cards.dealt), 0
    dealt[BURNED] = [" ".join(cards.burned)] if cards.burned else []
    if found := [*_contradictions(entered, dealt)]:
        raise RuleViolation(NEEDS_RULING, f"dealer and shoe disagree: {'; '.join(found)}")
    return Agreed(_fill(record.outcome, dealt), drawn)


Hands = dict[str, list[str]]
"""The hand at each place, as the hands that it was split into; bank and box `boxes.1.cards`."""


def _place(box: str) -> str:
    return f"{BOXES}.{box}.{CARDS}"


def _hands_of(outcome: Mapping[str, Any]) -> Hands:
    """Return the hands that a record has; of one that is missing an empty list."""
    values = {_place(name): box.get(CARDS) for name, box in outcome[BOXES].items()}
    values |= {name: value for name, value in outcome.items() if name != BOXES}
    return {
        place: [" ".join(hand_of(text)) for _, text in texts_of(value, PLAYER)]
        for place, value in values.items()
    }


def _fill(outcome: Mapping[str, Any], dealt: Hands) -> Outcome:
    """Return a record with the hands that were dealt."""
    filled = {**outcome}
    filled[BOXES] = {
        name: {**box, CARDS: _value(dealt[_place(name)])} for name, box in outcome[BOXES].items()
    }
    shared = [place for place in dealt if not place.startswith(f"{BOXES}.")]
    return filled | {place: _value(dealt[place]) for place in shared if dealt[place]}


def _value(texts: list[str]) -> str | list[str]:
    return texts[0] if len(texts) == 1 else texts


def _contradictions(entered: Hands, dealt: Hands) -> Iterator[str]:
    """Yield where a hand that was entered is not the one that was dealt."""
    for place, other in dealt.items():
        own = entered.get(place)
        if own and [sorted(text.split()) for text in own] != [
            sorted(text.split()) for text in other
        ]:
            yield f"outcome.{place} has {' / '.join(own)}, the shoe dealt " + (
                " / ".join(other) or "no card"
            )


def _in_usual_order(game: str, entered: Hands, cards: Sequence[str]) -> Hands:
    """Return the hands that a shoe dealt, hand by hand or one card to each in turn.

    The boxes by their numbers, then the bank; cards that all share come last. Raises RuleViolation
    unless the hands that were entered fit one of these orders.
    """
    shared = [name for name in BOX_GAMES[game].game.outcome.HANDS if name not in (PLAYER, BANK)]
    boxes = sorted((place for place in entered if place.startswith(BOXES)), key=_by_number)
    places = [*boxes, BANK]
    count = {name: len(" ".join(entered.get(name, ())).split()) for name in (*places, *shared)}
    usual = max(count[place] for place in boxes)
    sizes = [count[place] or usual for place in places]  # nobody shows the cards of a fold
    by_hand = [place for place, size in zip(places, sizes, strict=True) for _ in range(size)]
    in_turn = [
        place
        for row in range(max(sizes))
        for place, size in zip(places, sizes, strict=True)
        if row < size
    ]
    last = [name for name in shared for _ in range(count[name])]
    fits = []
    for order in ([*by_hand, *last], [*in_turn, *last]):
        if len(order) == len(cards):
            dealt = _by_place(order, cards)
            if dealt not in fits and not [*_contradictions(entered, dealt)]:
                fits.append(dealt)
    if len(fits) != 1:
        what = f"{len(cards)} cards of the shoe, {' '.join(cards)}, are " + (
            "the hands in two orders" if fits else "not the hands that were entered"
        )
        what += ": hand by hand, or one to each in turn, by box, then the bank"
        raise RuleViolation(NEEDS_RULING, f"dealer and shoe disagree: {what}")
    return fits[0]


def _by_number(place: str) -> tuple[int, str]:
    return len(place), place


def _by_place(order: Sequence[str], cards: Sequence[str]) -> Hands:
    hands: dict[str, list[str]] = {place: [] for place in order}
    for place, card in zip(order, cards, strict=True):
        hands[place].append(card)
    return {place: [" ".join(hand)] for place, hand in hands.items()}

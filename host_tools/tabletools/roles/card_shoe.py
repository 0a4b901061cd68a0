"""A shoe that reads its cards: every card of the round recorded, adding up to the shoe's sum."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from tabletools.roles.role import (
    Deals,
    Demand,
    IncompleteError,
    Message,
    Opened,
    Played,
    Record,
    Role,
    SelfTest,
    count_of,
    kind_of,
    layout_objection,
    option_demand,
)
from tabletools.roles.shuffler import CARD_GAMES

CARD = "card_dealt"
NUMBERS = {
    rank + suit: 1 + 13 * high + low
    for high, suit in enumerate("CDHS")
    for low, rank in enumerate("23456789TJQKA")
}
_MODULUS = 65535
_ENDS = ("cards_ended", "round_void")


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


class ShoeReport(Message, frozen=True):
    """shoe_report: what happened to the shoe, and how far it is dealt."""

    event: str
    decks: int
    cards: int
    drawn: int
    burns: int

    def text(self) -> str:
        """Event and counts."""
        burns = f", {self.burns} to be burned" if self.burns else ""
        what = f"{self.decks} decks, {self.drawn} of {self.cards} cards drawn"
        return f"shoe {self.event}: {what}{burns}"


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


def deals_of(records: Sequence[Record]) -> Deals | None:
    """Return the cards that were read of each shoe that is over: never of the one in play."""
    shoes: list[list[str]] = []
    last, decks = 0, 0
    is_over = True
    for record in records:
        if kind_of(record) == "shoe_report":
            report = ShoeReport.of_record(record)
            is_over = report.event in ("new", "empty")
            if report.decks != decks:
                shoes, decks = [], report.decks
        elif kind_of(record) == CARD:
            card = CardDealt.of_record(record)
            if is_over or card.shoe_index <= last or not shoes:
                shoes.append([])
            is_over, last = False, card.shoe_index
            if card.card is not None:
                shoes[-1].append(card.card)
    ended = shoes if is_over else shoes[:-1]
    return Deals("cards", [shoe for shoe in ended if shoe], True, decks, True) if decks else None


def demands(played: Played) -> list[Demand]:
    """The decks, where the table or its edition specifies them."""
    if (played.rules, played.game) == ("de-live", "baccarat"):
        return [Demand("decks", 8, 8, "de-live Bac 1.3.1")]
    return option_demand(played, "decks", "decks")


def objections(
    played: Played, opened: Opened | None, ended: Record, records: Sequence[Record]
) -> Iterator[str]:
    """Every card, and no more of one than the decks have."""
    yield from layout_objection(opened, "shoe", "a shoe")
    decks = opened.requirement if opened else None
    for demand in demands(played):
        if decks is not None and not demand.low <= decks <= demand.high:
            yield f"it opened with {decks} decks, {demand.source} says {demand.low}"
    try:
        cards = cards_of(ended, records)
    except IncompleteError as error:
        yield str(error)
        return
    if decks is not None:
        for card, times in sorted(Counter([*cards, *burned_in(records)]).items()):
            if times > decks:
                yield f"{times} times {card} in one round, of {decks} decks"


def _place(record: Record) -> tuple[int | None, str]:
    card = CardDealt.of_record(record)
    return card.round_index, card.card or "??"


def _end(values: Sequence[int]) -> str:
    return f"{values[0]} cards dealt, {values[1]} to {values[2]} of the shoe"


ROLE = Role(
    result="cards_ended",
    settles_s=120,  # in a game with boxes the dealer enters what players decided
    games=CARD_GAMES,
    demands=demands,
    objections=objections,
    end=_end,
    listed=("count",),
    listed_as="{cards}".format_map,
    parts=lambda records: {"cards": " ".join(dealt_in(records))},
    is_whole=False,
    messages={"card_dealt": CardDealt, "cards_ended": CardsEnded, "shoe_report": ShoeReport},
    layouts={"shoe": ("a shoe of {}", "deck")},
    counts="card",
    live={"shoe_report": ("shoe", ("event", "cards", "drawn"))},
    deals={CARD: _place},
    deals_of=deals_of,
    self_test=SelfTest("Pull two cards from the closed shoe.", 30_000),
    orders=("end_cards", "load_shoe"),
)

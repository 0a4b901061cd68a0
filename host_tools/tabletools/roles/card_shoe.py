"""A shoe that reads its cards: every card of the round recorded, adding up to the shoe's sum."""

from collections import Counter
from collections.abc import Iterator, Sequence

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
    kind_of,
    layout_objection,
    measured_in,
    option_demand,
)
from tabletools.roles.shoe_round import (
    CARD,
    ENDED,
    CardDealt,
    CardsEnded,
    burned_in,
    cards_of,
    dealt_in,
    outcome,
)
from tabletools.roles.shuffler import CARD_GAMES
from tablewire.card_shoe import SHOE_UNKNOWN


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
    result=ENDED,
    settles_s=120,  # in a game with boxes the dealer enters what players decided
    games=CARD_GAMES,
    demands=demands,
    objections=objections,
    dealt=outcome,
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
    measures={
        "reader_link_lost": measured_in("ms"),
        "two_cards": measured_in("of 4095"),
        "foreign_card": measured_in("%"),
        **dict.fromkeys(
            ("shoe_short", "shoe_long", "cut_card_reached", "card_unread", "cards_unreported"),
            measured_in("cards"),
        ),
    },
    awaiting=(SHOE_UNKNOWN,),
    orders=("end_cards", "load_shoe"),
)

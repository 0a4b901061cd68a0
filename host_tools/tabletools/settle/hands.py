"""Hands of cards in records: text as dealt, `AH TD 7C`, and a void or a misdeal beside it."""

from collections.abc import Collection, Iterator, Sequence
from typing import Annotated, ClassVar

from msgspec import Meta

from tabletools.rules.cards import RANKS, SUITS, Hand, hand_of
from tabletools.rules.codes.outcomes import CARDS_INVALID
from tabletools.rules.declared import Declared, Text
from tabletools.rules.refusal import Refusal, within
from tabletools.settle.records import OUTCOME_NOT_ONE

_CARD = f"[{RANKS}][{SUITS}]"
AnyHand = Annotated[Text, Meta(extra_json_schema={"pattern": f"^{_CARD}( {_CARD})*$"})]
"""A hand of any number of cards."""
OneCard = Annotated[Text, Meta(extra_json_schema={"pattern": f"^{_CARD}$"})]
ThreeCards = Annotated[Text, Meta(extra_json_schema={"pattern": f"^{_CARD}( {_CARD}){{0,2}}$"})]
FiveCards = Annotated[Text, Meta(extra_json_schema={"pattern": f"^{_CARD}( {_CARD}){{0,4}}$"})]
SixCards = Annotated[Text, Meta(extra_json_schema={"pattern": f"^{_CARD}( {_CARD}){{0,5}}$"})]


PLAYER = "player"
"""The field of a player's own hand."""


class Dealt(Declared, frozen=True, kw_only=True):
    """Hands and, if a fault ended the round, a void beside them.

    HANDS: names of the fields of the hands; without a void all are needed. OF_BOX: fields
    of one player's hand; all others are of the whole table. OF_BOTH: of those, fields that may
    say it of one hand alone. DECKS: most they are dealt from; no shoe here has more than eight.
    """

    HANDS: ClassVar[tuple[str, ...]] = ()
    OF_BOX: ClassVar[tuple[str, ...]] = (PLAYER,)
    OF_BOTH: ClassVar[tuple[str, ...]] = ()
    DECKS: ClassVar[int] = 8

    void: Annotated[
        Text | None,
        Meta(description="Why; bets the cards dealt have not decided are void."),
    ] = None

    def may_lack_hands(self) -> bool:
        """Whether hands may be missing."""
        return self.void is not None

    def hands(self) -> list[Hand]:
        """Return the hands, empty where nothing was dealt. Raises Refusal at what is no card."""
        texts: Sequence[str | None] = [getattr(self, name) for name in self.HANDS]
        if None in texts and not self.may_lack_hands():
            what = f"without a void, {' and '.join(self.HANDS)} are needed"
            raise Refusal(OUTCOME_NOT_ONE, what)
        found = []
        for name, text in zip(self.HANDS, texts, strict=True):
            with within(name):
                found.append(hand_of(text or ""))
        verify_cards(list(zip(self.HANDS, found, strict=True)), self.DECKS)
        return found

    def places(self) -> list[tuple[str, Hand]]:
        """Return each hand given, of cards that are known, with the field it is in."""
        given = [(name, getattr(self, name)) for name in self.HANDS]
        return [(where, hand_of(text)) for name, value in given
                for where, text in texts_of(value, name)]  # fmt: skip


def texts_of(value: object, place: str) -> Iterator[tuple[str, str]]:
    """Yield the text of each hand, of one or of those it was split into, with its place."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            yield from texts_of(each, f"{place}[{number}]")


def verify_cards(
    places: Collection[tuple[str, Hand]], decks: int, *, is_exact: bool = False
) -> None:
    """Raise Refusal at a card that lies more often than the decks have it.

    places: the field of each hand, and its cards. is_exact: so many decks are dealt from, no
    fewer.
    """
    cards = [card for _, hand in places for card in hand]
    if len(set(cards)) == len(cards):
        return  # as in most rounds
    seen: dict[str, list[str]] = {}
    for place, hand in places:
        for card in hand:
            before = seen.setdefault(card, [])
            before.append(place)
            if len(before) > decks:
                what = f"the card {card} occurs {len(before)} times, the first in {before[0]}"
                raise Refusal(
                    CARDS_INVALID, f"{what}; dealt is from {_decks(decks, is_exact)}", place
                )


def _decks(count: int, is_exact: bool) -> str:
    if count == 1:
        return "one deck"
    return f"{count} decks" if is_exact else f"{count} decks at most"

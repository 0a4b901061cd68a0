"""Hands of cards in records: text as dealt, `AH TD 7C`, with a void or a misdeal beside it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, ClassVar

from msgspec import Meta

from tabletools.rules.cards import RANKS, SUITS, Hand, hand_of
from tabletools.rules.decks import ANY, Decks, verify_cards
from tabletools.rules.declared import Declared, Text
from tabletools.rules.records import OUTCOME_NOT_ONE
from tabletools.rules.violation import RuleViolation, within

_CARD = f"[{RANKS}][{SUITS}]"
AnyHand = Annotated[Text, Meta(extra_json_schema={"pattern": f"^{_CARD}( {_CARD})*$"})]
"""A hand of any number of cards."""
OneCard = Annotated[Text, Meta(extra_json_schema={"pattern": f"^{_CARD}$"})]
ThreeCards = Annotated[Text, Meta(extra_json_schema={"pattern": f"^{_CARD}( {_CARD}){{0,2}}$"})]
FiveCards = Annotated[Text, Meta(extra_json_schema={"pattern": f"^{_CARD}( {_CARD}){{0,4}}$"})]
SixCards = Annotated[Text, Meta(extra_json_schema={"pattern": f"^{_CARD}( {_CARD}){{0,5}}$"})]


PLAYER = "player"
"""The field of a player's own hand."""
OTHERS_PLAY = "others_play"
"""The field that says whether another box of Black Jack is in play."""
BURNED = "burned"
"""The field of the cards burned."""


class Dealt(Declared, frozen=True, kw_only=True):
    """Hands and, after a fault, a void beside them.

    HANDS: names of the fields of the hands; all are required without a void. OF_BOX: fields of
    one player's hand; all others belong to the whole table. OF_BOTH: fields of those that may
    also be given for one hand alone. DECKS: what the cards may be dealt from.
    """

    HANDS: ClassVar[tuple[str, ...]] = ()
    OF_BOX: ClassVar[tuple[str, ...]] = (PLAYER,)
    OF_BOTH: ClassVar[tuple[str, ...]] = ()
    DECKS: ClassVar[Decks] = ANY

    void: Annotated[
        Text | None,
        Meta(description="Why; bets the cards dealt have not decided are void."),
    ] = None
    burned: Annotated[
        AnyHand | None,
        Meta(description="Cards burned in the round, where they were seen."),
    ] = None

    def may_lack_hands(self) -> bool:
        """Whether hands may be missing."""
        return self.void is not None

    def hands(self, decks: int | None = None) -> list[Hand]:
        """Return the hands, empty where nothing was dealt. Raises RuleViolation.

        decks: how many there are, None: the most the game is dealt from.
        """
        texts: Sequence[str | None] = [getattr(self, name) for name in self.HANDS]
        if None in texts and not self.may_lack_hands():
            what = f"without a void, {' and '.join(self.HANDS)} are needed"
            raise RuleViolation(OUTCOME_NOT_ONE, what)
        found = []
        for name, text in zip((*self.HANDS, BURNED), (*texts, self.burned), strict=True):
            with within(name):
                found.append((name, hand_of(text or "")))
        verify_cards(found, self.DECKS, decks)
        return [hand for _, hand in found[:-1]]

    def places(self) -> list[tuple[str, Hand]]:
        """Return each given hand, and the burned cards, with its field. Raises RuleViolation."""
        given = [(name, getattr(self, name)) for name in (*self.HANDS, BURNED)]
        return list(hands_in(given))


def texts_of(value: object, place: str) -> Iterator[tuple[str, str]]:
    """Yield the text of each hand, or of the hands it was split into, with its place."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            yield from texts_of(each, f"{place}[{number}]")


def hands_in(given: Iterable[tuple[str, object]]) -> Iterator[tuple[str, Hand]]:
    """Yield the hands of the given fields, each with its place.

    Raises RuleViolation at an invalid card.
    """
    for place, value in given:
        for where, text in texts_of(value, place):
            with within(where):
                yield where, hand_of(text)

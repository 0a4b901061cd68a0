"""Hands of cards in records: text as dealt, `AH TD 7C`, and a void or a misdeal beside it."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from msgspec import Meta

from tabletools.rules.cards import RANKS, SUITS, Hand, hand_of
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


class Dealt(Declared, frozen=True, kw_only=True):
    """Hands and, if a fault ended the round, a void beside them.

    HANDS: names of the fields of the hands; without a void all are needed.
    """

    HANDS: ClassVar[tuple[str, ...]] = ()

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
        return found

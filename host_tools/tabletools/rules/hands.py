"""Hands of cards in records: text as dealt, `AH TD 7C`, with a void or a misdeal beside it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from tabletools.rules.cards import RANKS, SUITS, Hand, Results, hand_of
from tabletools.rules.codes.outcomes import DEAL_NOT_BY_RULE
from tabletools.rules.decks import ANY, ONE, Decks, decks_at, verify_cards
from tabletools.rules.declared import Declared, Text
from tabletools.rules.game import Game
from tabletools.rules.records import OUTCOME_NOT_ONE
from tabletools.rules.table_game import Table
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
BANK = "bank"
"""The field of the bank's hand."""
BURNED = "burned"
"""The field of the cards burned."""
MOST_BURNED_FIRST: Mapping[str, int] = {"hc2011": 3}
"""Most cards burned before the deal, by edition (3:1(3))."""


class Dealt(Declared, frozen=True, kw_only=True):
    """Hands and, after a fault, a void beside them.

    HANDS: names of the fields of the hands; all are required without a void. OF_BOX: fields of
    one player's hand; all others belong to the whole table. OF_BOTH: fields of those that may
    also be given for one hand alone. OF_OTHERS: fields of one player's hand that follow from those
    of others (`of_others`). DECKS: what the cards may be dealt from.
    """

    HANDS: ClassVar[tuple[str, ...]] = ()
    OF_BOX: ClassVar[tuple[str, ...]] = (PLAYER,)
    OF_BOTH: ClassVar[tuple[str, ...]] = ()
    OF_OTHERS: ClassVar[tuple[str, ...]] = ()
    DECKS: ClassVar[Decks] = ANY

    void: Annotated[
        Text | None,
        Meta(description="Why; bets the cards dealt have not decided are void."),
    ] = None
    burned: Annotated[
        AnyHand | None,
        Meta(description="Cards burned in the round, where they were seen."),
    ] = None
    burned_first: Annotated[
        int | None,
        Meta(
            description="How many cards were burned between the bets and the deal, seen or not.",
            extra_json_schema={"minimum": 0},
        ),
    ] = None

    @classmethod
    def of_others(
        cls, _fields: Mapping[str, object], _hands: Iterable[Hand]
    ) -> Mapping[str, object]:
        """Return the fields OF_OTHERS of one hand. hands: those of the other boxes."""
        return {}

    def verify_burned(self, edition: str) -> None:
        """Raise RuleViolation at more cards burned before the deal than the edition allows.

        hc2011 3:1(3): at most three; hc2023 leaves the number to the house.
        """
        count = self.burned_first or 0
        most = MOST_BURNED_FIRST.get(edition)
        if count < 0 or (most is not None and count > most):
            allowed = "0 or more" if most is None else f"0 to {most} ({edition} 3:1(3))"
            what = f"{count} cards were burned before the deal; allowed: {allowed}"
            raise RuleViolation(DEAL_NOT_BY_RULE, what, "burned_first")

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
        hands = []
        for name, text in zip((*self.HANDS, BURNED), (*texts, self.burned), strict=True):
            with within(name):
                hands.append((name, hand_of(text or "")))
        verify_cards(hands, self.DECKS, decks)
        return [hand for _, hand in hands[:-1]]

    def places(self) -> list[tuple[str, Hand]]:
        """Return each given hand, and the burned cards, with its field. Raises RuleViolation."""
        fields = [(name, getattr(self, name)) for name in (*self.HANDS, BURNED)]
        return list(hands_in(fields))


def texts_of(value: object, place: str) -> Iterator[tuple[str, str]]:
    """Yield the text of each hand, or of the hands it was split into, with its place."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            yield from texts_of(each, f"{place}[{number}]")


def hands_in(fields: Iterable[tuple[str, object]]) -> Iterator[tuple[str, Hand]]:
    """Yield the hands of the given fields, each with its place.

    Raises RuleViolation at an invalid card.
    """
    for place, value in fields:
        for where, text in texts_of(value, place):
            with within(where):
                yield where, hand_of(text)


class HoldemHands(Dealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("player", "board", "bank")
    DECKS: ClassVar = ONE
    player: FiveCards | None = None
    board: FiveCards | None = None
    bank: FiveCards | None = None


Deal = Callable[[Game, Sequence[Hand], bool], Results]
"""Results still possible with a game's hands; the last argument: a fault ended the round."""
ReadOutcome = Callable[[Game, Dealt, Any], Results]


def reader(results_of: Deal) -> ReadOutcome:
    """Return the function that gives the results of an outcome."""

    def read(game: Game, outcome: Dealt, table: Table | None) -> Results:
        decks = decks_at(game.name, outcome.DECKS, table)
        with within("outcome"):
            outcome.verify_burned(game.edition)
            return results_of(game, outcome.hands(decks), outcome.void is not None)

    return read


def reader_by_hands(results_of: Callable[..., Results]) -> ReadOutcome:
    """As `reader`, of a game with the same results in every edition.

    results_of: called with each hand, and `voided`.
    """
    return reader(lambda _game, hands, voided: results_of(*hands, voided=voided))

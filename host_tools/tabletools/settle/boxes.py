"""The one record of a card round in which each player holds a hand: deck, bank, board, boxes.

`{"bank":"KD 8S","boxes":{"1":{"cards":"8H 3S KC","bets":["1","2"]}}}` is accepted in place of the
outcome of one hand; the outcome of every box is derived from it. Which fields the table and which
a box has is declared by the outcome of the game (`hands.Dealt.OF_BOX`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Generic, TypeVar, get_type_hints

import msgspec
from msgspec import Meta

from tabletools.rules.amounts import KEY, decided
from tabletools.rules.cards import Hand
from tabletools.rules.codes.outcomes import CARDS_INVALID, DEAL_INCOMPLETE
from tabletools.rules.dealing import ShoeCards
from tabletools.rules.decks import decks_at, verify_cards
from tabletools.rules.declared import Declared, Text, replaced
from tabletools.rules.game import Slip
from tabletools.rules.hands import BURNED, PLAYER, Dealt, hands_in
from tabletools.rules.records import BOXES_UNCLEAR, DUPLICATE_ID, Round, Schema
from tabletools.rules.table_game import Record, Table, TableGame
from tabletools.rules.violation import RuleViolation, shown

BOXES = "boxes"
"""The field by which such a record is recognised."""
_BOXES_PATH = f"outcome.{BOXES}"
CARDS = "cards"
"""The field of a box in place of `player`."""


class Box(Declared, frozen=True, kw_only=True):
    """The fields of a box besides the cards; a subclass adds the cards of its game."""

    bets: Annotated[
        tuple[Text, ...] | None,
        Meta(description="Ids of the bets on it; left out: cards and no bet."),
    ] = None
    decisions: Annotated[
        dict[Text, Text] | None,
        Meta(description="What players chose after the deal, by player: fold, war."),
    ] = None


class CardRound(Declared, frozen=True, kw_only=True):
    """The fields of the table; a subclass adds hands and boxes. HAND: outcome type of one hand."""

    HAND: ClassVar[type[Dealt]]

    decks: Annotated[
        int | None,
        Meta(
            description="Decks the cards are of; left out: as the table says, else the most.",
            extra_json_schema={"minimum": 1},
        ),
    ] = None


AnyHand = TypeVar("AnyHand", bound=Dealt)
AnyTable = TypeVar("AnyTable", bound=Table)


def card_round_type(name: str, hand: type[Dealt]) -> type[CardRound]:
    """Return the type of the record of a card round. name: its name; hand: outcome of one hand."""
    hints = get_type_hints(hand, include_extras=True)
    own = [each for each in hand.OF_BOX if each not in hand.OF_OTHERS]
    box = msgspec.defstruct(
        f"{name}Box",
        [(CARDS if each == PLAYER else each, hints[each], None) for each in (*own, *hand.OF_BOTH)],
        bases=(Box,),
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    )
    shared = [each for each in hand.__struct_fields__ if each not in hand.OF_BOX]
    boxes = Annotated[dict[Text, box], Meta(description="By a name of the house.")]  # type: ignore[valid-type]
    round_type: type[CardRound] = msgspec.defstruct(
        f"{name}Round",
        [(BOXES, boxes), *((each, hints[each], None) for each in shared)],
        bases=(CardRound,),
        namespace={"HAND": hand, "__annotations__": {}},
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    )  # type: ignore[assignment]
    return round_type


def is_card_round(outcome: object) -> bool:
    """Whether a JSON value is the record of a whole card round."""
    return isinstance(outcome, dict) and BOXES in outcome


@dataclass(frozen=True)
class BoxGame(Generic[AnyHand, AnyTable]):
    """A game settled by the record of a whole round (see `RecordGame`). game: of one hand."""

    game: TableGame[AnyHand, AnyTable]

    @cached_property
    def outcome(self) -> type[CardRound]:
        """The type of the record of a card round."""
        name = "".join(part.title() for part in self.game.name.split("_"))
        return card_round_type(name, self.game.outcome)

    @cached_property
    def record(self) -> type[Record[CardRound, AnyTable]]:
        """The type of a record."""
        return Record[self.outcome, self.game.table]  # type: ignore[name-defined]

    @property
    def constraints(self) -> Schema:
        """The constraints of the JSON Schema of a record besides its fields: those of one hand."""
        said: dict[str, Any] = dict(self.game.constraints)
        [alone] = said["examples"]
        hand, of_box = alone["outcome"], self.game.outcome.OF_BOX
        box = {CARDS if name == PLAYER else name: hand[name] for name in of_box if name in hand}
        box["bets"] = [bet["id"] for bet in alone["bets"]]
        shared = {name: value for name, value in hand.items() if name not in of_box}
        return {**said, "examples": [{**alone, "outcome": {**shared, BOXES: {"1": box}}}]}

    def play(self, record: Record[CardRound, AnyTable]) -> Round:
        """Return the bets of all boxes, each with its result. Raises RuleViolation.

        Every bet is on one box, and the cards of all boxes, bank and board fit the decks.
        """
        places = {bet.id: place for place, bet in enumerate(record.bets)}
        if len(places) != len(record.bets):
            raise RuleViolation(DUPLICATE_ID, "two bets have the same id", "bets")
        decks = decks_at(self.game.name, self.game.outcome.DECKS, record.table)
        _verify_places(record.outcome, decks)
        _verify_named(record.outcome, places)
        by_id = {}
        for name in _boxes(record.outcome):
            bets, hand = hand_at(record.outcome, name, record.bets, self._choices(record))
            alone: Record[Any, AnyTable] = Record(
                rules=record.rules,
                game=record.game,
                variant=record.variant,
                bets=bets,
                outcome=hand,
                table=record.table,
            )
            try:
                played = self.game.play(alone)
            except RuleViolation as refusal:
                raise _at_table(refusal, name, [places[bet.id] for bet in bets]) from None
            for bet in played.bets:
                by_id[bet.id] = decided(bet, bet.verdicts[played.outcome])
        return Round([by_id[bet.id] for bet in record.bets], KEY)

    def _choices(self, record: Record[CardRound, AnyTable]) -> Mapping[str, Sequence[str]]:
        """Return the choices allowed on each kind of bet."""
        kinds = self.game.rules_of(record.rules, record.variant).kinds
        return {name: kind.choices for name, kind in kinds.items()}


def _boxes(outcome: CardRound) -> Mapping[str, Any]:
    boxes: Mapping[str, Any] = getattr(outcome, BOXES)
    return boxes


def _places(outcome: CardRound) -> list[tuple[str, Hand]]:
    """Return every hand with its place. Raises RuleViolation at an invalid card."""
    shared = [name for name in (*outcome.HAND.HANDS, BURNED) if name not in outcome.HAND.OF_BOX]
    fields = [(f"outcome.{name}", getattr(outcome, name)) for name in shared]
    fields += [
        (f"{_BOXES_PATH}.{name}.{CARDS}", getattr(box, CARDS))
        for name, box in _boxes(outcome).items()
    ]
    return list(hands_in(fields))


def _verify_places(outcome: CardRound, decks: int | None) -> None:
    """Raise RuleViolation at an invalid card, and at more copies of a card than the decks have.

    Also at a decision of a box without cards. decks: of the table, None if it does not say.
    """
    allowed, decks_dealt = outcome.HAND.DECKS, outcome.decks
    if decks_dealt is not None and not allowed.has(decks_dealt):
        what = f"decks is {decks_dealt}; the game is dealt from {allowed}"
        raise RuleViolation(CARDS_INVALID, what, "outcome.decks")
    if None not in (decks, decks_dealt) and decks != decks_dealt:
        what = f"outcome.decks is {decks_dealt}, and table.decks is {decks}"
        raise RuleViolation(CARDS_INVALID, what, "outcome.decks")
    verify_cards(_places(outcome), allowed, decks if decks_dealt is None else decks_dealt)
    for name, box in _boxes(outcome).items():
        if box.decisions and getattr(box, CARDS) is None:
            what = f"{_BOXES_PATH}.{name}.decisions says what was decided, and there are no cards"
            raise RuleViolation(DEAL_INCOMPLETE, what, f"{_BOXES_PATH}.{name}.{CARDS}")


def differences(kind: type[Dealt], outcome: Mapping[str, Any], cards: ShoeCards) -> list[str]:
    """Return where an outcome, as JSON, contradicts the cards its shoe read.

    kind: outcome type of one hand. Lists the cards of the outcome that the shoe did not read, by
    place, and the cards of the shoe that are not in the outcome, by theirs.
    """
    fields = [(f"outcome.{name}", outcome.get(name)) for name in kind.HANDS]
    for name, box in outcome.get(BOXES, {}).items():
        fields.append((f"{_BOXES_PATH}.{name}.{CARDS}", box.get(CARDS)))
    burned = [(f"outcome.{BURNED}", outcome.get(BURNED))]
    return [
        *_differences(fields, cards.dealt, ("read", "card")),
        *_differences(burned, cards.burned, ("burn", "burned card")),
    ]


def _differences(
    fields: Iterable[tuple[str, object]], cards: Sequence[str], words: tuple[str, str]
) -> list[str]:
    """words: what the shoe did with the cards, and the name of each place."""
    left: dict[str, list[int]] = {}
    for place, card in enumerate(cards, 1):
        left.setdefault(card, []).append(place)
    lines = []
    for where, hand in hands_in(fields):
        for card in hand:
            if left.get(card):
                left[card].pop(0)
            else:
                lines.append(f"{where} has {card}, which the shoe did not {words[0]}")
    missing = sorted((place, card) for card, places in left.items() for place in places)
    return [
        *lines,
        *(
            f"{words[1]} {place} of the shoe, {card}, is nowhere in the record"
            for place, card in missing
        ),
    ]


def _verify_named(outcome: CardRound, bets: Mapping[str, int]) -> None:
    """Raise RuleViolation unless each bet is on one box. bets: their places by id."""
    where: dict[str, str] = {}
    for name, box in _boxes(outcome).items():
        for number, ident in enumerate(box.bets or ()):
            place = f"{_BOXES_PATH}.{name}.bets[{number}]"
            if ident not in bets:
                raise RuleViolation(BOXES_UNCLEAR, f"the round has no bet {shown(ident)}", place)
            first = where.setdefault(ident, place)
            if first != place:
                what = f"bet {shown(ident)} is here and in {first}"
                raise RuleViolation(BOXES_UNCLEAR, what, place)
    missing = [ident for ident in bets if ident not in where]
    if missing:
        what = f"bets on no box: {' '.join(map(shown, missing[:5]))}"
        raise RuleViolation(BOXES_UNCLEAR, what, _BOXES_PATH)


def hand_at(
    outcome: CardRound,
    name: str,
    bets: Sequence[Slip],
    choices: Mapping[str, Sequence[str]],
) -> tuple[tuple[Slip, ...], Dealt]:
    """Return one box as the record of one hand: its bets and its outcome.

    name: of the box. choices: those allowed on each kind of bet. Raises RuleViolation at a
    decision that no bet there can have, or that contradicts the choice of a bet.
    """
    box, kind = _boxes(outcome)[name], outcome.HAND
    mine = [bet for bet in bets if bet.id in (box.bets or ())]
    used = set()
    for place, bet in enumerate(mine):
        choice = (box.decisions or {}).get(bet.player or "")
        if choice is None or choice not in choices.get(bet.bet, ()):
            continue
        if bet.choice not in (None, choice):
            what = f"{shown(choice)} was decided, and bet {shown(bet.id)} has {shown(bet.choice)}"
            where = f"{_BOXES_PATH}.{name}.decisions.{bet.player}"
            raise RuleViolation(BOXES_UNCLEAR, what, where)
        mine[place] = replaced(bet, choice=choice)
        used.add(bet.player)
    for player, choice in (box.decisions or {}).items():
        if player not in used:
            what = f"player {shown(player)} has no bet here to which {shown(choice)} applies"
            raise RuleViolation(BOXES_UNCLEAR, what, f"{_BOXES_PATH}.{name}.decisions.{player}")
    fields = {}
    for field in kind.__struct_fields__:
        own = getattr(box, CARDS if field == PLAYER else field, None)
        fields[field] = getattr(outcome, field, None) if own is None else own
    fields |= kind.of_others(fields, _others(outcome, name))
    return tuple(mine), kind(**fields)


def _others(outcome: CardRound, name: str) -> Iterator[Hand]:
    """Yield the hands of the other boxes."""
    boxes = _boxes(outcome).items()
    cards = [
        (f"{_BOXES_PATH}.{each}.{CARDS}", getattr(box, CARDS))
        for each, box in boxes
        if each != name
    ]
    return (hand for _, hand in hands_in(cards))


def _at_table(refusal: RuleViolation, name: str, places: Sequence[int]) -> RuleViolation:
    """Return a refusal of one hand with its place in the record of the table."""
    where, box = refusal.where, f"{_BOXES_PATH}.{name}"
    if where.startswith("bets["):
        number, _, rest = where.removeprefix("bets[").partition("]")
        where = f"bets[{places[int(number)]}]{rest}"
    elif where.startswith(f"outcome.{PLAYER}"):
        where = f"{box}.{CARDS}{where.removeprefix(f'outcome.{PLAYER}')}"
    elif where == "outcome":
        where = box
    return RuleViolation(refusal.code, refusal.what, where)

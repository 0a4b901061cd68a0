"""What the records of all games have in common: a round is bets and an outcome."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from msgspec import Meta

from tabletools.rules.bets import CompiledBet
from tabletools.rules.dealing import BoxDeal, SharedDeal
from tabletools.rules.declared import Declared, Text
from tabletools.rules.limits import StakeLimits
from tabletools.rules.violation import Code, RuleViolation, shown

DUPLICATE_ID = Code(
    "duplicate_id",
    "Two bets of one round have the same id.",
    "give every bet of a round its own id",
)
OUTCOME_NOT_ONE = Code(
    "outcome_not_one",
    "The outcome is neither a result nor a void, or both.",
    "give either the result or the reason of the void",
)
NEEDS_RULING = Code(
    "needs_ruling",
    "The rules do not decide the round.",
    "have the house rule on it, and send the outcome of the ruling",
)
NO_RESULT = Code(
    "no_result",
    "No table reported a result of the round that may be settled.",
    "look at the round with `tabletool evidence DB`; have the house rule on it",
)
BOXES_UNCLEAR = Code(
    "boxes_unclear",
    "The boxes of a card round do not say which bet is on which, or who decided what.",
    "name each bet of the round in one box, and decisions by the players whose bets are there",
)
RECORD_CODES: tuple[Code, ...] = (
    DUPLICATE_ID,
    OUTCOME_NOT_ONE,
    NEEDS_RULING,
    NO_RESULT,
    BOXES_UNCLEAR,
)

Schema = Mapping[str, object]


class Record(Declared, frozen=True, kw_only=True):
    """The fields of a round of any game; each game adds its bets, outcome and table."""

    rules: Text
    game: Text


class Pool(NamedTuple):
    """Money that players staked against each other, not against a bank.

    put_in: cents in the pots by bet, called or not. dead: of no player's own, for who has a pot
    to win it whatever he put in. rake: of the house.
    """

    put_in: Mapping[str, int]
    dead: int
    rake: int


class Round(NamedTuple):
    """A round ready to settle.

    outcome: key into the verdicts of its bets. more: other fields of the answer besides the
    settlements. limits: those its bets were measured by, None without. pool: None where all stakes
    are against the bank. entered: the fields of bets that follow those of the record, which says
    them in another way.
    """

    bets: list[CompiledBet]
    outcome: Any
    more: Mapping[str, object] = MappingProxyType({})
    limits: StakeLimits | None = None
    pool: Pool | None = None
    entered: Sequence[Mapping[str, object]] = ()


AnyRecord = TypeVar("AnyRecord", bound=Record)


Beside = Literal["slip", "player", "round"]


class Drawing(NamedTuple):
    """How the balls that a machine drew become the outcome of a game."""

    is_in_order: bool = False
    """The order of the balls matters; else they are sorted."""
    counts: tuple[int, int] | None = None
    """How many are drawn of how many, if that is always the same."""


class ChipsOn(NamedTuple):
    """One bet of a call bet: its slip and its stake, cents."""

    slip: Mapping[str, object]
    stake: int


Announced = Callable[[str, str | None, Mapping[str, object], Sequence[str]], list[ChipsOn]]
"""Of edition, variant, the fields of a call bet and those the table accepts."""


class Offer(Protocol):
    """A game as a table offers it. A bet is compiled once, when it is accepted."""

    @property
    def outcome(self) -> "type[Outcome]":
        """The type of the outcome."""

    def accept(self, slip: Any, /) -> CompiledBet:
        """Compile a bet that is on the table. Raises RuleViolation if it is not valid."""

    def result(self, outcome: Any, /) -> Any:
        """Return the key of an outcome. Raises RuleViolation at an impossible one."""

    def decide(self, bets: Sequence[CompiledBet], result: Any, /) -> Round:
        """Return bets that are ready to settle by a result. Raises RuleViolation."""


@dataclass(frozen=True, kw_only=True)
class GameFacts:
    """What the host knows of a game besides its bets and how they are settled."""

    name: str
    """Id in records, terms and the API."""
    measured: Beside = "round"
    """What a bet is measured with when it is placed: its slip alone, and so it is settled, the
    other bets of its player, or all of the round. "round" is right for every game, and slow."""
    placed_later: str | None = None
    """Kind of bet placed after the deal: a pit accepts none after no more bets."""
    needed_limit: str | None = None
    """Limit a table must state: what a bet costs, what a player must hold for a hand at least."""
    interrupted: str | None = None
    """Article of de-live by which an interruption invalidates the round."""
    dice: int | None = None
    """How many dice are thrown."""
    equally_likely: Callable[[str, str | None], Sequence[Mapping[str, object]]] | None = None
    """Returns the outcomes of an edition and variant, where all are equally likely and no decision
    of a player changes them."""
    dealing: SharedDeal | BoxDeal | None = None
    """How a shoe deals it; None if no shoe can tell whose cards are whose."""
    drawing: Drawing | None = None
    announced: Announced | None = None
    """Returns the bets of a call bet; None for a game without."""


@dataclass(frozen=True, kw_only=True)
class RecordGame(GameFacts, Generic[AnyRecord]):
    """How a game is settled from records."""

    record: type[AnyRecord]
    """The type of a record."""
    play: Callable[[AnyRecord], Round]
    """Returns bets and outcome of a record, or raises RuleViolation at the first error."""
    offer: Callable[[AnyRecord], Offer] | None = None
    """Returns the game of a record, whose bets and outcome do not matter; needed where a bet is
    measured by its slip alone."""
    constraints: Schema
    """Constraints of the JSON Schema of a record besides its fields."""
    kinds: tuple[str, ...] = ()
    """Its bets by name, in any edition, where it lists them."""


class Outcome(Declared, frozen=True, kw_only=True):
    """A result or a void.

    A game adds the fields of its results; without the first there is no result. `settle.schema`
    states the same rule.
    """

    void: Annotated[Text | None, Meta(description="Why; every bet stays in play.")] = None

    @classmethod
    @cache
    def of_result(cls) -> list[str]:
        """Return the names of the fields of a result."""
        return [name for name in cls.__struct_fields__ if name != "void"]

    def has_result(self) -> bool:
        """Whether there is a result; raise RuleViolation unless result or void is given."""
        names = self.of_result()
        present = [name for name in names if getattr(self, name) is not None]
        if (names[0] in present) == (self.void is not None) or (self.void is not None and present):
            which = "both are" if present else "neither is"
            what = f"one of {names[0]} and void is needed, {which} given"
            raise RuleViolation(OUTCOME_NOT_ONE, what, "outcome")
        return self.void is None


class Bet(Protocol):
    """The fields common to every bet."""

    @property
    def id(self) -> str:
        """Unique in its round."""


AnyBet = TypeVar("AnyBet", bound=Bet)


def placed(
    bets: Sequence[AnyBet], place_bet: Callable[[AnyBet], CompiledBet]
) -> list[CompiledBet]:
    """Return the bets of a round as placed, in order; ids are unique. Raises RuleViolation."""
    compiled: list[CompiledBet] = []
    places: dict[str, int] = {}
    for place, bet in enumerate(bets):
        try:
            compiled.append(place_bet(bet))
        except RuleViolation as refusal:
            raise refusal.under(f"bets[{place}]") from None
        first = places.setdefault(bet.id, place)
        if first != place:
            what = f"id {shown(bet.id)} is that of bets[{first}] too"
            raise RuleViolation(DUPLICATE_ID, what, f"bets[{place}].id")
    return compiled

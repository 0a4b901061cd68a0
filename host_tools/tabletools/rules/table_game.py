"""Rounds of the table games as records: one implementation for all games built on `rules.game`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

from msgspec import Meta

from tabletools.rules import records
from tabletools.rules.amounts import KEY, decided
from tabletools.rules.bets import CompiledBet
from tabletools.rules.codes.bets import GAME_NOT_IN_RULES, UNKNOWN_RULES, UNKNOWN_VARIANT
from tabletools.rules.declared import Stake, Text, needed, verify_names
from tabletools.rules.game import Game, Kind, MismatchError, Slip
from tabletools.rules.limit_exceptions import ExceptionsTable, Maxima, Measures, exceptions_of
from tabletools.rules.limits import Limits
from tabletools.rules.records import Round, Schema, placed
from tabletools.rules.selection import Nothing, OneOf
from tabletools.rules.verdict import void
from tabletools.rules.violation import RuleViolation, shown, within

EDITIONS = ("hc2011", "hc2023", "de-live", "gr2003")
_MOST_LISTED = 20
"""Rows of a table of maxima that a schema lists."""


class Cancelled(NamedTuple):
    """An outcome that returns every stake of its round. article: the rule that says so."""

    article: str


class Table(ExceptionsTable, frozen=True, kw_only=True):
    """Options and limits; with limits, new bets are verified as at placement."""

    minimum: Annotated[
        Stake | None,
        Meta(description="Displayed minimum, cents; left out with all other limits: none."),
    ] = None
    maximum: Annotated[
        dict[Text, Stake | None] | None,
        Meta(description="Cents per player and chance; left out: as printed."),
    ] = None
    not_offered: tuple[Text, ...] | None = None

    def limits(self, game: Game) -> Limits | None:
        """Return the limits of the table, None if it states no more than the game's options."""
        if (self.minimum, self.maximum, self.not_offered) == (None, None, None):
            if self.has_exceptions:
                needed(self.minimum, "minimum")
            return None
        minimum = needed(self.minimum, "minimum")
        limits = self._limits(game, minimum, self.maximum)
        measures = Measures(
            game.edition,
            limits.minimum,
            lambda chance: chance.row,
            lambda maxima: _by_row(game, maxima),
            lambda own: self._limits(game, own.minimum, own.maximum),
            "1:1(13)" if game.edition == "hc2023" else None,
        )
        return replace(limits, exceptions=exceptions_of(self, limits, minimum, measures))

    def _limits(self, game: Game, minimum: int, maxima: Maxima | None) -> Limits:
        own = None if maxima is None else _by_row(game, maxima)
        return game.limits(minimum, own, self.not_offered or ())


def _by_row(game: Game, maxima: Maxima) -> dict[str, int]:
    with within("maximum"):
        verify_names(maxima, game.rows)
    return {row: cents for row, cents in maxima.items() if cents is not None}


AnyOutcome = TypeVar("AnyOutcome")
AnyTable = TypeVar("AnyTable", bound=Table)


class Record(records.Record, Generic[AnyOutcome, AnyTable], frozen=True, kw_only=True):
    """One round of a table game."""

    variant: Text | None = None
    bets: tuple[Slip, ...]
    outcome: AnyOutcome
    table: AnyTable | None = None


@dataclass(frozen=True, slots=True)
class TableOffer(Generic[AnyOutcome, AnyTable]):
    """A table game as one table offers it, see `records.Offer`."""

    game: Game
    table: AnyTable | None
    outcome: type[AnyOutcome]
    read_outcome: Callable[[Game, AnyOutcome, AnyTable | None], Any]

    def accept(self, slip: Slip) -> CompiledBet:
        """Compile a bet that is on the table. Raises RuleViolation if it is not valid."""
        return self.game.accept(slip)

    def result(self, outcome: AnyOutcome) -> Any:
        """Return the key to the verdicts, or Cancelled. Raises RuleViolation."""
        return self.read_outcome(self.game, outcome, self.table)

    def decide(self, bets: Sequence[CompiledBet], result: Any) -> Round:
        """Return bets that are ready to settle by a result. Raises RuleViolation."""
        if isinstance(result, Cancelled):
            return Round([decided(bet, void(result.article)) for bet in bets], KEY)
        self.game.verify(bets, result)
        bets = list(self.game.reopened(bets, result))
        return Round(bets, self.game.results(bets, result))


@dataclass(frozen=True, kw_only=True)
class TableGame(records.GameFacts, Generic[AnyOutcome, AnyTable]):
    """How rounds of one game are settled (see `records.RecordGame`).

    games: as settled without a table, by edition and variant; the variant may be left out if there
    is only one. outcome, table: types of the fields. read_outcome: returns the key to the
    verdicts. at_table: the game as a table offers it. on_schemas: JSON Schemas of selections that
    cannot be listed, by kind. example: bets and an outcome.
    """

    games: Mapping[tuple[str, str | None], Game]
    outcome: type[AnyOutcome]
    table: type[AnyTable]
    read_outcome: Callable[[Game, AnyOutcome, AnyTable | None], Any]
    example: tuple[Sequence[Schema], Schema]
    on_schemas: Mapping[str, Schema] = field(default_factory=dict)
    at_table: Callable[[Game, AnyTable], Game] = lambda game, _table: game

    def __post_init__(self) -> None:
        """Raise MismatchError where facts about this game contradict each other."""
        kinds = [set(game.kinds) for game in self.games.values()]
        for (edition, _), game in self.games.items():
            if (self.name, edition) != (game.name, game.edition):
                what = f"{self.name}, {edition}: its bets are those of {game.name}, {game.edition}"
                raise MismatchError(what)
        if self.placed_later is not None and not all(self.placed_later in each for each in kinds):
            raise MismatchError(f"{self.name}: placed_later is no bet: {self.placed_later}")
        if strangers := [name for name in self.on_schemas if name not in set().union(*kinds)]:
            raise MismatchError(f"{self.name}: on_schemas of no bet: {' '.join(strangers)}")

    @cached_property
    def record(self) -> type[Record[AnyOutcome, AnyTable]]:
        """The type of a record."""
        return Record[self.outcome, self.table]  # type: ignore[name-defined]

    def play(self, record: Record[AnyOutcome, AnyTable]) -> Round:
        """Return bets and outcome of one round; raise RuleViolation at the first error.

        With the limits of a `table`, new bets are verified as at placement: within the limits, and
        whole in cents for every result.
        """
        offer, limits = self.offer(record), None
        game = offer.game
        if record.table is not None:
            with within("table"):
                limits = record.table.limits(game)
        result = offer.result(record.outcome)
        if limits is None:
            bets = placed(record.bets, game.accept)
        else:
            bets = placed(record.bets, lambda slip: _accept(game, slip))
            game.verify_limits(limits, bets)
            for number, bet in enumerate(bets):
                with within(f"bets[{number}]"):
                    game.verify_whole(bet)
        return offer.decide(bets, result)._replace(limits=limits)

    def offer(self, record: Record[AnyOutcome, AnyTable]) -> TableOffer[AnyOutcome, AnyTable]:
        """Return the game of a record, whose bets and outcome do not matter.

        Raises RuleViolation.
        """
        game, table = self.rules_of(record.rules, record.variant), record.table
        if table is not None:
            with within("table"):
                game = self.at_table(game, table)
        return TableOffer(game, table, self.outcome, self.read_outcome)

    @property
    def constraints(self) -> Schema:
        """What the JSON Schema of a record says besides its fields: the bets of each edition."""
        bets, outcome = self.example
        edition, variant = next(iter(self.games))
        example = {"rules": edition, "game": self.name, "variant": variant, "bets": bets}
        return {
            "oneOf": [self._edition(*key, game) for key, game in self.games.items()],
            "examples": [{**example, "outcome": outcome}],
        }

    def _edition(self, edition: str, variant: str | None, game: Game) -> Schema:
        """Return what one variant of one edition adds: its bets and the limits of its table."""
        is_only = [known for known, _ in self.games].count(edition) == 1
        kinds = [
            _kind_schema(name, kind, self.on_schemas.get(name))
            for name, kind in game.kinds.items()
        ]
        rows = {"propertyNames": {"enum": [*game.rows]}} if len(game.rows) <= _MOST_LISTED else {}
        return {
            "required": [] if is_only or variant is None else ["variant"],
            "properties": {
                "rules": {"const": edition},
                "variant": {"enum": [variant, None] if is_only else [variant]},
                "bets": {"items": {"oneOf": kinds}},
                "table": {
                    "properties": {
                        "maximum": rows,
                        "not_offered": {"items": {"enum": [*game.kinds]}},
                    }
                },
            },
        }

    def rules_of(self, edition: str, variant: str | None) -> Game:
        """Return the game of an edition and variant; raise RuleViolation if there is none."""
        if edition not in EDITIONS:
            what = f"rules {shown(edition)} are not known; known: {' '.join(EDITIONS)}"
            raise RuleViolation(UNKNOWN_RULES, what, "rules")
        variants = [variant for known, variant in self.games if known == edition]
        if not variants:
            known = " ".join(dict.fromkeys(known for known, _ in self.games))
            what = f"{edition} has no {self.name}, it is in: {known}"
            raise RuleViolation(GAME_NOT_IN_RULES, what, "rules")
        if variant is None and len(variants) == 1:
            variant = variants[0]
        if variant not in variants:
            names = " ".join(filter(None, variants)) or "none, leave it out"
            what = f"variant {shown(variant)} is not one of {edition} {self.name}: {names}"
            raise RuleViolation(UNKNOWN_VARIANT, what, "variant")
        return self.games[edition, variant]


def without_variants(games: Mapping[str, Game]) -> dict[tuple[str, str | None], Game]:
    """Return the games of editions that have no variants."""
    return {(edition, None): game for edition, game in games.items()}


def _accept(game: Game, slip: Slip) -> CompiledBet:
    needed(slip.player, "player")
    return game.accept(slip)


def _kind_schema(name: str, kind: Kind, on: Schema | None) -> Schema:
    """Return the JSON Schema of one kind of bet. on: None lists the selections."""
    if on is None and isinstance(kind.selections, Nothing):
        on = {"enum": [None, []]}
    elif on is None:
        assert isinstance(kind.selections, OneOf)
        on = {"enum": [list(each) for each in kind.selections.all]}
    is_bare = isinstance(kind.selections, Nothing) or kind.default != ()
    return {
        "required": [] if is_bare else ["on"],
        "properties": {
            "bet": {"const": name},
            "on": on,
            "choice": {"enum": [*kind.choices, None]},
            "state": {"enum": [None, *filter(None, kind.states)]},
        },
    }

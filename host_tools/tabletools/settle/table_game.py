"""Rounds of the table games as records: one reader for all that are built on `rules.game`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tabletools.rules.bets import Placed
from tabletools.rules.codes.bets import GAME_NOT_IN_RULES, UNKNOWN_RULES, UNKNOWN_VARIANT
from tabletools.rules.game import Game, Slip
from tabletools.rules.limits import Limits
from tabletools.rules.refusal import Refusal, shown, within
from tabletools.rules.verdict import void
from tabletools.settle.amounts import KEY, decided
from tabletools.settle.misdeals import Cancelled
from tabletools.settle.records import ROUND_FIELDS, Round, read_bets
from tabletools.settle.strict_json import Fields
from tabletools.settle.table_schema import Schema, table_game_schema

BET_FIELDS = ("id", "player", "bet", "on", "stake", "choice", "state")
TABLE_FIELDS = ("minimum", "maximum", "not_offered")
EDITIONS = ("hc2011", "hc2023", "de-live", "gr2003")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableGame:
    """How rounds of one game are read.

    games: as settled without a table, by edition and variant, which may be left out where there
    is one. read_outcome: reads the outcome of a round. at_table: the game as a table offers it.
    outcome_schema, on_schemas, options: JSON Schemas of the outcome, of selections that cannot be
    listed, by kind, and of the table's own fields. example: bets and an outcome.
    """

    name: str
    games: Mapping[tuple[str, str | None], Game]
    read_outcome: Callable[[Fields, Game], Any]
    outcome_schema: Schema
    example: tuple[Sequence[Schema], Schema]
    on_schemas: Mapping[str, Schema] = field(default_factory=dict)
    options: Mapping[str, Schema] = field(default_factory=dict)
    at_table: Callable[[Game, Fields], Game] = lambda game, _table: game

    def read_round(self, record: object) -> Round:
        """Return the bets and the outcome of one round; raise Refusal at the first thing wrong.

        With the limits of a `table`, new bets are verified as at placement: whole in cents
        whatever comes, and within the limits.
        """
        fields = Fields(record, ROUND_FIELDS)
        game = self._game(fields)
        table = fields.get("table")
        limits = None
        if table is not None:
            with within("table"):
                options = Fields(table, (*TABLE_FIELDS, *self.options))
                game = self.at_table(game, options)
                limits = _read_limits(game, options)
        outcome = self.read_outcome(fields, game)
        bets = read_bets(fields, lambda bet: _read_bet(game, bet, limits))
        if limits is not None:
            game.verify_limits(limits, bets)
        if isinstance(outcome, Cancelled):
            return Round([decided(bet, void(outcome.article)) for bet in bets], KEY)
        game.verify(bets, outcome)
        return Round(bets, game.results(bets, outcome))

    def schema(self) -> dict[str, object]:
        """Return the JSON Schema of one round."""
        return table_game_schema(self)

    def _game(self, fields: Fields) -> Game:
        edition = fields.text("rules")
        if edition not in EDITIONS:
            what = f"rules {shown(edition)} are not known, known are: {' '.join(EDITIONS)}"
            raise Refusal(UNKNOWN_RULES, what, "rules")
        variants = [variant for known, variant in self.games if known == edition]
        if not variants:
            known = " ".join(dict.fromkeys(known for known, _ in self.games))
            what = f"{edition} has no {self.name}, it is in: {known}"
            raise Refusal(GAME_NOT_IN_RULES, what, "rules")
        variant = fields.optional_text("variant")
        if variant is None and len(variants) == 1:
            variant = variants[0]
        if variant not in variants:
            names = " ".join(filter(None, variants)) or "none, leave it out"
            what = f"variant {shown(variant)} is none of {edition} {self.name}: {names}"
            raise Refusal(UNKNOWN_VARIANT, what, "variant")
        return self.games[edition, variant]


def single(games: Mapping[str, Game]) -> dict[tuple[str, str | None], Game]:
    """Return the games of editions that have no variants."""
    return {(edition, None): game for edition, game in games.items()}


def _read_bet(game: Game, record: object, limits: Limits | None) -> Placed:
    fields = Fields(record, BET_FIELDS)
    slip = Slip(
        id=fields.text("id"),
        bet=fields.text("bet"),
        stake=fields.integer("stake"),
        on=fields.selection("on"),
        choice=fields.optional_text("choice"),
        state=fields.optional_text("state"),
        player=fields.optional_text("player") if limits is None else fields.text("player"),
    )
    return game.accept(slip) if limits is None else game.lay(slip)


def _read_limits(game: Game, fields: Fields) -> Limits | None:
    """Return the limits of a table, None if it says no more than the options of its game."""
    if all(fields.get(name) is None for name in TABLE_FIELDS):
        return None
    maximum = fields.get("maximum")
    given = None if maximum is None else _read_maximum(game, maximum)
    return game.limits(fields.integer("minimum"), given, fields.texts("not_offered"))


def _read_maximum(game: Game, record: object) -> dict[str, int]:
    with within("maximum"):
        fields = Fields(record, game.rows)
        read = {row: fields.optional_integer(row) for row in fields.names()}
    return {row: cents for row, cents in read.items() if cents is not None}

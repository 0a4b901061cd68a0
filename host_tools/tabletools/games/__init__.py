"""Every game the host knows, each in one module.

A module here has the id of its game and exports GAME: bets, odds, limits, articles, the shape of
the record of a round, its outcome and example, the options of a table, and what the rest of the
host asks about it (`rules.records.GameFacts`). A game that is too large is a package of that name.
What several games share is in `tabletools.rules`, which knows no game; a game imports no other.

    rules   bets, limits, verdicts, cards, dice, records: shared kinds, no game
    games   one module a game; the list of them here
    settle  settles any game of the list: JSON Lines, schema, whole card rounds

A game is added by its module: every module here that does not begin with an underscore is one.
Facts that exist twice are compared when the game is built, by `rules.game.Game`. A contradiction
is a MismatchError at import, never at a bet.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from tabletools.games import jackpot, poker_room
from tabletools.rules.dealing import SharedDeal
from tabletools.rules.declared import field_type
from tabletools.rules.game import MismatchError
from tabletools.rules.records import RecordGame
from tabletools.rules.table_game import TableGame

Game = RecordGame[Any] | TableGame[Any, Any]


def _games() -> Iterator[Game]:
    for module in iter_modules(__path__):
        if not module.name.startswith("_"):
            game: Game = import_module(f"{__name__}.{module.name}").GAME
            if game.name != module.name:
                raise MismatchError(f"{module.name}: its game is named {game.name}")
            yield game


GAMES: Mapping[str, Game] = {game.name: game for game in _games()}
"""By id."""

SHARED = frozenset(name for name, game in GAMES.items() if isinstance(game.dealing, SharedDeal))
"""Games in which all players bet on the same hands, as a shoe deals them."""
INTERRUPTED: Mapping[str, str] = {
    name: game.interrupted for name, game in GAMES.items() if game.interrupted is not None
}
"""Articles of de-live by which an interruption invalidates a round."""
BY_SLIP = frozenset(name for name, game in GAMES.items() if game.measured == "slip")
"""Games in which a bet is measured and settled by its slip and the outcome alone."""
BY_PLAYER = frozenset(name for name, game in GAMES.items() if game.measured != "round")
"""Games in which a bet is measured with those of the same player at most."""
LATER: Mapping[str, str] = {
    name: game.placed_later for name, game in GAMES.items() if game.placed_later is not None
}
"""Bets placed after cards were dealt: a pit accepts none after no more bets."""
NEEDED: Mapping[str, str] = {
    name: game.needed_limit for name, game in GAMES.items() if game.needed_limit is not None
}
"""Limits a table must state."""
JACKPOT, POKER_ROOM = jackpot.GAME.name, poker_room.GAME.name
"""Games of which the ledger knows more: meters, and pots that are not the bank's."""


def verify_facts(games: Mapping[str, Game]) -> None:
    """Raise MismatchError unless each limit that a table must state is one of its fields, and a
    game whose bets are measured by their slips compiles and decides them one by one.
    """
    for name, game in games.items():
        if game.measured == "slip" and game.offer is None:
            raise MismatchError(f"{name}: measured by the slip, and it has no offer")
        if game.needed_limit is None:
            continue
        if game.needed_limit not in field_type(game.record, "table").__struct_fields__:
            raise MismatchError(f"{name}: needed_limit is no field: {game.needed_limit}")


verify_facts(GAMES)

"""Every game the host knows, each in one module.

A module here has the id of its game and exports GAME: bets, odds, limits, articles, the shape of
the record of a round, its outcome and example, the options of a table, and what the rest of the
host asks about it (`rules.records.GameFacts`). A game that is too large is a package of that name.
What several games share is in `tabletools.rules`, which knows no game; a game imports no other.

    rules   bets, limits, verdicts, cards, dice, records: shared kinds, no game
    games   one module a game; this list
    settle  settles any game of the list: JSON Lines, schema, whole card rounds

A game is added by its module and its name in GAMES below. Facts that exist twice are compared
when the game is built: within a game by `rules.game.Game`, with the machines it is played on here.
A contradiction is a MismatchError at import, never at a bet.
"""

from collections.abc import Mapping
from typing import Any

from tabletools.games import (
    barbut,
    big_wheel,
    bingo,
    diceball,
    jackpot,
    keno,
    money_wheel,
    poker_room,
    rocket7,
    roulette,
    sic_bo,
)
from tabletools.roles import dice_tray
from tabletools.rules.game import MismatchError
from tabletools.rules.records import RecordGame
from tabletools.rules.table_game import TableGame

Game = RecordGame[Any] | TableGame[Any, Any]

GAMES: Mapping[str, Game] = {
    game.name: game
    for game in (
        roulette.GAME,
        big_wheel.GAME,
        money_wheel.GAME,
        sic_bo.GAME,
        rocket7.GAME,
        diceball.GAME,
        barbut.GAME,
        jackpot.GAME,
        keno.GAME,
        bingo.GAME,
        poker_room.GAME,
    )
}
"""By id."""


def verify_machines(games: Mapping[str, Game], dice: Mapping[str, int]) -> None:
    """Raise MismatchError unless machines and games agree. dice: thrown at a tray, by game."""
    thrown = {name: game.dice for name, game in games.items() if game.dice is not None}
    if thrown != dice:
        raise MismatchError(
            f"games.GAMES throw {thrown} dice, roles.dice_tray.DICE has {dict(dice)}"
        )


verify_machines(GAMES, dice_tray.DICE)

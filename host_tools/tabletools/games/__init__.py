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
    baccarat,
    barbut,
    big_wheel,
    bingo,
    blackjack,
    caribbean,
    casino_holdem,
    casino_war,
    diceball,
    four_card,
    high_low,
    jackpot,
    keno,
    money_wheel,
    multi_poker,
    poker_room,
    punto_banco,
    red_dog,
    rocket7,
    roulette,
    sic_bo,
    three_card,
    ultimate,
)
from tabletools.roles import dice_tray
from tabletools.rules.dealing import SharedDeal
from tabletools.rules.declared import field_type
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
        punto_banco.GAME,
        baccarat.GAME,
        high_low.GAME,
        red_dog.GAME,
        casino_war.GAME,
        three_card.GAME,
        caribbean.GAME,
        multi_poker.GAME,
        casino_holdem.GAME,
        four_card.GAME,
        ultimate.GAME,
        blackjack.GAME,
        jackpot.GAME,
        keno.GAME,
        bingo.GAME,
        poker_room.GAME,
    )
}
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


def verify_limits(games: Mapping[str, Game]) -> None:
    """Raise MismatchError unless each limit that a table must state is one of its fields."""
    for name, game in games.items():
        table = field_type(game.record, "table")
        if game.needed_limit not in (None, *table.__struct_fields__):
            raise MismatchError(f"{name}: needed_limit is no field: {game.needed_limit}")


def verify_machines(games: Mapping[str, Game], dice: Mapping[str, int]) -> None:
    """Raise MismatchError unless machines and games agree. dice: thrown at a tray, by game."""
    thrown = {name: game.dice for name, game in games.items() if game.dice is not None}
    if thrown != dice:
        raise MismatchError(
            f"games.GAMES throw {thrown} dice, roles.dice_tray.DICE has {dict(dice)}"
        )


verify_limits(GAMES)
verify_machines(GAMES, dice_tray.DICE)

"""Writes what the console knows of games: `python -m tabletools.api.game_facts [--check]`.

--check writes nothing and exits 1 when the file differs from what would be written.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import wrap

from tabletools.games import GAMES, Game
from tabletools.generated import write_or_check
from tabletools.roles import is_card_game, names_for
from tabletools.rules.table_game import TableGame
from tabletools.settle.json_lines import BOX_GAMES

FILE = Path(__file__).resolve().parents[1] / "console_web" / "games.js"


def _lines(name: str, facts: Mapping[str, object]) -> Iterator[str]:
    yield f"export const {name} = {{"
    for game, fact in facts.items():
        yield from wrap(f"  {game}: {fact},", 100, subsequent_indent="    ")
    yield "};"


def _bets(game: Game) -> list[str]:
    if isinstance(game, TableGame):
        return list(dict.fromkeys(kind for each in game.games.values() for kind in each.kinds))
    return [*game.kinds]


def text() -> str:
    """The module: the dice of each game, and the machine of those without cards."""
    dice = {name: game.dice for name, game in GAMES.items() if game.dice is not None}
    roles = {name: f'"{names_for(name)[0]}"' for name in GAMES if not is_card_game(name)}
    bets = {name: f"{json.dumps(_bets(game))}" for name, game in GAMES.items() if _bets(game)}
    lines = [
        "// Facts of games, written by `make gen`.",
        "",
        "/** How many dice are thrown. */",
        *_lines("DICE", dice),
        "",
        "/** The role of the machine; for cards it may be two. */",
        *_lines("ROLES", roles),
        "",
        "/** The bets of a game that has a list of them, in any edition. */",
        *_lines("BETS", bets),
        "",
        "/** Games in which each player has a box. */",
        *wrap(f"export const BOXED = {json.dumps([*BOX_GAMES])};", 100, subsequent_indent="  "),
    ]
    return "\n".join([*lines, ""])


def main(arguments: list[str]) -> int:
    """Write or check the module; returns the exit code."""
    stale = "game_facts: console_web/games.js is stale: run `make gen` and commit it"
    return write_or_check(arguments, FILE, text(), stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

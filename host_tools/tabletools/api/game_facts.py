"""Writes what the console knows of games: `python -m tabletools.api.game_facts [--check]`.

--check writes nothing and exits 1 when the file differs from what would be written.
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from tabletools.games import GAMES
from tabletools.generated import write_or_check
from tabletools.roles import is_card_game, names_for

FILE = Path(__file__).resolve().parents[1] / "console_web" / "games.js"


def _lines(name: str, facts: Mapping[str, object]) -> Iterator[str]:
    yield f"export const {name} = {{"
    yield from (f"  {game}: {fact}," for game, fact in facts.items())
    yield "};"


def text() -> str:
    """The module: the dice of each game, and the machine of those without cards."""
    dice = {name: game.dice for name, game in GAMES.items() if game.dice is not None}
    roles = {name: f'"{names_for(name)[0]}"' for name in GAMES if not is_card_game(name)}
    lines = [
        "// Facts of games, written by `make gen`.",
        "",
        "/** How many dice are thrown. */",
        *_lines("DICE", dice),
        "",
        "/** The role of the machine; for cards it may be two. */",
        *_lines("ROLES", roles),
    ]
    return "\n".join([*lines, ""])


def main(arguments: list[str]) -> int:
    """Write or check the module; returns the exit code."""
    stale = "game_facts: console_web/games.js is stale: run `make gen` and commit it"
    return write_or_check(arguments, FILE, text(), stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

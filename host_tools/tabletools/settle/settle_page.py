"""Writes the tables of docs/SETTLE.md: `python -m tabletools.settle.settle_page [--check]`.

The bets of the games without cards, and the codes. --check writes nothing and exits 1 when the
file differs from what would be written.
"""

import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tabletools.games import GAMES
from tabletools.generated import write_or_check
from tabletools.roles import is_card_game
from tabletools.rules.game import Kind
from tabletools.rules.table_game import TableGame
from tabletools.settle.json_lines import CODES

_MOST = 118
"""Characters of a row, about: its last cell continues in rows whose others are empty."""
FILE = Path(__file__).resolve().parents[2] / "docs" / "SETTLE.md"


_SELECTION = re.compile(r"(?<= )(\[[][\w,]*\])")


def _bet_words(name: str, needed: str) -> str:
    """Return a bet with the words of its selection, examples as code."""
    return f"`{name}` on " + _SELECTION.sub(r"`\1`", needed)


def _bets(kinds: Mapping[str, Kind]) -> str:
    """Return the bets as words: those whose name is enough, then each with its selection."""
    needed = {name: kind.selections.needed for name, kind in kinds.items()}
    bare = " ".join(f"`{name}`" for name, words in needed.items() if not words)
    placed = [_bet_words(name, words) for name, words in needed.items() if words]
    return "; ".join([bare, *placed] if bare else placed)


def bets() -> Iterator[str]:
    """The lines of the table of bets."""
    yield "| `game` | `rules` | bets |"
    yield "|---|---|---|"
    for name, game in GAMES.items():
        if isinstance(game, TableGame) and not is_card_game(name):
            rules = dict.fromkeys(f"`{edition}`" for edition, _ in game.games)
            kinds: dict[str, Kind] = {}
            for edition in game.games.values():
                kinds |= edition.kinds
            row = f"| `{name}` | {', '.join(rules)} |"
            for line in textwrap.wrap(_bets(kinds), _MOST - len(row), break_long_words=False):
                yield f"{row} {line} |"
                row = "| | |"


def codes() -> Iterator[str]:
    """The lines of the table of codes."""
    yield "| code | meaning | next |"
    yield "|---|---|---|"
    for code in CODES:
        yield f"| `{code.name}` | {code.meaning} | {code.remedy} |"


def with_table(text: str, name: str, lines: Iterable[str]) -> str:
    """Return a page with the table between the marks of that name written again."""
    before, rest = text.split(f"<!-- {name}: begin -->\n")
    _, after = rest.split(f"<!-- {name}: end -->")
    table = "".join(f"{line}\n" for line in lines)
    return f"{before}<!-- {name}: begin -->\n{table}<!-- {name}: end -->{after}"


def main(arguments: list[str]) -> int:
    """Write or check the page; returns the exit code."""
    text = FILE.read_text(encoding="utf-8")
    wanted = with_table(with_table(text, "bets", bets()), "codes", codes())
    stale = "documents: host_tools/docs/SETTLE.md: run `make gen`, commit it"
    return write_or_check(arguments, FILE, wanted, stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

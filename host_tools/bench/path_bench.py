"""The way of a bet and of a result through the host: calls, files, packages, SQL statements.

Counted by `sys.setprofile` and by the engine, not timed: a busy machine changes no figure; a start
is compared with a program that reads the same rows of bets and decodes their JSON. A round
of roulette at a table of a pit, in a ledger on SQLite; BEGIN and the entry in the chain are
among the statements that are counted, SQLAlchemy's and Python's own calls are not.
"""

import ast
import json
import re
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from types import FrameType

from sqlalchemy import event

from host_tools.bench.figure import judged, reported
from host_tools.bench.pairs import compared
from host_tools.tests.pit import Pit, result
from tabletools import table as table_package
from tabletools.store import Store
from tabletools.table import betting, shell
from tablewire.messages import PHASE_CLOSED, ROLES
from tablewire.roulette import WHEEL_RESULT

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(table_package.__file__).parents[1]
MANY = 10_000
_TESTS = ("tests", "bench")
# The limits of the design (architecture): calls, files, packages of a result with one bet.
CALLS, FILES, PACKAGES = 150, 25, 6
SQL = {
    "a result with 2 bets": 16,
    "a bet": 8,
    "the first bet after a start": 8,
    "a heartbeat that changes nothing": 0,
}
SUBSCRIPTS = 300
NAMED = 5
"""Files besides its own that name a role."""
HOMES = ("roles", "games", "shadow", "rulebook")
OWN_WORDS = {
    "roulette": "roulette|trial",
    "money_wheel": "money_wheel",
    "dice_tray": "dice",
    "shuffler": "shuffler",
    "card_shoe": "shoe",
    "draw_machine": "draw",
}
"""A part of the path of files that are a role's own."""
START_TIMES = 4
"""Of reading the same rows: 0.2 s where a start with 10,000 bets may take 1 s."""


class Trace:
    """Counts named functions of this project that are called, and statements of an engine."""

    def __init__(self, store: Store) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()
        """By file and function."""
        self.statements: list[str] = []
        self.rollbacks = 0
        event.listen(store.engine, "before_cursor_execute", self._on_statement)
        event.listen(store.engine, "rollback", self._on_rollback)

    def of(self, action: Callable[[], object]) -> "Trace":
        """Carry out an action and count only what it does; returns this."""
        self.calls.clear()
        self.statements.clear()
        self.rollbacks = 0
        sys.setprofile(self._on_call)
        try:
            action()
        finally:
            sys.setprofile(None)
        return self

    @property
    def files(self) -> set[str]:
        """Files whose functions were called."""
        return {file for file, _ in self.calls}

    @property
    def packages(self) -> set[str]:
        """Their folders."""
        return {str(Path(file).parent) for file in self.files}

    def _on_call(self, frame: FrameType, kind: str, _argument: object) -> None:
        code = frame.f_code
        file = Path(code.co_filename)
        if kind != "call" or code.co_name.startswith("<") or not file.is_relative_to(ROOT):
            return
        inside = file.relative_to(ROOT)
        if inside.parts[0].startswith(".") or any(name in inside.parts for name in _TESTS):
            return
        self.calls[str(inside), code.co_name] += 1

    def _on_statement(self, *details: object) -> None:
        self.statements.append(str(details[2]))

    def _on_rollback(self, _connection: object) -> None:
        self.rollbacks += 1


def _bet(pit: Pit, trace: Trace) -> Trace:
    request = pit.request(pit.ada, "straight", 500, numbers=["17"])
    return trace.of(lambda: pit.submit(request))


def _result(pit: Pit, trace: Trace, number: int) -> Trace:
    """The ball falls; only what the host does with the frame is counted."""
    pit.clock.pass_ms(10)
    wire = pit.frame(WHEEL_RESULT, result(17), number)
    return trace.of(lambda: pit.receive(wire))


def rounds(pit: Pit) -> Iterator[dict[str, object]]:
    """Yield the figures of rounds. One round goes before, so that nothing is done for the first
    time in this process.
    """
    trace = Trace(pit.ledger)
    pit.play(1, 17, (pit.ada, "red", 500))
    pit.open(2)
    bet = _bet(pit, trace)
    yield _sql("a bet", bet)
    pit.close(2)
    way = _result(pit, trace, 2)
    counted = sum(way.calls.values()), len(way.files), len(way.packages)
    named = ("calls", CALLS), ("files", FILES), ("packages", PACKAGES)
    for value, (what, target) in zip(counted, named, strict=True):
        yield _most(f"a result with 1 bet: {what}", value, what, target)
    pit.open(3)
    for _ in range(2):
        _bet(pit, trace)
    pit.close(3)
    yield _sql("a result with 2 bets", _result(pit, trace, 3))
    yield _sql("a heartbeat that changes nothing", trace.of(lambda: pit.beat(PHASE_CLOSED)))
    pit.attach()
    pit.open(4)
    first = _bet(pit, trace)
    yield _sql("the first bet after a start", first)
    yield _most("the first bet after a start: rollbacks", first.rollbacks, "rollbacks", 0)
    pit.close(4)
    pit.end(4, 17)


def _sql(what: str, trace: Trace) -> dict[str, object]:
    return _most(f"{what}: SQL", len(trace.statements), "statements", SQL[what])


def start(pit: Pit, place: str, bets: int) -> Iterator[dict[str, object]]:
    """Read the state of a table with so many open bets."""
    pit.open(5)
    player = pit.player("rich", 10**11)
    for first in range(0, bets, 250):
        requests = [
            pit.request(player, "straight", 500, numbers=[str(number % 37)])
            for number in range(first, min(first + 250, bets))
        ]
        betting.place_all(pit.ledger, pit.lease, requests, reading=pit.reading)

    def read() -> None:
        state = shell.read(pit.ledger, pit.lease)
        assert state.round is not None
        assert len(state.round.bets) == bets

    pair = compared(read, lambda: read_rows(place))
    what = f"a start with {bets} open bets"
    ratio = round(pair.times, 1)
    is_met = ratio <= START_TIMES
    yield judged(f"{what}, times its rows", ratio, "times", f"<= {START_TIMES}", is_met=is_met)
    yield reported(what, round(pair.own_s, 2), "s of CPU")


def read_rows(place: str) -> None:
    """Read the rows of all bets, and their slips from JSON."""
    with closing(sqlite3.connect(place)) as db:
        for bet in db.execute("SELECT * FROM bets"):
            json.loads(bet[4])


def subscripts() -> int:
    """Count subscripts with a string as key in the host tools."""
    count = 0
    for path in TOOLS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                count += isinstance(node.slice.value, str)
    return count


def naming(role: str) -> list[Path]:
    """Return the files of the host tools that name a role and are not its own.

    role: its name on the wire. Its own are those of HOMES, and those whose path has a word of
    OWN_WORDS. What counts are identifiers, imports and strings of one word; texts for users and
    docstrings do not.
    """
    named = re.compile(role.replace("_", "_?"), re.IGNORECASE)
    own = re.compile(OWN_WORDS[role])
    paths = (path.relative_to(TOOLS) for path in sorted(TOOLS.rglob("*.py")))
    others = (path for path in paths if path.parts[0] not in HOMES and not own.search(str(path)))
    return [path for path in others if any(map(named.search, _words(TOOLS / path)))]


@cache
def _words(path: Path) -> frozenset[str]:
    """Return the identifiers, imported modules and strings of one word of a file."""
    return frozenset(_each_word(path))


def _each_word(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Constant(value=str(text)) if not set(text) & set(" \n"):
                yield text
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.keyword(arg=str(name)) | ast.ImportFrom(module=str(name)):
                yield name


def lines() -> Iterator[dict[str, object]]:
    """Yield the lines of the packages of the host."""
    for package in sorted(path for path in TOOLS.iterdir() if path.is_dir()):
        texts = [path.read_text(encoding="utf-8") for path in package.rglob("*.py")]
        if texts:
            count = sum(text.count("\n") for text in texts)
            yield reported(f"tabletools.{package.name}", count, "lines")


def _most(name: str, value: int, unit: str, target: int) -> dict[str, object]:
    return judged(name, value, unit, f"<= {target}", is_met=value <= target)


def figures(bets: int = MANY) -> list[dict[str, object]]:
    """Measure and return the figures: name, value, unit, target, verdict."""
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "ledger")
        pit = Pit(place)
        try:
            counted = [*rounds(pit), *start(pit, place, bets)]
        finally:
            pit.ledger.close()
    keys = _most("subscripts with a string in tabletools", subscripts(), "places", SUBSCRIPTS)
    roles = (
        _most(f"{role}: named elsewhere", len(naming(role)), "files", NAMED) for role in ROLES
    )
    return [*counted, keys, *roles, *lines()]


if __name__ == "__main__":
    for figure in figures():
        print(figure)

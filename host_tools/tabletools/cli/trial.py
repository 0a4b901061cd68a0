"""`tabletool trial`: plays a wheel beside its own reader or the croupier's entry, and reports."""

import json
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from tabletools.cli.open_database import writing
from tabletools.cli.roulette_recorder import RouletteRecorder
from tabletools.cli.table_client import KeysOption, PortArgument
from tabletools.diag.report import FAILED
from tabletools.errors import ToolError
from tabletools.text_file import read_text

if TYPE_CHECKING:
    from tabletools.store import Store
    from tabletools.trial.findings import Ended
    from tabletools.trial.readings import Reading

EXAMPLES = """\b
Examples:
  tabletool trial /dev/ttyACM0 --db trial.db --numbers numbers.txt --type --spins 100
  tabletool trial /dev/ttyACM0 --db trial.db --numbers reader.csv --spins 500
  tabletool trial /dev/ttyACM0 --db trial.db --numbers numbers.txt --spins 0 --json
"""
_ROUND_WITHIN_S = 2.0
_SILENT_S = 900.0
_MOST_ROUNDS = 100_000
_Db = Annotated[
    str, typer.Option("--db", metavar="DB", help="Stores every round and its trace; made if new.")
]
_Numbers = Annotated[
    Path, typer.Option(metavar="FILE", help="Numbers of the other reader, one a line; - for none.")
]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("trial", epilog=EXAMPLES)(command)


def command(
    port: PortArgument,
    spins_db: _Db,
    numbers: _Numbers,
    typed: Annotated[
        bool, typer.Option("--type", help="Type the numbers here; they are added to FILE.")
    ] = False,
    spins: Annotated[
        int, typer.Option(min=0, max=_MOST_ROUNDS, help="Rounds in all, those of before included.")
    ] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    keys: KeysOption = None,
) -> None:
    """Play a wheel beside its own reader or the croupier's entry; bets nothing.

    Every round and its trace is stored in DB, which must not be the ledger of a pit. The numbers
    of the other reader are lines of FILE, in the order of the rounds (a line a round, - where
    there was no number), or with the time of each: `2026-11-29T20:15:02+01:00,17`. With --type a
    person types them; the table's number is not shown before. The report has the numbers that
    agree and differ, voids by code with those that were false, laps, drop lap and rest to number
    with confidence intervals, and the keys that fit this wheel better. The same command continues;
    Ctrl-C ends it with the report. Exit code 6 if a number differs.
    """
    from tabletools.trial import findings

    if not typed:
        read_text(numbers)  # a name that is wrong shows before a hundred spins, not after
    with writing(spins_db) as store:
        _verify_no_pit(store, spins_db)
        with RouletteRecorder(port, keys, spins_db, store, _MOST_ROUNDS, "trial") as recorder:
            entry = _Typed(numbers) if typed else None
            try:
                _follow(recorder, entry, spins, quiet=as_json)
            except KeyboardInterrupt:
                typer.echo("", err=as_json)
            device = recorder.device or 0
            rounds = [(each.trace, each.spin) for _, each in sorted(recorder.rounds.items())]
        ended = _round_ends(store, device)
        pairs, unmatched = _pair(numbers, ended)
    result = findings.findings(ended, pairs, len(unmatched), rounds)
    text = "\n".join(findings.lines(result, device))
    typer.echo(json.dumps(findings.data(result, device)) if as_json else text)
    if result.differ:
        raise typer.Exit(FAILED)


def _verify_no_pit(store: "Store", db: str) -> None:
    """Raise ToolError for a ledger with tables: a trial bets nothing and settles nothing."""
    from tabletools.evidence.listing import has_terms

    with store.read() as connection:
        is_pit = has_terms(connection)
    if is_pit:
        raise ToolError(
            "this is the ledger of a pit",
            where=db,
            limit="a database without tables and bets",
            step="name a new file for the trial",
        )


class _Typed:
    """Lines that a person types, each added to the file once it is a number.

    Attributes:
        count: of the entries in the file.
        is_open: whether more may come.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lines: SimpleQueue[str] = SimpleQueue()
        self.count = len(_readings(file)) if file.exists() else 0
        self.is_open = True
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin:
            self._lines.put(line)
        self._lines.put("")  # the end: a line that a person types ends with a newline

    def take(self, say: Callable[[str], None]) -> None:
        """Add what was typed since."""
        from tabletools.trial.readings import reading_of

        while True:
            try:
                line = self._lines.get_nowait()
            except Empty:
                return
            if not line:
                self.is_open = False
                return
            line = line.strip()
            try:
                reading_of(line)
            except ValueError as error:
                say(f"not stored: {error}")
                continue
            with open(self._file, "a", encoding="utf-8") as file:
                file.write(f"{line}\n")
            self.count += 1
            say(f"entry {self.count}: {line}")


def _follow(recorder: RouletteRecorder, entry: _Typed | None, spins: int, *, quiet: bool) -> None:
    """Wait for the rounds, and for the entries where they are typed. Raises ToolError."""

    def say(text: str) -> None:
        typer.echo(text, err=quiet)

    silent_s = 0.0
    while len(recorder.rounds) < spins or (
        entry is not None and entry.is_open and entry.count < spins
    ):
        news = recorder.next_rounds(_ROUND_WITHIN_S)
        silent_s = 0.0 if news else silent_s + _ROUND_WITHIN_S
        for number in news:
            asked = ": type the number on the wheel, - for none" if entry is not None else ""
            say(f"round {number} ended, {len(recorder.rounds)} of {spins}{asked}")
        before = entry.count if entry is not None else 0
        if entry is not None:
            entry.take(say)
            silent_s = silent_s if entry.count == before else 0.0
        if silent_s > _SILENT_S:
            raise ToolError(
                f"no round and no entry came within {_SILENT_S:.0f} s",
                where=f"{len(recorder.rounds)} of {spins} rounds so far, all of them stored",
                step="see why: `tabletool monitor PORT`; the same command goes on from here",
            )


class _Round(msgspec.Struct):
    """What a trial needs of a listed round."""

    device: int
    round: int
    end: str | None
    pocket: str | None
    code: int | None
    ended: datetime | None


def _round_ends(store: "Store", device: int) -> "list[Ended]":
    """Return how each round of the table ended, oldest first."""
    from tabletools.evidence.listing import round_rows
    from tabletools.trial.findings import Ended

    with store.read() as connection:
        rounds = msgspec.convert(round_rows(connection), list[_Round])
    return [
        Ended(each.round, each.pocket, each.code, each.ended.timestamp())
        for each in rounds
        if each.device == device and each.end and each.ended is not None
    ]


def _readings(file: Path) -> "list[Reading]":
    from tabletools.trial.readings import readings_of

    return readings_of(read_text(file), str(file))


def _pair(file: Path, ended: "list[Ended]") -> "tuple[list[Reading | None], list[Reading]]":
    from tabletools.trial.readings import paired

    readings = _readings(file) if file.exists() else []
    return paired(readings, [each.ended_s for each in ended])

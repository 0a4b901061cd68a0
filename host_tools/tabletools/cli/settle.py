"""`tabletool settle`: rounds as JSON Lines in, settlements as JSON Lines out."""

import json
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from shutil import get_terminal_size
from typing import Annotated, BinaryIO

import typer

from tabletools.cli.settle_recorded import opened_results
from tabletools.cli.settle_table import as_table as as_table_of
from tabletools.cli.settle_table import sentences
from tabletools.decode.stream_tags import Tags
from tabletools.errors import ToolError
from tabletools.keys import opened_keyring
from tabletools.settle import json_lines
from tabletools.settle.json_lines import Answered
from tabletools.settle.schema import settle_schema

EXAMPLES = """\b
Examples:
  tabletool settle rounds.jsonl > settled.jsonl
  tabletool settle rounds.jsonl --text
  tabletool settle rounds.jsonl --table
  tabletool settle --schema
  tabletool settle bets.jsonl --records night.db
  echo '{"rules":"hc2023","game":"roulette","variant":"french","bets":[{"id":"1","bet":"red",\
"stake":500,"choice":"half"}],"outcome":{"pocket":"0"}}' | tabletool settle
"""
STANDARD_INPUT = "-"


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("settle", epilog=EXAMPLES)(settle)


def settle(
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="Rounds as JSON Lines; - reads a pipe.")
    ] = STANDARD_INPUT,
    as_text: Annotated[
        bool, typer.Option("--text", help="Write a sentence for each bet in place of JSON.")
    ] = False,
    as_table: Annotated[
        bool,
        typer.Option("--table", help="Write a table for each round, as wide as the terminal."),
    ] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of both sides and end.")
    ] = False,
    records: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Database or capture with the results of the rounds."),
    ] = None,
    keys: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Verify the tags of a capture with this keyring."),
    ] = None,
) -> None:
    """Settle rounds: one round per line in, one answer per line out, in order.

    With --records a round may name the round of its table in place of its outcome: "recorded":
    {"round": 12}. Only records that the table authenticated with its key are settled.

    A line that cannot be settled is answered with an error and the exit code at the end is 1; the
    other lines are settled. Every amount is in cents.
    """
    if schema:
        typer.echo(json.dumps(settle_schema(), indent=2))
        return
    ring = None if keys is None else opened_keyring(keys)
    if as_text and as_table:
        raise ToolError("--text and --table are two forms of one answer", step="give one of them")
    text_of = _as_text if as_text else _as_table if as_table else _as_json
    counted = _Counted(text_of)
    with _open_input(file) as rounds:
        if records is None:
            code = json_lines.settle_command(rounds, sys.stdout.buffer, text_of=counted)
        else:
            _verify_regular(records)
            tags = Tags((lambda _device: {}) if ring is None else ring.keys_of)
            with opened_results(records, tags) as find:
                code = json_lines.settle_command(rounds, sys.stdout.buffer, find, counted)
    counted.finish(file)
    if code:
        raise typer.Exit(code)


class _Counted:
    """Counts the rounds that are answered."""

    def __init__(self, text_of: Callable[[Answered], str]) -> None:
        self._text_of = text_of
        self._rounds = 0

    def __call__(self, answered: Answered) -> str:
        self._rounds += 1
        return self._text_of(answered)

    def finish(self, file: str) -> None:
        """Say so where there was nothing to settle."""
        if not self._rounds:
            print(f"no rounds in {file}", file=sys.stderr)


def _as_json(answered: Answered) -> str:
    return json_lines.as_json(answered.reply)


def _as_text(answered: Answered) -> str:
    if sys.stdout.isatty():
        return sentences(answered, get_terminal_size().columns)
    return json_lines.as_text(answered.reply)


def _as_table(answered: Answered) -> str:
    return as_table_of(answered, get_terminal_size().columns)


def _verify_regular(records: Path) -> None:
    """Refuse a pipe or a device: the file is read twice, first to see what it is."""
    if records.exists() and not (records.is_file() or records.is_dir()):
        what = "cannot read the table's records: it is not a regular file"
        step = "write it to a file first"
        raise ToolError(what, where=str(records), step=step)


def _open_input(file: str) -> AbstractContextManager[BinaryIO]:
    if file == STANDARD_INPUT:
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(file).open("rb")
    except OSError as error:
        what = f"cannot read the rounds: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=file, step="give a file of JSON Lines, or -") from error

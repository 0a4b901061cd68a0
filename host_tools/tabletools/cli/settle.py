"""`tabletool settle`: rounds as JSON Lines in, settlements as JSON Lines out."""

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from tabletools.errors import ToolError
from tabletools.settle.lines import settle_command
from tabletools.settle.schema import settle_schema

EXAMPLES = """\b
Examples:
  tabletool settle rounds.jsonl > settled.jsonl
  tabletool settle --schema
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
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of both sides and end.")
    ] = False,
) -> None:
    """Settle rounds: one a line in, one answer a line out, in order.

    A line that cannot be settled is answered with an error and the exit code at the end is 1; the
    other lines are settled all the same. Every amount is in cents.
    """
    if schema:
        typer.echo(json.dumps(settle_schema(), indent=2))
        return
    with _opened(file) as rounds:
        code = settle_command(rounds, sys.stdout.buffer)
    if code:
        raise typer.Exit(code)


def _opened(file: str) -> AbstractContextManager[BinaryIO]:
    if file == STANDARD_INPUT:
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(file).open("rb")
    except OSError as error:
        what = f"cannot read the rounds: {error.strerror}"
        raise ToolError(what, where=file, step="give a file of JSON Lines, or -") from error

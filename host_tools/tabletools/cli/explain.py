"""`tabletool explain`: the meaning of a reason code and what to do about it."""

import json
from typing import Annotated

import typer

from tabletools import explain
from tabletools.errors import ToolError

EXAMPLES = """\b
Examples:
  tabletool explain 101
  tabletool explain short_spin --json
  tabletool explain --list
"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("explain", epilog=EXAMPLES)(command)


def command(
    code: Annotated[
        str, typer.Argument(metavar="CODE", help="Number or name of a reason code.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="One line for each code.")] = False,
) -> None:
    """Cause, remedy and rule of a void, a fault or a check."""
    if not listed and not code:
        raise ToolError("no code given", step="give a number or name, or --list")
    reasons = explain.ALL if listed else (explain.find(code),)
    for reason in reasons:
        if as_json:
            typer.echo(json.dumps(explain.as_record(reason)))
        elif listed:
            typer.echo(f"{reason.number}  {reason.kind:<5}  {reason.name:<20} {reason.cause}")
        else:
            typer.echo("\n".join(explain.as_text(reason)))

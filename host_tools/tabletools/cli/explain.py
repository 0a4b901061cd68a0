"""`tabletool explain`: the meaning of a reason code, or what a paragraph of the rules says."""

import json
from typing import Annotated

import typer

from tabletools import explain, rulebook
from tabletools.errors import ToolError
from tabletools.rules.citation import read

EXAMPLES = """\b
Examples:
  tabletool explain 101
  tabletool explain short_spin --json
  tabletool explain --list
  tabletool explain "hc2023 2:2(1)"
"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("explain", epilog=EXAMPLES)(command)


def command(
    code: Annotated[str, typer.Argument(metavar="CODE", help="Reason code or paragraph.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="One line for each code.")] = False,
) -> None:
    """Cause, remedy and rule of a void, a fault or a check; what a paragraph rules."""
    if not listed and not code:
        raise ToolError("no code given", step="give a number, a name or a paragraph, or --list")
    if not listed and rulebook.is_citation(code):
        paragraphs = [each for name in read(code).paragraphs for each in rulebook.find(name)]
        for paragraph in paragraphs:
            record = json.dumps(rulebook.as_record(paragraph), ensure_ascii=False)
            typer.echo(record if as_json else "\n".join(rulebook.as_text(paragraph)))
        return
    reasons = explain.ALL if listed else (explain.find(code),)
    for reason in reasons:
        if as_json:
            typer.echo(json.dumps(explain.as_record(reason)))
        elif listed:
            typer.echo(f"{reason.number}  {reason.kind:<5}  {reason.name:<20} {reason.cause}")
        else:
            typer.echo("\n".join(explain.as_text(reason)))

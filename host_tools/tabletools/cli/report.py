"""What a command reports: lines for a person, or with --json one JSON object a line."""

import json
from typing import Annotated, Any

import typer
from typer._click.globals import get_current_context

WORD = "--json"
_KEY = "tabletools.cli.report"


def _choose(context: typer.Context, is_json: bool) -> bool:
    context.meta[_KEY] = is_json
    return is_json


JsonOption = Annotated[
    bool, typer.Option(WORD, callback=_choose, is_eager=True, help="One JSON object a line.")
]
"""Of a command that reports with `say`, which knows whether it was given."""


def is_json() -> bool:
    """Whether the running command reports in JSON."""
    context = get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_KEY))


def say(text: str, /, **facts: Any) -> None:
    """Print a line for a person, or its facts as JSON; of a line without facts that is nothing."""
    if not is_json():
        print(text, flush=True)
    elif facts:
        print(json.dumps(facts, default=str), flush=True)

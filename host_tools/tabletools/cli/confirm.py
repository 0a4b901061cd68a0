"""Asks the user at the terminal before something is sent that stops a table."""

import sys

import typer

from tabletools.errors import ToolError

_YES = "without a terminal give --yes; nothing was sent"


def confirm(question: str, step: str = _YES) -> None:
    """Return if confirmed, else raise ToolError. step: what to do instead."""
    if not sys.stdin.isatty():
        raise ToolError(
            "confirmation needed, but standard input is not a terminal",
            where="standard input",
            step=step,
        )
    try:
        is_confirmed = typer.confirm(question)
    except typer.Abort:  # Control-C, or Control-D
        is_confirmed = False
    if not is_confirmed:
        raise ToolError("not confirmed, nothing was sent", step=step)

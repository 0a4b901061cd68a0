"""Asks the user at the terminal before something is sent that stops a table."""

import sys

import typer

from tabletools.errors import ToolError


def confirm(question: str, step: str) -> None:
    """Return if confirmed, else raise ToolError. step: what to do instead."""
    if not sys.stdin.isatty():
        raise ToolError(
            "confirmation needed, but standard input is not a terminal",
            where="standard input",
            step=step,
        )
    if not typer.confirm(question):
        raise ToolError("not confirmed, nothing was sent", step=step)

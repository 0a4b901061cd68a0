"""`tabletool maintenance` and `tabletool lock`: the console of a table, and its lock."""

from enum import StrEnum
from typing import Annotated

import typer

from tabletools import explain
from tabletools.cli.confirm import confirm
from tabletools.cli.report import JsonOption, say
from tabletools.cli.table_client import KeysOption, PortArgument, accepted, connected_client
from tabletools.errors import ToolError
from tablewire import messages as m
from tablewire.codes import FIRMWARE_MISMATCH, MAINTENANCE_OPEN

MAINTENANCE = """\b
Examples:
  tabletool maintenance /dev/ttyACM0 open
  tabletool maintenance /dev/ttyACM0 close
"""
LOCK = """\b
Examples:
  tabletool lock /dev/ttyACM0
  tabletool lock socket://127.0.0.1:4001 --keys keys.json --yes
"""
_Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


class State(StrEnum):
    """New state of the console."""

    open = "open"
    close = "close"


_STATES = {State.open: m.MAINTENANCE_OPEN, State.close: m.MAINTENANCE_CLOSED}


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("maintenance", epilog=MAINTENANCE)(maintenance)
    app.command("lock", epilog=LOCK)(lock)


def maintenance(
    port: PortArgument,
    state: Annotated[State, typer.Argument(help="New state of the console.")],
    yes: _Yes = False,
    keys: KeysOption = None,
    _json: JsonOption = False,
) -> None:
    """Open or close the console of a table without its key switch.

    Opening it voids the round, raises fault 507, which survives a power cut, and is
    recorded. Shows what the fault means, and asks for confirmation. End `collect` first: a
    table with a key has one host at a time.
    """
    _show(MAINTENANCE_OPEN)
    if state is State.open and not yes:
        confirm("Open the console? An open round is void.")
    _order(port, keys, m.MAINTENANCE, (_STATES[state],))
    is_open = state is State.open
    say("the console is open" if is_open else "the console is closed: attest now", is_open=is_open)


def lock(
    port: PortArgument, yes: _Yes = False, keys: KeysOption = None, _json: JsonOption = False
) -> None:
    """Lock a table whose firmware cannot be trusted (fault 508) until it passes attestation.

    It voids the open round and survives a power cut. Shows what the fault means and how it is
    cleared, and asks for confirmation. End `collect` first.
    """
    _show(FIRMWARE_MISMATCH)
    if not yes:
        confirm("Lock the table? An open round is void.")
    _order(port, keys, m.LOCK, ())
    say("the table is locked", is_locked=True)


def _show(code: int) -> None:
    say("\n".join(explain.as_text(explain.BY_NUMBER[code])))


def _order(port: str, keys: KeysOption, ident: int, values: tuple[int, ...]) -> None:
    with connected_client(port, keys) as client:
        answer = client.answer(ident, values)
        if answer is None:
            raise ToolError(
                "the table sent no record of it",
                where=port,
                cause="it is in that state already, or its journal is full",
                step="list the active faults: `tabletool monitor PORT --once`",
            )
        accepted(answer)

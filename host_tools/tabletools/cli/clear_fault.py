"""`tabletool clear-fault`: a technician confirms that a fault no sensor can clear is repaired."""

from typing import Annotated

import typer

from tabletools import explain
from tabletools.cli.confirm import confirm
from tabletools.cli.report import JsonOption, say
from tabletools.cli.table_client import KeysOption, accepted, connected_client
from tabletools.errors import ToolError
from tablewire.messages import CLEAR_FAULT

EXAMPLES = """\b
Examples:
  tabletool clear-fault /dev/ttyACM0 memory_damaged
  tabletool clear-fault socket://127.0.0.1:4001 505 --yes
"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("clear-fault", epilog=EXAMPLES)(command)


def command(
    port: Annotated[
        str, typer.Argument(metavar="PORT", help="Device path or socket://HOST:PORT.")
    ],
    code: Annotated[str, typer.Argument(metavar="CODE", help="Number or name of the fault.")],
    yes: Annotated[bool, typer.Option("--yes", help="It is repaired: do not ask.")] = False,
    keys: KeysOption = None,
    _json: JsonOption = False,
) -> None:
    """Clear a fault that stays active until a technician confirms that its cause is gone.

    Shows what the fault means and what has to be done first, and asks for confirmation. Every
    other fault clears automatically when measurements show that its cause is gone; the table
    refuses to clear it by command. End `collect` first: a table with a key has one host at a time.
    """
    reason = explain.find(code)
    if reason.kind != "fault":
        raise ToolError(
            f"{reason.number} {reason.name} is not a fault that can be active",
            where="CODE",
            step="nothing has to be cleared: it ended one round",
        )
    say("\n".join(explain.as_text(reason)))
    if not yes:
        confirm("Has the remedy been carried out?", "carry out the remedy first, then give --yes")
    with connected_client(port, keys) as client:
        accepted(client.ask(CLEAR_FAULT, (reason.number,)))
    say(f"{reason.number} {reason.name} cleared", cleared=reason.number, name=reason.name)

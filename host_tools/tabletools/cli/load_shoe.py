"""`tabletool load-shoe`: declares the contents of a shoe that reads its cards."""

from typing import Annotated

import typer

from tabletools import decode
from tabletools.cli.confirm import confirm
from tabletools.cli.report import JsonOption, say
from tabletools.cli.table_client import KeysOption, PortArgument, answer_of, connected_client
from tabletools.errors import ToolError
from tabletools.link import Request
from tablewire import card_shoe as words
from tablewire.codec import Frame
from tablewire.messages import HEARTBEAT

EXAMPLES = """\b
Examples:
  tabletool load-shoe /dev/ttyACM0 416
  tabletool load-shoe socket://127.0.0.1:4001 416 --burns 3 --yes
  tabletool load-shoe socket://127.0.0.1:4001 57 --continued
"""
_WITHIN_S = 5.0


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("load-shoe", epilog=EXAMPLES)(command)


def command(
    port: PortArgument,
    cards: Annotated[
        int,
        typer.Argument(
            metavar="CARDS", help="Cards in the new shoe; continued: cards that have left it."
        ),
    ],
    burns: Annotated[int, typer.Option(min=0, max=20, help="Cards to burn first.")] = 0,
    continued: Annotated[
        bool, typer.Option("--continued", help="The same shoe continues, counted by a person.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="It is counted: do not ask.")] = False,
    keys: KeysOption = None,
    _json: JsonOption = False,
) -> None:
    """Declare a new shoe, complete and shuffled, or that the same one continues.

    It voids an open round, and clears the faults whose cause is gone. End `collect` first: a table
    with a key has one host at a time.
    """
    load = words.SHOE_LOAD_CONTINUED if continued else words.SHOE_LOAD_NEW
    if not yes:
        what = f"have {cards} cards left it" if continued else f"does it hold {cards} cards"
        confirm(f"Counted by a person: {what}?", "count the cards, then give --yes")
    with connected_client(port, keys) as client:
        beat = client.wait_for(lambda frame: frame.type == HEARTBEAT, _WITHIN_S)
        number = beat.round if beat is not None else 0
        values = (load, cards, burns)
        order = Request(words.LOAD_SHOE, values, number, again_s=_WITHIN_S, tries=1)
        answer = answer_of(client.run(order))
    _show(answer)


def _show(answer: Frame | None) -> None:
    if answer is None:
        raise ToolError(
            "the table did not confirm the shoe",
            cause="it plays another role, or is busy with a card",
            step="see its state: tabletool monitor PORT",
        )
    record = decode.record(answer)
    text = decode.describe(record).strip()
    if answer.type != words.SHOE_REPORT:
        raise ToolError(f"the shoe was not accepted: {text}", step="tabletool explain CODE")
    say(text, **record)

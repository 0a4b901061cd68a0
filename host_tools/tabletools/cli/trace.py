"""`tabletool trace`: fetches the traces of the last rounds from a table into files."""

from pathlib import Path
from typing import Annotated

import typer

from tabletools.cli.named import MOST_NUMBER
from tabletools.cli.report import JsonOption, say
from tabletools.cli.table_client import KeysOption, PortArgument, TableClient, connected_client
from tabletools.errors import ToolError
from tabletools.link import ONLINE, Fetch
from tabletools.private_file import keep
from tablewire.messages import HEARTBEAT

EXAMPLES = """\b
Examples:
  tabletool trace /dev/ttyACM0 --out evidence
  tabletool trace socket://127.0.0.1:4001 --round 12
"""
# Number of rounds whose traces a table stores.
ROUNDS_ON_TABLE = 10
# A ball runs half a minute, its result takes as long at worst; then there is a pause.
PATIENCE_S = 120.0
_BEAT_WITHIN_S = 3.0
# The phases in which a fetch begins, or goes on after a refusal; and those in which it runs.
_BEGINS = ("closed",)
_RUNS = ("closed", "bets_open")


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("trace", epilog=EXAMPLES)(command)


def command(
    port: PortArgument,
    number: Annotated[
        int | None,
        typer.Option(
            "--round", min=1, max=MOST_NUMBER, metavar="N", help="One round, not all ten."
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Folder for the files.")
    ] = Path("."),
    keys: KeysOption = None,
    _json: JsonOption = False,
) -> None:
    """Fetch the traces of a table's last ten rounds, one file each, for `tabletool replay`.

    Waits while a ball runs. Exit code 1 when the table has no trace of the requested round; 3 when
    it does not answer.
    """
    try:
        with connected_client(port, keys, program="trace") as client:
            last = last_round(client)
            rounds = [number] if number else traced_rounds(last)
            count = sum(_write(client, each, out) for each in rounds)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    if not count:
        raise ToolError(
            "the table has no trace of that round" if number else "the table has no trace yet",
            where=port,
            limit=f"its last round is {last}, it keeps {ROUNDS_ON_TABLE}",
            cause="the round is too old, still running, or the power ended it",
            step="name another round, or look at what `tabletool collect` stored",
        )


def last_round(client: TableClient) -> int:
    """Return the number of the newest round. Raises ToolError."""
    beat = client.wait_for(lambda frame: frame.type == HEARTBEAT, _BEAT_WITHIN_S)
    if beat is None:
        raise client.silent()
    return beat.round


def traced_rounds(last: int) -> range:
    """Return the rounds of which a table may have a trace. last: its newest."""
    return range(max(1, last - ROUNDS_ON_TABLE + 1), last + 1)


def fetch(client: TableClient, number: int) -> bytes:
    """Fetch one trace; empty if the table has none. Raises ToolError."""
    device, limit = client.table[0], client.now_s() + PATIENCE_S
    fetch = Fetch(client.conversation, device, number)
    while not fetch.done:
        if client.now_s() > limit or client.session.state != ONLINE:
            raise client.silent()
        if client.view.phase in (_RUNS if fetch.data and not fetch.refused else _BEGINS):
            if fetch.refused:
                fetch.resume()
            fetch.step()
            client.conversation.tick(client.now_s())
        client.step()
    return fetch.data


def _write(client: TableClient, number: int, out: Path) -> bool:
    """Fetch and write one trace; False if the table has none. Raises ToolError."""
    data = fetch(client, number)
    if data:
        path = out / f"{client.table[0]}-{number}.trace"
        keep(path, data)
        say(f"{path}: {len(data)} bytes", file=str(path), round=number, bytes=len(data))
    return bool(data)

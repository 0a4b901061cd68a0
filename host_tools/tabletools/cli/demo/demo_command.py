"""The command line of `tabletool demo`: starts all parts, prints where they are, ends them."""

import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from tabletools.cli.demo import demo_estate, demo_people, menu, parts
from tabletools.cli.emulate.serving import caught_signals, interrupted_by_signals
from tabletools.errors import ToolError

EXAMPLES = """\b
Examples:
  tabletool demo
  tabletool demo --estate
  tabletool demo --port 8080 --only roulette --only dice
"""
KINDS = [table.kind for table in menu.TABLES]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("demo", epilog=EXAMPLES)(command)


def command(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the console; 0: a free one.")
    ] = 0,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help=f"Such tables: {', '.join(KINDS)}."),
    ] = None,
    estate: Annotated[
        bool, typer.Option("--estate", help="Two sites and their centre, on nats-servers.")
    ] = False,
) -> None:
    """Run an emulated pit in real time: tables, host, console, players; Ctrl-C ends it.

    Each table is the shipped firmware on a MicroPython VM with a unique key. Everything is in a
    temporary folder that is removed at the end; nothing is reachable from another machine.
    """
    for kind in only or ():
        if kind not in KINDS:
            raise ToolError(f"no table {kind!r}", where="--only", limit=", ".join(KINDS))
    tables = [table for table in menu.TABLES if table.kind in (only or KINDS)]
    with caught_signals() as caught, ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="tablewire-demo-")))
        with interrupted_by_signals():  # to start takes minutes on a busy machine
            if estate:
                running = demo_estate.start(stack, folder, tables if only else menu.ESTATE, port)
            else:
                running = _start_pit(stack, folder, tables, port)
        _await_end(running, caught)
    typer.echo("ended")


def _start_pit(
    stack: ExitStack, folder: Path, tables: list[menu.DemoTable], port: int
) -> list[parts.Part]:
    """Start tables, host and people of one pit; returns its processes."""
    typer.echo(f"starting {len(tables)} tables on emulated boards")
    stands = parts.stands(stack, folder, tables)
    url, password = parts.host(stack, folder, tables, stands, port)
    over = threading.Event()
    stack.callback(over.set)
    demo_people.seat_players(url, password, tables, over)
    attend(url, password, tables, over)
    typer.echo(f"\nconsole: {url}\nlog in as Sue (or Dan, Cas, Tim, Amy), password: {password}")
    typer.echo(
        "Sue is a supervisor, Dan a dealer, Cas a cashier, Tim a technician, Amy an auditor."
    )
    return stands


def _await_end(running: list[parts.Part], caught: Sequence[object]) -> None:
    """Wait for Ctrl-C. Raises ToolError for a part that ends by itself."""
    typer.echo("Ctrl-C ends all of it.")
    while not caught:
        gone = parts.first_gone(running)
        if gone is not None:
            raise ToolError(
                f"{gone.name} ended unexpectedly with exit code {gone.process.returncode}",
                cause=gone.said(),
                step="report it",
            )
        time.sleep(0.2)
    typer.echo("ending")


def attend(url: str, password: str, tables: list[menu.DemoTable], over: threading.Event) -> None:
    """Let the dealer Dan answer tables that need a dealer."""
    dan = demo_people.Caller(url)
    dan.login("Dan", password)
    orders = {table.name: table.declares for table in tables if table.declares is not None}
    led = {table.name for table in tables if table.is_led}
    for work, work_for in ((demo_people.attend, orders), (demo_people.lead, led)):
        if work_for:
            arguments = (dan, work_for, over)
            threading.Thread(target=work, args=arguments, daemon=True).start()

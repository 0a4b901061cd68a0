"""`tabletool wheelline`: the one-line status of automatic wheels, received and sent."""

import socket
import threading
import time
from contextlib import closing
from typing import Annotated

import typer

from tabletools.cli.command_group import CommandGroup, examples_of
from tabletools.cli.feed import LedgerOption, open_store, stopping
from tabletools.cli.open_database import explaining
from tabletools.cli.report import JsonOption, say
from tabletools.cms.wheel_line import (
    DIALECTS,
    Display,
    Happened,
    WheelReader,
    WheelTable,
    cut,
    serve_lines,
    shown_of,
)
from tabletools.errors import UNREACHABLE, ToolError
from tabletools.evidence import claim, let_go, renew
from tabletools.link import Port, PortError, open_port
from tabletools.money import play_queries
from tabletools.store import LedgerRejection, Store

BAUD = 9600
READ_BYTES = 4096
IDLE_S = 0.05
RENEW_S = 3.0
EXAMPLES = """\b
Examples:
  tabletool wheelline read /dev/ttyUSB0 --dialect ss2
  tabletool wheelline in socket://10.0.0.9:4001 --dialect mercury --db pit.ledger --table 3
  tabletool wheelline out --db pit.ledger --table 3 --listen 127.0.0.1:4010
  tabletool wheelline out --db pit.ledger --table 3 --port /dev/ttyUSB1
"""
PortArgument = Annotated[str, typer.Argument(metavar="PORT", help="Device path or socket:// URL.")]
DialectOption = Annotated[str, typer.Option("--dialect", help=f"{' or '.join(DIALECTS)}.")]
TableOption = Annotated[int, typer.Option("--table", min=1, help="Number of the casino table.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    group = typer.Typer(
        cls=CommandGroup,
        help="The one-line status of automatic wheels, in and out.",
        rich_markup_mode=None,
    )
    for name, command in (("read", read), ("in", take_in), ("out", send_out)):
        group.command(name, epilog=examples_of(EXAMPLES, f"wheelline {name}"))(command)
    app.add_typer(group, name="wheelline", epilog=EXAMPLES)


def read(port: PortArgument, dialect: DialectOption, _json: JsonOption = False) -> None:
    """Show what a wheel does, and lines that are damaged; settles and stores nothing."""
    reader, rest, damaged = _reader(dialect), b"", 0
    with stopping() as stop, closing(_opened_port(port)) as line:
        while not stop.is_set():
            lines, rest = cut(rest + _data(line, stop, port))
            events = [happened for one in lines for happened in reader.feed(one, _now_ms())]
            for happened in [*events, *reader.quiet(_now_ms())]:
                _say(happened, "")
            if reader.damaged > damaged:
                damaged = reader.damaged
                say(f"damaged  {reader.last_damaged}", damaged_line=str(reader.last_damaged))
    _say_sum(reader)


def take_in(
    port: PortArgument,
    dialect: DialectOption,
    ledger: LedgerOption,
    table: TableOption,
    _json: JsonOption = False,
) -> None:
    """Connect a wheel with a status line as a table of the ledger.

    The line is not authenticated. Its number settles a round only where the terms of the table
    have `trust_status_line = true`; otherwise two named users rule on each round. It owns the
    table as `serve` does; end it before another host takes over the table.
    """
    _reader(dialect)
    with open_store(ledger) as store, stopping() as stop, closing(_opened_port(port)) as line:
        try:
            _follow(store, (line, port), (table, dialect), stop)
        except LedgerRejection as refused:
            raise ToolError(refused.what, where=f"table {table}", step=refused.step) from refused


def send_out(
    ledger: LedgerOption,
    table: TableOption,
    listen: Annotated[
        str | None, typer.Option("--listen", metavar="HOST:PORT", help="Displays connect here.")
    ] = None,
    port: Annotated[
        str | None, typer.Option("--port", metavar="PORT", help="Serial port of a display.")
    ] = None,
    _json: JsonOption = False,
) -> None:
    """Show a table on displays that read a status line, twice a second.

    From settled results only; a void shows warning 2 and no number. The lines prove nothing.
    """
    if (listen is None) == (port is None):
        raise ToolError(
            "one way out is needed", where="wheelline out", step="give --listen or --port"
        )
    display = Display()
    with open_store(ledger) as store, explaining(ledger), stopping() as stop:
        with store.read() as connection:
            play_queries.table_row(connection, table)  # an unknown table is refused

        def next_line() -> bytes:
            return display.lines(shown_of(store, table), time.monotonic())

        next_line()  # an unknown table is reported at once
        if listen is not None:
            with closing(_listener(listen)) as listener:
                say(f"displays: {_address(listener)}", displays=_address(listener))
                serve_lines(listener, next_line, stop)
            return
        with closing(_opened_port(str(port))) as line:
            while not stop.wait(0.5):
                line.write(next_line())


def _follow(
    ledger: Store, source: tuple[Port, str], what: tuple[int, str], stop: threading.Event
) -> None:
    """source: port and its name. what: table and dialect."""
    lease = claim(ledger, what[0], f"wheelline {socket.gethostname()}")
    wheel = WheelTable(ledger, lease, what[1], say=_say)
    renewed = time.monotonic()
    try:
        while not stop.is_set():
            wheel.take(_data(source[0], stop, source[1]), _now_ms())
            wheel.quiet(_now_ms())
            if ledger.bets_overdue(what[0]):
                wheel.overdue()
            if time.monotonic() - renewed > RENEW_S:
                wheel.lease, renewed = renew(ledger, wheel.lease), time.monotonic()
    finally:
        let_go(ledger, wheel.lease)
        _say_sum(wheel.reader)


def _data(line: Port, stop: threading.Event, name: str) -> bytes:
    try:
        data = line.read(READ_BYTES)
    except OSError as error:
        raise ToolError(
            f"the line was lost: {error}",
            where=name,
            step="check the cable",
            exit_code=UNREACHABLE,
        ) from error
    if not data:
        stop.wait(IDLE_S)
    return data


def _opened_port(name: str) -> Port:
    try:
        return open_port(name, baud=BAUD)
    except PortError as error:
        raise ToolError(
            error.what, where=name, cause=error.cause, step=error.step, exit_code=UNREACHABLE
        ) from error


def _reader(dialect: str) -> WheelReader:
    try:
        return WheelReader(dialect)
    except ValueError as error:
        raise ToolError(str(error), where="--dialect", step="see its manual") from error


def _listener(text: str) -> socket.socket:
    host, _, port = text.rpartition(":")
    try:
        return socket.create_server((host, int(port)))
    except (OSError, ValueError, OverflowError) as error:
        step = "give HOST:PORT, such as 127.0.0.1:4010"
        raise ToolError(f"cannot listen: {error}", where=text, step=step) from error


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"{host}:{port}"


def _say_sum(reader: WheelReader) -> None:
    text = f"{reader.lines_read} lines read, {reader.damaged} damaged"
    say(text, lines_read=reader.lines_read, damaged=reader.damaged)


def _say(happened: Happened, became: str) -> None:
    number = f" {happened.number.strip()}" if happened.number else ""
    parts = [f"{happened.kind}{number}", happened.text, became]
    facts = happened._asdict() | {"became": became}
    say("  ".join(part for part in parts if part), **facts)


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000

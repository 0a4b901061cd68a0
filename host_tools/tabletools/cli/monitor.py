"""`tabletool monitor`: a table live, as a picture, as lines or as JSON."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live

from tabletools import decode
from tabletools.authenticity import VERIFIED
from tabletools.capture import capture_to
from tabletools.cli.force import ForceOption
from tabletools.cli.likely_cause import print_cause
from tabletools.cli.reach import reach, silent
from tabletools.cli.standard_streams import is_drawable
from tabletools.cli.svg import recording, save_svg
from tabletools.console import HEIGHT, WIDTH, screen
from tabletools.console.watch import Watch, link_notice
from tabletools.decode import Record
from tabletools.keys import opened_keyring
from tabletools.link import ONLINE, Link, Session
from tabletools.private_file import NewFile

EXAMPLES = """\b
Examples:
  tabletool monitor /dev/ttyACM0
  tabletool monitor socket://127.0.0.1:4001 --record night.capture
  tabletool monitor socket://127.0.0.1:4001 --once
  tabletool monitor socket://127.0.0.1:4001 --json --for 60
  tabletool monitor /dev/ttyACM0 --keys keys.json
"""
# A table at rest reports everything within two heartbeats.
LOOK_S = 1.2
_FRAMES_A_SECOND = 8


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("monitor", epilog=EXAMPLES)(command)


def command(
    port: Annotated[
        str, typer.Argument(metavar="PORT", help="Device path or socket://HOST:PORT.")
    ],
    once: Annotated[bool, typer.Option("--once", help="Show the table once and end.")] = False,
    seconds: Annotated[
        float | None, typer.Option("--for", min=0.1, metavar="SECONDS", help="End after a time.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a record.")] = False,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE", help="Keep all bytes in a capture.")
    ] = None,
    keys: Annotated[
        Path | None,
        typer.Option("--keys", metavar="FILE", help="Begin a session with a key of this keyring."),
    ] = None,
    force: ForceOption = False,
    svg: Annotated[Path | None, typer.Option("--save-svg", hidden=True)] = None,
) -> None:
    """Watch a table live and change nothing.

    Requests the identity and acknowledges nothing. Shows a picture on a terminal, one line per
    frame elsewhere. Ends with Ctrl-C. Exit code 3 when the table does not answer, or is offline at
    the end of --for. A table with a key has one host at a time, and sends nothing before a
    session: with --keys this program becomes that host, without it frames are shown unverified.
    """
    ring = None if keys is None else opened_keyring(keys)
    with _recorder(record, port, force=force) as note:
        session = Session(keys=None if ring is None else ring.keys_of, program="monitor")
        watch = Watch(Link(port, session, record=note))
        try:
            first = reach(watch)
            if once:
                _look_once(watch, as_json=as_json)
            else:
                _follow(watch, first, seconds, as_json=as_json)
        except KeyboardInterrupt:
            pass
        finally:
            watch.link.close()
    if svg:
        _save_svg(watch, svg)
    if seconds is not None and watch.link.session.state != ONLINE:
        raise silent(watch)
    if watch.cause is not None:
        print_cause(watch.cause, quiet=as_json)


@contextmanager
def _recorder(
    file: Path | None, port: str, *, force: bool
) -> Iterator[Callable[[float, str, bytes], None] | None]:
    """Return the writer of the capture file, if one is requested."""
    if file is None:
        yield None
        return
    start = time.monotonic()
    with NewFile(file, force=force) as stream:
        started = datetime.now(UTC).isoformat(timespec="seconds")
        writer = capture_to(stream, {"source": port, "started": started})
        try:
            yield lambda now, way, data: writer.chunk(int((now - start) * 1e6), way, data)
        finally:
            writer.close()


def _look_once(watch: Watch, *, as_json: bool) -> None:
    end = time.monotonic() + LOOK_S
    while time.monotonic() < end:
        for _ in watch.step():
            pass
    session = watch.link.session
    if as_json:
        verified = watch.view.seal == VERIFIED
        facts = {"type": "table", "link": session.state, "authenticated": verified}
        print(json.dumps(facts | watch.view.facts()))
        return
    console = Console()
    console.print(
        _drawn(watch, console.width), height=min(HEIGHT, console.height - 1), width=console.width
    )


def _drawn(watch: Watch, width: int) -> object:
    return screen(watch.view, watch.link.session, watch.link.url, time.monotonic(), width)


def _follow(watch: Watch, first: list[Record], seconds: float | None, *, as_json: bool) -> None:
    end = None if seconds is None else time.monotonic() + seconds
    if as_json or not is_drawable():
        for record in first:
            _print(record, as_json=as_json)
        while end is None or time.monotonic() < end:
            for record in watch.step():
                _print(record, as_json=as_json)
        return
    width = Console().width
    with Live(_drawn(watch, width), screen=True, auto_refresh=False) as live:  # type: ignore[arg-type]
        drawn_s = time.monotonic()
        while end is None or time.monotonic() < end:
            for _ in watch.step():
                pass
            if time.monotonic() - drawn_s >= 1 / _FRAMES_A_SECOND:
                drawn_s = time.monotonic()
                live.update(_drawn(watch, live.console.width), refresh=True)  # type: ignore[arg-type]


def _print(record: Record, *, as_json: bool) -> None:
    if as_json:
        text = json.dumps(record)
    elif record["type"] == "link":
        notice = link_notice(record)
        text = "\n".join([notice.line, *notice.frame_lines])
    else:
        text = decode.line(record)
    print(text, flush=True)


def _save_svg(watch: Watch, file: Path) -> None:
    console = recording(WIDTH)
    console.print(_drawn(watch, console.width), height=HEIGHT)
    save_svg(console, f"tabletool monitor {watch.link.url}", file)

"""`tabletool trace`: the traces of the last rounds, from a table into files."""

import time
from pathlib import Path
from typing import Annotated

import typer

from tabletools.cli.named import MOST_NUMBER
from tabletools.cli.reach import reach, silent
from tabletools.cli.talk import KeysOption, PortArgument
from tabletools.console.watch import Watch
from tabletools.errors import ToolError
from tabletools.keys import opened_keyring
from tabletools.link import ONLINE, Event, Fetch, Link, Received, Session
from tabletools.private_file import opener
from tablewire.messages import FETCH_TRACE

EXAMPLES = """\b
Examples:
  tabletool trace /dev/ttyACM0 --out evidence
  tabletool trace socket://127.0.0.1:4001 --round 12
"""
# Rounds a table keeps traces of.
KEPT = 10
# A ball runs half a minute, its number takes as long at worst; then there is a pause.
PATIENCE_S = 120.0
# Phases in which no ball runs.
_IDLE = ("closed", "bets_open")


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
        Path, typer.Option("--out", metavar="FOLDER", help="Where the files go.")
    ] = Path("."),
    keys: KeysOption = None,
) -> None:
    """Fetch what a table keeps of its last ten rounds, one file each, for `tabletool replay`.

    Waits while a ball runs. Exit code 1 when the table has no trace of the round asked for; 3 when
    it does not answer.
    """
    link = Link(port, Session(keys=opened_keyring(keys).of, program="trace"))
    run = _Run(link, out)
    try:
        run.reach()
        rounds = [number] if number else range(max(1, run.round - KEPT + 1), run.round + 1)
        found = sum(run.fetch(each) for each in rounds)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    finally:
        link.close()
    if not found:
        raise ToolError(
            "the table has no trace of that round" if number else "the table has no trace yet",
            where=port,
            limit=f"its last round is {run.round}, it keeps {KEPT}",
            cause="the round is too old, still running, or the power ended it",
            step="name another round, or look into what `tabletool collect` kept",
        )


class _Run:
    """One run of the command. round: the table's present one."""

    def __init__(self, link: Link, out: Path) -> None:
        self.round = 0
        self._link = link
        self._out = out
        self._device = 0
        self._fetch: Fetch | None = None
        self._watch = Watch(link, listen=self._hear)

    def reach(self) -> None:
        """Wait until the table is heard. Raises ToolError, exit code 3."""
        reach(self._watch)

    def fetch(self, number: int) -> bool:
        """Fetch and write one trace; False when the table has none. Raises ToolError."""
        limit = time.monotonic() + PATIENCE_S
        self._fetch = Fetch(self._device, number)
        while not self._fetch.done:
            if time.monotonic() > limit or self._link.session.state != ONLINE:
                raise silent(self._watch)
            self._step()
            if self._fetch.refused:
                self._fetch = Fetch(self._device, number)
        if self._fetch.data:
            self._write(number, self._fetch.data)
        return bool(self._fetch.data)

    def _step(self) -> None:
        assert self._fetch is not None
        if self._watch.view.phase in _IDLE:
            now_s = time.monotonic()
            question = self._fetch.question(now_s)
            if question is not None:
                self._link.session.command(FETCH_TRACE, question, self.round)
        for _ in self._watch.step():
            pass

    def _hear(self, event: Event) -> None:
        if isinstance(event, Received):
            self._device = event.frame.device
            self.round = event.frame.round
            if self._fetch is not None:
                self._fetch.take(event.frame)

    def _write(self, number: int, data: bytes) -> None:
        path = self._out / f"{self._device}-{number}.trace"
        try:
            self._out.mkdir(parents=True, exist_ok=True)
            with open(path, "wb", opener=opener) as file:
                file.write(data)
        except OSError as error:
            what = f"cannot write the trace: {(error.strerror or str(error)).lower()}"
            raise ToolError(what, where=str(path), step="name a folder you own") from error
        print(f"{path}: {len(data)} bytes")

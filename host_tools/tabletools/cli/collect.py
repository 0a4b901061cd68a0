"""`tabletool collect`: stores the records of a table, and acknowledges them once they are safe."""

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tabletools import decode
from tabletools.authenticity import LABELS
from tabletools.cli.open_database import place_text, writing
from tabletools.cli.reach import reach, silent
from tabletools.cli.release import ManifestOption, PublicOption, checked, public_key
from tabletools.cli.table_client import KeysOption, PortArgument
from tabletools.console.watch import Watch, link_notice
from tabletools.decode import Record
from tabletools.errors import ToolError
from tabletools.keys import opened_keyring
from tabletools.link import ONLINE, Link
from tabletools.release import Manifest

if TYPE_CHECKING:
    from tabletools.pit.collector import Collector

EXAMPLES = """\b
Examples:
  tabletool collect /dev/ttyACM0 --db night.db
  tabletool collect socket://127.0.0.1:4001 --db night.db --for 60 --json
  tabletool collect /dev/ttyACM0 --db night.db --keys keys.json
  tabletool collect /dev/ttyACM0 --db night.db --manifest pico2.json --key house.pub
"""
_Db = Annotated[
    str,
    typer.Option(
        "--db",
        metavar="DB",
        help="A file, created if missing, or postgresql://USER@HOST/NAME.",
    ),
]
_SILENT = frozenset(("heartbeat", "state", "identity", "trace_chunk", "configuration"))


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("collect", epilog=EXAMPLES)(command)


def command(
    port: PortArgument,
    db: _Db,
    seconds: Annotated[
        float | None, typer.Option("--for", min=0.1, metavar="SECONDS", help="End after a time.")
    ] = None,
    keep_going: Annotated[
        bool,
        typer.Option("--keep-going", help="Continue when the table is stopped or a write fails."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    keys: KeysOption = None,
    manifest: Annotated[Path | None, ManifestOption] = None,
    key: Annotated[Path | None, PublicOption] = None,
) -> None:
    """Store the records of a table, and acknowledge them once they are on disk.

    Only records that a table has authenticated with its key are ever settled. A forged frame is
    refused and stops the table; a table without a key is for the bench only. With --manifest and
    --key the table attests its program when it connects and every 24 hours, between rounds; a
    table that differs, does not answer or went back to an older release is stopped and locked
    (fault 508). A repeat is stored once. A record or result that contradicts a stored one is
    refused and stops the table: exit code 1. A lost link closes the bets within 2 s. Ends with
    Ctrl-C. Exit code 3 when the table does not answer, or is offline at the end of --for.
    """
    from tabletools.pit.collector import Collector

    release = _release(manifest, key)
    ring = opened_keyring(keys)
    with writing(db) as store:
        collector = Collector(store, ring.keys_of, manifest=release)
        link = Link(port, collector.session)
        watch = Watch(link, listen=collector.take)
        run = _Run(collector, watch, db, keep_going=keep_going, as_json=as_json)
        with _end_on_terminate():
            try:
                run.follow(seconds)
            except KeyboardInterrupt:
                pass
            finally:
                link.close()
                run.say_sum()
                _end(collector)
        if seconds is not None and link.session.state != ONLINE:
            raise silent(watch)


def _release(manifest: Path | None, key: Path | None) -> Manifest | None:
    if manifest is None and key is None:
        return None
    if manifest is None or key is None:
        raise ToolError(
            "--manifest and --key go together",
            where="--manifest" if manifest is None else "--key",
            step="give the manifest of the release and the public key of its signer",
        )
    with checked(manifest):
        return public_key(manifest, key)


@contextmanager
def _end_on_terminate() -> Iterator[None]:
    """A service manager ends programs with SIGTERM."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(collector: "Collector") -> None:
    from tabletools.store import LedgerRejection, StoreError

    # An error of the database was reported already; the next start closes what is open.
    with suppress(StoreError, LedgerRejection):
        collector.leave()


class _Run:
    """One run of the command."""

    def __init__(
        self,
        collector: "Collector",
        watch: Watch,
        place: str,
        *,
        keep_going: bool,
        as_json: bool,
    ) -> None:
        self._collector = collector
        self._watch = watch
        self._place = place_text(place)
        self._keep_going = keep_going
        self._as_json = as_json

    def follow(self, seconds: float | None) -> None:
        """Store until the time is over. Raises ToolError, StoreError, KeyboardInterrupt."""
        end = None if seconds is None else time.monotonic() + seconds
        if not self._collector.attests:
            self._say("none", "the program of the table is not attested: no --manifest")
        try:
            for record in reach(self._watch):
                self._show(record)
        except ToolError:
            self._check()  # a table that was stopped by these records is reported first
            raise
        self._check()
        while end is None or time.monotonic() < end:
            for record in self._watch.step():
                self._show(record)
            self._collector.tick()
            self._check()

    def say_sum(self) -> None:
        """Print the last line: what was stored."""
        collector, session = self._collector, self._collector.session
        if self._as_json:
            facts = {
                "stored": collector.stored,
                "repeats": collector.repeats,
                "missed": session.missed,
            }
            facts |= {"tampered": session.tampered}
            print(json.dumps({"type": "sum", **facts}), flush=True)
            return
        seal = self._watch.view.seal
        trust = "nothing believed" if seal is None else LABELS[seal]
        tampered = f", {session.tampered} FORGED FRAMES REFUSED" if session.tampered else ""
        print(
            f"{collector.stored} records stored, {collector.repeats} repeats, {session.missed}"
            f" counters missed, {session.skipped} pieces skipped{tampered}; {trust}",
            flush=True,
        )

    def _check(self) -> None:
        """Print new alarms; end if the table is stopped or something could not be stored."""
        collector = self._collector
        failure, collector.failure = collector.failure, None
        if failure is not None:
            self._fail(failure)
            return
        for alarm in collector.take_alarms():
            self._alarm(alarm)
        for text in collector.take_matches():
            self._say("match", text)
        reason = collector.stopped()
        if reason is not None and not self._keep_going and not collector.is_locking:
            device, place = collector.device, self._place
            raise ToolError(
                f"table {device} is stopped: {reason}",
                where=place,
                cause="a defect of the table, another program, or forged records",
                step=f"see `tabletool evidence {place} --alarms`; once it is understood,"
                f" `tabletool evidence {place} --release {device} --by NAME --why TEXT`",
            )

    def _fail(self, failure: Exception) -> None:
        """Raise a failure, except one of a database that may recover, with --keep-going."""
        from tabletools.store import StoreError

        if not (self._keep_going and isinstance(failure, StoreError)):
            raise failure

    def _say(self, outcome: str, text: str) -> None:
        """Print a line about the program of the table."""
        if self._as_json:
            fact = {"type": "program", "outcome": outcome, "text": text}
            print(json.dumps(fact), flush=True)
        else:
            print(f"    program: {text}", flush=True)

    def _alarm(self, alarm: dict[str, Any]) -> None:
        if self._as_json:
            facts = {name: alarm[name] for name in ("device", "kind", "text")}
            print(json.dumps({"type": "alarm", **facts}), flush=True)
        else:
            print(f"    ALARM {alarm['kind']}: {alarm['text']}", flush=True)

    def _show(self, record: Record) -> None:
        kind = record["type"]
        if self._as_json:
            if kind not in _SILENT:
                print(json.dumps(record), flush=True)
        elif kind == "link":
            print(link_notice(record).line, flush=True)
        elif kind not in _SILENT:
            print(decode.line(record), flush=True)

"""`tabletool feed`: sends the events of a ledger to a broker, to web addresses, to a file."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tabletools.cli.open_database import explaining, place_text
from tabletools.cli.report import JsonOption, say
from tabletools.cms import Broker, FileSink, MqttSink, Sink, Sinks, WebhookSink
from tabletools.cms.broker import MQTT, NATS, BrokerError, Scheme
from tabletools.cms.mqtt_sink import Topics
from tabletools.cms.origin import SOURCE, Origin, origin_of
from tabletools.cms.sinks import PAUSE_FIRST_S, PAUSE_LONGEST_S, verify_apart
from tabletools.errors import UNREACHABLE, ToolError
from tabletools.money import outbox_queries
from tabletools.store import Store, StoreError
from tabletools.web_endpoint import secret_of

EXAMPLES = """\b
Examples:
  tabletool feed --db pit.ledger --file events.jsonl
  tabletool feed --db pit.ledger --mqtt mqtts://broker --ca ca.pem --cert pit.pem --key pit.key
  tabletool feed --db pit.ledger --nats nats://127.0.0.1 --site athens
  tabletool feed --db pit.ledger --webhook https://cms.example/tables --secrets secrets.txt
  tabletool feed --db pit.ledger --webhook https://cms.example/tables --secrets secrets.txt --dead
"""
_HELP = "correct the option; see `tabletool feed --help`"
LedgerOption = Annotated[
    str, typer.Option("--db", metavar="FILE|URL", help="The ledger: a file, or a database's URL.")
]
CaOption = Annotated[
    Path | None, typer.Option("--ca", metavar="FILE", help="Trusted certificates.")
]
CertOption = Annotated[
    Path | None, typer.Option("--cert", metavar="FILE", help="Certificate shown to the broker.")
]
KeyOption = Annotated[Path | None, typer.Option("--key", metavar="FILE", help="Its key.")]
UserOption = Annotated[str | None, typer.Option("--user", help="User at the broker.")]
PasswordOption = Annotated[
    Path | None,
    typer.Option("--password-file", metavar="FILE", help="File with the password of the user."),
]
PrefixOption = Annotated[str, typer.Option("--prefix", help="First part of every topic.")]
_Webhooks = Annotated[
    list[str] | None, typer.Option("--webhook", metavar="URL", help="A web address.")
]
_File = Annotated[
    Path | None, typer.Option("--file", metavar="FILE", help="A file of JSON Lines.")
]
_Secrets = Annotated[
    Path | None,
    typer.Option("--secrets", metavar="FILE", help="Signing secrets, one `whsec_...` per line."),
]
_Source = Annotated[
    str, typer.Option("--source", metavar="URI", help="Name of this ledger in its events.")
]
_Nats = Annotated[
    str | None, typer.Option("--nats", metavar="URL", help="The nats-server of the site.")
]
_Once = Annotated[bool, typer.Option("--once", help="End when all events are sent.")]
_Dead = Annotated[bool, typer.Option("--dead", help="List dead letters, and end.")]
_Site = Annotated[
    str, typer.Option("--site", metavar="NAME", help="Site of an estate, for --nats.")
]
_Pit = Annotated[str, typer.Option("--pit", metavar="NAME", help="Pit of the site [main].")]
_WaitForReader = Annotated[
    bool, typer.Option("--wait-for-reader", help="Keep results without a subscriber.")
]
_RetryDead = Annotated[bool, typer.Option("--retry-dead", help="Send dead letters again.")]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("feed", epilog=EXAMPLES)(command)


def command(
    ledger: LedgerOption,
    mqtt: Annotated[str | None, typer.Option("--mqtt", metavar="URL", help="A broker.")] = None,
    nats: _Nats = None,
    webhook: _Webhooks = None,
    file: _File = None,
    ca: CaOption = None,
    cert: CertOption = None,
    key: KeyOption = None,
    user: UserOption = None,
    password_file: PasswordOption = None,
    secrets: _Secrets = None,
    prefix: PrefixOption = Topics.prefix,
    source: _Source = SOURCE,
    site: _Site = "",
    pit: _Pit = "",
    wait_for_reader: _WaitForReader = False,
    once: _Once = False,
    dead: _Dead = False,
    retry_dead: _RetryDead = False,
    _json: JsonOption = False,
) -> None:
    """Send every event of a ledger, ordered within each table, until Ctrl-C.

    At least once: an event keeps its id however often it is sent. Of several processes for one
    sink, one feeds it. `tabletool serve` feeds its own. Without --once a database that is away at
    the start is waited for. Exit code 3: --once, a sink unavailable.
    """
    sinks: list[Sink] = []
    brokers = partial(broker_of, files=(ca, cert, key), user=user, password_file=password_file)
    topics = Topics(prefix)
    try:
        origin = origin_of(source, site, pit)
        if mqtt is not None:
            sinks.append(MqttSink(brokers(mqtt), topics=topics, needs_reader=wait_for_reader))
        if nats is not None:
            sinks.append(nats_sink(brokers(nats, schemes=NATS), origin))
        sinks += [WebhookSink(url, secrets_of(secrets), authority=ca) for url in webhook or ()]
        sinks += [FileSink(file)] if file is not None else []
        verify_apart(sinks)
    except (ValueError, OSError, BrokerError) as error:
        raise ToolError(str(error), where="tabletool feed", step=_HELP) from error
    _verify_any(sinks)
    if once or dead or _wait_for_database(ledger):
        _carry_out(ledger, sinks, origin, once=once, dead=dead, retry_dead=retry_dead)


def _carry_out(
    ledger: str, sinks: list[Sink], origin: Origin, *, once: bool, dead: bool, retry_dead: bool
) -> None:
    with open_store(ledger) as store:
        if retry_dead:
            _revive(store, sinks)
        if dead:
            _list_dead(store, sinks)
        else:
            _feed(Sinks(store, sinks, origin=origin), once=once)


def _verify_any(sinks: list[Sink]) -> None:
    if not sinks:
        step = "give --mqtt, --nats, --webhook or --file"
        raise ToolError("nowhere to send events", where="tabletool feed", step=step)


def broker_of(
    url: str,
    files: tuple[Path | None, Path | None, Path | None],
    user: str | None,
    password_file: Path | None,
    schemes: dict[str, Scheme] = MQTT,
) -> Broker:
    """Return a broker from the options. files: authority, certificate, key."""
    password = None
    if password_file is not None:
        password = password_file.read_text(encoding="utf-8").strip()
    authority, certificate, key = files
    identity = {"authority": authority, "certificate": certificate, "key": key, "user": user}
    broker = Broker.from_url(url, schemes, password=password, **identity)
    broker.context()  # certificates that do not fit are reported at once
    return broker


def nats_sink(broker: Broker, origin: Origin) -> Sink:
    """Return the sink that is the stream of a site. Raises ValueError."""
    from tabletools.cms.nats_sink import NatsSink  # a host without it needs no library of it

    return NatsSink(broker, origin)


@contextmanager
def open_store(ledger: str) -> Iterator[Store]:
    """Open an existing ledger, also to write. Raises ToolError."""
    with explaining(ledger):
        Store.open_existing(ledger).close()
        with closing(Store.open(ledger)) as store:
            yield store


def _wait_for_database(ledger: str) -> bool:
    """Wait until a database answers; False if a signal came first. Raises ToolError."""
    why, pause_s = "", PAUSE_FIRST_S
    with explaining(ledger), stopping() as stop:
        while not stop.is_set():
            try:
                Store.open_existing(ledger).close()
            except StoreError as error:
                if not error.is_away:
                    raise
                if error.what != why:
                    why = error.what
                    typer.echo(f"waiting for the database: {why} ({place_text(ledger)})", err=True)
                stop.wait(pause_s)
                pause_s = min(2 * pause_s, PAUSE_LONGEST_S)
            else:
                return True
    return False


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set."""
    stop = threading.Event()

    def end(_number: int, _frame: object) -> None:
        stop.set()

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def secrets_of(file: Path | None) -> list[bytes]:
    """Return the secrets in a file, one per line. Raises ValueError, OSError."""
    if file is None:
        raise ValueError(
            "a webhook needs a file of secrets (--secrets FILE), one `whsec_...` a line"
        )
    lines = file.read_text(encoding="utf-8").splitlines()
    return [secret_of(line.strip()) for line in lines if line.strip()]


def _revive(ledger: Store, sinks: list[Sink]) -> None:
    for sink in sinks:
        count = outbox_queries.revive(ledger, sink.name)
        say(f"{sink.name}: {count} events are sent again", sink=sink.name, again=count)


def _list_dead(ledger: Store, sinks: list[Sink]) -> None:
    with ledger.read() as db:
        for sink in sinks:
            for one in outbox_queries.dead(db, sink.name):
                text = f"{sink.name}  {one.event_id}  {one.attempts} attempts: {one.error}"
                facts = {"event": one.event_id, "attempts": one.attempts, "error": one.error}
                say(text, sink=sink.name, **facts)


def _feed(sinks: Sinks, *, once: bool) -> None:
    with stopping() as stop:
        if once:
            _feed_once(sinks, stop, time.monotonic)
        else:
            sinks.run(stop)
    sent = sum(feed.status.sent for feed in sinks.feeds)
    say(f"{sent} events sent", sent=sent)
    down = [feed.status.down for feed in sinks.feeds if feed.status.down]
    if once and down:
        step = "start it, or correct the address; nothing is lost: send again"
        raise ToolError(down[0], where="tabletool feed", step=step, exit_code=UNREACHABLE)


def _feed_once(sinks: Sinks, stop: threading.Event, now: Callable[[], float]) -> None:
    try:
        while sinks.run_once(now()) and not stop.is_set():
            pass
    finally:
        sinks.close()

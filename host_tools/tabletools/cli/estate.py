"""`tabletool estate`: the centre of several sites: reads their events, shows their figures."""

import json
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabletools.cli import estate_evidence, estate_offers
from tabletools.cli.command_group import CommandGroup
from tabletools.cli.feed import (
    CaOption,
    CertOption,
    KeyOption,
    PasswordOption,
    UserOption,
    broker_of,
    stopping,
)
from tabletools.cli.open_database import tool_error
from tabletools.cli.report import JsonOption, say
from tabletools.errors import ToolError

if TYPE_CHECKING:
    from tabletools.api.estate_app import CentreState
    from tabletools.cms.broker import Broker
    from tabletools.estate.figures import Row
    from tabletools.estate.model import Centre
    from tabletools.estate.reader import Reader

EXAMPLES = """\b
Examples:
  tabletool estate serve --nats nats://127.0.0.1 --site athens --site berlin --db estate.db
  tabletool estate show floor --db estate.db
"""
SERVE = """\b
Examples:
  tabletool estate serve --nats nats://127.0.0.1 --site athens --site berlin --db estate.db
  tabletool estate serve --nats tls://centre --ca ca.pem --cert centre.pem --key centre.key \
--site athens --db postgresql://estate@db.house/estate --parquet events
  tabletool estate serve --nats nats://127.0.0.1 --site athens --site berlin --db estate.db \
--config centre.toml --sees Amy=athens
"""
SHOW = """\b
Examples:
  tabletool estate show floor --db estate.db
  tabletool estate show hold --db estate.db --by game --hours 168
  tabletool estate show alarms --db estate.db --open-for 3600 --json
"""
WHERE = """\b
Examples:
  tabletool estate where "Roulette 1" --db estate.db
"""
_Db = Annotated[
    str, typer.Option("--db", metavar="DB", help="A file, or postgresql://USER@HOST/NAME.")
]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    group = typer.Typer(cls=CommandGroup, help=_group.__doc__, no_args_is_help=True)
    group.command("serve", epilog=SERVE)(serve)
    group.command("show", epilog=SHOW)(show)
    group.command("where", epilog=WHERE)(where)
    group.command("replay", epilog=estate_evidence.REPLAY)(estate_evidence.replay)
    group.command("check-archives", epilog=estate_evidence.CHECK)(estate_evidence.check_archives)
    group.command("make-offer", epilog=estate_offers.MAKE)(estate_offers.make_offer)
    group.command("offers", epilog=estate_offers.SEE)(estate_offers.offers)
    app.add_typer(group, name="estate", epilog=EXAMPLES)


def _group() -> None:
    """The centre of several sites: reads their events, shows their figures."""


def serve(
    nats: Annotated[str, typer.Option("--nats", metavar="URL", help="Server of the centre.")],
    site: Annotated[list[str], typer.Option("--site", metavar="NAME", help="A site; each one.")],
    db: _Db,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port of the page; 0: a free one.")
    ] = 0,
    parquet: Annotated[
        Path | None, typer.Option("--parquet", metavar="FOLDER", help="Write Parquet files too.")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="Users and where to listen, TOML."),
    ] = None,
    sees: Annotated[
        list[str] | None,
        typer.Option("--sees", metavar="NAME=SITE", help="A user who sees only this site."),
    ] = None,
    ca: CaOption = None,
    cert: CertOption = None,
    key: KeyOption = None,
    user: UserOption = None,
    password_file: PasswordOption = None,
    _json: JsonOption = False,
) -> None:
    """Read the events of all sites into figures, and serve them, until Ctrl-C.

    A site that is cut off is read when it is back, each event once. Without --config the page and
    the figures as JSON are for this machine only, and know no users; with it, supervisors and
    auditors log in. Killed at any time it goes on where it was.
    """
    from tabletools.estate.reader import Folding, Reader

    broker = _broker(nats, site, (ca, cert, key), user, password_file)
    with ExitStack() as stack:
        users = None if config is None else stack.enter_context(_users(config, port, sees or []))
        if users is None and sees:
            step = "name the settings with the users, with --config"
            raise ToolError("no user logs in here", where="--sees", step=step)
        listener = stack.enter_context(_listening(port, users))
        centre = stack.enter_context(closing(_open(db)))
        readers = [(Reader(centre, broker, site, Folding()), 0.0)]
        if parquet is not None:
            readers.append(_writer(centre, broker, site, parquet))
        _run(centre, readers, listener, users)


def show(
    figure: Annotated[str, typer.Argument(metavar="FIGURE", help="See the list above.")],
    db: _Db,
    by: Annotated[
        str, typer.Option("--by", help="Of hold, bias: site, pit, table, game, ...")
    ] = "site",
    hours: Annotated[int, typer.Option("--hours", min=1, max=8784, help="Back from now.")] = 24,
    open_for: Annotated[
        int, typer.Option("--open-for", min=0, metavar="SECONDS", help="Of alarms: at least.")
    ] = 600,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a row.")] = False,
) -> None:
    """Show a figure: floor, hold, alarms, late, firmware, days, offers or bias.

    Hold and bias are by site, pit, table, game, wheel_model, ball_batch or dealer. Amounts are
    cents.
    """
    from tabletools.estate.figures import BY, FIGURES, Wanted
    from tabletools.store import StoreError

    for name, value, known in (("FIGURE", figure, tuple(FIGURES)), ("--by", by, BY)):
        if value not in known:
            limit = ", ".join(known)
            raise ToolError(f"{value!r} is not known", where=name, limit=limit, step="choose one")
    with closing(_open(db, makes=False)) as centre:
        try:
            with centre.read() as connection:
                rows = FIGURES[figure](connection, Wanted(time.time_ns(), by, hours, open_for))
        except StoreError as error:
            raise tool_error(error, db) from error
    _say_rows(rows, is_json=as_json)


def where(
    name: Annotated[str, typer.Argument(metavar="TABLE", help="Its name.")],
    db: _Db,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a row.")] = False,
) -> None:
    """Print the site and pit of each table with a name.

    Which host of a pit owns it now, the pit says: `GET /v1/where/TABLE`.
    """
    from tabletools.estate import figures
    from tabletools.store import StoreError

    with closing(_open(db, makes=False)) as centre:
        try:
            with centre.read() as connection:
                rows = figures.where(connection, name)
        except StoreError as error:
            raise tool_error(error, db) from error
    if not rows:
        step = "look at the pits: tabletool estate show floor"
        raise ToolError(f"no pit has reported a table {name!r}", where="TABLE", step=step)
    _say_rows(rows, is_json=as_json)


def _say_rows(rows: "list[Row]", *, is_json: bool) -> None:
    if not is_json:
        _print_rows(rows)
        return
    for row in rows:
        print(json.dumps(row, ensure_ascii=False))


def _print_rows(rows: "list[Row]") -> None:
    from tabletools.terminal_text import printable

    if not rows:
        print("nothing to show")
        return
    lines = [list(rows[0]), *([_text(value) for value in row.values()] for row in rows)]
    lines = [[printable(text) for text in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print(
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        )


def _text(value: object) -> str:
    return "-" if value in (None, "") else str(value)


def _open(db: str, *, makes: bool = True) -> "Centre":
    from tabletools.estate.model import Centre
    from tabletools.store import StoreError
    from tabletools.store.engine import file_of

    try:
        file = file_of(db)
        if not makes and file is not None and not file.exists():
            step = "name the database of `tabletool estate serve`"
            raise ToolError("there is no such file", where=db, step=step)
        return Centre.open(db)
    except StoreError as error:
        raise tool_error(error, db) from error


def _broker(
    nats: str,
    sites: Sequence[str],
    files: tuple[Path | None, Path | None, Path | None],
    user: str | None,
    password_file: Path | None,
) -> "Broker":
    """Return the server of the centre. files: authority, certificate, key. Raises ToolError."""
    from tabletools.cms.broker import NATS, BrokerError
    from tabletools.cms.origin import verify_name

    try:
        for name in sites:
            verify_name("site", name)
        return broker_of(nats, files, user, password_file, NATS)
    except (ValueError, OSError, BrokerError) as error:
        step = "correct the option; see `tabletool estate serve --help`"
        raise ToolError(str(error), where="tabletool estate serve", step=step) from error


@contextmanager
def _users(config: Path, port: int, sees: Sequence[str]) -> "Iterator[CentreState]":
    """Open the users of a centre: those of a ledger without tables. Raises ToolError."""
    from tabletools.api.estate_app import CentreState
    from tabletools.api.server import Log
    from tabletools.cli.host_run import greet
    from tabletools.cli.host_settings import open_ledger, settings_of, verify

    settings = settings_of(config, options={"port": port or None})
    if settings.tables or not settings.db:
        what = "it has tables" if settings.tables else "db is missing"
        step = "name a database for the users of the centre, and no table; docs/SERVE.md"
        raise ToolError(what, where=str(config), step=step)
    verify(settings)
    with closing(open_ledger(settings)) as ledger:
        users = CentreState(ledger, settings, Log(), _sites(sees))
        if not users.sign_on.is_on:  # it may name users who have not logged in yet
            _verify_users(users)
        greet(users)
        yield users


def _verify_users(users: "CentreState") -> None:
    """Raise ToolError if a user is restricted who does not exist: another one was meant."""
    from tabletools.store import people

    with users.ledger.read() as db:
        unknown = [name for name in users.sees if people.find_user(db, name) is None]
    if unknown:
        step = "write the name as `tabletool users` has it, or add the user first"
        raise ToolError(f"there is no user {unknown[0]!r}", where="--sees", step=step)


def _sites(sees: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the sites of each user who sees no other. sees: NAME=SITE. Raises ToolError."""
    from tabletools.cms.origin import verify_name

    sites: dict[str, tuple[str, ...]] = {}
    for text in sees:
        name, _, site = text.rpartition("=")
        try:
            verify_name("site", site)
        except ValueError as error:
            step = "write NAME=SITE, once for each site"
            raise ToolError(str(error), where=f"--sees {text}", step=step) from error
        if not name:
            step = "write NAME=SITE, once for each site"
            raise ToolError("no user is named", where=f"--sees {text}", step=step)
        sites[name] = (*sites.get(name, ()), site)
    return sites


def _listening(port: int, users: "CentreState | None") -> socket.socket:
    """Open the socket: of this machine only without users. Raises ToolError."""
    from tabletools.api import server
    from tabletools.pit.settings import Settings

    return server.listening(Settings(port=port) if users is None else users.settings)


def _writer(
    centre: "Centre", broker: "Broker", sites: Sequence[str], folder: Path
) -> "tuple[Reader, float]":
    from tabletools.estate.parquet_files import EVERY_S, ParquetFiles
    from tabletools.estate.reader import Reader

    try:
        return Reader(centre, broker, sites, ParquetFiles(folder)), EVERY_S
    except OSError as error:
        what = f"cannot write there: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=f"--parquet, {folder}", step="name a folder") from error


def _run(
    centre: "Centre",
    readers: "list[tuple[Reader, float]]",
    listener: socket.socket,
    users: "CentreState | None",
) -> None:
    """Read and serve until a signal comes. readers: each with its pause, seconds."""
    from tabletools.api.estate_app import server_of
    from tabletools.api.server import Log, address_of
    from tabletools.pit.settings import Settings

    log = Log()
    server = server_of(centre, lambda: readers[0][0].down, users)
    with stopping() as stop, ExitStack() as stack:  # the signal is for the server first
        for reader, pause_s in readers:
            thread = threading.Thread(target=reader.run, args=(stop, log, pause_s))
            thread.start()
            stack.callback(thread.join)
        stack.callback(stop.set)
        address = address_of(Settings() if users is None else users.settings, listener)
        say(f"serving {address}", serving=address)
        server.run(sockets=[listener])

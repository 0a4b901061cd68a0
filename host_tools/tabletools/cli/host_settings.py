"""The settings of a pit host and its ledger, for the commands that run or change one."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tabletools.cli.open_database import tool_error
from tabletools.errors import ToolError
from tabletools.keys import Keyring, opened_keyring
from tabletools.pit.settings import FILES, Settings, default_ledger
from tabletools.pit.settings_file import read

if TYPE_CHECKING:
    from tabletools.store import Store

File = Annotated[Path | None, typer.Option("--config", metavar="FILE", help="Settings, TOML.")]
Db = Annotated[
    str | None,
    typer.Option("--db", metavar="URL", help="File of SQLite or URL of PostgreSQL."),
]


def verify(settings: Settings) -> Keyring:
    """Return the keyring after all a start verifies before it makes anything. Raises ToolError.

    Files are read, addresses understood, tables playable; nothing is opened or connected.
    """
    from tabletools.api import server, single_sign_on
    from tabletools.cli.event_sinks import sinks_of
    from tabletools.cli.external_wallet import connecting
    from tabletools.pit import centre_offers, checkpoints, host_keys
    from tabletools.pit.assignments import release_of, verify_table
    from tabletools.pit.host_addresses import addresses_of

    server.verify_exposure(settings)
    keyring = opened_keyring(Path(settings.keys) if settings.keys else None)
    keyring.all()  # one that others may read is refused, also the user's own
    for name in FILES:
        _verify_readable(name, getattr(settings, name))
    server.verify_certificate(settings)
    _verify_ledger(settings)
    sinks_of(settings)
    if settings.wallet:
        connecting(settings)
    single_sign_on.verify(settings)
    addresses_of(settings)
    centre_offers.inbox_of(settings)
    checkpoints.verify(settings)
    if settings.session_key and Path(settings.session_key).exists():
        host_keys.session_key_file(Path(settings.session_key)).read()
    for table in settings.tables:
        verify_table(table)
        release_of(settings, table)
    return keyring


def describe(settings: Settings) -> str:
    """Return what to print about settings that were verified."""
    count = f"{len(settings.tables)} {'table' if len(settings.tables) == 1 else 'tables'}"
    return f"{count}: every setting is known and in range, every file can be read"


def _verify_readable(name: str, file: str) -> None:
    try:
        if file:
            Path(file).read_bytes()
    except OSError as error:
        what = f"cannot open the file: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=f"{name}, {file}", step="check the name") from error


def _verify_ledger(settings: Settings) -> None:
    """Raise ToolError for a URL that names no database of ours."""
    from tabletools.store import StoreError
    from tabletools.store.engine import url_of

    try:
        url_of(settings.db or default_ledger())
    except StoreError as error:
        raise tool_error(error, settings.db) from error


def settings_of(
    config: Path | None, tables: Path | None = None, options: dict[str, Any] | None = None
) -> Settings:
    """Combine files and options. Raises ToolError."""
    settings = Settings() if config is None else read(config)
    if tables is not None:
        settings = replace(settings, tables=read(tables, tables_only=True).tables)
    values = {name: value for name, value in (options or {}).items() if value is not None}
    return replace(settings, **values)


def open_ledger(settings: Settings, *, makes: bool = True) -> "Store":
    """Open the ledger of a host. makes: create a missing one. Raises ToolError."""
    from tabletools.store import Store, StoreError

    place = settings.db or default_ledger()
    if makes and not settings.db:
        default_ledger().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        return Store.open(place) if makes else Store.open_existing(place)
    except StoreError as error:
        raise tool_error(error, place) from error

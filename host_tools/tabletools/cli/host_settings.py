"""The settings of a pit host and its ledger, for the commands that run or change one."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tabletools.cli.open_database import tool_error
from tabletools.pit.settings import Settings, default_ledger
from tabletools.pit.settings_file import read

if TYPE_CHECKING:
    from tabletools.store import Store

File = Annotated[Path | None, typer.Option("--config", metavar="FILE", help="Settings, TOML.")]
Db = Annotated[
    str | None,
    typer.Option("--db", metavar="URL", help="File of SQLite or URL of PostgreSQL."),
]


def check_tables(settings: Settings) -> str:
    """Return what to print about the settings. Raises ToolError for invalid rules."""
    from tabletools.pit.assignments import release_of, verify_table

    for table in settings.tables:
        verify_table(table)
        release_of(settings, table)
    return f"{len(settings.tables)} tables: every setting is known and in range"


def settings_of(
    config: Path | None, tables: Path | None = None, options: dict[str, Any] | None = None
) -> Settings:
    """Combine files and options. Raises ToolError."""
    from tabletools.api.server import verify_exposure

    settings = Settings() if config is None else read(config)
    if tables is not None:
        settings = replace(settings, tables=read(tables, tables_only=True).tables)
    values = {name: value for name, value in (options or {}).items() if value is not None}
    settings = replace(settings, **values)
    verify_exposure(settings)
    return settings


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

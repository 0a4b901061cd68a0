"""`tabletool serve`: the pit host, many tables, one ledger, one address."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabletools.cli.host_settings import Db, File, describe, open_ledger, settings_of, verify
from tabletools.cli.report import JsonOption, say
from tabletools.cli.users import add_user
from tabletools.pit.settings import Settings

if TYPE_CHECKING:
    from tabletools.api.app_state import AppState

EXAMPLES = """\b
Examples:
  tabletool serve --tables tables.toml
  tabletool serve --config host.toml
  tabletool serve --config host.toml --check
  tabletool serve --db postgresql://pit@db.house/pit --config host.toml --port 8443
"""
_Text = str | None


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command(epilog=EXAMPLES)(serve)


def serve(  # one parameter per option
    config: File = None,
    tables: Annotated[
        Path | None, typer.Option("--tables", metavar="FILE", help="Only tables, TOML.")
    ] = None,
    db: Db = None,
    host: Annotated[_Text, typer.Option("--host", help="Address [127.0.0.1].")] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="Port [0: a free one].")
    ] = None,
    keys: Annotated[_Text, typer.Option("--keys", metavar="FILE", help="Keyring.")] = None,
    public: Annotated[bool, typer.Option("--public", help="Listen beyond this machine.")] = False,
    certificate: Annotated[
        _Text, typer.Option("--tls-certificate", metavar="FILE", help="Certificate chain, PEM.")
    ] = None,
    key: Annotated[_Text, typer.Option("--tls-key", metavar="FILE", help="Its key, PEM.")] = None,
    proxied: Annotated[
        bool, typer.Option("--behind-proxy", help="A proxy in front terminates TLS.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Check settings and files only.")] = False,
    _json: JsonOption = False,
) -> None:
    """Run a pit: own its tables, keep the ledger, serve terminals and the console.

    Without --db the ledger is a file in the user's data folder. The first start adds a user and
    prints its password once. Ends on Control-C or SIGTERM and releases the tables.
    """
    options = {
        "db": db,
        "host": host,
        "port": port,
        "keys": keys,
        "public": public or None,
        "tls_certificate": certificate,
        "tls_key": key,
        "behind_proxy": proxied or None,
    }
    settings = settings_of(config, tables, options)
    if check:
        verify(settings)
        say(describe(settings), is_valid=True)
        return
    run(settings)


def run(settings: Settings) -> None:
    """Serve until a signal comes. Raises ToolError."""
    from tabletools.api import server
    from tabletools.api.app_state import AppState
    from tabletools.api.auth import Auth
    from tabletools.api.passwords import Passwords
    from tabletools.cli.event_sinks import feeding
    from tabletools.pit.checkpoints import checkpointing
    from tabletools.pit.host_context import HostContext
    from tabletools.pit.pit import Pit, holder
    from tabletools.pit.retaining import retaining
    from tabletools.reports.process import following

    keyring = verify(settings)  # errors are reported before anything is made or claimed
    log = server.Log()
    logging.getLogger().addHandler(server.Passed(log))
    with server.listening(settings) as sock:
        ledger = open_ledger(settings)
        ledger.read_limit_s = server.READ_S
        try:
            context = HostContext(
                ledger,
                keyring.keys_of,
                holder(settings.host_name),
                settings.lease_s,
                settings.batch_ms,
                say=log,
            )
            pit = Pit(context, settings)
            state = AppState(pit, Auth(ledger, settings, Passwords()), log)
            greet(state)
            running = server.server_of(state)
            with server.ended_by_signals(running):
                address = server.address_of(settings, sock)
                say(f"serving {address}", serving=address)
                pit.start()
                try:
                    with (
                        checkpointing(ledger, settings, log),
                        following(ledger, log),
                        feeding(ledger, settings, log) as sinks,
                        retaining(ledger, settings, sinks.names, log),
                    ):
                        state.sinks, state.down_sinks = sinks.states, sinks.down
                        running.run(sockets=[sock])
                finally:
                    pit.stop()
        finally:
            ledger.close()
    log("ended", {})


def greet(state: "AppState") -> None:
    """Add the first user if there is none who may log in."""
    from tabletools.money import people_queries

    with state.ledger.read() as db:
        if people_queries.has_users(db):
            return
    password = add_user(state.ledger, state.auth.passwords, "admin", "supervisor")
    text = f"first user: admin, password for the first login: {password}"
    say(text, name="admin", first_password=password)

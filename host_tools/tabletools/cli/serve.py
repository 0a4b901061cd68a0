"""`tabletool serve`: the pit host, many tables, one ledger, one address."""

from pathlib import Path
from typing import Annotated

import typer

from tabletools.cli.host_settings import Db, File, describe, settings_of, verify
from tabletools.cli.progress import working
from tabletools.cli.report import JsonOption, say

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
    with working("starting the host"):
        # Its modules take one to three seconds to load, and are needed only here.
        from tabletools.cli.host_run import run
    run(settings)

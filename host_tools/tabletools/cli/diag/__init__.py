"""`tabletool diag`: examines, watches and calibrates a table; support file and daily checks.

A port in place of a subcommand is examined.
"""

import typer

from tabletools.cli.command_group import DefaultGroup
from tabletools.cli.diag.bundle import BUNDLE, bundle
from tabletools.cli.diag.daily import DAILY, daily
from tabletools.cli.diag.diag_command import EXAMPLES, examine
from tabletools.cli.diag.history import HISTORY, history

DEFAULT = "table"


class PortFirst(DefaultGroup):
    """`diag PORT` is `diag table PORT`."""

    default = DEFAULT


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    group = typer.Typer(cls=PortFirst, help=_group.__doc__)
    group.callback()(_group)
    group.command(DEFAULT, epilog=EXAMPLES)(examine)
    group.command("bundle", epilog=BUNDLE)(bundle)
    group.command("daily", epilog=DAILY)(daily)
    group.command("history", epilog=HISTORY)(history)
    app.add_typer(group, name="diag", epilog=EXAMPLES)


def _group() -> None:
    """Diagnose a table: `diag PORT` is short for `diag table PORT`.

    Exit code 0 only if nothing failed, 6 if a check failed, 3 if no table answers, 1 if it could
    not be examined.
    """

"""Sets new values of a table, key by key, each printed with the previous one."""

from collections.abc import Mapping

import typer

from tablespec.config_keys import KEYS
from tabletools.cli.table_client import TableClient, accepted
from tabletools.diag import calibrate
from tablewire.messages import SET_CONFIGURATION

NAMES = {key.number: key.name for key in KEYS}


def change(client: TableClient, old: Mapping[int, int], new: Mapping[int, int]) -> None:
    """Set what differs, in the order of new; by key number. Raises ToolError on a refusal."""
    for key, value in calibrate.changes(old, new).items():
        accepted(client.ask(SET_CONFIGURATION, (key, value)))
        typer.echo(f"{NAMES[key]} = {value}, was {old[key]}")

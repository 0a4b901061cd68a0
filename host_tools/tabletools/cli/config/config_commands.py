"""The command line of `tabletool config`."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from tablespec.config_keys import KEYS, Key
from tablespec.names import ROLE as ROLES
from tabletools import configuration, decode, flash
from tabletools.cli.command_group import CommandGroup, examples_of
from tabletools.cli.config.apply import Author, apply, to_factory
from tabletools.cli.force import ForceOption
from tabletools.cli.host_settings import describe, settings_of, verify
from tabletools.cli.report import JsonOption, say
from tabletools.cli.table_client import KeysOption, PortArgument, TableClient, connected_client
from tabletools.configuration import Change
from tabletools.errors import ToolError
from tabletools.pit.settings_file import is_ours
from tabletools.private_file import NewFile
from tablewire.config import ROLE

EXAMPLES = """\b
Examples:
  tabletool config get /dev/ttyACM0 min_circuits wheel
  tabletool config dump /dev/ttyACM0 --out table-7.toml
  tabletool config diff /dev/ttyACM0 table-7.toml
  tabletool config set /dev/ttyACM0 min_circuits=4 --db night.db --by "A. Engel"
  tabletool config set /dev/ttyACM0 table-7.toml --dry-run
  tabletool config factory /dev/ttyACM0 --wait 120
  tabletool config check table-7.toml
"""
_File = Annotated[Path, typer.Argument(metavar="FILE", help="Configuration file of a table.")]
_Db = Annotated[
    str | None, typer.Option("--db", metavar="DB", help="Database that records the change.")
]
_By = Annotated[str, typer.Option("--by", metavar="NAME", help="User who changes it, with --db.")]
_Wait = Annotated[
    float, typer.Option("--wait", min=0.0, metavar="SECONDS", help="Wait for the round to end.")
]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    group = typer.Typer(cls=CommandGroup, help="The configuration of a table: read, compare, set.")
    for name, command in (
        ("get", get),
        ("dump", dump),
        ("diff", diff),
        ("set", set_values),
        ("factory", factory),
        ("check", check),
    ):
        group.command(name, epilog=examples_of(EXAMPLES, f"config {name}"))(command)
    app.add_typer(group, name="config", epilog=EXAMPLES)


def get(
    port: PortArgument,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Keys [all of them].")
    ] = None,
    keyring: KeysOption = None,
    _json: JsonOption = False,
) -> None:
    """Show values of a table with unit, range and meaning."""
    keys = [configuration.find(name, "NAME") for name in names or []] or list(KEYS)
    with connected_client(port, keyring) as client:
        for key in keys:
            value = client.value(key.number)
            say(configuration.line_of(key, value), **_facts(key, value))


def dump(
    port: PortArgument,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write to this file, not to the screen."),
    ] = None,
    keyring: KeysOption = None,
    force: ForceOption = False,
    _json: JsonOption = False,
) -> None:
    """Write all values of a table as a configuration file."""
    if out is None:
        device, values, text = _values_of_table(port, keyring)
        named = {key.name: values[key.number] for key in KEYS}
        say(text.removesuffix("\n"), device=device, values=named)
        return
    with NewFile(out, force=force) as stream:
        device, _, text = _values_of_table(port, keyring)
        stream.write(text)
    say(f"{out}: {len(KEYS)} values of table {device}", file=str(out), device=device)


def _values_of_table(port: str, keyring: Path | None) -> tuple[int, list[int], str]:
    """Return a table's number, its values by key number, and those as a file."""
    with connected_client(port, keyring) as client:
        values = client.configuration()
        device, boot = client.table
    day = datetime.now(UTC).date().isoformat()
    return device, values, configuration.dump(values, f"table {device}, boot {boot}, {day}")


def diff(
    port: PortArgument, file: _File, keyring: KeysOption = None, _json: JsonOption = False
) -> None:
    """Show where a table differs from a file. Exit code 1 when it does."""
    wanted = configuration.read(file)
    with connected_client(port, keyring) as client:
        changes = list(configuration.changes(client.configuration(), wanted))
    for change in changes:
        facts = {"key": change.key.name, "table": change.before, "file": change.after}
        say(f"{change.key.name}: table {change.before}, file {change.after}", **facts)
    if changes:
        raise typer.Exit(1)


def set_values(
    port: PortArgument,
    words: Annotated[list[str], typer.Argument(metavar="FILE|NAME=VALUE...", help="What to set.")],
    db: _Db = None,
    by: _By = "",
    wait: _Wait = 0.0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan only.")] = False,
    keyring: KeysOption = None,
    _json: JsonOption = False,
) -> None:
    """Set what differs, one value at a time, each confirmed by the table.

    Shows the plan first. The table refuses a value out of range, one that contradicts another,
    and any change while a round is open. A role that does not run on the board of the table is
    refused (exit code 4), as `flash` refuses it.
    """
    wanted = _values_of_words(words)
    author = Author.checked(db, by)
    with connected_client(port, keyring) as client:
        now = client.configuration()
        target = [wanted.get(number, value) for number, value in enumerate(now)]
        configuration.verify(target, ", ".join(words))
        if ROLE in wanted:
            _verify_role(client, wanted[ROLE])
        plan = list(configuration.changes(now, target))
        _show_plan(client, plan)
        if not dry_run:
            apply(client, plan, author, wait_s=wait)


def factory(
    port: PortArgument,
    db: _Db = None,
    by: _By = "",
    wait: _Wait = 0.0,
    keyring: KeysOption = None,
    _json: JsonOption = False,
) -> None:
    """Reset every value of a table to the factory's, in one step."""
    author = Author.checked(db, by)
    with connected_client(port, keyring) as client:
        values = [0, *(key.default for key in KEYS)]
        _verify_role(client, values[ROLE])
        plan = list(configuration.changes(client.configuration(), values))
        _show_plan(client, plan)
        to_factory(client, plan, author, wait_s=wait)


def check(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="File to check.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the keys.")] = False,
    _json: JsonOption = False,
) -> None:
    """Check the file of a table or of a host: keys, ranges, contradictions."""
    if listed:
        for key in KEYS:
            say(configuration.line_of(key, key.default), **_facts(key, key.default))
    elif file is None:
        raise ToolError("no file given", where="FILE", step="name a file, or give --list")
    elif is_ours(file):
        settings = settings_of(file)
        verify(settings)
        say(f"{file}: {describe(settings)}", file=str(file), is_valid=True)
    else:
        configuration.read(file)
        text = f"{file}: {len(KEYS)} keys, all in range, none against another"
        say(text, file=str(file), is_valid=True, keys=len(KEYS))


def _values_of_words(words: Sequence[str]) -> dict[int, int]:
    """Return the values to set, by key number: those of a file, or of the command line."""
    if len(words) == 1 and "=" not in words[0]:
        return dict(enumerate(configuration.read(Path(words[0]))))
    return {key.number: value for key, value in map(configuration.assignment, words)}


def _verify_role(client: TableClient, role: int) -> None:
    """Raise ToolError for a role that does not run on the board which the table reports."""
    identity = client.identity()
    if identity is None:
        raise client.silent()
    board = decode.record(identity)["board"]
    kind, name = flash.reported_kind(board), dict(ROLES)[role]
    if kind is None:
        say(f"warning: no file here describes the board {board}: does it run the role {name}?")
    else:
        flash.verify_role(kind, flash.kinds(), name, f"board {board}, as the table reports")


def _show_plan(client: TableClient, plan: Iterable[Change]) -> None:
    device, _ = client.table
    changes = list(plan)
    count = f"{len(changes)} to change" if changes else "nothing to change"
    say(f"table {device}: {count}", device=device, to_change=len(changes))
    for change in changes:
        key = change.key
        facts = {"key": key.name, "before": change.before, "after": change.after}
        say(
            f"  {key.name}: {change.before} -> {change.after}{key.unit and f' {key.unit}'}",
            **facts,
        )


def _facts(key: Key, value: int) -> dict[str, object]:
    limits = {"unit": key.unit, "low": key.low, "high": key.high, "factory": key.default}
    return {"key": key.name, "value": value} | limits

"""The command line of `tabletool keys`. Numbers and fingerprints are shown, keys never."""

from pathlib import Path
from typing import Annotated

import typer

from tabletools.cli.command_group import CommandGroup, examples_of
from tabletools.cli.keys.change import Change
from tabletools.cli.named import MOST_NUMBER
from tabletools.cli.report import JsonOption, say
from tabletools.cli.table_client import KeysOption, PortArgument
from tabletools.errors import ToolError
from tabletools.keys import Key, Keyring, default_file, new_key, opened_keyring

EXAMPLES = """\b
Examples:
  tabletool keys provision /dev/ttyACM0 --serial 4711
  tabletool keys list
  tabletool keys rotate socket://127.0.0.1:4001 --keys keys.json
  tabletool keys provision /dev/ttyACM0 --replace
  tabletool keys new 1382865454 --keys keys.json
  tabletool keys export 4711 --to usb/keys.json
  tabletool keys import usb/keys.json
  tabletool keys forget 4711 --yes
"""
_Device = Annotated[
    int,
    typer.Argument(metavar="DEVICE", min=1, max=MOST_NUMBER, help="Serial number of the table."),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    group = typer.Typer(cls=CommandGroup, help=_group.__doc__)
    group.callback()(_group)
    for name, command in (
        ("provision", provision),
        ("rotate", rotate),
        ("list", show),
        ("new", new),
        ("forget", forget),
        ("export", export),
        ("import", import_),
    ):
        group.command(name, epilog=examples_of(EXAMPLES, f"keys {name}"))(command)
    app.add_typer(group, name="keys", epilog=EXAMPLES)


def _group() -> None:
    """The keys that authenticate tables: create, send, change, list, move.

    A keyring is a file that only its owner can read. Without it, its tables cannot be
    authenticated; with a copy of it, they can be impersonated.
    """


def _ring(file: Path | None) -> Keyring:
    """The keyring, created if missing; other commands open it with opened_keyring."""
    return Keyring(file or default_file())


def provision(
    port: PortArgument,
    serial: Annotated[
        int,
        typer.Option(
            min=0, max=MOST_NUMBER, metavar="N", help="New serial number; 0 keeps the old one."
        ),
    ] = 0,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="It has a key, lost or stolen; its switch is turned."),
    ] = False,
    keys: KeysOption = None,
    _json: JsonOption = False,
) -> None:
    """Make a key and send it to a table that has none, over a line that must be private.

    The key is stored in the keyring before it is sent. After an interruption the same command
    completes the change. With --serial the records that wait on the table are dropped: none of
    them counts. With --replace it replaces a lost or stolen key of the table, between two rounds,
    while the maintenance switch is turned; with the switch at rest the table counts that as
    tampering.
    """
    _say_done(*Change(port, _ring(keys), say).provision(serial, replaces=replace))


def rotate(port: PortArgument, keys: KeysOption = None, _json: JsonOption = False) -> None:
    """Agree with a table on its next key, between two rounds.

    The new key is computed at both ends and never sent: a person who has the old key and records
    the line does not learn it. A person who changes frames on the line with the old key can:
    replace a stolen key at the table, with `provision --replace`. After an interruption the same
    command completes the change.
    """
    _say_done(*Change(port, opened_keyring(keys), say).rotate())


def new(device: _Device, keys: KeysOption = None, _json: JsonOption = False) -> None:
    """Make the first key of a table without sending it: for an emulated table."""
    ring = _ring(keys)
    if ring.keys_of(device):
        raise ToolError(
            f"device {device} already has a key in the keyring",
            where=str(ring.file),
            step="change it with `tabletool keys rotate PORT`",
        )
    key = new_key(1)
    ring.add(device, key)
    _say_key(device, key)


def show(keys: KeysOption = None, _json: JsonOption = False) -> None:
    """List the devices with number and fingerprint of their keys."""
    ring = opened_keyring(keys)
    if not ring.all():
        say("no keys")
    for device, own in sorted(ring.all().items()):
        for key in own:
            _say_key(device, key)
        if len(own) > 1:
            text = f"device {device}: a change of its key was cut short; rotate it again"
            say(text, device=device, is_cut_short=True)
    say(f"keyring: {ring.file}", keyring=str(ring.file), devices=len(ring.all()))


def forget(
    device: _Device,
    number: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only this key, not all of them.")
    ] = None,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes", help="Do not ask: without its key the table cannot be authenticated."
        ),
    ] = False,
    keys: KeysOption = None,
    _json: JsonOption = False,
) -> None:
    """Drop the keys of a device from the keyring; the table keeps its own."""
    ring = opened_keyring(keys)
    if not yes:
        raise ToolError(
            f"a forgotten key is lost: device {device} cannot be authenticated without it",
            where=str(ring.file),
            step="export it first, or add --yes",
        )
    if not ring.forget(device, number):
        raise ToolError(f"no such key of device {device} in the keyring", where=str(ring.file))
    say(f"device {device}: forgotten", device=device, is_forgotten=True)


def export(
    device: _Device,
    to: Annotated[
        Path, typer.Option("--to", metavar="FILE", help="A keyring, created if missing.")
    ],
    keys: KeysOption = None,
    _json: JsonOption = False,
) -> None:
    """Copy the keys of a device into another keyring: to carry them to another host."""
    _copy(opened_keyring(keys), Keyring(to), device)


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A keyring to copy from.")],
    keys: KeysOption = None,
    _json: JsonOption = False,
) -> None:
    """Copy every key of another keyring into this one; the other stays unchanged."""
    source = opened_keyring(file)
    by_device = source.all()
    if not by_device:
        raise ToolError("no keys are there", where=str(file), step="check the name")
    for device in sorted(by_device):
        _copy(source, _ring(keys), device)


def _copy(source: Keyring, target: Keyring, device: int) -> None:
    keys = source.all().get(device, ())
    if not keys:
        raise ToolError(f"no key of device {device} in the keyring", where=str(source.file))
    for key in keys:
        target.add(device, key)
        _say_key(device, key)


def _say_key(device: int, key: Key, more: str = "") -> None:
    text = f"device {device}: key {key.number}, fingerprint {key.fingerprint}{more}"
    say(text, device=device, key=key.number, fingerprint=key.fingerprint)


def _say_done(device: int, key: Key) -> None:
    _say_key(device, key, ": the table has proved it")

"""`tabletool port`: lists what is connected to the serial ports of this machine."""

import json
import time
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from tabletools import decode, flash
from tabletools.cli.table_client import KeysOption
from tabletools.console.watch import Watch
from tabletools.decode.core_messages import Identity
from tabletools.errors import UNREACHABLE, ToolError
from tabletools.keys import Keyring, opened_keyring
from tabletools.link import Link, PortError, Session, open_port, probe
from tabletools.link.port import stable_name, usb_ports

EXAMPLES = """\b
Examples:
  tabletool port
  tabletool port /dev/ttyACM0
  tabletool port --json
"""
_IDENTITY_S = 3.0


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("port", epilog=EXAMPLES)(command)


@dataclass
class Port:
    """What is at a port. what: table, micropython, strange, nobody, closed; text: in words.

    usb: "vendor:product", "" unless it is on USB; boards: those whose interpreter has that.
    stable: its name that stays when plugs are exchanged, "" without one.
    """

    port: str
    usb: str
    boards: list[str]
    what: str = "nobody"
    text: str = "no answer"
    device: int | None = None
    role: str | None = None
    board: str | None = None
    firmware: str | None = None
    micropython: str | None = None
    key: int | None = None
    verified: bool = False
    stable: str = ""

    def __str__(self) -> str:
        names = f", {' or '.join(self.boards)}" if self.boards else ""
        usb = f" (USB {self.usb}{names})" if self.usb else ""
        stable = f"\n  always {self.stable}" if self.stable else ""
        return f"{self.port}{usb}: {self.text}{stable}"


def command(
    ports: Annotated[
        list[str] | None, typer.Argument(metavar="[PORT]...", help="Ports [all on USB].")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a port.")] = False,
    keys: KeysOption = None,
) -> None:
    """List serial ports with the table that answers there, or MicroPython at its prompt.

    Listens first: a table sends within half a second and is asked for its identity; it stays
    with its host. A silent line gets one Enter and Control-B, which MicroPython answers at its
    prompt; running programs are not stopped. Exit code 3 when none of the given ports has a
    table or MicroPython.
    """
    usb = dict(usb_ports())
    ring = opened_keyring(keys)
    entries = [_look(port, usb.get(port, ""), ring) for port in ports or usb]
    for one in entries:
        print(json.dumps(asdict(one)) if as_json else one)
    if not entries and not as_json:
        print("no USB serial port found; plug a board in, or name a port")
    if ports and not any(one.what in ("table", "micropython") for one in entries):
        raise typer.Exit(UNREACHABLE)


def _look(port: str, usb: str, ring: Keyring) -> Port:
    entry = Port(port, usb, flash.at_usb(port), stable=stable_name(port))
    try:
        _name(entry, ring)
    except PortError as error:
        entry.what, entry.text = "closed", f"{error.what}: {error.cause}"
    except ToolError as error:
        entry.text = error.what
    return entry


def _name(entry: Port, ring: Keyring) -> None:
    line = open_port(entry.port)
    try:
        far_end = probe(line)
        strange = far_end.diagnosis()
        # The USB of a board is no link: what comes there is printed by a program.
        may_ask = not far_end.is_table and (strange is None or bool(entry.boards))
        is_prompt = far_end.is_prompt or (may_ask and flash.answers_at_prompt(line))
    finally:
        line.close()
    if far_end.is_table:
        _name_table(entry, ring)
    elif is_prompt:
        _name_board(entry)
    elif strange is not None:
        entry.what, entry.text = "strange", f"{strange.what}; {strange.cause}"
    elif entry.boards:
        entry.text = "a program runs there and has no prompt; a table answers at its link"


def _name_board(entry: Port) -> None:
    with flash.opened(entry.port) as prompt:
        board = prompt.board()
    entry.what, entry.board = "micropython", board.build
    entry.micropython = ".".join(map(str, board.version))
    entry.text = f"MicroPython {entry.micropython} at its prompt, {board.machine} ({board.build})"


def _name_table(entry: Port, ring: Keyring) -> None:
    link = Link(entry.port, Session(keys=ring.keys_of, joins=False))
    watch = Watch(link)
    records: list[decode.Record] = []
    try:
        end = time.monotonic() + _IDENTITY_S
        session = link.session
        while not _has_answered(session) and time.monotonic() < end:
            records += watch.step()
            if link.failure is not None:
                raise link.failure
    finally:
        link.close()
    refusal = session.trust.refusal
    if session.identity is None:
        entry.what, entry.text = "table", "a table that does not identify itself"
        if refusal is not None:
            entry.text = refusal.what
        return
    identity = Identity.of_record([each for each in records if each["type"] == "identity"][-1])
    entry.what, entry.device = "table", identity.device
    entry.role, entry.board = identity.role, identity.board
    entry.firmware = identity.firmware
    entry.key = identity.key_number or None
    entry.verified = identity.authenticated
    trust = "no key" if entry.key is None else f"key {entry.key}"
    if entry.key is not None:
        trust += " verified" if entry.verified else " not verified"
    entry.text = (
        f"table {entry.device}, {entry.role} on {entry.board}, firmware {entry.firmware}, {trust}"
    )


def _has_answered(session: Session) -> bool:
    """Whether an identity came in answer: an unasked one, with zeros, proves no key."""
    return session.identity is not None and any(session.identity.values[0])

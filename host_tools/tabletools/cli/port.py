"""`tabletool port`: lists what is connected to the serial ports of this machine."""

import json
import time
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from tabletools import decode, flash
from tabletools.cli.table_client import KeysOption
from tabletools.console.watch import Watch
from tabletools.errors import UNREACHABLE, ToolError
from tabletools.keys import Keyring, opened_keyring
from tabletools.link import Link, PortError, Session, open_port, probe
from tabletools.link.port import usb_ports

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
class Found:
    """What is at a port. what: table, micropython, strange, nobody, closed; text: in words.

    usb: "vendor:product", "" unless it is on USB; boards: those whose interpreter has that.
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

    def __str__(self) -> str:
        names = f", {' or '.join(self.boards)}" if self.boards else ""
        usb = f" (USB {self.usb}{names})" if self.usb else ""
        return f"{self.port}{usb}: {self.text}"


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
    found = [_look(port, usb.get(port, ""), ring) for port in ports or usb]
    for one in found:
        print(json.dumps(asdict(one)) if as_json else one)
    if not found and not as_json:
        print("no USB serial port found; plug a board in, or name a port")
    if ports and not any(one.what in ("table", "micropython") for one in found):
        raise typer.Exit(UNREACHABLE)


def _look(port: str, usb: str, ring: Keyring) -> Found:
    found = Found(port, usb, flash.at_usb(port))
    try:
        _name(found, ring)
    except PortError as error:
        found.what, found.text = "closed", f"{error.what}: {error.cause}"
    except ToolError as error:
        found.text = error.what
    return found


def _name(found: Found, ring: Keyring) -> None:
    line = open_port(found.port)
    try:
        far_end = probe(line)
        strange = far_end.diagnosis()
        # The USB of a board is no link: what comes there is printed by a program.
        may_ask = not far_end.is_table and (strange is None or bool(found.boards))
        is_prompt = far_end.is_prompt or (may_ask and flash.answers_at_prompt(line))
    finally:
        line.close()
    if far_end.is_table:
        _name_table(found, ring)
    elif is_prompt:
        _name_board(found)
    elif strange is not None:
        found.what, found.text = "strange", f"{strange.what}; {strange.cause}"
    elif found.boards:
        found.text = "a program runs there and has no prompt; a table answers at its link"


def _name_board(found: Found) -> None:
    with flash.opened(found.port) as prompt:
        board = prompt.board()
    found.what, found.board = "micropython", board.build
    found.micropython = ".".join(map(str, board.version))
    found.text = f"MicroPython {found.micropython} at its prompt, {board.machine} ({board.build})"


def _name_table(found: Found, ring: Keyring) -> None:
    link = Link(found.port, Session(keys=ring.of, joins=False))
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
        found.what, found.text = "table", "a table that does not identify itself"
        if refusal is not None:
            found.text = refusal.what
        return
    record = [record for record in records if record["type"] == "identity"][-1]
    found.what, found.device = "table", record["device"]
    found.role, found.board = record["role"], record["board"]
    found.firmware = ".".join(str(record[f"firmware_{n}"]) for n in ("major", "minor", "patch"))
    found.key = record["key_number"] or None
    found.verified = record["authenticated"]
    trust = "no key" if found.key is None else f"key {found.key}"
    if found.key is not None:
        trust += " verified" if found.verified else " not verified"
    found.text = (
        f"table {found.device}, {found.role} on {found.board}, firmware {found.firmware}, {trust}"
    )


def _has_answered(session: Session) -> bool:
    """Whether an identity came in answer: an unasked one, with zeros, proves no key."""
    return session.identity is not None and any(session.identity.values[0])

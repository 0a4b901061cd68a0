"""`tabletool port`: who is at the serial ports of this machine."""

import json
import time
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from tabletools import decode, flash
from tabletools.cli.reach import reach
from tabletools.cli.table_client import KeysOption
from tabletools.console.watch import Watch
from tabletools.errors import UNREACHABLE, ToolError
from tabletools.keys import Keyring, opened_keyring
from tabletools.link import Link, Session
from tabletools.link.port import PortError, open_port, usb_ports
from tablewire.codec import Frame
from tablewire.framing import Receiver

EXAMPLES = """\b
Examples:
  tabletool port
  tabletool port /dev/ttyACM0
  tabletool port --json
"""
# A table beats twice a second.
_LISTEN_S = 0.7
_PROMPT_S = 0.3
_IDENTITY_S = 1.5
_PROMPT = b">>> "
_PAUSE_S = 0.02


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("port", epilog=EXAMPLES)(command)


@dataclass
class Found:
    """Who is at a port. what: table, micropython, nobody, closed; text: the same in words.

    usb: "vendor:product", "" unless it is on USB; boards: that show themselves so.
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

    Listens first. A silent line gets one Enter, which MicroPython answers at its prompt and a
    table ignores as noise; running programs are not stopped. Exit code 3 when none of the given
    ports has a table or MicroPython.
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
    found = Found(port, usb, [kind.title for kind in flash.kinds() if usb and usb in kind.usb])
    try:
        if _is_prompt(port):
            _name_board(found)
        else:
            _name_table(found, ring)
    except PortError as error:
        found.what, found.text = "closed", f"{error.what}: {error.cause}"
    except ToolError as error:
        found.text = error.what
    return found


def _is_prompt(port: str) -> bool:
    """Whether MicroPython waits there. A table is left alone when it is heard."""
    line = open_port(port)
    try:
        receiver = Receiver()
        end = time.monotonic() + _LISTEN_S
        while time.monotonic() < end:
            if any(isinstance(item, Frame) for item in receiver.feed(line.read(4096))):
                return False
            time.sleep(_PAUSE_S)
        line.write(b"\r")
        heard = b""
        end = time.monotonic() + _PROMPT_S
        while time.monotonic() < end and not heard.endswith(_PROMPT):
            heard += line.read(4096)
            time.sleep(_PAUSE_S)
        if heard.endswith(_PROMPT):
            return True
        line.write(b"\0")  # ends what a table took for the beginning of a frame
        return False
    finally:
        line.close()


def _name_board(found: Found) -> None:
    with flash.opened(found.port) as prompt:
        board = prompt.board()
    found.what, found.board = "micropython", board.build
    found.micropython = ".".join(map(str, board.version))
    found.text = f"MicroPython {found.micropython} at its prompt, {board.machine} ({board.build})"


def _name_table(found: Found, ring: Keyring) -> None:
    watch = Watch(Link(found.port, Session(keys=ring.of)))
    try:
        reach(watch, trusting=False)
        end = time.monotonic() + _IDENTITY_S
        session = watch.link.session
        while session.identity is None and time.monotonic() < end:
            list(watch.step())
    finally:
        watch.link.close()
    refusal = session.trust.refusal
    if session.identity is None:
        found.what, found.text = "table", "a table that does not say who it is"
        if refusal is not None:
            found.text = refusal.what
        return
    record = decode.record(session.identity)
    found.what, found.device = "table", record["device"]
    found.role, found.board = record["role"], record["board"]
    found.firmware = ".".join(str(record[f"firmware_{n}"]) for n in ("major", "minor", "patch"))
    found.key = record["key_number"] or None
    found.verified = session.trust.session is not None
    trust = "no key" if found.key is None else f"key {found.key}"
    if found.key is not None:
        trust += " verified" if found.verified else " not verified"
    found.text = (
        f"table {found.device}, {found.role} on {found.board}, firmware {found.firmware}, {trust}"
    )

"""Target of the shipped firmware on the VM: a storm on its line, then a healthy spin.

Without coverage, for the VM counts no lines here: its inputs are those the search of `commands`
kept, and mutations of them. Commands that a table would rightly obey are taken out.
"""

from __future__ import annotations

from typing import Any

from tests.fakes import SERIAL

from hil_tests.fuzz import corpus
from hil_tests.fuzz.device_target import conversation
from hil_tests.fuzz.input_search import Target
from hil_tests.fuzz.mutate import frames, present, sealed, split
from hil_tests.soak.roulette import wrong_number
from tableemulator import play_session
from tableemulator.machines.core.harness import FROM_TABLE
from tableemulator.machines.roulette.croupier import RouletteTable
from tableemulator.machines.roulette.physical_wheel import Geometry
from tablespec.message_list import BY_ID
from tablewire import codes, messages
from tablewire.cobs import unstuff
from tablewire.codec import CRC_BYTES, Frame
from tablewire.framing import Receiver
from tablewire.messages import SEED

_DEVICE_AT = slice(5, 9)
# Between pieces of the storm, and to the end of what it set off; microseconds.
_PAUSE_US, _AFTER_US = 40_000, 3_000_000
# Bytes in use may differ by what the last round left in lists that grow once, and by the module
# that answers a first get_configuration: 1,120 after one or twenty of them.
_MORE_BYTES = 2048
_HARMLESS = (messages.IDENTIFY, messages.GET_CONFIGURATION, messages.CLEAR_FAULT)


class Witness:
    """Hears the line: who speaks, in which boot, and what must not be heard."""

    def __init__(self) -> None:
        self.device = self.boot = 0
        self._receiver = Receiver()

    def hear(self, _now_us: int, direction: str, data: bytes) -> None:
        """Bytes on the line. Raises AssertionError for a reset or a task that stopped."""
        for item in self._receiver.feed(data) if direction == FROM_TABLE else ():
            assert isinstance(item, Frame), f"the table sent no frame: {item.reason}"
            assert item.boot == (self.boot or item.boot), "the board was reset"
            self.device, self.boot = item.device, item.boot
            stopped = item.type == messages.FAULT_RAISED and item.values[0] == codes.TASK_STOPPED
            assert not stopped, "a task stopped"

    def address(self, piece: bytes) -> bytes:
        """The piece as said to this device; nothing for a command it would obey."""
        wire = piece
        body = unstuff(piece[:-1]) if len(piece) > 1 else None
        if body is not None and body[_DEVICE_AT] == SERIAL.to_bytes(4, "little"):
            body[_DEVICE_AT] = self.device.to_bytes(4, "little")
            wire = sealed(bytes(body[:-CRC_BYTES]), SEED)
        return b"" if any(map(self._is_obeyed, Receiver().feed(wire))) else wire

    def _is_obeyed(self, item: object) -> bool:
        if not isinstance(item, Frame) or item.flags or item.type in _HARMLESS:
            return False
        here = (item.device, item.boot) == (self.device, self.boot)
        return here and BY_ID[item.type].sender == "host"


def check_board(stream: bytes) -> None:
    """No task stops, nothing resets, the heap does not grow, and the number is right."""
    geometry, witness = Geometry(), Witness()
    with play_session.emulated_table(geometry, 1, listen=witness.hear) as table:
        _spin(table, geometry)
        before = _in_use(table)
        for piece in split(present(stream)):
            table.send(witness.address(piece))
            table.step(table.now_us + _PAUSE_US)
        table.send(b"\0")
        until_us = table.now_us + _AFTER_US
        while table.now_us < until_us:
            table.step(until_us)
        _spin(table, geometry)
        assert _in_use(table) <= before + _MORE_BYTES, "the heap grew"
        assert table.errors == [], table.errors


def _spin(table: RouletteTable, geometry: Geometry) -> None:
    spin = table.spin()
    assert spin.reason is None, f"a healthy spin is void by {spin.reason}"
    wrong = wrong_number(spin, None, geometry)
    assert not wrong, wrong


def _in_use(table: RouletteTable) -> int:
    controller: Any = table.controller
    used, _, _ = controller.board.mem()
    return int(used)


def storms() -> list[bytes]:
    """What the search of the commands kept, in two streams, and noise that never ends a frame."""
    inputs = corpus.read("commands") or conversation()
    return [b"".join(inputs[::2])[:3000], b"".join(inputs[1::2])[:3000], b"\xff" * 2000]


TARGETS = (Target("board", check_board, storms, frames, limit_s=300.0),)

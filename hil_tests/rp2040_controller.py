"""The shipped controller of a Pico on the rig rp2040js, as a table reaches it."""

from __future__ import annotations

from typing import Any

from hil_tests.rigs.rp2040_board import Rp2040Board
from tableemulator.board.wasm import Output
from tableemulator.machines.core.sensor_lines import Event
from tablewire import codes

# GPIO of channel 0 of the converter.
_FIRST_ANALOG = 26
_ARRAY_BYTES = 5
# Fault -> code on this rig: edges that come faster than the chip can be interrupted become one,
# and so do not fill the ring; the code is that of what they leave.
MERGED = {"edges_lost": codes.SENSOR_IMPLAUSIBLE}


def latches(board: dict[str, Any]) -> dict[int, int]:
    """SPI -> GPIO that loads its shift registers, of the data of a board."""
    return {board["SPI"]["id"]: board["SPI"]["latch"]}


class NotPlayedError(RuntimeError):
    """What this rig cannot do to a controller."""


class Rp2040Controller:
    """played, wired: the data of the boards the events are for, and whose program runs."""

    def __init__(self, board: Rp2040Board, played: dict[str, Any], wired: dict[str, Any]) -> None:
        self.board = board
        self._pins = {
            pin: (wired["PINS"][role], wired["ACTIVE"][role], played["ACTIVE"][role])
            for role, pin in played["PINS"].items()
            if role in played["PULLS"]
        }
        self._analog = {
            pin: wired["ANALOG"][role] - _FIRST_ANALOG for role, pin in played["ANALOG"].items()
        }
        self._spi = {played["SPI"]["id"]: wired["SPI"]["id"]}
        self._inverts = played["ARRAY_ACTIVE"] != wired["ARRAY_ACTIVE"]

    def write_file(self, name: str, data: bytes) -> None:
        raise NotPlayedError("nobody writes to the flash beside the program")

    def switch_on(self) -> Output:
        """The board was switched on when it was made; here its sensors come to see nothing."""
        return self.board.play(self._idle(), self.board.now_us)

    def play(self, events: list[Event], until_us: int) -> Output:
        """Let time pass to until_us with these events, in any order."""
        in_time = sorted(events, key=lambda event: event[0])
        return self.board.play([self._event(event) for event in in_time], until_us)

    def cut_power(self, *, damage: bool, full: bool) -> Output:
        """Power the board off and on."""
        if damage or full:
            raise NotPlayedError("nobody writes to the flash beside the program")
        return self.board.boot()

    def boot_release(self, *, behind: int) -> Output:
        raise NotPlayedError("the counters on the flash are the program's own")

    def rot_memory(self) -> None:
        raise NotPlayedError("nobody writes to the flash beside the program")

    def provision(self) -> Output:
        raise NotPlayedError("the prompt is closed")

    def stop_task(self, *, memory: bool) -> None:
        raise NotPlayedError("no code is run beside the program")

    def trace(self, number: int) -> bytes | None:
        raise NotPlayedError(f"trace {number} is fetched over the link")

    def close(self) -> None:
        """Switch it off; may be called twice."""
        self.board.close()

    def _idle(self) -> list[Event]:
        now_us = self.board.now_us
        empty = ("ff" if self._inverts else "00") * _ARRAY_BYTES
        pins = [[now_us, "pin", pin, 1 - on] for pin, on, _ in self._pins.values()]
        return pins + [[now_us, "spi", bus, empty] for bus in self._spi.values()]

    def _event(self, event: Event) -> Event:
        t_us, kind, number, value = event
        if kind in ("rx", "usb"):
            return event
        if kind == "adc" and number in self._analog:
            return [t_us, kind, self._analog[number], value]
        if kind == "spi" and number in self._spi:
            bits = bytes.fromhex(value)
            if self._inverts:
                bits = bytes(0xFF ^ byte for byte in bits)
            return [t_us, kind, self._spi[number], bits.hex()]
        if kind != "pin" or number not in self._pins:
            raise NotPlayedError(f"this rig has no sensor for {kind} {number}")
        pin, on, before = self._pins[number]
        return [t_us, "pin", pin, on if value == before else 1 - on]

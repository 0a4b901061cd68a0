"""An emulated RP2040 by the wall clock, its USB line and its UART 0 as PTYs, for mpremote.

It lives in a thread. It never runs ahead of the clock; under load it falls behind. When its
program stops both lines hang up, and failure says why.
"""

import threading
import time
from types import TracebackType
from typing import Self

from hil_tests.emulators.core.uart import UartPort
from hil_tests.rigs.process import BoardDiedError, BoardHungError
from hil_tests.rigs.rp2040_board import BoardHalted, Rp2040Board
from hil_tests.rigs.stock import UsbLine

_LOOK_S = 0.001
# So long nothing typed is looked at.
_SLICE_US = 10_000


class LiveBoard:
    """Switched on as it is given; lives while entered."""

    def __init__(self, board: Rp2040Board) -> None:
        self.failure = ""
        self._board = board
        self._usb, self._uart = UsbLine(), UartPort(None, pty=True)
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._live, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ends.set()
        self._thread.join()

    @property
    def prompt(self) -> str:
        """Device path of its USB line."""
        return self._usb.pty

    @property
    def link(self) -> str:
        """Device path of the other end of its UART 0."""
        return self._uart.pty

    def _live(self) -> None:
        try:
            self._turn()
        except (BoardHalted, BoardDiedError, BoardHungError) as error:
            self.failure = str(error)
        finally:
            self._usb.close()
            self._uart.close()

    def _turn(self) -> None:
        offset_us = self._board.now_us - time.monotonic_ns() // 1000
        while not self._ends.is_set():
            typed, heard = self._usb.receive(_LOOK_S), self._uart.receive(0.0)
            now = self._board.now_us
            events = [[now, "usb", 0, typed.hex()]] if typed else []
            events += [[now, "rx", 0, heard.hex()]] if heard else []
            until = min(now + _SLICE_US, time.monotonic_ns() // 1000 + offset_us)
            output = self._board.play(events, max(now, until))
            self._usb.send(output.printed.encode(errors="surrogateescape"))
            self._uart.send(output.sent)

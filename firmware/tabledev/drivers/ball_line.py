"""The line of the two ball readers: the port that a draw machine uses instead of two inputs."""

import time

from machine import UART, Pin

from tablelogic.draw_machine.reader_line import ReaderLines
from tablewire.compat import const

_BAUD = const(9600)
_READ_BYTES = const(96)  # 80 ms are 77 bytes


class BallLine:
    """port: number of the UART; tx, rx: its pins."""

    def __init__(self, port: int, tx: int, rx: int) -> None:
        self._uart = UART(port, baudrate=_BAUD, tx=Pin(tx), rx=Pin(rx), rxbuf=256, timeout=0)
        # To the stubs ticks are of a type of their own.
        self._lines = ReaderLines(time.ticks_ms())  # type: ignore[arg-type]

    def close(self) -> None:
        """Release the pins."""
        self._uart.deinit()

    def poll(self, report: "list[int]") -> bool:
        """See hal: fill report with what is new of a reader; False when nothing is."""
        now_ms, lines = time.ticks_ms(), self._lines
        if self._uart.any():
            lines.feed(self._uart.read(_READ_BYTES))  # type: ignore[arg-type]
        return lines.take(now_ms, report) or lines.silent(now_ms, report)  # type: ignore[arg-type]


Machine = BallLine

"""The line of the two readers of balls: the port a draw machine has in place of two inputs."""

import time

from machine import UART, Pin

from tablelogic.draw_machine.lines import ReaderLines
from tablewire.compat import const

_BAUD = const(9600)
_READ_BYTES = const(32)


class BallLine:
    """port: number of the UART; tx, rx: its pins, which may have been inputs until now."""

    def __init__(self, port: int, tx: int, rx: int) -> None:
        for pin in (tx, rx):
            Pin(pin, Pin.IN).irq(None)
        self._uart = UART(port, baudrate=_BAUD, tx=Pin(tx), rx=Pin(rx), rxbuf=256, timeout=0)
        self._lines = ReaderLines(time.ticks_ms())
        self._data = bytearray(_READ_BYTES)
        self._length = 0  # of what was read
        self._taken = 0  # of it

    def close(self) -> None:
        """Let go of the pins."""
        self._uart.deinit()

    def poll(self, report: list) -> bool:
        """See hal: fill report with what is new of a reader; False when nothing is."""
        now_ms = time.ticks_ms()
        data = self._data
        while True:
            for place in range(self._taken, self._length):
                if self._lines.take(data[place], now_ms, report):
                    self._taken = place + 1
                    return True
            self._taken = self._length = 0
            length = self._uart.readinto(data) if self._uart.any() else 0
            if not length:
                return self._lines.silent(now_ms, report)
            self._length = length


Machine = BallLine

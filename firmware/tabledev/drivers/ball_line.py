"""The line of the two readers of balls: the port a draw machine has in place of two inputs."""

import time

from machine import UART, Pin

from tablelogic.draw_machine.lines import ReaderLines
from tablewire.compat import const

_BAUD = const(9600)


class BallLine:
    """port: number of the UART; tx, rx: its pins, which may have been inputs until now."""

    def __init__(self, port: int, tx: int, rx: int) -> None:
        for pin in (tx, rx):
            Pin(pin, Pin.IN).irq(None)
        self._uart = UART(port, baudrate=_BAUD, tx=Pin(tx), rx=Pin(rx), rxbuf=256, timeout=0)
        self._lines = ReaderLines(time.ticks_ms())
        self._byte = bytearray(1)

    def close(self) -> None:
        """Let go of the pins."""
        self._uart.deinit()

    def poll(self, report: list) -> bool:
        """See hal: fill report with what is new of a reader; False when nothing is."""
        now_ms = time.ticks_ms()
        while self._uart.any() and self._uart.readinto(self._byte):
            if self._lines.take(self._byte[0], now_ms, report):
                return True
        return self._lines.silent(now_ms, report)


Machine = BallLine

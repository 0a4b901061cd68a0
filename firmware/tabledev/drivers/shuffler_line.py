"""A shuffler with a serial line, 9600 baud, 8 data bits, no parity.

It reports its state twice a second, in one line: state, cards in, cards out, error number, and a
check, "S,52,31,0*5B". State: R ready, S shuffling, E error. Check: the exclusive or of all bytes
before the star, two hexadecimal digits. The counts are those of the present or last pass.
"""

from machine import UART, Pin

from tablewire.compat import const
from tablewire.shuffler import (
    SHUFFLER_STATE_ERROR,
    SHUFFLER_STATE_READY,
    SHUFFLER_STATE_SHUFFLING,
)

_BAUD = const(9600)
_LONGEST = const(32)
_MOST = const(0xFFFF)
_STATES = {
    82: SHUFFLER_STATE_READY,
    83: SHUFFLER_STATE_SHUFFLING,
    69: SHUFFLER_STATE_ERROR,
}


class ShufflerLine:
    """port: number of the UART; tx, rx: its pins."""

    def __init__(self, port: int, tx: int, rx: int) -> None:
        self._uart = UART(port, baudrate=_BAUD, tx=Pin(tx), rx=Pin(rx), rxbuf=256, timeout=0)
        self._line = bytearray(_LONGEST)
        self._length = 0
        self._byte = bytearray(1)

    def close(self) -> None:
        """Release the pins."""
        self._uart.deinit()

    def poll(self, report: "list[int]") -> bool:
        """See hal: process received bytes; a line that is damaged or too long is ignored."""
        is_whole = False
        while self._uart.any() and self._uart.readinto(self._byte):
            byte = self._byte[0]
            if byte == 10:
                is_whole = self._take(report) or is_whole
                self._length = 0
            elif self._length < _LONGEST:
                self._line[self._length] = byte
                self._length += 1
        return is_whole

    def _take(self, report: "list[int]") -> bool:
        line, end = self._line, self._length - 3
        if end < 7 or self._length == _LONGEST or line[end] != 42 or line[1] != 44:
            return False
        check = 0
        for place in range(end):
            check ^= line[place]
        if _digit(line[end + 1]) << 4 | _digit(line[end + 2]) != check or line[0] not in _STATES:
            return False
        counts = [0, 0, 0]
        field = 0
        for place in range(2, end):
            if line[place] == 44:
                field += 1
            elif field > 2 or not 48 <= line[place] <= 57:
                return False
            else:
                counts[field] = min(counts[field] * 10 + line[place] - 48, _MOST)
        if field != 2:
            return False
        report[0] = _STATES[line[0]]
        report[1], report[2], report[3] = counts
        return True


def _digit(byte: int) -> int:
    if 48 <= byte <= 57:
        return byte - 48
    return byte - 55 if 65 <= byte <= 70 else -1


Machine = ShufflerLine

"""The reports of two ball readers on one line, 9600 baud: the lines, their checks, and silence.

Each reader has a letter, E at the exit, T at the tube, and reports four times a second how many
readings it has made since it was switched on (0 to 255, then from 0), the number on the ball read
last, 0 when it could not be read, and the set of the ball's tag, 0 for none: "E,17,42,3*5A".
The check is the exclusive or of all bytes before the star, two hexadecimal digits. A reading is
reported when the count has changed; a damaged line is ignored, because the next one repeats it.
Knows no port: bytes and the time are passed in.
"""

from tablewire.compat import const
from tablewire.messages import UNKNOWN_U8

from ..core.ticks import diff

_LONGEST = const(24)
_SILENT_MS = const(2000)
_LETTERS = b"ET"
_MOST = const(254)  # a number that no ball has, and no unknown one


class ReaderLines:
    """now_ms: of the caller's clock, which wraps.

    Both readers count as alive when it is created.
    """

    def __init__(self, now_ms: int) -> None:
        self._waits = b""  # received bytes not processed yet
        self._fields = [0, 0, 0]
        self._heard_ms = [now_ms, now_ms]
        self._lines = [b"", b""]  # the last complete one of each reader
        self._readings = [-1, -1]  # reported last, -1: none yet
        self._silent = [False, False]

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        self._waits += data

    def take(self, now_ms: int, report: "list[int]") -> bool:
        """Process received lines; True when report was filled with what is new of one."""
        while self._waits:
            end = self._waits.find(b"\n")
            if end < 0:
                # One that is too long stays so, whatever follows.
                self._waits = self._waits[:_LONGEST]
                return False
            line = self._waits[:end]
            self._waits = self._waits[end + 1 :]
            if self._take(line, now_ms, report):
                return True
        return False

    def silent(self, now_ms: int, report: "list[int]") -> bool:
        """Nothing more waits; True when report was filled with a reader that became silent."""
        heard_ms = self._heard_ms
        if diff(now_ms, heard_ms[0]) < _SILENT_MS and diff(now_ms, heard_ms[1]) < _SILENT_MS:
            return False
        for place in range(2):
            quiet_ms = diff(now_ms, heard_ms[place])
            if not self._silent[place] and quiet_ms >= _SILENT_MS:
                self._silent[place] = True
                self._readings[place], self._lines[place] = -1, b""
                report[0], report[1] = place + 1, 0
                report[2], report[3] = UNKNOWN_U8, 0
                return True
        return False

    def _take(self, line: bytes, now_ms: int, report: "list[int]") -> bool:
        """Process one line; True when it reports something new."""
        place = _LETTERS.find(line[:1])
        if place < 0 or (line != self._lines[place] and not self._is_whole(line)):
            return False
        self._heard_ms[place] = now_ms
        self._silent[place] = False
        if line == self._lines[place]:
            return False  # as three times in four
        self._lines[place] = line
        fields = self._fields
        if fields[0] == self._readings[place]:
            return False
        self._readings[place] = fields[0]
        report[0], report[1] = place + 1, fields[0]
        report[2], report[3] = min(fields[1], _MOST), fields[2]
        return True

    def _is_whole(self, line: bytes) -> bool:
        end = len(line) - 3
        if end < 7 or len(line) >= _LONGEST or line[end] != 42 or line[1] != 44:
            return False
        check = 0
        for place in range(end):
            check ^= line[place]
        high, low = _digit(line[end + 1]), _digit(line[end + 2])
        if min(high, low) < 0 or high << 4 | low != check:
            return False
        return self._split(line, end)

    def _split(self, line: bytes, end: int) -> bool:
        """Put the three numbers before `end` into the fields; False when they are invalid."""
        fields, field = self._fields, 0
        fields[0] = fields[1] = fields[2] = 0
        for place in range(2, end):
            byte = line[place]
            if byte == 44:
                field += 1
                if field > 2:
                    return False
            elif 48 <= byte <= 57:
                fields[field] = min(fields[field] * 10 + byte - 48, 999)
            else:
                return False
        return field == 2 and fields[0] <= 255 and fields[2] <= 255


def _digit(byte: int) -> int:
    if 48 <= byte <= 57:
        return byte - 48
    return byte - 55 if 65 <= byte <= 70 else -1

"""Reads the faces of a frame on the board: loaded only where the table reads them itself.

Faces are read beyond the dice line; a set that is only complete with the strip between line and
wall has not passed the line.
"""

from tablewire import dice_tray as words

from ..dice import read_codes
from ..dice.picture_reader import reader_of

if -0:  # for mypy
    from tabletypes import Buffer, Work

_INCOMPLETE = (read_codes.NO_DICE, read_codes.COUNT_WRONG, read_codes.CUT_OFF, read_codes.FOREIGN)
_READINGS = {
    read_codes.READ: words.READING_READ,
    read_codes.NO_DICE: words.READING_NO_DICE,
    read_codes.COUNT_WRONG: words.READING_COUNT_WRONG,
    read_codes.CUT_OFF: words.READING_CUT_OFF,
    read_codes.FOREIGN: words.READING_FOREIGN_OBJECT,
    read_codes.UNREADABLE: words.READING_UNREADABLE,
    read_codes.AMBIGUOUS: words.READING_AMBIGUOUS,
    read_codes.COCKED: words.READING_COCKED,
    read_codes.TOO_DARK: words.READING_TOO_DARK,
}


class FaceReader:
    """width, height: of the frames, px. line: row of the dice line. dice: the table has."""

    def __init__(self, width: int, height: int, line: int, dice: int) -> None:
        self._width = width
        self._height = height
        self._line = line
        self._dice = dice
        self._reader = reader_of(width, height - line, lower=True)

    def steps(self, frame: "Buffer", fields: "list[int]", is_taken: bool) -> "Work[int]":
        """Return the verdict on the faces in a frame, in steps; they go to fields[1] to fields[6].

        is_taken: something lies between wall and line.
        """
        past = memoryview(frame)[self._line * self._width :]
        reason, values = yield from self._reader.steps(past, self._dice)
        if reason in _INCOMPLETE:
            if reason != read_codes.FOREIGN and len(values) < self._dice and is_taken:
                return words.READING_LINE_NOT_PASSED
            # Rare, so the large buffers of a second reader live only as long as this.
            whole = reader_of(self._width, self._height)
            reason, _ = yield from whole.steps(frame, self._dice)
            if reason == read_codes.READ:
                return words.READING_LINE_NOT_PASSED
        elif reason == read_codes.READ and len(values) == self._dice:
            for place in range(len(values)):
                fields[1 + place] = values[place]
        return _READINGS.get(reason, words.READING_UNREADABLE)

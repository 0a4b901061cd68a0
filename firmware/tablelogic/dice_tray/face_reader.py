"""Reads the faces of a frame on the board: loaded only where the table reads them itself.

Faces are read beyond the dice line; a set that is only complete with the strip between line and
wall has not passed the line.
"""

from tablewire import dice_tray as words

from ..dice import reasons
from ..dice.reader import reader_of

if -0:  # for mypy
    from tabletypes import Buffer, Work

_INCOMPLETE = (reasons.NO_DICE, reasons.COUNT_WRONG, reasons.CUT_OFF, reasons.FOREIGN)
_READINGS = {
    reasons.READ: words.READING_READ,
    reasons.NO_DICE: words.READING_NO_DICE,
    reasons.COUNT_WRONG: words.READING_COUNT_WRONG,
    reasons.CUT_OFF: words.READING_CUT_OFF,
    reasons.FOREIGN: words.READING_FOREIGN_OBJECT,
    reasons.UNREADABLE: words.READING_UNREADABLE,
    reasons.AMBIGUOUS: words.READING_AMBIGUOUS,
    reasons.COCKED: words.READING_COCKED,
    reasons.TOO_DARK: words.READING_TOO_DARK,
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
            if reason != reasons.FOREIGN and len(values) < self._dice and is_taken:
                return words.READING_LINE_NOT_PASSED
            # Rare, so the large buffers of a second reader live only as long as this.
            whole = reader_of(self._width, self._height)
            reason, _ = yield from whole.steps(frame, self._dice)
            if reason == reasons.READ:
                return words.READING_LINE_NOT_PASSED
        elif reason == reasons.READ and len(values) == self._dice:
            for place in range(len(values)):
                fields[1 + place] = values[place]
        return _READINGS.get(reason, words.READING_UNREADABLE)

"""Reads the faces of a frame on the board: loaded only where the table reads them itself.

It reads the whole floor of the commissioned tray, so that a die on the dice line, or between it
and the wall, is seen.
"""

from tablewire import dice_tray as words

from ..tray_reader.reader import Reader
from ..tray_reader.rig import Rig, RigError

if -0:  # for mypy
    from tabletypes import Buffer, Work

_INCOMPLETE = (words.READING_NO_DICE, words.READING_COUNT_WRONG)


class FaceReader:
    """tray: the file of the commissioned tray, None without one. scale: of the frames, 1 or 2.

    line: row of the dice line, px of the frame. dice: the table has.
    """

    def __init__(self, tray: "Buffer | None", scale: int, line: int, dice: int) -> None:
        self.rig = 0  # digest of the tray; 0: none was commissioned for these frames
        self._line = line
        self._dice = dice
        self._reader = None
        try:
            rig = Rig(tray or b"")
        except RigError:
            return
        if rig.scale == scale:
            self.rig = rig.digest
            self._reader = Reader(rig)

    def steps(self, frame: "Buffer", fields: "list[int]", is_taken: bool) -> "Work[int]":
        """Return the verdict on the faces in a frame, in steps; they go to fields[1] to fields[6].

        is_taken: something is between wall and line, where the floor may not reach. Only with a
        commissioned tray.
        """
        reader = self._reader
        assert reader is not None
        reason = yield from reader.steps(frame, self._dice)
        if reason != words.READING_FOREIGN_OBJECT and reader.first_row < self._line:
            return words.READING_LINE_NOT_PASSED
        if is_taken and reason in _INCOMPLETE:
            return words.READING_LINE_NOT_PASSED
        if reason == words.READING_READ:
            for place in range(len(reader.values)):
                fields[1 + place] = reader.values[place]
        return reason

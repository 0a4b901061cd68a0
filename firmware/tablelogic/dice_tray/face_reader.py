"""Reads the faces of a frame on the board: loaded only where the table reads them itself.

It reads the whole floor of the commissioned tray, so that a die on the dice line, or between it
and the wall, is seen. Of two lights only the tray of one is in memory: each takes 19 KiB.
"""

from tablewire import dice_tray as words
from tablewire.compat import const

from ..tray_reader.reader import Reader
from ..tray_reader.rig import Rig, RigError

if -0:  # for mypy
    from tabletypes import Buffer, Trays, Work

_INCOMPLETE = (words.READING_NO_DICE, words.READING_COUNT_WRONG)
_NO_LIGHT = const(-1)


class FaceReader:
    """trays: returns the file of the tray under a light, None without one. lights: that are lit.

    scale: of the frames, 1 or 2. line: row of the dice line, px of the frame. dice: the table has.
    """

    def __init__(
        self, trays: "Trays", lights: "tuple[int, ...]", scale: int, line: int, dice: int
    ) -> None:
        self._trays = trays
        self._scale = scale
        self._line = line
        self._dice = dice
        self._light = _NO_LIGHT
        self._rig = 0  # digest of the tray; 0: none was commissioned for these frames
        self._reader: "Reader | None" = None
        digests = [self._load(light) for light in lights]
        # One missing, or one file for both: nothing is read.
        self._is_whole = all(digests) and len(set(digests)) == len(lights)

    def take(self, light: int) -> int:
        """Take the tray under that light; return its digest, 0 if nothing can be read."""
        return self._load(light) if self._is_whole else 0

    def _load(self, light: int) -> int:
        """Return the digest of the tray under that light, 0 for none of these frames."""
        if light != self._light:
            self._reader = None  # before the next one is read: there is room for one
            self._light, self._rig = light, 0
            try:
                rig = Rig(self._trays(light) or b"")
            except RigError:
                return 0
            if rig.scale == self._scale:
                self._rig = rig.digest
                self._reader = Reader(rig)
        return self._rig

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

"""Examines a frame of the tray's camera: the fields of dice_seen.

Not part of the role, which only gets the verdict, so that a trace needs no pictures to be
replayed. The far wall is along the top of the picture, with a mark on it. Where the host reads the
faces, only what that does not need is found here: that nothing moves, that something lies beyond
the dice line, and nothing between line and wall. Two lights have a tray each, and a frame is
compared with the one before under the same light.
"""

from tablewire import dice_tray as words
from tablewire.compat import const
from tablewire.crc import crc32

from .blocks import Blocks
from .faces import is_read_here, lights_of
from .landmarks import Landmarks

if -0:  # for mypy
    from tabletypes import Buffer, Config, Trays, Work

EVEN = const(12)  # greys between the blocks of a picture of nothing
_OCCUPIED = const(30)  # greys between the blocks of a cloth with something on it
_STILL = const(1)  # blocks that may change while nothing moves
_UNKNOWN = const(0xFFFF)


def size(config: "Config") -> "tuple[int, int]":
    """(width, height) of the frames a configuration needs, px."""
    return (160, 120) if config[words.FRAME_SIZE] == 1 else (320, 240)


class Eye:
    """config: list indexed by key number. trays: returns the file of the tray under a light, if it
    was commissioned.

    fields: those of dice_seen, of the last frame. blocks: of that frame. lights: in whose turn
    frames are examined. views: blocks under each of them.
    """

    def __init__(self, config: "Config", trays: "Trays") -> None:
        self.width, self.height = size(config)
        scale = config[words.FRAME_SIZE]
        self._line = config[words.LINE_ROW] * scale
        self._dark = config[words.DARK_GREY]
        self._most_shift = config[words.CAMERA_SHIFT] * scale
        self.lights = lights_of(config)
        self.views = [Blocks(self.width, self.height) for _ in self.lights]
        self.blocks = self.views[0]
        self._marks = Landmarks(self.width)
        self._wall = config[words.WALL_ROW] * scale
        self._mark = config[words.MARK_COLUMN] * scale
        self._reader = None
        if is_read_here(config):
            from .face_reader import FaceReader  # large: not in memory where the host reads

            self._reader = FaceReader(trays, self.lights, scale, self._line, config[words.DICE])
        self.fields = [0] * 13
        self._take_tray(0)

    def look(self, frame: "Buffer", turn: int = 0) -> "list[int]":
        """Examine a frame of width * height bytes, without its faces; returns fields.

        turn: place of its light in lights.
        """
        fields = self.fields
        self.blocks = self.views[turn]
        self._take_tray(turn)
        before = fields[11]
        fields[11] = crc32(frame, 0) & 0xFFFFFFFF
        self.blocks.measure(frame)
        fields[8] = self.blocks.since_kept()
        fields[7] = self.blocks.changed()
        fields[9] = self.blocks.mean
        fields[10] = self._marks.shift(frame, self._wall, self._mark)
        for place in range(1, 7):
            fields[place] = 0
        fields[0] = self._state(before)
        return fields

    def steps(self, frame: "Buffer") -> "Work[None]":
        """Read, in steps, what lies in the frame examined last, if nothing moves.

        fields is complete at the end of it, and the frame must not change until then.
        """
        if self.fields[0] != words.READING_GOOD:
            return
        if self.fields[7] > _STILL:
            self.fields[0] = words.READING_MOVING
        else:
            self.fields[0] = yield from self.read(frame)

    def missed(self) -> "list[int]":
        """Note that no frame came."""
        fields = self.fields
        for place in range(7):
            fields[place] = 0
        fields[0], fields[7], fields[8] = words.READING_NO_FRAME, _UNKNOWN, _UNKNOWN
        fields[9], fields[10], fields[11] = 0, 255, 0
        return fields

    def keep(self) -> None:
        """Store the last frames as those of a result: the next round's have to differ."""
        for blocks in self.views:
            blocks.keep()

    def _take_tray(self, turn: int) -> None:
        if self._reader is not None:
            self.fields[12] = self._reader.take(self.lights[turn])

    def _state(self, before: int) -> int:
        fields = self.fields
        if fields[9] < self._dark:
            return words.READING_TOO_DARK
        if self.blocks.span < EVEN:
            return words.READING_COVERED
        if fields[11] == before:
            return words.READING_FROZEN
        if fields[10] > self._most_shift:
            # An object flying past the wall hides it for a moment.
            return words.READING_MOVED if fields[7] <= _STILL else words.READING_MOVING
        if self._reader is not None and not fields[12]:
            return words.READING_NOT_COMMISSIONED
        return words.READING_GOOD

    def read(self, frame: "Buffer") -> "Work[int]":
        """Return the verdict on the dice in the frame examined last, in steps.

        Their faces are in fields[1] to fields[6], zeros where the host reads them.
        """
        is_taken = self.blocks.spread(self._wall + 4, self._line) > _OCCUPIED
        if self._reader is not None:
            return (yield from self._reader.steps(frame, self.fields, is_taken))
        yield
        if is_taken:
            return words.READING_LINE_NOT_PASSED
        has_dice = self.blocks.spread(self._line, self.height) > _OCCUPIED
        return words.READING_NOT_READ if has_dice else words.READING_NO_DICE

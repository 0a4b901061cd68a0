"""How good a frame of a tray's camera is: its position, light, focus, and what lies there.

Rows, columns and shifts are given in px of 160 x 120, as the configuration has them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tablelogic.dice_tray.landmarks import Landmarks
from tabletools.dice.pictures import Frame
from tabletools.dice.reasons import COUNT_WRONG, NAMES, READ

_PARTS = 8  # of the cloth, each way
_REACH = 5  # rows to each side of the wall's edge that are wall and cloth


@dataclass(frozen=True)
class View:
    """shift_px: of wall or mark, 255 when not found, px of the frame. darkest, brightest: means

    of the parts of the cloth, greys. sharp: see sharpness(). reason: of the reader, no_dice for
    an empty tray, nothing when it read dice.
    """

    shift_px: int
    darkest: int
    brightest: int
    sharp: int | None
    reason: str


@dataclass(frozen=True)
class Dice:
    """reason: of the reader, nothing when it read them. values: faces. sides: px of the frame."""

    reason: str
    values: list[int]
    sides: list[int]

    @property
    def is_read(self) -> bool:
        """Whether every die was read, and nothing else lies there."""
        return self.reason == NAMES[READ]


def view(frame: Frame, wall: int, mark: int, line: int) -> View:
    """What the camera sees of a tray."""
    scale = frame.width // 160
    shift = Landmarks(frame.width).shift(frame.grey, wall * scale, mark * scale)
    sharp = sharpness(frame, wall * scale)
    return View(shift, *cloth(frame, line * scale), sharp, dice(frame, line).reason)


def dice(frame: Frame, line: int, expected: int = 0) -> Dice:
    """What lies past the dice line, read as the host reads it."""
    from tabletools.dice.reading_by_maps import read_by_maps  # loads OpenCV and the network
    from tabletools.dice.reference import pixels

    past = frame.grey[line * (frame.width // 160) * frame.width :]
    picture = pixels(Frame(frame.width, len(past) // frame.width, past))
    reason, values, tops = read_by_maps(picture)
    if reason == READ and expected and len(values) != expected:
        reason = COUNT_WRONG
    return Dice(NAMES[reason], values, sorted(round(top.side) for top in tops))


def cloth(frame: Frame, line: int) -> tuple[int, int]:
    """Lowest and highest mean of 8 x 8 parts of the cloth past the dice line, greys."""
    height, width = (frame.height - line) // _PARTS, frame.width // _PARTS
    means = []
    for row in range(line, line + height * _PARTS, height):
        for column in range(0, width * _PARTS, width):
            spans = (
                frame.grey[y * frame.width + column :][:width] for y in range(row, row + height)
            )
            means.append(sum(map(sum, spans)) // (height * width))
    return min(means), max(means)


def sharpness(frame: Frame, wall: int) -> int | None:
    """Share of the step from wall to cloth that lies within two pixels of 160, percent.

    The middle one of eight stretches; None where the two are of one grey.
    """
    scale = frame.width // 160
    long = frame.width // _PARTS
    shares = []
    for column in range(0, long * _PARTS, long):
        first = max(wall - _REACH * scale, 0)
        rows = [
            sum(frame.grey[y * frame.width + column :][:long]) / long
            for y in range(first, wall + _REACH * scale)
        ]
        whole = abs(rows[-1] - rows[0])
        if whole >= 1:
            shares.append(int(min(100 * _steepest(rows, 2 * scale) / whole, 100)))
    return sorted(shares)[len(shares) // 2] if len(shares) > _PARTS // 2 else None


def _steepest(rows: Sequence[float], over: int) -> float:
    return max(abs(after - before) for before, after in zip(rows, rows[over:], strict=False))

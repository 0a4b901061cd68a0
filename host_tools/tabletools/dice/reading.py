"""One picture read exactly as a table reads it, and what a verdict on a picture says."""

from __future__ import annotations

from dataclasses import dataclass

from tablelogic.dice.picture_reader import Reader
from tablelogic.dice.read_codes import NAMES, READ
from tabletools.dice.pictures import Frame

MOVED = "moved"  # between frames of one throw
UNSEEN = "not_in_second_picture"
OTHER_TRAY = "not_this_tray"


@dataclass(frozen=True)
class Verdict:
    """dice: faces read, sorted, also when refused. reason: a name in tablelogic.dice.read_codes,
    "" when accepted; MOVED, UNSEEN or OTHER_TRAY. referred: it was compared with the empty tray.
    leans: of each die by a second picture, degrees, None of one that it does not show; empty
    without one, or when the first picture was refused. side_px: of the dice, 0 when not known."""

    dice: list[int]
    reason: str
    referred: bool = False
    leans: tuple[float | None, ...] = ()
    side_px: float = 0.0

    @property
    def accepted(self) -> bool:
        """The faces may be reported."""
        return self.reason == NAMES[READ]


def read_frame(frame: Frame, expected: int = 0) -> Verdict:
    """Read a frame exactly as the table does. expected: dice of the table, 0 when not known."""
    reason, values = Reader(frame.width, frame.height).read(frame.grey, expected)
    return Verdict(values, NAMES[reason])

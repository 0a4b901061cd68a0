"""What a verdict on a picture says, and a picture read as a table with its tray reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablelogic.tray_reader.reader import Reader
from tablelogic.tray_reader.rig import Rig, RigError
from tablelogic.tray_reader.stepwise import finish
from tablespec.roles.dice_tray import READING
from tabletools.dice.pictures import Frame
from tabletools.errors import ToolError
from tablewire.dice_tray import READING_READ

if TYPE_CHECKING:
    from tabletools.dice.maps import Top

__all__ = ["MOVED", "OTHER_TRAY", "UNSEEN", "Rig", "Verdict", "read_frame", "tray_of"]
MOVED = "moved"  # between frames of one throw
UNSEEN = "not_in_second_picture"
OTHER_TRAY = "not_this_tray"
_NAMES = dict(READING)


@dataclass(frozen=True)
class Verdict:
    """dice: faces read, sorted, also when refused. reason: a name in reasons.NAMES or of the wire,
    "" when accepted; MOVED, UNSEEN or OTHER_TRAY. referred: it was compared with the empty tray.
    leans: of each die by a second picture, degrees, None of one that it does not show; empty
    without one, or when the first picture was refused. side_px: of the dice, 0 when not known.
    tops: of the dice, in px of the picture that was read."""

    dice: list[int]
    reason: str
    referred: bool = False
    leans: tuple[float | None, ...] = ()
    side_px: float = 0.0
    tops: tuple[Top, ...] = ()

    @property
    def accepted(self) -> bool:
        """The faces may be reported."""
        return not self.reason


def tray_of(data: bytes, where: str) -> Rig:
    """Return a commissioned tray. data: its file. Raises ToolError."""
    try:
        return Rig(data)
    except RigError as error:
        what = f"this is not the file of a commissioned tray ({error.args[0]})"
        step = "give the file that `tabletool commission-tray` wrote"
        raise ToolError(what, where=where, step=step) from error


def read_frame(tray: Rig, frame: Frame, expected: int = 0) -> Verdict:
    """Read a frame exactly as the table with that tray does. Raises ToolError for another size.

    expected: dice of the table, 0 when not known.
    """
    reader = Reader(tray)
    try:
        reason = finish(reader.steps(frame.grey, expected))
    except RigError as error:
        limit = f"{160 * tray.scale} x {120 * tray.scale} px, as commissioned"
        what = f"the picture is {frame.width} x {frame.height} px"
        raise ToolError(what, limit=limit, step="give a frame of the tray's camera") from error
    return Verdict(reader.values, "" if reason == READING_READ else _NAMES[reason])

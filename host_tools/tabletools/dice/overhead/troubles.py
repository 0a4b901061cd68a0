"""What can be wrong with the host's camera above a tray, each with a code and a remedy."""

from __future__ import annotations

from tabletools.errors import ToolError

NO_CAMERA = "no_camera"
UNPLUGGED = "camera_unplugged"
FROZEN = "camera_frozen"
BLACK = "camera_black"
OTHER_SIZE = "camera_size"
CAMERA_MOVED = "camera_moved"
OTHER_TRAY = "not_this_tray"
DICE_MOVED = "moved"
DIFFERENT = "looks_differ"
LATE = "camera_late"
REMEDIES = {
    NO_CAMERA: "plug it in, or check dice_camera",
    UNPLUGGED: "check its cable and its power",
    FROZEN: "restart the camera or its stream",
    BLACK: "switch the lamps on, take the cap off the lens",
    OTHER_SIZE: "set the camera to the size it was calibrated with, or calibrate it again",
    CAMERA_MOVED: "put it back and fix it, or calibrate it again with `tabletool dice calibrate`",
    OTHER_TRAY: "clear the view; if the tray, camera or lamps changed, calibrate it again",
    DICE_MOVED: "keep hands away until the result is out",
    DIFFERENT: "look at the dice; light the tray evenly",
    LATE: "look at the dice; keep the host running during a throw",
}
"""What to do next, by code. What is refused for its dice has a name of reasons.NAMES."""


class CameraTrouble(ToolError):
    """The camera does not show a throw. code: a key of REMEDIES."""

    def __init__(self, code: str, what: str) -> None:
        super().__init__(what, where=code, step=REMEDIES[code])
        self.code = code

    def __reduce__(self) -> tuple[type[CameraTrouble], tuple[str, str]]:
        """Pickle it: it comes from the process that reads."""
        return CameraTrouble, (self.code, self.what)

    @property
    def text(self) -> str:
        """The trouble in one line: code, what is wrong, what to do next."""
        return f"{self.code}: {self.what}; {self.step}"

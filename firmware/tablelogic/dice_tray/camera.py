"""Whether the camera can be trusted: dark, covered, moved and stopped are faults.

Two frames in a row have to say so, and a good one clears it.
"""

from tablewire import dice_tray as words
from tablewire.compat import const

_IN_A_ROW = const(2)
_FAULTS = {
    words.READING_TOO_DARK: words.CAMERA_DARK,
    words.READING_COVERED: words.CAMERA_COVERED,
    words.READING_MOVED: words.CAMERA_MOVED,
    words.READING_FROZEN: words.CAMERA_STOPPED,
    words.READING_NO_FRAME: words.CAMERA_STOPPED,
}


class CameraWatch:
    """good: the last frame was one to work with."""

    def __init__(self, control: object) -> None:
        self._control = control
        self.good = False
        self._reading = 0
        self._row = 0

    def see(self, values: "list | tuple") -> bool:
        """A verdict, the fields of dice_seen; whether the frame is one to work with."""
        control, reading = self._control, values[0]
        self._row = self._row + 1 if reading == self._reading else 1
        self._row = min(self._row, 255)
        self._reading = reading
        code = _FAULTS.get(reading, 0)
        self.good = not code
        if self.good:
            if control.faults.count:
                for code in words.STANDING:
                    control.clear_fault(code)
        elif self._row >= _IN_A_ROW:
            control.raise_fault(code, words.INPUT_CAMERA, values[9], values[10])
        return self.good

"""Whether the camera can be trusted, and when a picture is needed.

Dark, covered, moved, stopped, and a tray that was not commissioned are faults: two frames in a row
raise one, a good frame clears it.
"""

from tablewire import dice_tray as words
from tablewire.compat import const

from ..core.ticks import diff

if -0:  # for mypy
    from collections.abc import Sequence

    from tabletypes import Config

    from ..core.round import RoundControl
    from .faces import Faces
    from .presses import Presses

_IN_A_ROW = const(2)
_FIRST_MS = const(1000)  # after the throw
_AGAIN_MS = const(300)
_IDLE_MS = const(2000)
_FAULTS = {
    words.READING_TOO_DARK: words.CAMERA_DARK,
    words.READING_COVERED: words.CAMERA_COVERED,
    words.READING_MOVED: words.CAMERA_MOVED,
    words.READING_FROZEN: words.CAMERA_STOPPED,
    words.READING_NO_FRAME: words.CAMERA_STOPPED,
    words.READING_NOT_COMMISSIONED: words.NOT_COMMISSIONED,
}


class CameraWatch:
    """good: the last frame was usable."""

    def __init__(self, control: "RoundControl") -> None:
        self._control = control
        self.good = False
        self._reading = 0
        self._row = 0

    def see(self, values: "Sequence[int]") -> bool:
        """Take a verdict, the fields of dice_seen; returns whether the frame is usable."""
        control, reading = self._control, values[0]
        self._row = self._row + 1 if reading == self._reading else 1
        self._row = min(self._row, 255)
        self._reading = reading
        code = _FAULTS.get(reading, 0)
        self.good = not code
        if self.good:
            if control.faults.count:
                for code in words.FAULT_CODES:
                    control.clear_fault(code)
        elif self._row >= _IN_A_ROW:
            control.raise_fault(code, words.INPUT_CAMERA, values[9], values[10])
        return self.good


class Looks:
    """asked_ms: when the last frame was wanted; rest_ms: from the throw to the first of the frames
    that agree. watch: CameraWatch.
    """

    def __init__(
        self,
        cfg: "Config",
        control: "RoundControl",
        watch: "CameraWatch",
        faces: "Faces",
        presses: "Presses",
    ) -> None:
        self._control = control
        self._watch = watch
        self._faces = faces
        self._presses = presses
        self._objection_ms = cfg[words.OBJECTION_MS]
        self.asked_ms = 0
        self.rest_ms = 0

    def ask(self) -> int:
        """0: no frame now; 1: one to see that the camera works; 2: one to read."""
        wanted = self._wanted()
        if wanted:
            self.asked_ms = self._control.now_ms
        return wanted

    def _wanted(self) -> int:
        control = self._control
        since_ms = diff(control.now_ms, self.asked_ms)
        if control.phase != words.PHASE_THROWN:
            wait_ms = _IDLE_MS if self._watch.good else _AGAIN_MS
            return 1 if not 0 <= since_ms < wait_ms else 0
        if since_ms < _AGAIN_MS or control.phase_ms() < _FIRST_MS:
            return 0
        # Agreed: nothing more until the time for objections is over, then one to make sure. Where
        # no face is read, a hand that turns a die has to be seen: frame after frame.
        faces = self._faces
        return 2 if faces.agreed < 2 or not faces.are_read_here or self.is_over() else 0

    def is_over(self) -> bool:
        """Whether the time for objections, from the first frame at rest on, is over."""
        waited_ms = self._control.phase_ms() - self.rest_ms
        return waited_ms >= self._objection_ms and not self._presses.pending

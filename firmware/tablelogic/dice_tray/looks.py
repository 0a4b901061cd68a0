"""When a dice tray wants a picture."""

from tablewire import dice_tray as words
from tablewire.compat import const

from ..core.clock import diff

_FIRST_MS = const(1000)  # after the throw
_AGAIN_MS = const(400)
_IDLE_MS = const(2000)


class Looks:
    """looked_ms: when the last verdict came; agreed_ms: when two agreed. watch: CameraWatch."""

    def __init__(
        self, cfg: list, control: object, watch: object, faces: object, presses: object
    ) -> None:
        self._control = control
        self._watch = watch
        self._faces = faces
        self._presses = presses
        self._objection_ms = cfg[words.OBJECTION_MS]
        self.looked_ms = 0
        self.agreed_ms = 0

    def wanted(self) -> int:
        """0: none now; 1: one to see that the camera works; 2: one to read."""
        control = self._control
        rest_ms = diff(control.now_ms, self.looked_ms)
        if control.phase != words.PHASE_THROWN:
            wait_ms = _IDLE_MS if self._watch.good else _AGAIN_MS
            return 1 if not 0 <= rest_ms < wait_ms else 0
        if rest_ms < _AGAIN_MS or control.phase_ms() < _FIRST_MS:
            return 0
        # Agreed: nothing more until the time for objections is over, then one to make sure.
        return 2 if self._faces.agreed < 2 or self.is_over() else 0

    def is_over(self) -> bool:
        """Whether the time for objections is."""
        waited_ms = diff(self._control.now_ms, self.agreed_ms)
        return waited_ms >= self._objection_ms and not self._presses.pending

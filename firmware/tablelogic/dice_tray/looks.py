"""When a dice tray wants a picture."""

from tablewire import dice_tray as words
from tablewire.compat import const

from ..core.clock import diff

_FIRST_MS = const(1000)  # after the throw
_AGAIN_MS = const(400)
_IDLE_MS = const(2000)


class Looks:
    """table: table.DiceTray. looked_ms: when the last verdict came; agreed_ms: when two agreed."""

    def __init__(self, cfg: list, table: object) -> None:
        self._table = table
        self._objection_ms = cfg[words.OBJECTION_MS]
        self.looked_ms = 0
        self.agreed_ms = 0

    def wanted(self) -> int:
        """0: none now; 1: one to see that the camera works; 2: one to read."""
        table = self._table
        rest_ms = diff(table.now_ms, self.looked_ms)
        if table.phase != words.PHASE_THROWN:
            wait_ms = _IDLE_MS if table.watch.good else _AGAIN_MS
            return 1 if not 0 <= rest_ms < wait_ms else 0
        thrown_ms = table.round.phase_ms(table.now_ms)
        if rest_ms < _AGAIN_MS or thrown_ms < _FIRST_MS:
            return 0
        # Agreed: nothing more until the time for objections is over, then one to make sure.
        return 2 if table.faces.agreed < 2 or self.is_over() else 0

    def is_over(self) -> bool:
        """Whether the time for objections is."""
        table = self._table
        waited_ms = diff(table.now_ms, self.agreed_ms)
        return waited_ms >= self._objection_ms and not table.presses.pending

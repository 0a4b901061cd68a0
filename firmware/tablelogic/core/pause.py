"""Between rounds: how long the wheel has been quiet, and when the next round is due."""

from tablewire import config
from tablewire.compat import const

from .ticks import diff

_QUIET_MS = const(6000)  # the ball has left the rim and lies in a pocket by then


class Pause:
    """quiet: no ball passed for six seconds. held: result or void were shown for long enough.

    Both answers are kept as flags: a table may rest for longer than its clock can measure.
    """

    def __init__(self, cfg: list) -> None:
        self._auto_open = cfg[config.AUTO_OPEN]
        self._hold_ms = cfg[config.RESULT_HOLD_MS]
        self.quiet = False
        self.held = False
        self._passed_ms = 0
        self._ended_ms = 0

    def ball_passed(self, now_ms: int) -> None:
        """A ball passed a rim sensor."""
        self.quiet = False
        self._passed_ms = now_ms

    def round_ended(self, now_ms: int) -> None:
        """A result or void was told."""
        self.held = False
        self._ended_ms = now_ms

    def tick(self, now_ms: int) -> bool:
        """Time passed with no round open; True when the next one should open by itself."""
        if diff(now_ms, self._passed_ms) >= _QUIET_MS:
            self.quiet = True
        if diff(now_ms, self._ended_ms) >= self._hold_ms:
            self.held = True
        return self._auto_open and self.held and self.quiet

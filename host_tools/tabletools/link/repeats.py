"""One line a cause: a message that repeats is let through once, and then with the count of it."""

import re
from collections.abc import Hashable
from dataclasses import replace

from tabletools.link.events import Notice

QUIET_S = 60.0
"""A cause that did not come for so long is another one when it comes again."""
_PAUSES_S = (60.0, 600.0, 3600.0)
_MOST = 256
_REPEATING = ("clock_step", "conflict", "store_failed", "unreachable")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Repeats:
    """Counts the notices of each cause, of those that repeat while nothing else changes."""

    def __init__(self) -> None:
        # By cause: when it came last, when a line of it may follow, the lines of it so far, and
        # how many were left out since the last one.
        self._known: dict[Hashable, tuple[float, float, int, int]] = {}

    def take(self, notice: Notice, now_s: float) -> Notice | None:
        """Take a notice; returns it with the count of those left out, None to leave it out too."""
        if notice.kind not in _REPEATING:
            return notice
        count = self._count((notice.kind, _NUMBER.sub("#", notice.text)), now_s)
        if count is None:
            return None
        return (
            replace(notice, text=f"{notice.text} ({count} times more before)") if count else notice
        )

    def _count(self, cause: Hashable, now_s: float) -> int | None:
        """Return how many of a cause were left out, None to leave this one out too.

        The first is let through, then one a minute, ten minutes and an hour after the one before.
        """
        known = self._known.pop(cause, None)
        if known is None or now_s - known[0] > QUIET_S:
            self._known[cause] = (now_s, now_s + _PAUSES_S[0], 1, 0)
            if len(self._known) > _MOST:
                del self._known[next(iter(self._known))]
            return 0
        _, due_s, lines, left_out = known
        if now_s < due_s:
            self._known[cause] = (now_s, due_s, lines, left_out + 1)
            return None
        pause_s = _PAUSES_S[min(lines, len(_PAUSES_S) - 1)]
        self._known[cause] = (now_s, now_s + pause_s, lines + 1, 0)
        return left_out

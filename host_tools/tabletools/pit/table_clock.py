"""The clock of a table's device compared with this host's: when a frame was made, what it shows.

Bounds, not estimates: see link.freshness. Read from any thread. Known only in a session with the
key of the table: without one, anyone on the line could move the clock.
"""

from tabletools.evidence.device_clock import Estimate, Reading
from tabletools.link import Session
from tabletools.link.freshness import BootClock
from tabletools.store import Clock
from tablewire.codec import Frame


class TableClock:
    """The clock of the table at the other end of one session."""

    def __init__(self, clock: Clock, session: Session) -> None:
        self._host = clock
        self._session = session

    @property
    def is_fresh(self) -> bool:
        """Whether the last frame of the table is recent enough to accept a bet."""
        known = self._known
        return known is not None and not known.is_stale(self._host.mono_ns())

    def made_at(self, frame: Frame) -> Estimate | None:
        """When the device made a frame of its present boot, UTC; None if unknown."""
        known = self._known
        if known is None or known[:2] != (frame.device, frame.boot):
            return None
        bounds = known.host_ns(frame.uptime_ms)
        if bounds is None:
            return None
        ahead_ns = self._host.wall_ns() - self._host.mono_ns()
        half_ns = -((bounds[0] - bounds[1]) // 2)
        return Estimate(bounds[0] + half_ns + ahead_ns, half_ns)

    def reading(self) -> Reading | None:
        """The reading of the device's clock now; None if unknown."""
        known = self._known
        now_ns = self._host.mono_ns()
        reading = None if known is None else known.shows(now_ns)
        if known is None or reading is None:
            return None
        is_fresh = not known.is_stale(now_ns)
        return Reading(known.boot, reading.middle_ms, reading.uncertainty_ms, is_fresh)

    @property
    def _known(self) -> BootClock | None:
        return None if self._session.trust.session is None else self._session.freshness.known

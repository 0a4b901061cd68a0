"""The clock of the device at a table beside this host's: when it made a frame, what it shows now.

Fed by the frames that come as they are made; asked by other threads too. Believes no frame that
nobody vouched for: whoever reaches the line could move the clock.
"""

import threading
from collections.abc import Callable

from tabletools.inbox.clock import Estimate, Reading, UptimeClock
from tabletools.ledger import Clock
from tabletools.ledger.clock import MS
from tabletools.seals import VERIFIED
from tablewire.codec import Frame
from tablewire.messages import FLAG_RETRANSMITTED, IDENTITY

_TO_TABLE = ">"


class TableClock:
    """Of the link to one table; a new boot of the device begins it anew.

    stepped: told by how much, ns, when the device's clock jumped.
    """

    def __init__(
        self, clock: Clock, stepped: Callable[[int], None] = lambda step_ns: None
    ) -> None:
        self._host = clock
        self._stepped = stepped
        self._lock = threading.Lock()
        self._present: tuple[int, int] | None = None  # device and boot
        self._newest = 0
        self._uptime = UptimeClock()
        self._asked_ns: int | None = None  # when the question who is there went out
        self._trip_ns: int | None = None  # until its answer came

    # --- how long the way is ---------------------------------------------------------------------

    def noticed(self, kind: str) -> None:
        """Something of the link: on a port just opened the way is not known yet."""
        if kind == "connected":
            self._asked_ns = self._trip_ns = None

    def passed(self, _now_s: float, direction: str, _data: bytes) -> None:
        """Bytes passed the port: the first ones to the table ask who is there."""
        if direction == _TO_TABLE and self._asked_ns is None:
            self._asked_ns = self._host.mono_ns()

    def received(self, frame: Frame) -> None:
        """The answer came. If it was asked again meanwhile the way was shorter."""
        is_answer = frame.type == IDENTITY and any(frame.values[0])
        if not is_answer or self._asked_ns is None or self._trip_ns is not None:
            return
        self._trip_ns = self._host.mono_ns() - self._asked_ns
        with self._lock:
            self._uptime.round_trip_ns = self._trip_ns

    # --- time ------------------------------------------------------------------------------------

    def hear(self, frame: Frame, seal: str) -> None:
        """Take a frame as it came."""
        if seal != VERIFIED or frame.flags & FLAG_RETRANSMITTED:
            return
        with self._lock:
            step_ns = self._sample(frame)
        if step_ns is not None:
            self._stepped(step_ns)

    def made(self, frame: Frame) -> Estimate | None:
        """When the device made a frame of its present boot, UTC; None if that cannot be told."""
        with self._lock:
            is_present = (frame.device, frame.boot) == self._present
            found = self._uptime.at(frame.uptime_ms) if is_present else None
        if found is None:
            return None
        ahead_ns = self._host.wall_ns() - self._host.mono_ns()
        return Estimate(found.at_ns + ahead_ns, found.uncertainty_ns)

    def reading(self) -> Reading | None:
        """What the device's clock shows now; None if that cannot be told."""
        with self._lock:
            found = self._uptime.uptime_at(self._host.mono_ns())
            if found is None or self._present is None:
                return None
            return Reading(self._present[1], found[0], -(-found[1] // MS))

    def _sample(self, frame: Frame) -> int | None:
        """Follow a frame made just now; returns by how much the device's clock jumped, if so."""
        name = (frame.device, frame.boot)
        if name != self._present:
            self._present, self._newest, self._uptime = name, 0, UptimeClock()
            self._uptime.round_trip_ns = self._trip_ns
        if frame.counter <= self._newest:
            return None
        self._newest = frame.counter
        return self._uptime.sample(frame.uptime_ms, self._host.mono_ns())

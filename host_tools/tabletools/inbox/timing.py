"""The clocks of the tables heard and of this host: what each live frame tells of them."""

import sqlite3
from collections.abc import Callable

from tabletools.evidence.device_clock import HostClock
from tabletools.inbox.boots import Boot
from tabletools.inbox.database import transaction
from tablewire.codec import Frame


class Timing:
    """Maps uptimes; a clock that steps is written down. host: this machine's clock."""

    def __init__(
        self, db: sqlite3.Connection, mono_ns: Callable[[], int], wall_ns: Callable[[], int]
    ) -> None:
        self.host = HostClock(mono_ns(), wall_ns())
        self._db = db
        self._mono_ns = mono_ns
        self._wall_ns = wall_ns

    def sample(self, frame: Frame, boot: Boot) -> None:
        """A frame made just now arrived."""
        mono_ns, wall_ns = self._mono_ns(), self._wall_ns()
        host_step = self.host.look(mono_ns, wall_ns)
        if host_step is not None:
            self._note_step(None, None, "host_step", host_step)
        if frame.counter > boot.newest:
            step = boot.clock.sample(frame.uptime_ms, mono_ns)
            if step is not None:
                self._note_step(frame.device, frame.boot, "device_step", step)

    def _note_step(self, device: int | None, boot: int | None, kind: str, step_ns: int) -> None:
        with transaction(self._db):
            self._db.execute(
                "INSERT INTO clock_events (at_ns, device, boot, kind, step_ns)"
                " VALUES (?, ?, ?, ?, ?)",
                (self._wall_ns(), device, boot, kind, step_ns),
            )

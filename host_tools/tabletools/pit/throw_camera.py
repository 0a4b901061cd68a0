"""Has each throw read with the host's own camera as soon as its result comes.

The camera is looked through between throws too, and no bets open while it does not show its tray.
What was not photographed in time is never read: two users rule.
"""

from __future__ import annotations

from concurrent.futures import BrokenExecutor, Executor, Future
from typing import TYPE_CHECKING

from tabletools.errors import ToolError
from tabletools.evidence import second_readings
from tabletools.evidence.second_readings import Awaited, Reading
from tabletools.pit.second_reader import ReadingAids, SecondView
from tabletools.pit.tray_in_force import camera_in_force
from tabletools.store import Connection, LedgerRejection, Store
from tabletools.store.clock import NS
from tabletools.throw_reading import (
    RELEASE,
    Second,
    get_camera_ready,
    late,
    photograph,
    verify_camera,
)

if TYPE_CHECKING:
    from tabletools.dice.overhead.host_camera import HostCamera
    from tabletools.table.intake import Intake

FRESH_NS = 5 * NS
"""How old a result may be when its throw is photographed: then the dice may have been moved."""
LIMIT_NS = 10 * NS
"""How long it may take to photograph and read a throw, others before it."""
LOOK_NS = 10 * NS
"""Between looks through the camera while no throw is read."""


def photographed(camera: HostCamera, one: Awaited, view: SecondView | None) -> Reading:
    """Return what the host's cameras show of a throw, now."""
    if view is None:
        return photograph(camera, one)
    try:
        second = Second(view.camera, view.picture())
    except ToolError as error:
        second = Second(view.camera, None, error.what)
    return photograph(camera, one, second)


class ThrowCamera:
    """The throws of one table. pool: where they are photographed and read."""

    def __init__(
        self, ledger: Store, intake: Intake, device: int, pool: Executor, aids: ReadingAids
    ) -> None:
        assert aids.camera is not None
        self.is_awaited = False
        """Whether a throw waits to be read."""
        self._ledger = ledger
        self._intake = intake
        self._device = device
        self._pool = pool
        self._calibrated = self._camera = aids.camera
        self._view = aids.second_view
        self._since_ns: dict[int, int] = {}  # when a round was first seen to wait, by its key
        self._jobs: dict[int, Future[Reading]] = {}  # by the same key
        self._check: Future[str] | None = None
        self._look_at_ns = 0
        self._trouble: str | None = None  # None: not known yet
        self._tray_trouble = ""
        intake.expect_camera()
        pool.submit(get_camera_ready)

    def step(self) -> None:
        """Store what was read, begin what waits, look through the camera.

        Raises what the intake raises.
        """
        with self._ledger.read() as db:
            waiting = second_readings.awaited(db, self._device)
            self._tray_trouble = self._follow_tray(db)
        self.is_awaited = bool(waiting)
        now_ns = self._ledger.clock.mono_ns()
        keys = [one.key for one in waiting]
        self._since_ns = {key: self._since_ns.get(key, now_ns) for key in keys}
        self._jobs = {key: job for key, job in self._jobs.items() if key in keys}
        for one in waiting:
            reading = self._read(one, now_ns)
            if reading is not None:
                self._intake.second_reading(one, reading)
                self._look_at_ns = now_ns if reading.reason else self._look_at_ns
        self._follow_camera(now_ns, is_free=not waiting)

    def _follow_tray(self, db: Connection) -> str:
        """Use the tray in force; returns why that is not possible, "" if it is.

        It does not change while a throw waits: see table.tray_floor.
        """
        table = self._intake.lease.table
        try:
            self._camera = camera_in_force(db, table, self._calibrated, self._camera)
        except LedgerRejection as error:
            return f"{error.code}: {error.what}; {error.step}"
        return ""

    def _read(self, one: Awaited, now_ns: int) -> Reading | None:
        """Return what was read of a throw, None while it is being read."""
        job = self._jobs.get(one.key)
        if job is None and self._tray_trouble:
            return Reading((), self._tray_trouble, RELEASE)
        if job is None:
            if (why := self._why_late(one)) is not None:
                return Reading((), why, RELEASE)
            if self._is_camera_in_use():
                return None
            self._jobs[one.key] = job = self._pool.submit(
                photographed, self._camera, one, self._view
            )
        if not job.done():
            is_over = now_ns - self._since_ns[one.key] >= LIMIT_NS
            return (
                Reading((), late(f"not read in {LIMIT_NS // NS} s"), RELEASE) if is_over else None
            )
        error = job.exception()
        if isinstance(error, BrokenExecutor):
            del self._jobs[one.key]  # its process died: begun again, if that is not too late
            return None
        if error is not None:
            return Reading((), f"the host's reader failed: {error!r}", RELEASE)
        return job.result()

    def _is_camera_in_use(self) -> bool:
        """Return whether a process has the camera open: another one could not open it."""
        if self._check is not None and not self._check.done():
            return True
        return not all(job.done() for job in self._jobs.values())

    def _why_late(self, one: Awaited) -> str | None:
        """Return why a throw cannot be photographed any more, None if it can."""
        if one.made_ns is None:
            return late("the time of the result is not known")
        age_ns = self._ledger.clock.wall_ns() - one.made_ns
        if age_ns <= FRESH_NS:
            return None
        return late(f"the result is {age_ns / NS:.0f} s old, {FRESH_NS // NS} at most")

    def _follow_camera(self, now_ns: int, *, is_free: bool) -> None:
        """Note what is wrong with the camera, and look through it when that is due."""
        if self._tray_trouble:
            self._note(self._tray_trouble)
            self._look_at_ns = now_ns
            return
        if self._check is not None and self._check.done():
            check, self._check = self._check, None
            error = check.exception()
            self._note(f"the host's reader failed: {error!r}" if error else check.result())
        if is_free and self._check is None and now_ns >= self._look_at_ns:
            self._look_at_ns = now_ns + LOOK_NS
            self._check = self._pool.submit(verify_camera, self._camera)

    def _note(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._intake.note_camera(self._device, trouble)
            self._trouble = trouble

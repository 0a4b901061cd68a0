"""Has the picture of each result of dice read by the host, and passes on what it read.

Reading takes some 50 ms, several times that where dice are in doubt: it is done in another process
(reader_pool.py). The ledger says what waits, so that after a kill the next host goes on where
the one before stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tabletools.errors import ToolError
from tabletools.evidence import second_readings
from tabletools.evidence.second_readings import Awaited, Reading
from tabletools.evidence.stored_traces import Traces
from tabletools.store import Store
from tabletools.store.clock import NS
from tabletools.throw_reading import RELEASE, Second, get_ready, read

if TYPE_CHECKING:
    from tabletools.dice.overhead.host_camera import HostCamera
    from tabletools.dice.reference import Reference
    from tabletools.dice.second_camera import Colour, SecondCamera
    from tabletools.table.intake import Intake

LIMIT_NS = 60 * NS
"""How long a result waits for its picture and for the host's reading; a trace takes some 17 s."""
_SHAPE = (120, 160)  # of the pictures that a table keeps, px


class SecondView(NamedTuple):
    """The second camera of a table. source: see dice.second_camera.photograph."""

    camera: SecondCamera
    source: str

    def picture(self) -> Colour:
        """Return what it sees now. Raises ToolError."""
        from tabletools.dice.second_camera import photograph

        return photograph(self.source)


class ReadingAids(NamedTuple):
    """What helps the host to read the throws of a table. None: it does not have it.

    camera: its own above the tray; without one it reads the table's pictures. empty_tray: in
    these.
    """

    empty_tray: Reference | None = None
    second_view: SecondView | None = None
    camera: HostCamera | None = None


class Inline(Executor):
    """Reads at once, in the thread of the table: for a host in virtual time."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call a function; returns its result."""
        answer: Future[Any] = Future()
        try:
            answer.set_result(fn(*args, **kwargs))
        except Exception as error:
            answer.set_exception(error)
        return answer


class SecondReader:
    """The pictures of one table. pool: where they are read."""

    def __init__(
        self,
        ledger: Store,
        intake: Intake,
        device: int,
        pool: Executor,
        aids: ReadingAids = ReadingAids(),  # noqa: B008
    ) -> None:
        self.is_awaited = False
        """Whether a throw waits to be read."""
        self._ledger = ledger
        self._intake = intake
        self._device = device
        self._pool = pool
        self._reference = aids.empty_tray
        self._since_ns: dict[int, int] = {}  # when a round was first seen to wait, by its key
        self._view = aids.second_view
        self._pictures: dict[int, Future[Colour]] = {}  # of the second camera, by the same key
        self._job: tuple[Awaited, Future[Reading]] | None = None
        pool.submit(get_ready)

    def step(self) -> None:
        """Store a reading that is done, and begin the next. Raises what the intake raises."""
        with self._ledger.read() as db:
            waiting = second_readings.awaited(db, self._device)
        self.is_awaited = bool(waiting)
        now_ns = self._ledger.clock.mono_ns()
        keys = [one.key for one in waiting]
        self._since_ns = {key: self._since_ns.get(key, now_ns) for key in keys}
        if self._view:
            pictures = self._pictures
            self._pictures = {
                key: pictures[key] if key in pictures else self._pool.submit(self._view.picture)
                for key in keys
            }
        for one in waiting:
            reading = self._read(one)
            if reading is None and now_ns - self._since_ns[one.key] >= LIMIT_NS:
                what = "its picture did not arrive" if one.trace is None else "it was not read"
                reading = Reading((), f"{what} within {LIMIT_NS // NS} s", RELEASE)
            if reading is not None:
                self._intake.second_reading(one, reading)

    def _read(self, one: Awaited) -> Reading | None:
        """Return what was read of a picture, None while it is not here or being read."""
        if one.trace is None or not self._is_taken(one):
            return None
        if self._job is None or self._job[0] != one:
            if self._job is not None and not self._job[1].done():
                return None  # another one first
            data = Traces(self._ledger).of(one.device, one.number) or b""
            self._job = (
                one,
                self._pool.submit(read, data, one, self._reference, self._reading(one)),
            )
        done = self._job[1]
        if not done.done():
            return None
        error = done.exception()
        if isinstance(error, BrokenExecutor):
            self._job = None  # its process died: another one reads the picture
            return None
        if error is not None:
            return Reading((), f"the host's reader failed: {error!r}", RELEASE)
        return done.result()

    def _is_taken(self, one: Awaited) -> bool:
        """Return whether nothing more is to be waited for from the second camera."""
        return one.key not in self._pictures or self._pictures[one.key].done()

    def _reading(self, one: Awaited) -> Second | None:
        """Return what the second camera saw of a round."""
        if self._view is None:
            return None
        try:
            return Second(self._view.camera, self._pictures[one.key].result())
        except ToolError as error:
            return Second(self._view.camera, None, error.what)
        except Exception as error:
            return Second(self._view.camera, None, f"the second camera failed: {error!r}")


def aids_of(empty_tray: str, camera: str, source: str, overhead: str = "") -> ReadingAids:
    """Return the aids that settings name, each empty for none. Raises ToolError.

    empty_tray: file of its picture. camera: file of the second camera. source: see SecondView.
    overhead: source of the host's own camera above the tray; then empty_tray is calibrated for it.
    """
    view = None
    if camera:
        from tabletools.dice.second_camera import read as second_camera_of

        view = SecondView(second_camera_of(Path(camera)), source)
    if overhead:
        from tabletools.dice.overhead.host_camera import camera_of

        return ReadingAids(None, view, camera_of(overhead, Path(empty_tray)))
    return ReadingAids(_empty_tray(Path(empty_tray)) if empty_tray else None, view)


def _empty_tray(path: Path) -> Reference:
    from tabletools.dice.pictures import open_picture
    from tabletools.dice.reference import Reference, pixels

    grey = pixels(open_picture(path))
    if grey.shape != _SHAPE:
        what = f"{path} is {grey.shape[1]} x {grey.shape[0]} px"
        step = "take it with the table's camera: see COMMISSIONING.md"
        raise ToolError(what, where="dice_reference", limit="160 x 120 px", step=step)
    return Reference(grey)

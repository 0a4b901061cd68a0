"""The camera of a dice tray at work: takes the frames the role wants, has them looked at.

Looking happens in the control step, between edges and tick, so that what follows from a frame
stands in its place in the trace. Reading faces takes long on a board: the watchdog is fed by a
timer meanwhile, edges wait in their ring, and what the host sends in its buffer.
"""

import gc
import struct

from tablelogic.dice_tray.eye import Eye, size
from tablelogic.ticks import diff
from tablewire.compat import const
from tablewire.crc import crc32
from tablewire.dice_tray import DICE_SEEN

_PATIENCE_MS = const(1000)  # for a frame
_HEAD = const(4)  # of a frame behind a trace: width and height


class Sight:
    """table: table.Table. Takes the camera; close() gives it back. eye: what looks at frames."""

    def __init__(self, table: object) -> None:
        self._table = table
        self._clock = table.hal.clock
        config = table.store.config
        self.width, self.height = size(config)
        self.eye = Eye(config)
        self._camera = _opened(table.hal, self.width, self.height)
        self._wanted = 0  # of the frame that is being taken; 0: none is
        self._since_ms = 0
        self._results = 0

    def close(self) -> None:
        """Another role begins."""
        if self._camera is not None:
            self._camera.close()

    def step(self) -> None:
        """Called with every control step, before the tick."""
        table = self._table
        if table.role.results != self._results:
            self._results = table.role.results
            self.eye.keep()
        if table.traces.recorder.done:
            return  # the frame decided upon is still to be kept
        now_ms = self._clock.ticks_ms()
        if not self._wanted:
            self._wanted = table.role.wants_picture()
            if self._wanted:
                self._since_ms = now_ms
                if self._camera is not None:
                    self._camera.start()
        elif self._camera is not None and self._camera.poll():
            reads, self._wanted = self._wanted == 2, 0
            self._tell(self._look(reads))
        elif diff(now_ms, self._since_ms) >= _PATIENCE_MS:
            self._wanted = 0
            self._tell(self.eye.missed())

    def _look(self, reads: bool) -> list:
        frame = memoryview(self._camera.frame)[: self.width * self.height]
        if not reads:
            return self.eye.look(frame, False)
        gc.collect()  # reading takes some 25 KB for a while, 12 of them in one piece
        watchdog = self._table.hal.watchdog
        watchdog.hold()
        try:
            return self.eye.look(frame, True)
        except MemoryError:
            return self.eye.missed()
        finally:
            watchdog.take()

    def _tell(self, seen: list) -> None:
        self._table.order(DICE_SEEN, seen)
        self._table.post.ephemeral(DICE_SEEN, seen)

    def keep(self, name: str, buf: bytearray, end: int) -> None:
        """Write a sealed trace, buf[:end], with the last frame behind it and one sum for both."""
        count = self.width * self.height
        frame = self._camera and self._camera.frame
        if frame is None or not self._table.role.faces.frames or count > 0x8000:
            self._table.hal.flash.write(name, memoryview(buf)[:end])
            return
        (crc,) = struct.unpack_from("<I", buf, end - 4)
        struct.pack_into("<HH", buf, end - 4, self.width, self.height)
        crc = crc32(memoryview(buf)[end - _HEAD : end], crc)
        crc = crc32(memoryview(frame)[:count], crc) & 0xFFFFFFFF
        struct.pack_into("<I", frame, count, crc)
        self._table.hal.flash.write(name, memoryview(buf)[:end], frame)


def _opened(hal: object, width: int, height: int) -> object:
    # Without a camera the table runs on, and says camera_stopped.
    try:
        return hal.open_camera(width, height)
    except (OSError, MemoryError, ImportError):
        return None

"""The running camera of a dice tray: takes the frames the role requests, and has them examined.

A frame is judged in the control step, between edges and tick, so that its consequences are in
the right place of the trace. Reading its faces takes long on a board: it is done in steps, in the
spare time of control steps, so that edges, link and heartbeats have their turn.

With two lights a frame to be read is taken under the one that the frame before was not.
"""

import gc
import struct

from tablelogic.core.ticks import diff
from tablelogic.dice_tray.eye import Eye, size
from tablewire.compat import const
from tablewire.crc import crc32
from tablewire.dice_tray import DICE_SEEN, LIGHTS
from tablewire.messages import INPUT_7, INPUT_8

if -0:  # for mypy
    from tablelogic.dice_tray.dice_tray import DiceTray
    from tabletypes import Buffer, Camera, Config, Hal, Lights, Steps, Sure
    from tabletypes.of_role import TrayEngine

    from .transmitter import Transmitter

_PATIENCE_MS = const(1000)  # for a frame
_CRC = const(11)  # field of dice_seen: sum of the frame, 0 for none
_HEAD = const(4)  # of a frame after a trace: width and height
_SETTLE_MS = const(300)  # of the exposure under another light: at least four frames
# By light; a number as extension, so not part of the program.
_LAST = "seen.%d"  # picture of the last result
_TRAY = "tray.%d"  # written when the tray is commissioned, see tablelogic.tray_reader.rig
_SWEEP = const(4)  # steps of a reading between garbage collections


class Sight:
    """Takes the camera; close() returns it. eye: what examines frames.

    hal: hal.Hal; config: list indexed by key number; engine: engine.Engine, whose role is a dice
    tray; transmitter: transmitter.Transmitter.
    """

    def __init__(
        self, hal: "Hal", config: "Config", engine: "Sure[TrayEngine]", transmitter: "Transmitter"
    ) -> None:
        self._clock = hal.clock
        self._flash = hal.flash
        self._inputs = hal.inputs
        self._engine = engine
        self._transmitter = transmitter
        self.width, self.height = size(config)
        self.eye = Eye(config, self._tray)
        for turn, light in enumerate(self.eye.lights):
            self.eye.views[turn].restore(hal.flash.read(_LAST % light))
        self._turn = self._next = 0  # of the light that is lit; of the next frame to be read
        self._lit_ms = 0
        self._settles = False  # the exposure, under a light that was lit since
        self._lights: "Sure[Lights]" = self._open_lights(hal) if config[LIGHTS] else None
        self._camera: "Sure[Camera]" = _open(hal, self.width, self.height)
        self._wanted = 0  # of the frame being taken; 0: none is
        self._since_ms = 0
        self._is_begun = False
        self._results = 0
        self._reads = False  # from the first step of a reading until its verdict is sent
        self._reading: "Steps | None" = None  # its remaining steps
        self._steps = 0
        self._phase = 0  # of the table, when it began
        self._is_judged = False  # the frame in the buffer is the one judged last
        self._sending: "Steps | None" = None  # the job that sends the whole frame

    def close(self) -> None:
        """Release camera and lights before another role starts."""
        if self._camera is not None:
            self._camera.close()
        if self._lights is not None:
            for item in self._inputs:
                item.start()

    def step(self, job: "Steps | None") -> None:
        """Called with every control step, before the tick. job: the table's present one."""
        role = self._engine.role
        if role.results != self._results:
            self._results = role.results
            self.eye.keep()
            for turn, light in enumerate(self.eye.lights):
                self._flash.write(_LAST % light, self.eye.views[turn].stored())
        if self._reads:
            if role.phase != self._phase:
                self._reads, self._reading = False, None  # these faces are not needed any more
            elif self._reading is None:
                self._reads = False
                self._report(self.eye.fields)
        elif not self._engine.done:  # or the frame of the decision is still to be stored
            self._watch(role, job)

    def _watch(self, role: "DiceTray", job: "Steps | None") -> None:
        now_ms = self._clock.ticks_ms()
        if self._settles and diff(now_ms, self._lit_ms) >= _SETTLE_MS:
            self._settles = False
        if not self._wanted:
            if self._sending is not None and job is self._sending:
                return  # the frame is still being sent
            self._wanted = role.wants_picture()
            if not self._wanted:
                return
            self._is_judged = self._is_begun = False
            self._light(self._next if self._wanted == 2 else 0)
        if not self._is_begun:
            if not self._settles:
                self._is_begun, self._since_ms = True, now_ms
                if self._camera is not None:
                    self._camera.start()
        elif self._camera is not None and self._camera.poll():
            reads, self._wanted = self._wanted == 2, 0
            self._look(reads, role.phase)
        elif diff(now_ms, self._since_ms) >= _PATIENCE_MS:
            self._wanted = 0
            self._report(self.eye.missed())

    def _light(self, turn: int) -> None:
        if turn != self._turn:
            self._lights.show(self.eye.lights[turn])
            self._turn, self._lit_ms, self._settles = turn, self._clock.ticks_ms(), True

    def _open_lights(self, hal: "Hal") -> "Lights":
        for item in hal.inputs:
            if item.sensor in (INPUT_7, INPUT_8):
                item.stop()
        lights = hal.open_lights()
        lights.show(self.eye.lights[0])
        return lights

    def _tray(self, light: int) -> "Buffer | None":
        gc.collect()  # the tray under the other light
        return self._flash.read(_TRAY % light)

    def _look(self, reads: bool, phase: int) -> None:
        frame = memoryview(self._camera.frame)[: self.width * self.height]
        look = self.eye.look(frame, self._turn)
        if not reads:
            self._report(look)
            return
        self._next = (self._turn + 1) % len(self.eye.lights)
        self._light(self._next)  # so that it has settled by the next frame
        self._phase = phase
        self._reads, self._reading = True, self.eye.steps(frame)
        gc.collect()

    def work(self) -> bool:
        """Do one step of a reading; returns whether more steps wait."""
        if self._reading is None:
            return False
        try:
            next(self._reading)
        except StopIteration:
            self._reading = None
        except MemoryError:
            self._reading = None
            self.eye.missed()
        self._steps += 1
        if not self._steps % _SWEEP:
            gc.collect()
        return self._reading is not None

    def _report(self, fields: "list[int]") -> None:
        self._is_judged = fields[_CRC] != 0
        self._engine.order(DICE_SEEN, fields)
        self._transmitter.send_volatile(DICE_SEEN, fields)

    def show(self, part: int) -> "Steps | None":
        """Send half of the frame in the buffer, if it is the one judged last; or return the job
        that sends all of it.
        """
        from . import picture_chunks  # rarely needed

        crc, frame = 0, b""
        if self._is_judged:
            crc = self.eye.fields[_CRC]
            frame = memoryview(self._camera.frame)[: self.width * self.height]  # type: ignore[assignment]
        if part == picture_chunks.WHOLE:
            self._sending = picture_chunks.whole(self._transmitter, frame, crc)
            return self._sending
        picture_chunks.half(self._transmitter, frame, crc, self.width, part)
        return None

    def sealed(self, buf: bytearray, end: int) -> "Buffer":
        """The frame judged last, if any, under one sum with the sealed trace buf[:end]."""
        count = self.width * self.height
        if not self._is_judged or not self._engine.role.faces.frames or count > 0x8000:
            return b""
        frame = self._camera.frame
        (crc,) = struct.unpack_from("<I", buf, end - 4)
        struct.pack_into("<HH", buf, end - 4, self.width, self.height)
        crc = crc32(memoryview(buf)[end - _HEAD : end], crc)
        crc = crc32(memoryview(frame)[:count], crc) & 0xFFFFFFFF
        struct.pack_into("<I", frame, count, crc)
        return memoryview(frame)[: count + _HEAD]


def _open(hal: "Hal", width: int, height: int) -> "Camera | None":
    # Without a camera the table keeps running, and reports camera_stopped.
    try:
        return hal.open_camera(width, height)
    except (OSError, MemoryError, ImportError):
        return None

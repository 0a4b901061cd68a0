"""The decisions alone, on CPython: `tablelogic` behind the rig's interface, for long soaks.

The engine is the controller's own; there is no VM, no interrupt, no flash and no line time. Edges
reach the role at the next 40 ms step, and its decisions leave as frames at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from hil_tests.rigs.sensors import Sensors
from hil_tests.rigs.sim_balls import SimBallReaders
from hil_tests.rigs.sim_reader import SimReader
from hil_tests.rigs.sim_sight import SimSight
from tablelogic.core.engine import Engine
from tablespec.tray_file import FILES
from tabletools.replay.replay_run import ROLES
from tablewire import codes, messages
from tablewire.config import ROLE
from tablewire.framing import Receiver
from tablewire.sender import Sender
from tablewire.slots import CONFIGURATION, unpack_slot
from tablewire.trace_file import TRACE_BYTES, seal

TICK_US = 40_000
TICKS_MASK = 2**30 - 1
DEVICE = 4711
FIRMWARE = tuple(int(part) for part in version("tablewire").split("."))


@dataclass
class SimOutput:
    """What left the role in one window."""

    tx: list[tuple[int, bytes]] = field(default_factory=list)
    errors: str = ""


class SimController:
    """One role on its own. sensors: pin number -> messages.SENSOR_*.

    configuration: one copy as `tablespec.provisioning.configuration` makes it. start_us: where the
    30-bit clock of the role stands at time zero.
    """

    def __init__(
        self, configuration: bytes, sensors: dict[int, int], *, start_us: int = 0
    ) -> None:
        slot = unpack_slot(CONFIGURATION, configuration)
        if slot is None:
            raise ValueError("the configuration copy is damaged: make it with tablewire.slots")
        self._values = [0, *slot[1]]
        self._sensors = sensors
        self._start_us = start_us
        self._boot = 0
        self._board = Sensors()
        self.now_us = 0
        self._due_us = TICK_US
        self._ticks = 0
        self._round = 0
        self._before: tuple[int, bytes | None] = (0, None)
        self._out = SimOutput()
        self.engine = Engine(bytearray(TRACE_BYTES), self)
        self._sight: SimSight | None = None
        self._files: dict[str, bytes] = {}
        self._begin()

    @property
    def role(self) -> Any:
        """The role that runs."""
        return self.engine.role

    def write_file(self, name: str, data: bytes) -> None:
        """Put a file on the flash, which is read at the next start."""
        self._files[name] = data

    def switch_on(self) -> SimOutput:
        """Start anew, as after a power cut; an open round is void."""
        open_before = self.role.phase != messages.PHASE_CLOSED
        self._boot += 1
        self._sender = Sender(DEVICE, self._boot)
        self._sender.round = self._round
        self._receiver = Receiver()
        self._out = SimOutput()
        self._board.ring.waiting.clear()
        self._begin()
        if open_before:
            unknown = [messages.UNKNOWN_U16, 0, 0, messages.UNKNOWN_U16, messages.UNKNOWN_U16]
            phase = messages.PHASE_CLOSED
            values = [codes.SYSTEM_INTERRUPTION, phase, messages.UNKNOWN_U8, *unknown]
            self.ended(messages.ROUND_VOID, values)
        return self._take_out()

    def _begin(self) -> None:
        self.engine.begin(ROLES[self._values[ROLE]], self._values)
        self._reader = self._opened_reader()
        stored = self._sight.stored if self._sight else {}
        self._sight = None
        if self.role.has_camera:
            self._sight = SimSight(
                self._values, self.engine, stored, lambda light: self._files.get(FILES[light])
            )

    def _opened_reader(self) -> SimReader | SimBallReaders | None:
        if self._values[ROLE] == messages.ROLE_DRAW_MACHINE:
            return SimBallReaders(lambda: self.now_us // 1000 & TICKS_MASK)
        return SimReader() if self.role.report is not None else None

    def trace(self, number: int) -> bytes | None:
        """Return the trace of one of the last two rounds as a controller keeps it, or None."""
        if number == self._before[0]:
            return self._before[1]
        engine = self.engine
        if not engine.done or engine.round != number:
            return None
        data = bytearray(engine.trace.buf)
        schema = messages.FINGERPRINTS[self._values[ROLE]]
        identity = (DEVICE, self._boot, engine.round, schema)
        return bytes(data[: seal(data, engine.trace.length, FIRMWARE, identity)])

    def cut_power(self, *, damage: bool, full: bool) -> SimOutput:
        """Power off and on; what it spoils shows as the fault it raises."""
        out = self.switch_on()
        if damage:
            self._raise(codes.NOT_CONFIGURED)
        if full:
            self._raise(codes.JOURNAL_FULL)
            self.role.clear_fault(codes.JOURNAL_FULL, self._ticks_us(self.now_us))
        return out

    def boot_release(self, *, behind: int) -> SimOutput:
        """Power off and on; raise or clear what an older program raises."""
        out = self.switch_on()
        if behind:
            self._raise(codes.FIRMWARE_ROLLBACK)
        else:
            self.role.clear_fault(codes.FIRMWARE_ROLLBACK, self._ticks_us(self.now_us))
        return out

    def rot_memory(self) -> None:
        """Raise and clear what damaged memory raises."""
        self._raise(codes.MEMORY_DAMAGED)
        self.role.clear_fault(codes.MEMORY_DAMAGED, self._ticks_us(self.now_us))

    def provision(self) -> SimOutput:
        """Clear what a spoilt configuration raised."""
        self.role.clear_fault(codes.NOT_CONFIGURED, self._ticks_us(self.now_us))
        return self._take_out()

    def stop_task(self, *, memory: bool) -> None:
        """Raise and clear what a stopped task raises."""
        code = codes.MEMORY_SHORT if memory else codes.TASK_STOPPED
        self._raise(code)
        self.role.clear_fault(code, self._ticks_us(self.now_us))

    def _raise(self, code: int) -> None:
        self.role.raise_fault(code, messages.UNKNOWN_U8, 0, 0, self._ticks_us(self.now_us))

    def _turn_key(self, level: int) -> None:
        if level:
            self._raise(codes.MAINTENANCE_OPEN)
        else:
            self.role.clear_fault(codes.MAINTENANCE_OPEN, self._ticks_us(self.now_us))

    def _take_out(self) -> SimOutput:
        out, self._out = self._out, SimOutput()
        return out

    def play(self, events: Sequence[Any], until_us: int) -> SimOutput:
        """Let time pass to until_us with these events; returns what was sent."""
        for event in sorted(events, key=lambda event: event[0]):
            self._run(event[0])
            self._take(event)
        self._run(until_us)
        self.now_us = until_us
        return self._take_out()

    def _ticks_us(self, t_us: int) -> int:
        return (t_us + self._start_us) & TICKS_MASK

    def _take(self, event: Any) -> None:
        t_us, kind = event[0], event[1]
        if kind == "pin":
            sensor = self._sensors.get(event[2])
            if sensor == messages.INPUT_MAINTENANCE:
                self._turn_key(event[3])
            elif sensor is not None:
                self._board.ring.put(sensor, event[3], self._ticks_us(t_us))
        elif kind == "spi":
            self._board.array.bits = bytes.fromhex(event[3])
        elif kind == "adc":
            self._board.analog.raw = (event[3] >> 10) << 6
        elif kind == "frame" and self._sight is not None:
            self._sight.expose(event[3])
        elif kind == "rx" and event[2]:
            if self._reader is not None:
                self._reader.hear(bytes.fromhex(event[3]))
        elif kind == "rx":
            for frame in self._receiver.feed(bytes.fromhex(event[3])):
                if getattr(frame, "type", None) == messages.VOID_ROUND:
                    self.role.void_round(frame.values[0], self._ticks_us(t_us))
                elif getattr(frame, "type", None) in self.role.commands:
                    self.engine.order(frame.type, frame.values)
                elif getattr(frame, "type", None) == messages.LOCK:
                    self._raise(codes.FIRMWARE_MISMATCH)
                    self.role.clear_fault(codes.FIRMWARE_MISMATCH, self._ticks_us(t_us))

    def _run(self, until_us: int) -> None:
        while self._due_us <= until_us:
            self.now_us = self._due_us
            ticks = self._ticks_us(self._due_us)
            self._ticks += 1
            self.engine.sense(ticks, self._board)
            if self._sight is not None:
                self._sight.step(self.now_us)
            self._sender.advance(TICK_US // 1000)
            self.engine.tick(ticks)
            if (
                self._reader is not None
                and self._ticks % 2
                and self._reader.poll(self.role.report)
            ):
                self.engine.order(self.role.report_message, self.role.report)
            self._due_us += TICK_US

    def _send(self, ident: int, values: list[int], flags: int) -> None:
        self._out.tx.append((self.now_us, self._sender.build(ident, values, flags)))

    def may_open(self) -> bool:
        """A round may always open: nothing is journaled here."""
        return True

    def round_opened(self, values: list[int]) -> int:
        """Sink: see tablelogic."""
        self._before = (self._round, self.trace(self._round))
        self._round += 1
        self._sender.round = self._round
        self._send(messages.ROUND_OPENED, values, messages.FLAG_DURABLE)
        return self._round

    def bets_closed(self, values: list[int]) -> None:
        """Sink: see tablelogic."""
        self._send(messages.BETS_CLOSED, values, messages.FLAG_DURABLE)

    def record(self, ident: int, values: list[int]) -> bool:
        """Sink: see tablelogic. There is always room."""
        self._send(ident, values, messages.FLAG_DURABLE)
        return True

    def ended(self, ident: int, values: list[int]) -> None:
        """Sink: see tablelogic."""
        self._send(ident, values, messages.FLAG_DURABLE)

    def fault_raised(self, values: list[int]) -> None:
        """Sink: see tablelogic."""
        self._send(messages.FAULT_RAISED, values, messages.FLAG_DURABLE)

    def fault_cleared(self, values: list[int]) -> None:
        """Sink: see tablelogic."""
        self._send(messages.FAULT_CLEARED, values, messages.FLAG_DURABLE)

    def state(self, values: list[int]) -> None:
        """Sink: see tablelogic."""
        self._send(messages.STATE, values, 0)

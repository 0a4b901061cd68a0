"""Runs a role: sensor inputs go in, decisions come out, both recorded.

The trace of a round begins with the configuration and a snapshot of the role; then comes all
input of the role, in order, then the end that the role decided. While no ball was seen the trace
starts again whenever it grows long: a new snapshot replaces what came before it.
Nothing is allocated for an edge, a tick or a read of the array.
"""

from tablewire.compat import const
from tablewire.messages import CLOSE_CAUSE_VOID, PHASE_BETS_OPEN, ROUND_VOID, UNKNOWN_U8
from tablewire.trace_file import HEAD_BYTES

from .role import CALM, CLOSE, LOOK, SAMPLE, URGENT, WATCHFUL
from .snapshot import Snapshot
from .trace import Trace

if -0:  # for mypy
    from collections.abc import Callable, Sequence

    from tabletypes import (
        Config,
        Fields,
        MakeRole,
        Sensors,
        Sink,
        Sure,
        TableRole,
        TakeEdge,
        WatchedEdges,
        WatchedSensors,
    )

_END_BYTES = const(80)  # reserved for the end with its fields, and a CRC
_WAIT_BYTES = const(1024)  # of events without a ball, before the trace starts again
_ANALOG = const(0xC1)
_ORDER = const(0xC2)
REFUSED = const(0)  # a type no message has: the sink accepted this many records, and no more
_ARRAY = const(0xFA)
_CLOSE = const(0xFB)
_VOID = const(0xFC)
_CUT = const(0xFD)
_END = const(0xFE)
_ARRAY_BYTES = const(5)


class Engine:
    """The only way into a role for its sensors, and the only way out for its decisions.

    buf: bytearray traces are written into. sink: receives the decisions of the role, as lists of
    field values that it must not keep: may_open() -> bool; round_opened(values) -> number of the
    round; bets_closed(values); ended(ident, values) with the result or the void; record(ident,
    values) -> whether there was room; fault_raised(values); fault_cleared(values); state(values).

    role: the role that runs, None between two. trace: the latest trace; round: its round. done: it
    contains the end of that round, and is not stored yet.
    """

    _wants_array: "Callable[[], int] | None"
    _wants_analog: "Callable[[], int] | None"
    _urgency: "Callable[[WatchedEdges], int] | None"
    _edges_to: "TakeEdge"

    def __init__(self, buf: bytearray, sink: "Sink") -> None:
        self.role: "Sure[TableRole]" = None
        # Of the role, bound once: binding allocates.
        self._wants_array = self._wants_analog = self._urgency = None
        self.trace = Trace(buf)
        self.done = False
        self.round = 0
        self._sink = sink
        self.may_open = sink.may_open
        self.fault_raised = sink.fault_raised
        self.fault_cleared = sink.fault_cleared
        self._most = len(buf) - _END_BYTES
        self._recording = False  # a round is open
        self._snapshot: "Sure[Snapshot]" = None
        self._number = self.trace.number  # bound once: binding it allocates
        self._config: "Sequence[int]" = ()
        self._withheld = 0
        self._begun = 0  # length without any event
        self._full = False  # there was no room for an event
        self._inside = False  # the role is processing input
        self._read = 0  # 1: the array was read since the last tick, and was unchanged
        self._odd = False  # every second step
        self._now = bytearray(_ARRAY_BYTES)  # what the array showed at the last step
        self._look = bytearray(_ARRAY_BYTES)  # and since
        self._just_read = False  # by a step that has just ended
        self._bits = bytearray(_ARRAY_BYTES)  # what it showed when it was recorded last
        self._raw = -1  # of the converter, when it was recorded last
        self._peak = -1  # of it in the samples since the last step
        self._records = 0  # records the sink accepted since the last tick or order began
        self._refused = 0  # 1: and then it had no room
        self._edges_to = self._edge = self.edge  # bound once, too

    def begin(self, make_role: "MakeRole", config: "Config") -> None:
        """Run a new role, without an open round. make_role(config, engine) makes it."""
        self.role = role = make_role(config, self)
        self._withheld = role.withheld
        self._wants_array, self._wants_analog = role.wants_array, role.wants_analog
        self._urgency = role.urgency
        self._config = config
        self._snapshot = Snapshot(self.role)
        self._recording = False

    def stop(self) -> None:
        """Release the role, so that memory never contains two."""
        self.role = self._snapshot = None
        self._wants_array = self._wants_analog = self._urgency = None
        self._recording = False

    def tap(self, edge: "TakeEdge | None") -> None:
        """Send edges to `edge` first, which passes them on to Engine.edge; None: directly."""
        self._edges_to = edge or self._edge

    def sense(self, t_us: int, sensors: "Sensors") -> None:
        """First half of a control step: all sensor inputs.

        sensors: ring.drain(edge, t_us), array.read(bits), analog.read() -> raw; see tabledev.hal.
        """
        self._inside = True
        try:
            sensors.ring.drain(self._edges_to, t_us)
        finally:
            self._inside = False
        self._odd = odd = not self._odd
        wants = self._wants_array
        if wants is not None:
            steps = wants()
            if steps and (odd or steps == 1):
                sensors.array.read(self._now)
                self._just_read = True
                self._array(t_us)
        wants = self._wants_analog
        if wants is not None and wants():
            self._analog(self._peak if self._peak >= 0 else sensors.analog.read())
        self._peak = -1

    def urgency(self, sensors: "WatchedSensors") -> int:
        """Between control steps: see the role; never LOOK, never SAMPLE."""
        asks = self._urgency
        if asks is None:
            return CALM
        urgency = asks(sensors.ring)
        if urgency == SAMPLE:
            self._peak = max(self._peak, sensors.analog.read())
            return CLOSE
        if urgency != LOOK:
            return urgency
        if self._just_read:
            self._just_read = False
            return WATCHFUL
        sensors.array.read(self._look)
        return URGENT if self._look != self._now else WATCHFUL

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """See the role; called by the ring for each edge that it passes to sense()."""
        if self._recording and not self._full:
            trace = self.trace
            if sensor < self._withheld or trace.length >= self._most:
                self._cut()
            else:
                trace.edge((sensor - 1) * 2 + level, t_us)
        self.role.edge(sensor, level, t_us)

    def _array(self, t_us: int) -> None:
        bits = self._now
        if bits == self._bits:
            self._read = 1
        elif self._takes():
            self.trace.flush()
            self.trace.put(_ARRAY)
            for place in range(_ARRAY_BYTES):
                self._bits[place] = bits[place]
                self.trace.put(bits[place])
        self.role.array(bits, t_us)

    def _analog(self, raw: int) -> None:
        # Read before every tick, recorded when it differs from the reading before.
        if raw != self._raw and self._takes():
            self._raw = raw
            self.trace.flush()
            self.trace.put(_ANALOG)
            self.trace.number(raw)
        self.role.analog(raw)

    def order(self, ident: int, values: "Sequence[int]") -> int:
        """See the role; a command of the role, or the report of an attached machine.

        The trace has no time of it, so for the role it comes with the last tick, as in a replay.
        """
        if self._takes():
            self.trace.flush()
            self.trace.put(_ORDER)
            self.trace.number(ident)
            self.trace.number(len(values))
            for value in values:
                self.trace.number(value)
        self._records = self._refused = 0
        self._inside = True
        try:
            return self.role.order(ident, values, self.trace.tick_us)
        finally:
            self._inside = False

    def tick(self, t_us: int) -> None:
        """See the role; second half of a control step."""
        trace = self.trace
        if not self._recording or self._full:
            trace.tick_us = t_us
        elif trace.length < self._most:
            trace.tick(t_us, self._read)
        else:
            self._cut()
            trace.tick_us = t_us
        self._records = self._refused = self._read = 0
        if not self._snapshot.done:
            self._snapshot.look()
        self._inside = True
        try:
            self.role.tick(t_us)
        finally:
            self._inside = False
        if self._recording and trace.length > self._begun + _WAIT_BYTES:
            if self.role.circuits() == UNKNOWN_U8:
                self._begin()

    def round_opened(self, values: "Fields") -> None:
        """From the role: a round opens, and gets its number."""
        self.round = self._sink.round_opened(values)

    def state(self, values: "Fields") -> None:
        """From the role: the phase changed. The trace begins with the phase bets_open."""
        if values[0] == PHASE_BETS_OPEN:
            self._recording = True
            self.done = False
            self._begin()
        self._sink.state(values)

    def bets_closed(self, values: "Fields") -> None:
        """From the role: no more bets, by its decision or by an outside command."""
        if self._takes() and not self._inside and values[0] != CLOSE_CAUSE_VOID:
            self.trace.flush()
            self.trace.put(_CLOSE)
            self.trace.number(values[0])
        self._sink.bets_closed(values)

    def result(self, values: "Fields") -> None:
        """From the role: the result of the round."""
        self._end(self.role.result_message, values)

    def void(self, values: "Fields") -> None:
        """From the role: the round decides nothing."""
        self._end(ROUND_VOID, values)

    def record(self, ident: int, values: "Fields") -> bool:
        """From the role: a durable record; False when the sink has no room for it."""
        is_kept = self._sink.record(ident, values)
        if is_kept:
            self._records += 1
        elif not self._refused and self._takes():
            # What follows depends on it, so it is in the trace.
            self._refused = 1
            self.trace.flush()
            self.trace.put(_ORDER)
            self.trace.number(REFUSED)
            self.trace.number(1)
            self.trace.number(self._records)
        return is_kept

    def _end(self, ident: int, values: "Fields") -> None:
        if self._recording:
            self._record_end(ident, values)
        self._sink.ended(ident, values)

    def _record_end(self, ident: int, values: "Fields") -> None:
        trace = self.trace
        if not self._full:
            trace.flush()
        if not self._inside and ident == ROUND_VOID:
            trace.put(_VOID)
            trace.number(values[0])
            trace.number(values[2])
        self._recording = False
        self.done = True
        trace.put(_END)
        trace.number(ident)
        # A trace contains only integers: a field of bytes, always the last, is one for each byte.
        tail = values[-1] if isinstance(values[-1], bytes) else None
        count = len(values) if tail is None else len(values) - 1
        tail = tail or b""
        trace.number(count + len(tail))
        for place in range(count):
            trace.number(values[place])
        for byte in tail:
            trace.number(byte)

    def _begin(self) -> None:
        trace = self.trace
        while self._snapshot.look():
            pass
        trace.length = HEAD_BYTES
        trace.number(len(self._config) - 1)
        for key in range(1, len(self._config)):
            trace.number(self._config[key])
        trace.number(trace.tick_us)
        trace.number(self._snapshot.count)
        self._snapshot.give(self._number)
        trace.start()
        self._begun = trace.length
        self._full = False
        self._read = 0
        self._raw = -1
        for place in range(_ARRAY_BYTES):
            self._bits[place] = 0

    def _takes(self) -> bool:
        # Whether a round is recorded and there is room; without room the trace is cut.
        if not self._recording or self._full:
            return False
        if self.trace.length >= self._most:
            self._cut()
        return not self._full

    def _cut(self) -> None:
        self._full = True
        self.trace.flush()
        self.trace.put(_CUT)

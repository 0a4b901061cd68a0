"""The black box: what a role is told, from the opening of a round to its end.

A trace begins with the configuration and a snapshot of the role; then comes everything the role
was told, in order, then the end it told itself. While no ball was seen the trace begins anew
whenever it grows long: a new snapshot takes the place of what came before it. Nothing is
allocated for an edge, a tick or a read of the array.
"""

from tablewire.compat import const
from tablewire.messages import CLOSE_CAUSE_VOID, ROUND_VOID, UNKNOWN_U8
from tablewire.trace_file import HEAD_BYTES

from .snapshot import Snapshot
from .trace import Trace

_END_BYTES = const(80)  # kept free behind: the end with its fields, and a CRC
_WAIT_BYTES = const(1024)  # of events without a ball, before the trace begins anew
_ANALOG = const(0xC1)
_ORDER = const(0xC2)
REFUSED = const(0)  # a type no message has: the sink took so many records, and no more
_ARRAY = const(0xFA)
_CLOSE = const(0xFB)
_VOID = const(0xFC)
_CUT = const(0xFD)
_END = const(0xFE)


class Recorder:
    """Stands between whoever feeds a role and the role, and hears what the role tells.

    buf: bytearray traces are written into. trace: the one begun last, round: its round.
    recording: a round is open. done: its end is in the trace.
    """

    def __init__(self, buf: bytearray) -> None:
        self.trace = Trace(buf)
        self._most = len(buf) - _END_BYTES
        self.recording = False
        self.done = False
        self.round = 0
        self._role = self._snapshot = None
        self._number = self.trace.number  # bound once: binding it allocates
        self._config = ()
        self._begun = 0  # length without any event
        self._full = False  # an event found no room
        self._inside = False  # the role is being told something
        self._read = 0  # 1: the array was read since the last tick, and showed the same
        self._bits = bytearray(5)
        self._raw = -1  # of the converter, as told last
        self._kept = 0  # records the sink took since the last tick or order began
        self._refused = 0  # 1: and then it had no room

    def follow(self, role: object, config: list) -> None:
        """A role is at work, with no round open. config: list indexed by key number."""
        self._role = role
        self._config = config
        self._snapshot = Snapshot(role)
        self.recording = False

    def opened(self, number: int) -> None:
        """The role entered the phase bets_open with round `number`."""
        self.round = number
        self.recording = True
        self.done = False
        self._begin()

    def closed(self, cause: int) -> None:
        """The role closed the bets; of itself, or because somebody else said so."""
        if self._takes() and not self._inside and cause != CLOSE_CAUSE_VOID:
            self.trace.flush()
            self.trace.put(_CLOSE)
            self.trace.number(cause)

    def ended(self, ident: int, values: list) -> None:
        """The role ended the round. ident, values: the message that tells it."""
        if not self.recording:
            return
        trace = self.trace
        if not self._full:
            trace.flush()
        if not self._inside and ident == ROUND_VOID:
            trace.put(_VOID)
            trace.number(values[0])
            trace.number(values[2])
        self.recording = False
        self.done = True
        trace.put(_END)
        trace.number(ident)
        trace.number(len(values))
        for value in values:
            trace.number(value)

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """See the role."""
        role = self._role
        if self.recording and self._takes():
            if sensor < role.withheld:
                self._cut()
            else:
                self.trace.edge((sensor - 1) * 2 + level, t_us)
        self._inside = True
        try:
            role.edge(sensor, level, t_us)
        finally:
            self._inside = False

    def array(self, bits: bytearray, t_us: int) -> None:
        """See the role."""
        if bits == self._bits:
            self._read = 1
        elif self._takes():
            self.trace.flush()
            self.trace.put(_ARRAY)
            for place in range(len(bits)):
                self._bits[place] = bits[place]
                self.trace.put(bits[place])
        self._role.array(bits, t_us)

    def analog(self, raw: int) -> None:
        """See the role; told before every tick, written when it differs from the one before."""
        if raw != self._raw and self._takes():
            self._raw = raw
            self.trace.flush()
            self.trace.put(_ANALOG)
            self.trace.number(raw)
        self._role.analog(raw)

    def order(self, ident: int, values: "list | tuple", t_us: int) -> int:
        """See the role; a command of its own, or what an attached machine says."""
        if self._takes():
            self.trace.flush()
            self.trace.put(_ORDER)
            self.trace.number(ident)
            self.trace.number(len(values))
            for value in values:
                self.trace.number(value)
        self._kept = self._refused = 0
        self._inside = True
        try:
            return self._role.order(ident, values, t_us)
        finally:
            self._inside = False

    def recorded(self, is_kept: bool) -> None:
        """The sink took a record of the role's own, or had no room: what follows hangs on it."""
        if is_kept:
            self._kept += 1
        elif not self._refused and self._takes():
            self._refused = 1
            self.trace.flush()
            self.trace.put(_ORDER)
            self.trace.number(REFUSED)
            self.trace.number(1)
            self.trace.number(self._kept)

    def tick(self, t_us: int) -> None:
        """See the role."""
        trace = self.trace
        if self.recording and self._takes():
            trace.tick(t_us, self._read)
        else:
            trace.tick_us = t_us
        self._kept = self._refused = self._read = 0
        if not self._snapshot.done:
            self._snapshot.look()
        self._inside = True
        try:
            self._role.tick(t_us)
        finally:
            self._inside = False
        if self.recording and trace.length > self._begun + _WAIT_BYTES:
            if self._role.circuits() == UNKNOWN_U8:
                self._begin()

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
        for place in range(len(self._bits)):
            self._bits[place] = 0

    def _takes(self) -> bool:
        """Whether a round is recorded and there is room; where there is none the trace is cut."""
        if not self.recording or self._full:
            return False
        if self.trace.length >= self._most:
            self._cut()
        return not self._full

    def _cut(self) -> None:
        self._full = True
        self.trace.flush()
        self.trace.put(_CUT)

"""The events of a trace: from its bytes to the inputs of the device's logic, in order.

PROTOCOL.md ("Traces") defines the layout.
"""

from typing import NamedTuple

from tablelogic.core.ticks import MASK, diff

# Ranges of the first byte of an event, as in PROTOCOL.md; each up to the next.
_NEAR, _OFF, _EDGE, _BOUNCE, _RUN, _TICK, _FAR = 0x00, 0x80, 0xC0, 0xD0, 0xE0, 0xE8, 0xF8
_ANALOG, _ORDER = 0xC1, 0xC2
_ARRAY, _CLOSE, _VOID, _CUT, _END, _HOLD = range(0xFA, 0x100)
_PERIOD_US = 40_000
_NEAR_US, _OFF_US = 64, 8192
_RING_SENSORS = 2
_LONGEST_RUN = 8
_ARRAY_BYTES = 5


class Edge(NamedTuple):
    """A sensor switched. Times are microseconds on the device's 30-bit clock."""

    t_us: int
    sensor: int
    level: int


class Read(NamedTuple):
    """The pocket array was read. t_us: of the tick before."""

    t_us: int
    bits: bytes


class Analog(NamedTuple):
    """The converter's value changed. t_us: of the tick before; raw: 0..4095."""

    t_us: int
    raw: int


class Tick(NamedTuple):
    """The logic was called with the time."""

    t_us: int


class Close(NamedTuple):
    """Something other than the logic closed the bets."""

    t_us: int
    cause: int


class Void(NamedTuple):
    """Something other than the logic voided the round: a command, or a fault around it."""

    t_us: int
    reason: int
    sensor: int


class Order(NamedTuple):
    """A command only this kind of table knows, or a report of an attached machine."""

    t_us: int
    type: int
    values: tuple[int, ...]


Event = Edge | Read | Analog | Order | Tick | Close | Void


class Reader:
    """Reads numbers and events.

    Raises IndexError at the end of data, ValueError for invalid data.
    """

    def __init__(self, data: bytes, start: int) -> None:
        self._data = data
        self._place = start

    def byte(self) -> int:
        """One byte."""
        self._place += 1
        return self._data[self._place - 1]

    def number(self) -> int:
        """One number of any length."""
        byte = self.byte()
        sign, value, shift = byte & 64, byte & 63, 6
        while byte & 128:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
        return -1 - value if sign else value

    def numbers(self, count: int) -> tuple[int, ...]:
        """Read this many numbers."""
        return tuple(self.number() for _ in range(count))

    def events(self, tick_us: int) -> tuple[tuple[Event, ...], bool]:
        """Return everything up to the end, and whether the device ran out of space."""
        decoded = _Events(self, tick_us)
        while True:
            token = self.byte()
            if token == _END:
                return tuple(decoded.events), False
            if token == _CUT:
                self._skip_to_end()
                return tuple(decoded.events), True
            decoded.take(token)

    def picture(self) -> bytes | None:
        """The greys after the end of the round, None if nothing follows it."""
        if self._place == len(self._data):
            return None
        width, height = (self.byte() | self.byte() << 8 for _ in range(2))
        self._place += width * height
        return self._data[self._place - width * height : self._place]

    def verify_end(self) -> None:
        """Raise ValueError when something follows."""
        if self._place != len(self._data):
            raise ValueError(f"{len(self._data) - self._place} bytes follow its end")

    def _skip_to_end(self) -> None:
        # Only an end of the round from outside may follow the cut.
        token = self.byte()
        if token == _VOID:
            self.numbers(2)
            token = self.byte()
        if token != _END:
            raise ValueError(f"byte 0x{token:02X} after the cut")


class _Events:
    """The events decoded so far, and the state that the next token is relative to."""

    def __init__(self, reader: Reader, tick_us: int) -> None:
        self.events: list[Event] = []
        self._reader = reader
        self._tick_us = self._ring_us = tick_us
        self._last = Edge(tick_us, 0, 0)
        self._ring_sensor = 0
        self._levels = [0] * _RING_SENSORS
        self._gaps_us: dict[tuple[int, int], int] = {}  # of the ring, by sensor and level
        self._reads = (0, 0)  # of the tick before the last, and the last
        self._bits = bytes(_ARRAY_BYTES)
        self._are_ticks_explicit = False  # a run or hold came just before

    def take(self, token: int) -> None:
        """Decode one token with its data. Raises ValueError for an unknown one."""
        were_explicit, self._are_ticks_explicit = self._are_ticks_explicit, False
        reader = self._reader
        if token == _ANALOG:
            self.events.append(Analog(self._tick_us, reader.number()))
        elif token == _ORDER:
            ident = reader.number()
            self.events.append(Order(self._tick_us, ident, reader.numbers(reader.number())))
        elif token < _RUN:
            self._edge(token, were_explicit)
        elif token < _TICK:
            count = token - _RUN + 1
            self._foreseen(count)
            # The longest run is written when it is full: more ticks may follow it without a token.
            self._are_ticks_explicit = count < _LONGEST_RUN
        elif token < _FAR:
            late = token - _TICK
            self._tick(((late & 7) - 1) * 1000, late >> 3)
        elif token < _ARRAY:
            self._tick(reader.number(), token - _FAR)
        elif token == _ARRAY:
            self._bits = bytes(reader.byte() for _ in range(_ARRAY_BYTES))
            self.events.append(Read(self._tick_us, self._bits))
        elif token == _CLOSE:
            self.events.append(Close(self._tick_us, reader.number()))
        elif token == _VOID:
            self.events.append(Void(self._tick_us, reader.number(), reader.number()))
        else:  # hold
            self._are_ticks_explicit = True

    def _tick(self, off_us: int, read: int) -> None:
        if read:
            self.events.append(Read(self._tick_us, self._bits))
        self._reads = (self._reads[1], read)
        self._tick_us = (self._tick_us + _PERIOD_US + off_us) & MASK
        self.events.append(Tick(self._tick_us))

    def _foreseen(self, count: int) -> None:
        for _ in range(count):
            self._tick(0, self._reads[0])

    def _edge(self, token: int, are_ticks_explicit: bool) -> None:
        edge = self._edge_at(token)
        if not are_ticks_explicit:
            self._foreseen((diff(edge.t_us, self._tick_us) - 1) // _PERIOD_US)
        if edge.sensor < _RING_SENSORS:
            self._levels[edge.sensor] = edge.level
            if not _BOUNCE <= token < _RUN:
                self._gaps_us[edge.sensor, edge.level] = diff(edge.t_us, self._ring_us)
                self._ring_us, self._ring_sensor = edge.t_us, edge.sensor
        self._last = edge
        self.events.append(edge)

    def _edge_at(self, token: int) -> Edge:
        reader, last = self._reader, self._last
        if token < _EDGE:
            sensor = 1 - self._ring_sensor
            level = 1 - self._levels[sensor]
            off = token - _NEAR_US
            if token >= _OFF:
                off = ((token - _OFF) << 8 | reader.byte()) - _OFF_US
            gap = self._gaps_us.get((sensor, level), 0) + off
            return Edge((self._ring_us + gap) & MASK, sensor, level)
        if token == _EDGE:
            which = reader.byte()
            return Edge((last.t_us + reader.number()) & MASK, which >> 1, which & 1)
        if token < _BOUNCE:
            raise ValueError(f"byte 0x{token:02X} begins nothing")
        since = (token - _BOUNCE) << 8 | reader.byte()
        return Edge((last.t_us + since) & MASK, last.sensor, 1 - last.level)

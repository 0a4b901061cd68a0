"""The bytes of a trace: edges and ticks, exact for any time on the 30-bit clock.

Predicted events are short. A tick 40 ms after the one before takes no byte. The ring's two
sensors switch in turn, and each switch comes as long after the one before as it did a pitch ago:
one byte, two for uneven magnets. Nothing is allocated. PROTOCOL.md ("Traces") defines the layout.
("Traces").
"""

from array import array

from tablewire.compat import const

from .ticks import MASK, diff

_RING_CODES = const(4)  # both levels of the two ring sensors
_NEAR_US = const(64)
_OFF_US = const(8192)
_OFF = const(0x80)
_EDGE = const(0xC0)
_BOUNCE = const(0xD0)
_BOUNCE_US = const(4096)
_RUN = const(0xE0)
_LONGEST_RUN = const(8)
_TICK = const(0xE8)
_LATEST_MS = const(7)
_FAR = const(0xF8)
_HOLD = const(0xFF)
_PERIOD_US = const(40000)


class Trace:
    """buf[:length]: what was written. tick_us: the last tick."""

    def __init__(self, buf: bytearray) -> None:
        self.buf = buf
        self.length = 0
        self.tick_us = 0
        self._run = 0  # predicted ticks not yet written
        self._reads = 0  # bits 1 and 0: whether the last two ticks read the array
        self._event_us = 0  # last edge
        self._code = 0  # of it
        self._ring_us = 0  # last edge of the ring that was no bounce
        self._sensor = 0  # of it
        self._levels = 0  # bit n: level of ring sensor n
        self._gaps_us = array("i", bytes(4 * _RING_CODES))

    def start(self) -> None:
        """Start: what follows is relative to tick_us, with everything before it zero."""
        self._run = self._reads = self._code = self._sensor = self._levels = 0
        self._event_us = self._ring_us = self.tick_us
        for code in range(_RING_CODES):
            self._gaps_us[code] = 0

    def put(self, byte: int) -> None:
        """Write one byte."""
        length = self.length
        self.buf[length] = byte
        self.length = length + 1

    def number(self, value: int) -> None:
        """Write sign and six bits, then seven bits per byte, lowest first; bit 7: more follow."""
        sign = 0
        if value < 0:
            sign = 64
            value = -1 - value
        rest = value >> 6
        self.put(sign | value & 63 | (128 if rest else 0))
        while rest:
            value = rest
            rest = value >> 7
            self.put(value & 127 | (128 if rest else 0))

    def edge(self, code: int, t_us: int) -> None:
        """Write an edge. code: sensor * 2 + level."""
        since_tick = diff(t_us, self.tick_us)
        if self._run:
            # The time of an edge shows which predicted ticks came before it: those earlier than
            # it.
            if 0 < since_tick <= _PERIOD_US:
                self._run = 0
            else:
                self.flush()
        elif since_tick > _PERIOD_US:
            self.put(_HOLD)
        since = diff(t_us, self._event_us)
        self._event_us = t_us
        again = code ^ self._code == 1
        self._code = code
        if code < _RING_CODES:
            levels, sensor, other = self._levels, code >> 1, 1 - self._sensor
            self._levels = levels & (2 >> sensor) | (code & 1) << sensor
            if again and 0 <= since < _BOUNCE_US:
                self._pair(_BOUNCE, since)
                return
            gap, gaps_us = diff(t_us, self._ring_us), self._gaps_us
            off = gap - gaps_us[code]
            gaps_us[code] = gap
            self._ring_us, self._sensor = t_us, sensor
            if code == other * 2 + 1 - (levels >> other & 1):  # as predicted
                if -_NEAR_US <= off < _NEAR_US:
                    length = self.length
                    self.buf[length] = off + _NEAR_US
                    self.length = length + 1
                    return
                if -_OFF_US <= off < _OFF_US:
                    self._pair(_OFF, off + _OFF_US)
                    return
        elif again and 0 <= since < _BOUNCE_US:
            self._pair(_BOUNCE, since)
            return
        self.put(_EDGE)
        self.put(code)
        self.number(since)

    def rounded(self, now_us: int) -> int:
        """Now in whole milliseconds since the last tick: fractions would take bytes."""
        return (now_us - diff(now_us, self.tick_us) % 1000) & MASK

    def tick(self, t_us: int, read: int) -> None:
        """Write a tick. read: 1 when the array was read before it and was unchanged, else 0."""
        off = diff(t_us, self.tick_us) - _PERIOD_US
        reads = self._reads
        self._reads = reads << 1 & 2 | read
        self.tick_us = t_us
        if not off and read == reads >> 1:
            run = self._run + 1
            self._run = run
            if run == _LONGEST_RUN:
                self.flush()
            return
        self.flush()
        late = off // 1000 + 1
        if late * 1000 == off + 1000 and 0 <= late <= _LATEST_MS:
            self.put(_TICK + (read << 3) + late)
        else:
            self.put(_FAR | read)
            self.number(off)

    def flush(self) -> None:
        """Write the predicted ticks."""
        if self._run:
            self.put(_RUN + self._run - 1)
            self._run = 0

    def _pair(self, token: int, value: int) -> None:
        buf, length = self.buf, self.length
        buf[length] = token | value >> 8
        buf[length + 1] = value & 255
        self.length = length + 2

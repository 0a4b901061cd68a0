"""The pocket from an array with one switch under every pocket.

Bit k of the array is pocket index k. One single bit, unchanged for the stable time, is a reading.
"""

from tablewire.compat import const

from ..core.ticks import diff

NONE = const(-1)
TWO = const(-2)
FRET = const(-3)  # a ball on the fret closes both switches beside it, as two balls there do
_TWO_READS = const(3)
_FRET_MS = const(2500)  # no ball balances for so long
_EMPTY_MS = const(2000)
# A ball that bounces stays at one pocket for 0.7 s at most (20,000 landings of hil_tests.physics),
# and after as little as 0.4 s it goes to a pocket next to it, at once. A hand takes longer, or
# goes further.
_LAY_MS = const(1000)
_RESTS_MS = const(400)
_HOP_MS = const(350)
_HOP_POCKETS = const(1)
_EMPTY = bytes(5)


def occupied(bits: "bytes | bytearray", pockets: int) -> int:
    """The only bit set among the first `pockets`, NONE, FRET of two neighbours, or TWO."""
    first = second = NONE
    place = 0
    for byte in bits:
        bit = place
        while byte:
            if byte & 1:
                if second != NONE:
                    return TWO
                if first == NONE:
                    first = bit
                else:
                    second = bit
            byte >>= 1
            bit += 1
        place += 8
    if first >= pockets or second >= pockets:
        return TWO
    if second == NONE:
        return first
    return FRET if second - first in (1, pockets - 1) else TWO


class PocketArray:
    """Tracks the switches over time.

    reading: what they show now: a pocket index, NONE, TWO or FRET. empty: all were off for two
    seconds since `watch`, so a ball that appears later is a new one. twos: reads since `watch`
    that showed two. contacts: how often a pocket closed since the ball passed the rim last;
    first_ms, last_ms: when one did first, and was seen last. is_steady: one was seen twice in a
    row, first at steady_ms. is_moved: a ball that rested was moved, and not by a bounce.
    """

    def __init__(self, pockets: int, stable_ms: int) -> None:
        self._pockets = pockets
        self._stable_ms = stable_ms
        self.reading = NONE
        self._since_ms = 0
        self.twos = 0
        self.empty = False
        self.first_ms = 0
        self.last_ms = 0
        self.steady_ms = 0
        self._forget()

    def watch(self, now_ms: int) -> None:
        """A round opens: the ball of the last one may still be in its pocket."""
        self.empty = False
        self.twos = 0
        self._forget()
        self._since_ms = now_ms

    def _forget(self) -> None:
        self.contacts = 0
        self.is_steady = False
        self.is_moved = False
        self._rested_in = NONE
        self._lay = False  # for longer than any ball that bounces
        self._out_ms = 0  # when the ball left the pocket in which it had rested

    def read(self, bits: "bytes | bytearray", now_ms: int) -> None:
        """Process the state of the shift registers."""
        reading = NONE if bits == _EMPTY else occupied(bits, self._pockets)
        if reading != NONE:
            self._closed(reading, now_ms)
        if reading != self.reading:
            self._changed(reading, now_ms)
        elif reading == NONE and diff(now_ms, self._since_ms) > _EMPTY_MS:
            self.empty = True
            self._since_ms = now_ms
        elif reading == FRET:
            self._out_ms = now_ms  # it is there still
            if diff(now_ms, self._since_ms) >= _FRET_MS:
                self.twos = _TWO_READS

    def _changed(self, reading: int, now_ms: int) -> None:
        rested_ms = diff(now_ms, self._since_ms)
        if self.reading >= 0 and rested_ms >= _RESTS_MS:
            self._rested_in = self.reading
            self._lay = rested_ms >= _LAY_MS
            self._out_ms = now_ms
        self.reading = reading
        self._since_ms = now_ms
        if reading >= 0 and self._rested_in >= 0:
            hop = abs(reading - self._rested_in)
            hop = min(hop, self._pockets - hop)
            if hop and (self._lay or hop > _HOP_POCKETS or diff(now_ms, self._out_ms) > _HOP_MS):
                self.is_moved = True

    def _closed(self, reading: int, now_ms: int) -> None:
        if reading == TWO:
            self.twos += 1
        if not self.contacts:
            self.first_ms = now_ms
        if reading != self.reading:
            self.contacts += 1
        elif not self.is_steady:
            self.is_steady = True
            self.steady_ms = self.last_ms
        self.last_ms = now_ms

    def on_rim(self) -> None:
        """The ball passed a rim sensor: what touched a pocket and is gone was not the ball."""
        if self.reading == NONE:
            self._forget()

    def for_ms(self, now_ms: int) -> int:
        """How long the switches have shown the same."""
        return diff(now_ms, self._since_ms)

    def pocket(self, now_ms: int) -> int:
        """The stable pocket index, or NONE."""
        stable = self.reading >= 0 and diff(now_ms, self._since_ms) >= self._stable_ms
        return self.reading if stable else NONE

    def second_ball(self) -> bool:
        """Whether two switches were on together in three reads of this round."""
        return self.twos >= _TWO_READS

    def appeared(self, now_ms: int) -> bool:
        """Whether a ball is where all was empty before."""
        return self.empty and self.pocket(now_ms) >= 0

"""The pocket from an array with one switch under every pocket.

Bit k of the array is pocket index k. One single bit, unchanged for the stable time, is a reading.
"""

from tablewire.compat import const

from ..core.clock import diff

NONE = const(-1)
TWO = const(-2)
_TWO_READS = const(3)
_EMPTY_MS = const(2000)
_EMPTY = bytes(5)


def occupied(bits: "bytes | bytearray", pockets: int) -> int:
    """The only bit set among the first `pockets`, NONE, or TWO when there are more."""
    found = NONE
    place = 0
    for byte in bits:
        if byte:
            if found != NONE or byte & (byte - 1):
                return TWO
            found = place
            while byte > 1:
                byte >>= 1
                found += 1
        place += 8
    return TWO if found >= pockets else found


class PocketArray:
    """Follows the switches over time.

    seen: what they show now: a pocket index, NONE or TWO. empty: they were all off for two seconds
    since `watch`, so a ball that appears later is a new one.
    """

    def __init__(self, pockets: int, stable_ms: int) -> None:
        self._pockets = pockets
        self._stable_ms = stable_ms
        self.seen = NONE
        self._since_ms = 0
        self._twos = 0  # reads since `watch` that showed two
        self.empty = False

    def watch(self, now_ms: int) -> None:
        """A round opens: the ball of the last one may still lie in its pocket."""
        self.empty = False
        self._twos = 0
        self._since_ms = now_ms

    def read(self, bits: "bytes | bytearray", now_ms: int) -> None:
        """Take what the shift registers hold."""
        seen = NONE if bits == _EMPTY else occupied(bits, self._pockets)
        if seen == TWO:
            self._twos += 1
        if seen != self.seen:
            self.seen = seen
            self._since_ms = now_ms
        elif seen == NONE and diff(now_ms, self._since_ms) > _EMPTY_MS:
            self.empty = True
            self._since_ms = now_ms

    def for_ms(self, now_ms: int) -> int:
        """How long the switches have shown the same."""
        return diff(now_ms, self._since_ms)

    def pocket(self, now_ms: int) -> int:
        """The stable pocket index, or NONE."""
        stable = self.seen >= 0 and diff(now_ms, self._since_ms) >= self._stable_ms
        return self.seen if stable else NONE

    def second_ball(self) -> bool:
        """Whether two switches were on together in three reads of this round."""
        return self._twos >= _TWO_READS

    def appeared(self, now_ms: int) -> bool:
        """Whether a ball lies where all was empty before."""
        return self.empty and self.pocket(now_ms) >= 0

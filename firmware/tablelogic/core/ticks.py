"""Differences of wrapping clocks: 30 bits, microseconds or milliseconds.

The device's ticks wrap at 2^30; a larger integer would be allocated on a 32-bit board.
"""

from tablewire.compat import const

MASK = const(0x3FFFFFFF)
_HALF = const(0x20000000)


def diff(later: int, earlier: int) -> int:
    """later - earlier on a 30-bit clock, -2^29..2^29-1."""
    distance = (later - earlier) & MASK
    if distance & _HALF:
        return distance - _HALF - _HALF
    return distance


def recent(now: int, then: int, longest: int) -> int:
    """`then`, or the moment `longest` before now when that is later: it never wraps round."""
    return then if 0 <= diff(now, then) <= longest else (now - longest) & MASK

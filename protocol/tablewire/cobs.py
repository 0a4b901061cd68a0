"""Consistent Overhead Byte Stuffing for bodies of at most 254 bytes (Cheshire and Baker, 1999).

A body that short never needs a second group, so stuffing adds exactly one byte and can be done
in place: every zero byte becomes the distance to the next one.
"""

from .compat import const

MAX_BODY = const(254)
# Replaces bodies on a host (tablewire.unstuffing).
QUICKER: list = []


def stuff(buf: bytearray, length: int) -> int:
    """Stuff buf[1:1 + length] in place and end it with a zero; returns the frame's length.

    buf[0] is free for the first code, buf[length + 1] for the delimiter. length: 1..254.
    """
    end = length + 1
    buf[end] = 0
    code = 0
    while code < end:
        index = buf.find(b"\0", code + 1)
        buf[code] = index - code
        code = index
    return length + 2


def bodies(pieces: list) -> list:
    """The body of each piece of a stream, or None: see unstuff. Also None of a wrong length."""
    return [unstuff(piece) if 0 < len(piece) <= MAX_BODY + 1 else None for piece in pieces]


def unstuff(data: bytes) -> "bytearray | None":
    """The body of one stuffed frame without its delimiter, or None when it is not COBS.

    data: at least one byte, no zero byte inside.
    """
    out = bytearray(data)
    out.append(0)  # ends the chain of codes: the only zero the loop does not write itself
    return follow(out, 0)


def follow(out: bytearray, index: int) -> "bytearray | None":
    """Follow the codes from the one at `index` and restore their zeros: see unstuff."""
    code = out[index]
    try:
        while code:
            out[index] = 0
            index += code
            code = out[index]
    except IndexError:
        return None
    return out[1:index]

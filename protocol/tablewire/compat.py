"""Differences between the interpreters; the only module that checks for them."""

try:
    from micropython import const

    def same_bytes(one: bytes, other: "bytes | bytearray") -> bool:
        """Whether both are equal, in a time that depends only on the length."""
        if len(one) != len(other):
            return False
        differing = 0
        for place in range(len(one)):
            differing |= one[place] ^ other[place]
        return not differing

except ImportError:
    from hmac import compare_digest as same_bytes  # type: ignore[assignment]  # noqa: F401

    def const(value: int) -> int:
        """On the device the compiler folds it; here it is the value itself."""
        return value


try:
    from struct import Struct as Layout

    unpack_from = Layout.unpack_from  # of a layout, not of a format looked up for each call
except ImportError:
    from struct import unpack_from  # type: ignore[assignment]  # noqa: F401

    Layout = str  # type: ignore[misc,assignment]  # there a layout is its format


def ticks_diff(later: int, earlier: int) -> int:
    """later - earlier on a clock that wraps at 2^30: -2^29..2^29-1."""
    return ((later - earlier + 0x20000000) & 0x3FFFFFFF) - 0x20000000


try:
    from time import ticks_diff as _ticks_diff  # type: ignore[attr-defined]

    # The interpreter's function takes a quarter of the time. It works where its clock wraps at
    # 2^30.
    if _ticks_diff(0x20000000, 0) == -0x20000000 and _ticks_diff(2, 0x3FFFFFFD) == 5:
        ticks_diff = _ticks_diff
except ImportError:
    pass

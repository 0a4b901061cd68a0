"""What one interpreter has and the other lacks; the only place that asks."""

try:
    from micropython import const

    def same_bytes(one: bytes, other: bytes) -> bool:
        """Whether both are equal, in a time that depends on the length alone."""
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

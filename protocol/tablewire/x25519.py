"""X25519 (RFC 7748) in steps short enough for a control loop.

Runs on the device between rounds and is imported only when a key is rotated. Arithmetic on large
integers takes a time that depends on their values, on both interpreters: never let an attacker
choose many points for one secret. SECURITY.md states the consequences.
"""

from .compat import const

if -0:  # for mypy; see firmware/tabletypes
    from collections.abc import Generator

BYTES = const(32)
_BITS_A_STEP = const(2)  # of the ladder, between two yields: ten multiplications each
_SQUARES_A_STEP = const(10)
_A24 = const(121665)
_PRIME = (1 << 255) - 19
BASE_POINT = b"\x09" + bytes(31)


class SmallOrderError(Exception):
    """The point has small order: the result would be zero for every scalar."""


def multiply(scalar: bytes, point: bytes) -> "Generator[None, None, bytes]":
    """Yield after each short step; the generator returns the 32 bytes of scalar times point.

    Raises SmallOrderError.
    """
    secret = bytearray(scalar)
    secret[0] &= 248
    secret[31] = secret[31] & 127 | 64
    own = int.from_bytes(point, "little") & ((1 << 255) - 1)
    p = _PRIME
    x_2, z_2, x_3, z_3, swapped = 1, 0, own, 1, 0
    for place in range(254, -1, -1):
        bit = secret[place >> 3] >> (place & 7) & 1
        if swapped != bit:
            x_2, x_3, z_2, z_3 = x_3, x_2, z_3, z_2
        swapped = bit
        low, high = x_2 - z_2, x_2 + z_2
        one = (x_3 - z_3) * high % p
        two = (x_3 + z_3) * low % p
        x_3, z_3 = one + two, one - two
        x_3 = x_3 * x_3 % p
        z_3 = z_3 * z_3 % p * own % p
        low, high = low * low % p, high * high % p
        z_2 = high - low
        x_2 = high * low % p
        z_2 = z_2 * (high + _A24 * z_2) % p
        if not place % _BITS_A_STEP:
            yield
    # The last bit of a scalar is 0, so nothing is swapped here.
    inverse = yield from _inverse(z_2)
    product = x_2 * inverse % p
    if not product:
        raise SmallOrderError
    return product.to_bytes(BYTES, "little")


def _inverse(value: int) -> "Generator[None, None, int]":
    # value to the power of 2^255 - 21, as 254 squarings and 11 products.
    p = _PRIME
    by_2 = value * value % p
    by_9 = (yield from _square(by_2, 2)) * value % p
    by_11 = by_9 * by_2 % p
    ones = by_11 * by_11 % p * by_9 % p  # to the power of 2^5 - 1
    ten = (yield from _square(ones, 5)) * ones % p
    twenty = (yield from _square(ten, 10)) * ten % p
    forty = (yield from _square(twenty, 20)) * twenty % p
    fifty = (yield from _square(forty, 10)) * ten % p
    hundred = (yield from _square(fifty, 50)) * fifty % p
    most = (yield from _square(hundred, 100)) * hundred % p
    most = (yield from _square(most, 50)) * fifty % p
    return (yield from _square(most, 5)) * by_11 % p


def _square(value: int, times: int) -> "Generator[None, None, int]":
    for count in range(1, times + 1):
        value = value * value % _PRIME
        if count == times or not count % _SQUARES_A_STEP:
            yield
    return value


def finish(work: "Generator[None, None, bytes]") -> bytes:
    """Return the result of a multiply() generator, computed without a pause."""
    while True:
        try:
            next(work)
        except StopIteration as done:
            return done.value

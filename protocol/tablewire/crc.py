"""CRC-32 (IEEE 802.3, reflected), seeded; check value of b"123456789" with seed 0: 0xCBF43926.

Two ways to the same sum. `crc32(data, seed)` is the interpreter's own and serves received frames:
the sum of data that ends in its own sum, little endian, is RESIDUE whatever the seed. `seal`
serves sent frames: binascii returns a 32-bit integer, which MicroPython must allocate when it is
above 2^30, and sending allocates nothing. Its table is kept in two 16-bit halves (1 KiB).
"""

from array import array
from binascii import crc32 as crc32

from .compat import const

RESIDUE = const(0x2144DF1C)

_LOW = array("H", bytearray(512))
_HIGH = array("H", bytearray(512))


def _fill() -> None:
    for index in range(256):
        low, high = index, 0
        for _ in range(8):
            carry = low & 1
            low = (low >> 1) | ((high & 1) << 15)
            high >>= 1
            if carry:
                low ^= 0x8320
                high ^= 0xEDB8
        _LOW[index] = low
        _HIGH[index] = high


_fill()


def seal(buf: bytearray, length: int, seed_low: int, seed_high: int) -> None:
    """Write the sum of buf[1:1 + length] behind it, little endian, without allocating.

    buf[0] is left for the first COBS code. The seed comes in 16-bit halves for the same reason.
    """
    low = seed_low ^ 0xFFFF
    high = seed_high ^ 0xFFFF
    start, end = 1, 1 + length
    for index in range(start, end):
        entry = (low ^ buf[index]) & 0xFF
        low = ((low >> 8) | ((high & 0xFF) << 8)) ^ _LOW[entry]
        high = (high >> 8) ^ _HIGH[entry]
    low ^= 0xFFFF
    high ^= 0xFFFF
    buf[end] = low & 0xFF
    buf[end + 1] = low >> 8
    buf[end + 2] = high & 0xFF
    buf[end + 3] = high >> 8

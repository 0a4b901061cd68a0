"""CRC-32 (IEEE 802.3, reflected), seeded; check value of b"123456789" with seed 0: 0xCBF43926.

Two ways to the same sum. `crc32(data, seed)` is the interpreter's own and serves received frames:
the sum of data that ends in its own sum, little endian, is RESIDUE whatever the seed. `seal`
serves sent frames: binascii returns a 32-bit integer, which MicroPython must allocate when it is
above 2^30, and sending allocates nothing. It looks up both halves of each byte: tables of whole
bytes would take 1 KiB of memory.
"""

from binascii import crc32 as crc32

from .compat import const

RESIDUE = const(0x2144DF1C)

# Sum of each half byte, in 16-bit halves: of the upper one, the four bits shifted out last
# (0xEDB88320 shifted in for every bit set), and of the lower one, which is shifted on four times.
_LOW = (
    0x0000, 0x1064, 0x20C8, 0x30AC, 0x4190, 0x51F4, 0x6158, 0x713C,
    0x8320, 0x9344, 0xA3E8, 0xB38C, 0xC2B0, 0xD2D4, 0xE278, 0xF21C,
)  # fmt: skip
_HIGH = (
    0x0000, 0x1DB7, 0x3B6E, 0x26D9, 0x76DC, 0x6B6B, 0x4DB2, 0x5005,
    0xEDB8, 0xF00F, 0xD6D6, 0xCB61, 0x9B64, 0x86D3, 0xA00A, 0xBDBD,
)  # fmt: skip
_SHIFTED_LOW = tuple(
    [(_LOW[n] >> 4 | (_HIGH[n] & 15) << 12) ^ _LOW[_LOW[n] & 15] for n in range(16)]
)
_SHIFTED_HIGH = tuple([_HIGH[n] >> 4 ^ _HIGH[_LOW[n] & 15] for n in range(16)])


def seal(buf: bytearray, length: int, seed_low: int, seed_high: int) -> None:
    """Write the sum of buf[1:1 + length] behind it, little endian, without allocating.

    buf[0] is left for the first COBS code. The seed comes in 16-bit halves for the same reason.
    """
    low = seed_low ^ 0xFFFF
    high = seed_high ^ 0xFFFF
    upper_low, upper_high = _LOW, _HIGH  # four names at once would allocate
    lower_low, lower_high = _SHIFTED_LOW, _SHIFTED_HIGH
    start, end = 1, 1 + length
    for index in range(start, end):
        low ^= buf[index]
        upper = low >> 4 & 15
        lower = low & 15
        low = (low >> 8 | (high & 255) << 8) ^ upper_low[upper] ^ lower_low[lower]
        high = high >> 8 ^ upper_high[upper] ^ lower_high[lower]
    low ^= 0xFFFF
    high ^= 0xFFFF
    buf[end] = low & 0xFF
    buf[end + 1] = low >> 8
    buf[end + 2] = high & 0xFF
    buf[end + 3] = high >> 8

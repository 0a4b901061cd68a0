"""CRC-32 (IEEE 802.3, reflected), seeded; check value of b"123456789" with seed 0: 0xCBF43926.

Two ways to the same sum. `crc32(data, seed)` is the interpreter's and is used for received frames:
the sum of data that ends in its own sum, little endian, is RESIDUE whatever the seed. `seal` is
used for sent frames: binascii returns a 32-bit integer, which MicroPython must allocate when it is
above 2^30, and sending allocates nothing. It looks up both halves of each byte: tables of whole
bytes would take 1 KiB of memory.
"""

from binascii import crc32 as crc32

from .compat import const

RESIDUE = const(0x2144DF1C)

# Sum of each half byte, as its lowest byte and the 24 bits above it (both small integers): of
# the upper half, the four bits shifted out last (0xEDB88320 shifted in for every bit set), and of
# the lower one, which is shifted on four times.
_UPPER = bytes((
    0x00, 0x64, 0xC8, 0xAC, 0x90, 0xF4, 0x58, 0x3C,
    0x20, 0x44, 0xE8, 0x8C, 0xB0, 0xD4, 0x78, 0x1C,
))  # fmt: skip
_UPPER_REST = (
    0x000000, 0x1DB710, 0x3B6E20, 0x26D930, 0x76DC41, 0x6B6B51, 0x4DB261, 0x500571,
    0xEDB883, 0xF00F93, 0xD6D6A3, 0xCB61B3, 0x9B64C2, 0x86D3D2, 0xA00AE2, 0xBDBDF2,
)  # fmt: skip
_LOWER = bytes(
    [((_UPPER_REST[n] & 15) << 4 | _UPPER[n] >> 4) ^ _UPPER[_UPPER[n] & 15] for n in range(16)]
)
_LOWER_REST = tuple([_UPPER_REST[n] >> 4 ^ _UPPER_REST[_UPPER[n] & 15] for n in range(16)])


def seal(buf: bytearray, length: int, seed_low: int, seed_high: int) -> None:
    """Write the sum of buf[1:1 + length] after it, little endian, without allocating.

    buf[0] is left for the first COBS code. The seed comes in 16-bit halves for the same reason.
    """
    lowest = ~seed_low & 0xFF
    rest = (seed_high ^ 0xFFFF) << 8 | (seed_low ^ 0xFFFF) >> 8
    of_upper, of_upper_rest = _UPPER, _UPPER_REST  # four names at once would allocate
    of_lower, of_lower_rest = _LOWER, _LOWER_REST
    start, end = 1, 1 + length
    for index in range(start, end):
        lower = lowest ^ buf[index]
        upper = lower >> 4
        lower &= 15
        lowest = rest & 255 ^ of_upper[upper] ^ of_lower[lower]
        rest = rest >> 8 ^ of_upper_rest[upper] ^ of_lower_rest[lower]
    rest ^= 0xFFFFFF
    buf[end] = lowest ^ 0xFF
    buf[end + 1] = rest & 0xFF
    buf[end + 2] = rest >> 8 & 0xFF
    buf[end + 3] = rest >> 16

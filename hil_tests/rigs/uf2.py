"""UF2 files for an RP2040: the flash they make, or why the chip would not start it.

Format: github.com/microsoft/uf2. The flash begins with a boot block of 256 bytes, whose last word
is the check sum the boot ROM asks for (RP2040 data sheet 2.8.1.3.1).
"""

import struct
from collections.abc import Iterator

FLASH_AT = 0x1000_0000
FLASH_BYTES = 2 << 20
RP2040 = 0xE48B_FF56
RP2350 = 0xE48B_FF59
_FAMILIES = {
    RP2350: "RP2350 (Pico 2)",
    0xE48B_FF5A: "RP2350 RISC-V (Pico 2)",
    0xC47E_5767: "ESP32-S3",
}
_BLOCK_BYTES = 512
_HEADER = struct.Struct("<8I")
_BEGIN, _SECOND, _END = 0x0A32_4655, 0x9E5D_5157, 0x0AB1_6F30
_NOT_FLASH, _HAS_FAMILY = 0x1, 0x2000
_MOST_PAYLOAD = 476
_BOOT_BYTES = 256
_PIECE = 256
_POLYNOMIAL = 0x04C1_1DB7


class UF2Error(ValueError):
    """The file is no program for the flash of an RP2040; the text says what to take instead."""


def flash_of(data: bytes) -> bytes:
    """The flash from its first byte to the last that the file names. Raises UF2Error."""
    if len(data) < _HEADER.size or _HEADER.unpack_from(data)[:2] != (_BEGIN, _SECOND):
        raise UF2Error(f"it is no UF2 file: it begins with {data[:8].hex(' ') or 'nothing'}")
    if len(data) % _BLOCK_BYTES:
        raise UF2Error(f"it is cut off: {len(data)} bytes, not whole blocks of {_BLOCK_BYTES}")
    flash = bytearray()
    for address, payload in _payloads(data):
        first = address - FLASH_AT
        if not 0 <= first <= FLASH_BYTES - len(payload):
            raise UF2Error(
                f"it writes to 0x{address:08x}, which is no flash of {FLASH_BYTES} bytes"
            )
        flash += b"\xff" * (first + len(payload) - len(flash))
        flash[first : first + len(payload)] = payload
    _verify_boot_block(bytes(flash[:_BOOT_BYTES]))
    return bytes(flash)


def uf2_of(program: bytes, address: int, family: int = RP2040) -> bytes:
    """A UF2 file that puts a program there, in blocks of 256 bytes as the boot ROM wants."""
    pieces = [program[first : first + _PIECE] for first in range(0, len(program), _PIECE)]
    blocks = []
    for place, piece in enumerate(pieces):
        head = _HEADER.pack(
            _BEGIN,
            _SECOND,
            _HAS_FAMILY,
            address + place * _PIECE,
            _PIECE,
            place,
            len(pieces),
            family,
        )
        body = head + piece.ljust(_PIECE, b"\0")
        blocks.append(body.ljust(_BLOCK_BYTES - 4, b"\0") + struct.pack("<I", _END))
    return b"".join(blocks)


def _payloads(data: bytes) -> Iterator[tuple[int, bytes]]:
    count = len(data) // _BLOCK_BYTES
    for number in range(count):
        block = data[number * _BLOCK_BYTES : (number + 1) * _BLOCK_BYTES]
        begin, second, flags, address, size, place, total, family = _HEADER.unpack_from(block)
        (end,) = struct.unpack_from("<I", block, _BLOCK_BYTES - 4)
        if (begin, second, end) != (_BEGIN, _SECOND, _END) or size > _MOST_PAYLOAD:
            raise UF2Error(f"block {number} of {count} is damaged: fetch the file again")
        if (place, total) != (number, count):
            raise UF2Error(
                f"block {number} says it is {place} of {total}, the file has {count}:"
                " it is cut off or joined, fetch it again"
            )
        family_id = family if flags & _HAS_FAMILY else 0
        if family_id != RP2040:
            name = _FAMILIES.get(family_id, "another chip" if family_id else "no family")
            raise UF2Error(
                f"it is for {name} (0x{family_id:08x}), not for RP2040 (0x{RP2040:08x}):"
                " take the image of a Raspberry Pi Pico (RPI_PICO)"
            )
        if not flags & _NOT_FLASH:
            yield address, block[_HEADER.size : _HEADER.size + size]


def _verify_boot_block(block: bytes) -> None:
    if len(block) < _BOOT_BYTES:
        raise UF2Error(f"it has no boot block of {_BOOT_BYTES} bytes: no chip would start it")
    has, wanted = struct.unpack_from("<I", block, 252)[0], boot_sum(block[:252])
    if has != wanted:
        raise UF2Error(
            f"the check sum of its boot block is 0x{has:08x}, not 0x{wanted:08x}:"
            " no chip would start it"
        )


def boot_sum(block: bytes) -> int:
    """CRC-32 as the boot ROM counts it: most significant bit first, no final inversion."""
    crc = 0xFFFF_FFFF
    for byte in block:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (_POLYNOMIAL if crc & 0x8000_0000 else 0)) & 0xFFFF_FFFF
    return crc

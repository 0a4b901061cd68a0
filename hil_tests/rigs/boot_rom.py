"""The boot ROM of an RP2040 from a file: as it lies in the chip, or as an ELF file carries it."""

import struct

ROM_BYTES = 16 * 1024
# RP2040 data sheet 2.8.3: what a boot ROM says at this place.
_MAGIC_AT, _MAGIC = 0x10, b"Mu\x01"
_ELF_32_LITTLE = b"\x7fELF\x01\x01"
_SEGMENTS = struct.Struct("<28xI10xHH")  # where the table is, bytes of an entry, entries
_SEGMENT = struct.Struct("<5I")  # kind, place in the file, virtual and physical address, bytes
_LOADED = 1


def rom_of(data: bytes) -> bytes:
    """The ROM, up to its last byte in the file. Raises ValueError when it is none."""
    rom = _of_elf(data) if data.startswith(_ELF_32_LITTLE) else data
    if len(rom) > ROM_BYTES or rom[_MAGIC_AT : _MAGIC_AT + len(_MAGIC)] != _MAGIC:
        raise ValueError("it is no boot ROM of an RP2040")
    return rom


def _of_elf(data: bytes) -> bytes:
    rom = bytearray()
    try:
        table, size, count = _SEGMENTS.unpack_from(data)
        for number in range(count):
            kind, place, _, address, length = _SEGMENT.unpack_from(data, table + number * size)
            if kind == _LOADED and length and address + length <= ROM_BYTES:
                rom += bytes(address + length - len(rom))
                rom[address : address + length] = data[place : place + length]
    except struct.error as error:
        raise ValueError("the ELF file is cut off") from error
    return bytes(rom)

"""Emulated boards that differ: the number of each chip, its serial number, its program."""

from __future__ import annotations

from binascii import crc32

from tableemulator.shipped_controller import program

# A board says who it is by the number of its chip; this one is set before anything runs.
_NAMED = "import machine\nmachine._facts['id'] = {id!r}\n"


def chip_of(number: int) -> bytes:
    """Return the number of the chip on an emulated board."""
    return b"DEMO" + number.to_bytes(4, "big")


def device_of(number: int) -> int:
    """Return the serial number a controller makes of the number of its chip."""
    return crc32(chip_of(number)) or 1


def program_of(number: int) -> dict[str, bytes]:
    """Return the program as shipped, for the board with that chip."""
    files = program()
    files["/boot.py"] = _NAMED.format(id=chip_of(number)).encode() + files["/boot.py"]
    return files

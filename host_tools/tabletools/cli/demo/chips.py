"""Who the tables of the demo are: the number of each chip, and the serial number made of it."""

from binascii import crc32


def chip_of(number: int) -> bytes:
    """The number of the chip of a table of the demo."""
    return b"DEMO" + number.to_bytes(4, "big")


def device_of(number: int) -> int:
    """The serial number a controller makes of the number of its chip."""
    return crc32(chip_of(number)) or 1

"""A switch under every pocket, through a chain of five 74HC165 shift registers on SPI."""

from machine import SPI, Pin

from tablewire.compat import const

_BYTES = const(5)


class PocketArray:
    """bus: the SPI entry of board.py (mode 0); active: level of a bit while the ball is there.

    The latch (SH/LD) is held high; a low pulse loads all 40 inputs at once.
    """

    def __init__(self, bus: "dict[str, int]", active: int) -> None:
        self._spi = SPI(
            bus["id"],
            baudrate=bus["baud"],
            polarity=0,
            phase=0,
            sck=Pin(bus["sck"]),
            mosi=Pin(bus["mosi"]),
            miso=Pin(bus["miso"]),
        )
        self._latch = Pin(bus["latch"], Pin.OUT, value=1)
        self._invert = 0x00 if active else 0xFF

    def read(self, bits: bytearray) -> None:
        """Fill bits (5 bytes): bit k & 7 of byte k >> 3 is 1 while the ball is in pocket k."""
        latch, invert = self._latch, self._invert
        latch.value(0)
        latch.value(1)
        self._spi.readinto(bits)
        if invert:
            for index in range(_BYTES):
                bits[index] ^= invert

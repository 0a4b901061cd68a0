"""The serial line to the host."""

from machine import UART, Pin

from tablewire.compat import const

# 80 ms at 115200 baud are 922 bytes: what is sent between two calls. In the other direction a
# burst of fifty acknowledgements fits.
_BUFFER_BYTES = const(2048)
_FULL = const(2047)  # a ring of 2048 may hold one byte less
# Reading makes garbage of about sixteen times its size, and the heap is small: a burst is read
# in pieces, three acknowledgements at a time.
_READ_BYTES = const(128)


class UartLink:
    """port: the UART entry of board.py. Never waits: the app calls again.

    overruns: how often the buffer was found full, so that later bytes may be lost.
    """

    def __init__(self, port: "dict[str, int]") -> None:
        self.overruns = 0
        self._uart = UART(
            port["id"],
            baudrate=port["baud"],
            bits=8,
            parity=None,
            stop=1,
            tx=Pin(port["tx"]),
            rx=Pin(port["rx"]),
            txbuf=_BUFFER_BYTES,
            rxbuf=_BUFFER_BYTES,
            timeout=0,
            timeout_char=0,
        )

    def write(self, buf: bytearray, off: int, length: int) -> int:
        """Write what fits of buf[off:off + length] and return how many bytes that was."""
        # The stub does not know that a stream takes a part of a buffer (py/stream.c).
        return self._uart.write(buf, off, length) or 0  # type: ignore[call-arg]

    def read(self) -> "bytes | None":
        """The next received bytes, at most 128, or None."""
        waiting = self._uart.any()
        if waiting >= _FULL:
            self.overruns += 1
        count = min(waiting, _READ_BYTES)
        return self._uart.read(count) if count else None

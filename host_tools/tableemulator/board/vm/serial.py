# mypy: ignore-errors
"""The emulated UART and SPI of `machine`."""

import io

import _host
import rig
from uctypes import addressof

_uart_any = _host.uart_any  # found once: a look-up over the bridge takes longer than the call
_uart_read = _host.uart_read
_uart_room = _host.uart_room
_uart_write = _host.uart_write
_spi_read = _host.spi_read


class UART(io.IOBase):
    """A serial port. Writing never waits unless a timeout is set; line time is ten bits a byte."""

    INV_TX = 1
    INV_RX = 2
    IRQ_RXIDLE = 0x40
    IRQ_TXIDLE = 0x20
    IRQ_BREAK = 0x80

    def __init__(self, id, baudrate=115200, **settings):
        self._id = id
        self._handler = None
        self._timeout = 0
        self.init(baudrate, **settings)

    def init(self, baudrate=115200, bits=8, parity=None, stop=1, **settings):
        """Set up the port; txbuf and rxbuf in bytes (at least 32), timeout in milliseconds."""
        self._timeout = settings.get("timeout", 0)
        txbuf = max(32, settings.get("txbuf", 256))
        rxbuf = max(32, settings.get("rxbuf", 256))
        _host.uart_init(self._id, baudrate, txbuf, rxbuf)

    def deinit(self):
        self.irq(None)

    def any(self):
        """Bytes that can be read."""
        return _uart_any(self._id)

    def write(self, data, start=None, length=None):
        """Put what fits into the transmit buffer; return the count, None if nothing fits.

        As every MicroPython stream: write(data, length) or write(data, start, length) take a part.
        """
        if length is None:
            start, length = 0, start
        start = min(start, len(data))
        size = len(data) - start
        if length is not None:
            size = min(size, length)
        address = addressof(data) + start
        done = _uart_write(self._id, address, size)
        waited = 0
        while done < size and waited < self._timeout * 1000:
            _host.sleep(1000)
            waited += 1000
            more = _host.uart_write(self._id, address + done, size - done)
            waited = 0 if more else waited
            done += more
        return done or None

    def readinto(self, buffer, size=None):
        if size is None or size > len(buffer):
            size = len(buffer)
        return _uart_read(self._id, addressof(buffer), size) or None

    def read(self, size=None):
        waiting = _uart_any(self._id)
        size = waiting if size is None else min(size, waiting)
        if not size:
            return None
        buffer = bytearray(size)
        _uart_read(self._id, addressof(buffer), size)
        return bytes(buffer)

    def readline(self):
        line = b""
        while self.any() and not line.endswith(b"\n"):
            line += self.read(1)
        return line or None

    def txdone(self):
        """True once every byte has left the line."""
        return not _host.uart_busy(self._id)

    def flush(self):
        """Let virtual time pass until every byte has left the line."""
        _host.sleep(_host.uart_busy(self._id))

    def irq(self, handler=None, trigger=0x40, hard=False):
        """Call handler(uart) when a burst of bytes is complete (IRQ_RXIDLE)."""
        if self._handler:
            rig.receivers.remove(self._arrive)
            rig.cells[rig.LISTENERS] -= 1
        self._handler = handler
        if handler:
            rig.receivers.append(self._arrive)
            rig.cells[rig.LISTENERS] += 1

    def _arrive(self):
        if self.any():
            rig.schedule(self._handler, self)

    def ioctl(self, request, argument):
        """Polling for asyncio: readable (1), writable (4)."""
        if request != 3:
            return -22
        ready = argument & 1 if self.any() else 0
        return ready | (argument & 4 if _uart_room(self._id) > 0 else 0)


class SPI:
    """A bus to a chain of shift registers: a read shifts out what its latch loaded."""

    MSB = 0
    LSB = 1

    def __init__(self, id, baudrate=1000000, **settings):
        self._id = id

    def init(self, baudrate=1000000, **settings):
        pass

    def deinit(self):
        pass

    def readinto(self, buffer, write=0):
        _spi_read(self._id, addressof(buffer), len(buffer))

    def read(self, size, write=0):
        buffer = bytearray(size)
        self.readinto(buffer)
        return bytes(buffer)

    def write(self, data):
        pass

    def write_readinto(self, data, buffer):
        if len(data) != len(buffer):
            raise ValueError("buffers must be the same length")
        self.readinto(buffer)

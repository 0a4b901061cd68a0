"""Sends frames: packed, stored if durable, and written to the line without waiting.

A frame is never cut: what the line does not accept at once is kept and sent before anything else.
Sending allocates only for a tag; storing a record does, for the write to flash.
"""

from tablelogic.core.ticks import diff
from tablewire.compat import const
from tablewire.messages import FLAG_DURABLE

if -0:  # for mypy
    from tabletypes import Clock, Link, Mac, Values
    from tablewire.sender import Sender

    from .outbox import Outbox

# Per call, so that repeats at 2 to 25 calls a second stay below what 115200 baud carries.
_FRAMES_A_PUMP = const(4)


class Transmitter:
    """The only sender of the device.

    dropped: volatile frames without room on the line, since boot. silent: a device with a key and
    no session yet sends only what send_sealed() sends; records wait. sender: codec.Sender, whose
    frames carry device, boot and round; outbox: outbox.Outbox; link, clock: see hal.
    """

    def __init__(
        self,
        sender: "Sender",
        outbox: "Outbox",
        link: "Link",
        clock: "Clock",
        silent: bool = False,
    ) -> None:
        self.dropped = 0
        self.silent = silent
        self.sender = sender
        self.outbox = outbox
        self._link = link
        self._clock = clock
        self._clock_ms = clock.ticks_ms()
        self._rest = bytearray(len(sender.buf))  # of a frame that the line accepted in part
        self._rest_at = 0
        self._rest_end = 0

    def journal(self, ident: int, values: "Values") -> bool:
        """Store a record, on flash too; the next pump() sends it. False: there is no room."""
        self._stamp()
        length = self.sender.pack(ident, values, FLAG_DURABLE)
        return self.outbox.put(self.sender.buf, length)

    def send_first(self, ident: int, values: "Values") -> None:
        """Send a record, then store it on flash, whose erasure may take 400 ms.

        For one that the next boot does without: a power cut in between leaves it to the host.
        """
        self._stamp()
        sender, outbox = self.sender, self.outbox
        length = sender.pack(ident, values, FLAG_DURABLE)
        if outbox.put(sender.buf, length, is_saved=False):
            self.pump()
            outbox.save(sender.buf)

    def send_durable(self, ident: int, values: "Values") -> bool:
        """Store a record and send it in its turn; False when there is no room."""
        is_stored = self.journal(ident, values)
        self.pump()
        return is_stored

    def send_volatile(self, ident: int, values: "Values") -> None:
        """Send now or not at all.

        A dropped frame leaves a gap in the counters, so it is noticed.
        """
        if not self.silent and self._is_free():
            self._write(self.sender.close(self.sender.pack(ident, values)))

    def send_sealed(self, ident: int, values: "Values", mac: "Mac | None") -> None:
        """Send now or not at all, even if silent, sealed by the given seal.Mac or by None."""
        if self._is_free():
            sender = self.sender
            length = sender.pack(ident, values)
            of_session, sender.mac = sender.mac, mac
            try:
                length = sender.close(length)
            finally:  # a tag allocates
                sender.mac = of_session
            self._write(length)

    def uptime_ms(self) -> int:
        """The uptime that a frame sent now carries."""
        self._stamp()
        return self.sender.uptime_high << 16 | self.sender.uptime_low

    def echo(self, token: int) -> None:
        """Echo this token of the host in all frames from now on."""
        self._stamp()
        self.sender.set_echo(token)

    def begin(self, mac: "Mac | None") -> None:
        """Send under a new session from now on, and repeat all waiting records."""
        self.sender.mac = mac
        self.silent = False
        self.outbox.repeat()

    def _is_free(self) -> bool:
        self._stamp()
        # The first frame of a boot is the identity, before records of earlier boots.
        if not self.sender.counter or self.pump():
            return True
        self.sender.counter += 1
        self.dropped += 1
        return False

    def pump(self) -> bool:
        """Send what is due; True when no record waits to be sent first and the line is free."""
        if self.silent or not self.outbox.waiting:
            return self._flush()
        now_ms = self._clock.ticks_ms()
        for _ in range(_FRAMES_A_PUMP):
            if not self._flush():
                return False
            slot = self.outbox.due(now_ms)
            if slot < 0:
                break
            length = self.outbox.load(slot, self.sender.buf, now_ms)
            self._write(self.sender.close(length))
        return self._flush() and not self.outbox.unsent

    def _stamp(self) -> None:
        now_ms = self._clock.ticks_ms()
        self.sender.advance(diff(now_ms, self._clock_ms))
        self._clock_ms = now_ms

    def _write(self, length: int) -> None:
        buf = self.sender.buf
        done = self._link.write(buf, 0, length)
        for index in range(done, length):
            self._rest[index] = buf[index]
        self._rest_at = done
        self._rest_end = length

    def _flush(self) -> bool:
        left = self._rest_end - self._rest_at
        if left:
            self._rest_at += self._link.write(self._rest, self._rest_at, left)
        return self._rest_at == self._rest_end

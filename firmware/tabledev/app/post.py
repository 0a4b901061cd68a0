"""Frames on their way out: packed, kept if durable, and put on the line without waiting.

A frame is never cut: what the line does not take at once is kept and goes before anything else.
Sending allocates nothing; keeping a record does, for the write to flash.
"""

from tablelogic.ticks import diff
from tablewire.compat import const
from tablewire.messages import FLAG_DURABLE

# Per call, so that repeats at 2 to 25 calls a second stay below what 115200 baud carries.
_FRAMES_A_PUMP = const(4)


class Post:
    """The one way out. dropped: ephemeral frames the line had no room for, since boot.

    sender: codec.Sender, whose frames carry device, boot and round; outbox: outbox.Outbox;
    link, clock: see hal.
    """

    def __init__(self, sender: object, outbox: object, link: object, clock: object) -> None:
        self.dropped = 0
        self.sender = sender
        self.outbox = outbox
        self._link = link
        self._clock = clock
        self._clock_ms = clock.ticks_ms()
        self._rest = bytearray(len(sender.buf))  # of a frame the line took in part
        self._rest_at = 0
        self._rest_end = 0

    def keep(self, ident: int, values: list) -> bool:
        """Keep a record, on flash too, to be sent by the next pump(); False: there is no room."""
        self._stamp()
        length = self.sender.pack(ident, values, FLAG_DURABLE)
        return self.outbox.put(self.sender.buf, length)

    def durable(self, ident: int, values: list) -> bool:
        """Keep a record and send it as soon as its turn comes; False when there is no room."""
        kept = self.keep(ident, values)
        self.pump()
        return kept

    def ephemeral(self, ident: int, values: list) -> None:
        """Send now or not at all. A dropped frame leaves a gap in the counters, so it is seen."""
        self._stamp()
        # The first frame of a boot says who this is, before records of boots before.
        if self.sender.counter and not self.pump():
            self.sender.counter += 1
            self.dropped += 1
            return
        self._write(self.sender.close(self.sender.pack(ident, values)))

    def pump(self) -> bool:
        """Send what is due; True when no record waits for its first time and the line is free."""
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

"""A table reduced to its end of an authenticated link: key, sessions, a journal of records.

For tests of the host; it plays no game. What it would do is that of PROTOCOL.md, written a second
time: the firmware shares nothing with it but the codec. No I/O but in `serve`.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from tablewire import messages as m
from tablewire import settings
from tablewire.codec import Frame, FrameError
from tablewire.framing import Receiver
from tablewire.rotation import agreed
from tablewire.seal import Session
from tablewire.sender import Sender
from tablewire.x25519 import BASE_POINT, finish, multiply

from .core.uart import UartPort

_BEAT_S = 0.05

# Counter, type, values, round of a record that waits, and what its header said of time when it was
# made: the halves of the uptime, echo, echo_ms.
Record = tuple[int, int, tuple[int | bytes, ...], int, tuple[int, int, int, int]]


class KeyedTable:
    """One table. number, secret: of its key, 0 and empty on the bench.

    refused: reasons of frames it did not obey. obeyed: types it did. journal: what waits.
    board: as it reports itself. phase: as its heartbeats report it.
    """

    board = b"emulated"
    phase = m.PHASE_CLOSED

    def __init__(self, device: int, number: int = 0, secret: bytes = b"", boot: int = 1) -> None:
        self.number = number
        self.secret = secret
        self.refused: list[str] = []
        self.obeyed: list[int] = []
        self.acknowledged: list[tuple[int, int]] = []
        self.journal: list[tuple[int, Record]] = []  # with the boot it was made in
        self.is_held = False  # the maintenance switch is turned
        self.configuration = settings.factory()  # by key number; shorter: of older firmware
        self.read_keys: set[int] = set()  # keys read in this session
        self._nonces = 0
        self._shown_ms = int(time.monotonic() * 1000)
        self._start(device, boot)

    def restart(self) -> None:
        """Power off and on."""
        self._start(self.sender.device, self.sender.boot + 1)

    def _start(self, device: int, boot: int) -> None:
        self.sender = Sender(device, boot)
        self.session: Session | None = None
        self._agreed: tuple[int, bytes, bytes] | None = None  # number, key, proof of the host
        self._offered: Session | None = None
        self._last = 0
        self._receiver = Receiver(verify=self._verify)

    @property
    def is_silent(self) -> bool:
        """Whether it may say nothing yet."""
        return self.number > 0 and self.session is None

    def say(self, ident: int, values: tuple[int | bytes, ...] = (), number: int = 0) -> bytes:
        """Make a frame and send it, or keep it if it is a record; nothing without a session."""
        sender = self.sender
        sender.round = number
        if not 0x10 <= ident < 0x40:
            return b"" if self.is_silent else sender.build(ident, values)
        stamp = sender.uptime_low, sender.uptime_high, sender.echo, sender.echo_ms
        self.journal.append((sender.boot, (sender.counter + 1, ident, values, number, stamp)))
        if self.is_silent:
            sender.counter += 1
            return b""
        return sender.build(ident, values, m.FLAG_DURABLE)

    def beat(self) -> bytes:
        """A heartbeat; before the first session the identity in its place."""
        if self.is_silent:
            return self._identity(bytes(8), answers=False)
        waiting = len(self.journal)
        return self.say(m.HEARTBEAT, (self.phase, 0, 255, 1, 142, waiting, 0, 0, 180_000, 96_000))

    def repeat(self) -> bytes:
        """Every record that waits, sent again."""
        if self.is_silent:
            return b""
        sender, wires = self.sender, []
        present = sender.boot, sender.counter, sender.uptime_low, sender.uptime_high
        echo = sender.echo, sender.echo_ms
        for boot, (counter, ident, values, number, stamp) in self.journal:
            sender.boot, sender.counter, sender.round = boot, counter - 1, number
            sender.uptime_low, sender.uptime_high, sender.echo, sender.echo_ms = stamp
            wires.append(sender.build(ident, values, m.FLAG_DURABLE | m.FLAG_RETRANSMITTED))
        sender.boot, sender.counter, sender.uptime_low, sender.uptime_high = present
        sender.echo, sender.echo_ms = echo
        return b"".join(wires)

    def receive(self, data: bytes) -> bytes:
        """Obey what came; returns the answers."""
        out = b""
        for item in self._receiver.feed(data):
            if isinstance(item, Frame):
                self.obeyed.append(item.type)
                out += self._obey(item)
            else:
                self.refused.append(item.reason)
        return out

    def serve(self, port: UartPort, stop: Callable[[], bool]) -> None:
        """Speak on a port by the wall clock until it is stopped; its own clock runs with it."""
        while not stop():
            self.keep_time()
            heard = port.receive(_BEAT_S)
            self.keep_time()
            port.send(self.receive(heard) + self.beat())

    def keep_time(self) -> None:
        """Let the clock of the table show what has passed by that of this machine."""
        now_ms = int(time.monotonic() * 1000)
        self.sender.advance(min(now_ms - self._shown_ms, 65_535))
        self._shown_ms = now_ms

    def _verify(self, frame: Frame, body: bytes) -> None:
        is_given = frame.type == m.SET_KEY and frame.tag is None and self.is_held
        if not self.number or frame.type == m.IDENTIFY or is_given:
            return
        if frame.type == m.START_SESSION and self._offered is not None:
            self._offered.host.verify(frame, body)
            self.session, self._offered, self._last = self._offered, None, frame.counter
            self._agreed = None
            return
        if self.session is None:
            raise FrameError("session", "none yet")
        self.session.host.verify(frame, body)
        if frame.counter <= self._last:
            raise FrameError("replayed", "")
        self._last = frame.counter

    def _obey(self, frame: Frame) -> bytes:
        sender = self.sender
        if frame.type == m.IDENTIFY:
            return self._identity(frame.values[0])
        if frame.type == m.START_SESSION and self.session is not None:
            self.read_keys.clear()
            sender.mac = self.session.table
            return sender.build(m.SESSION_STARTED) + self.repeat()
        if frame.type == m.ACKNOWLEDGE:
            name = (frame.values[0], frame.values[1])
            self.acknowledged.append(name)
            self.journal = [(b, r) for b, r in self.journal if (b, r[0]) != name]
        if frame.type in (m.SET_KEY, m.OFFER_KEY, m.CONFIRM_KEY):
            return self._change_key(frame)
        if frame.type == m.BEACON:
            sender.set_echo(frame.values[0])
        if frame.type == m.GET_CONFIGURATION:
            number = frame.values[0]
            self.read_keys.add(number)
            if number >= len(self.configuration):
                return self._refuse(frame, m.REFUSAL_UNKNOWN_KEY, 1, len(self.configuration) - 1)
            low, high, _ = settings.limits(number)
            value = self.configuration[number]
            return self.say(m.CONFIGURATION, (number, value, value, low, high))
        return b""

    def _identity(self, host_nonce: bytes, *, answers: bool = True) -> bytes:
        sender, mac, nonce = self.sender, self.sender.mac, bytes(8)
        sender.mac = None
        if self.number and answers:
            self._nonces += 1
            nonce = self._nonces.to_bytes(8, "little")
            self._offered = Session(self.secret, sender.device, sender.boot, host_nonce, nonce)
            sender.mac = self._offered.table
        has_key = 1 if self.number else 0
        values = (
            host_nonce,
            m.FINGERPRINTS[1],
            0,
            1,
            0,
            1,
            has_key,
            1,
            self.board,
            nonce,
            self.number,
        )
        wire = sender.build(m.IDENTITY, values)
        sender.mac = mac
        return wire

    def _change_key(self, frame: Frame) -> bytes:
        number = frame.values[0]
        if frame.type == m.CONFIRM_KEY:
            if self._agreed is None or (number, frame.values[1]) != self._agreed[::2]:
                return self._refuse(frame, m.REFUSAL_KEY_EXCHANGE)
            return self._change(*self._agreed[:2])
        if number <= self.number:
            return self._refuse(frame, m.REFUSAL_OUT_OF_RANGE)
        if frame.type == m.OFFER_KEY:
            return self._answer(number, frame.values[1])
        if frame.tag is not None:
            return self._refuse(frame, m.REFUSAL_KEY_EXCHANGE)
        _, serial, secret = frame.values
        self.sender.device = serial or self.sender.device
        self.session = None
        return self._change(number, secret)

    def _answer(self, number: int, theirs: bytes) -> bytes:
        # Of a constant, for a test; a table draws its secret at random.
        ours = finish(multiply(b"s" * 32, BASE_POINT))
        shared = finish(multiply(b"s" * 32, theirs))
        key, proof, wanted = agreed(self.secret, shared, self.sender.device, number, theirs, ours)
        self._agreed = number, key, wanted
        return self.say(m.KEY_ANSWER, (number, ours, proof))

    def _change(self, number: int, secret: bytes) -> bytes:
        before, self.number, self.secret, self._agreed = self.number, number, secret, None
        return self.say(m.KEY_CHANGED, (number, before))

    def _refuse(self, frame: Frame, cause: int, low: int = 0, high: int = 0) -> bytes:
        values = (frame.type, frame.counter, cause, frame.values[0], low, high, 0)
        return self.say(m.REFUSAL, values)

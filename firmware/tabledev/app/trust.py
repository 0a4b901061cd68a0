"""Which frames are trusted: the key of the device, the session of its link, the host's silence.

Without a key the device is on the bench: nothing is verified, everything is sent untagged. With
one it obeys only frames sealed under the session, and reports nothing before there is one.
"""

import struct

from tablelogic.core.ticks import MASK, diff
from tablewire.codec import FrameError
from tablewire.compat import const
from tablewire.messages import IDENTIFY, SET_KEY, START_SESSION, UNKNOWN_U16
from tablewire.slots import KEY

from .store import SlotPair

if -0:  # for mypy
    from tabletypes import Clock, Flash, Mac, Random, Sure
    from tablewire.codec import Frame
    from tablewire.seal import Session

    from .key_change import Rotation
    from .store import Store
    from .transmitter import Transmitter

_WORDS = const(8)  # of a key, as the integers of its record
# Reason of a frame under the session before: its host does not know yet that another began one,
# or that the table booted.
SUPERSEDED = "superseded"
LIMIT_MS = const(2000)  # older than this a frame of the host is stale
_U32 = const(0xFFFFFFFF)
_AGES_AGO_MS = const(60000)  # older than this makes no difference


def _is_key(values: "list[int]") -> bool:
    return len(values) == 1 + _WORDS and values[0] >= 1


def _is_sealed(mac: "Mac", frame: "Frame", body: bytearray) -> bool:
    try:
        mac.verify(frame, body)
    except FrameError:
        return False
    return True


class Trust:
    """flash: see hal; random(n): n bytes that are hard to guess; store: store.Store.

    number: of the key, 0 without one; key: its 32 bytes. damaged: at boot neither copy was good.
    session: seal.Session in force, None before the first of this boot; host: name of its host;
    last: host counter in it; pending: the session offered with the last identity; previous:
    seal.Mac of the host of the session before, ended: of its table until that host is informed.
    rotation: key_change.Rotation under the session in force, or None.
    held: the maintenance switch is turned, so a technician at the table may send it a key without
    knowing the present one.
    """

    session: "Session | None"
    pending: "Sure[Session]"
    previous: "Mac | None"
    ended: "Mac | None"
    rotation: "Rotation | None"

    def __init__(self, flash: "Flash", random: "Random", store: "Store") -> None:
        self.session = self.pending = self.previous = self.ended = self.rotation = None
        self.host = b""
        self.last = 0
        self.held = False
        self._random = random
        self._count = 0  # of calls of fresh() in this boot
        self._store = store
        self._pair = SlotPair(flash, "key", KEY, _is_key)
        values = self._pair.load() or [0]
        self.number = values[0]
        self.key = struct.pack("<8i", *values[1:]) if self.number else b""
        self.damaged = not self.number and self._pair.copies == 2
        if self.number:
            import tablewire.seal  # noqa: F401  (in memory from boot on; on the bench never)

    def offer(self, host_nonce: bytes) -> bytes:
        """Prepare the session of a host's nonce and a fresh one, which is returned."""
        from tablewire.seal import NONCE_BYTES, Session

        nonce = self.fresh(NONCE_BYTES)
        store = self._store
        self.pending = Session(self.key, store.serial, store.boot, host_nonce, nonce)
        return nonce

    def fresh(self, count: int) -> bytes:
        """Bytes that never repeat within a boot: 4 of a counter, the others random."""
        self._count += 1
        return struct.pack("<I", self._count) + self._random(count - 4)

    def verify(self, frame: "Frame", body: bytearray) -> None:
        """Raise FrameError for what the host did not send here, now, once: see codec.parse."""
        if not self.number:
            return
        ident = frame.type
        if frame.device != self._store.serial and (frame.device or ident != IDENTIFY):
            raise FrameError("device", "")
        if frame.tag is None:
            if ident == IDENTIFY or (ident == SET_KEY and self.held):
                return
            raise FrameError("unauthenticated", "")
        if ident == START_SESSION and self._begins(frame, body):
            return
        if self.session is None:
            # Frames that the host sent before it knew of this boot are still on their way.
            is_late = frame.boot != self._store.boot
            raise FrameError(SUPERSEDED if is_late else "session", "")
        try:
            self.session.host.verify(frame, body)
        except FrameError as error:
            if self._is_superseded(frame, body):
                raise FrameError(SUPERSEDED, "another host began a session")
            raise error
        if frame.counter <= self.last:
            raise FrameError("replayed", "")
        self.last = frame.counter

    def _begins(self, frame: "Frame", body: bytearray) -> bool:
        # Only a host that has the key can seal a start of the offered session.
        if self.pending is None or not _is_sealed(self.pending.host, frame, body):
            return False
        if self.session is not None:
            self.previous = self.session.host
            self.ended = self.session.table
        self.session, self.pending, self.last = self.pending, None, frame.counter
        self.rotation = None
        return True

    def _is_superseded(self, frame: "Frame", body: bytearray) -> bool:
        return self.previous is not None and _is_sealed(self.previous, frame, body)

    def vouches_for(self, frame: "Frame") -> bool:
        """Whether a frame that passed verify() is the host's: with a key, if it is sealed."""
        return not self.number or frame.tag is not None

    def keep(self, number: int, key: bytes) -> None:
        """Store a key, 32 bytes, twice; the old one counts until the first copy is complete.

        The session continues under its keys; the next one is under the new key.
        """
        values = [number]
        values += struct.unpack("<8i", key)
        self._pair.save(values)
        self.number, self.key, self.pending, self.rotation = number, key, None, None

    def rewrite(self) -> None:
        """Write the key again, from memory."""
        if self.number:
            self.keep(self.number, self.key)

    def verify_memory(self) -> bool:
        """Whether the key has a good copy, which then repairs the other."""
        return not self.number or self._pair.verify()


class HostWatch:
    """The age of the host's last frame: bets close when it falls silent and open when it is back.

    A host frame echoes the uptime of the newest frame of this table that reached the host, and
    how long ago that was. So it was made at `echo + echo_ms` or later by this table's clock,
    however long the line delayed it. The rule applies from the first beacon of a session on: a
    program that sends none, such as a monitor, promises nothing.

    transmitter: transmitter.Transmitter, whose frames echo the tokens of the host; clock: see hal.

    is_silent: beacons came in this session, and the newest host frame is older than LIMIT_MS.
    """

    def __init__(self, transmitter: "Transmitter", clock: "Clock") -> None:
        self.is_silent = False
        self._transmitter = transmitter
        self._clock = clock
        self._sends_beacons = False
        self._made_ms = 0  # when the newest frame of the host was made at the earliest

    def begin(self) -> None:
        """Start a session: frames of the host before it no longer count."""
        self.is_silent = self._sends_beacons = False

    def take(self, frame: "Frame") -> None:
        """Note an accepted frame of the host."""
        if not frame.echo or frame.echo_ms == UNKNOWN_U16:
            return
        age_ms = (self._transmitter.uptime_ms() - frame.echo - frame.echo_ms) & _U32
        if age_ms > _U32 >> 1:
            return  # an uptime this table has not shown yet
        made_ms = (self._clock.ticks_ms() - min(age_ms, _AGES_AGO_MS)) & MASK
        # After six days of silence the frame before seems to be younger.
        if not self._sends_beacons or self.is_silent or diff(made_ms, self._made_ms) > 0:
            self._made_ms = made_ms
            self.is_silent = False
        self.check()

    def beacon(self, token: int) -> None:
        """Note a token of the host: the next frames echo it."""
        self._transmitter.echo(token)
        if not self._sends_beacons:
            self._sends_beacons = True
            self.check()

    def age_ms(self) -> int:
        """Greatest possible age of the newest host frame."""
        return diff(self._clock.ticks_ms(), self._made_ms)

    def check(self) -> bool:
        """Check the time; returns is_silent. Call at least once a day."""
        # Silence lasts until a younger frame comes: the age itself wraps after six days.
        if self._sends_beacons and self.age_ms() > LIMIT_MS:
            self.is_silent = True
        return self.is_silent

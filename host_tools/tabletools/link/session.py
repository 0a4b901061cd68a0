"""One table on one link, without I/O: bytes and times in, events and bytes to send out.

Not responsible for opening ports, for the meaning of a record, or for storing it: `store` is. A
durable record is acknowledged only after store returned; the table repeats what is not
acknowledged. Only the store decides what is a repeat, because it remembers longer than a session.
Without store nothing is ever acknowledged, so a watcher cannot make a table drop a record. `trust`
decides what is trusted; a table whose key is here is accepted only under a session.
"""

import os
import socket
from collections.abc import Callable

from tablespec.names import NAMES
from tabletools.capture import FROM_TABLE, TO_TABLE, Window
from tabletools.link.duplicates import CONFLICT, DUPLICATE, Contradiction, DuplicateFilter, named
from tabletools.link.events import Event, FrameRefused, Notice, Received, Tampered, Unread
from tabletools.link.far_end import FarEnd
from tabletools.link.frame_log import FrameLog
from tabletools.link.freshness import MS, NS, STALE_AFTER_NS, Freshness
from tabletools.link.nonces import fresh_nonce
from tabletools.link.outgoing import Order, Outgoing
from tabletools.link.trust import NOT_JUDGED, Keys, Proof, Trust
from tablewire.codec import Frame, UnreadFrame
from tablewire.framing import Receiver, Skip
from tablewire.messages import (
    BEACON,
    BETS_CLOSED,
    FLAG_DURABLE,
    FLAG_RETRANSMITTED,
    HEARTBEAT,
    IDENTIFY,
    IDENTITY,
    PHASE_CLOSED,
    ROUND_OPENED,
    SESSION_ENDED,
    SET_KEY,
    START_SESSION,
    UNKNOWN_U16,
)
from tablewire.sender import Sender

OFFLINE_AFTER_S = 2.0
IDENTIFY_EVERY_S = 1.0

# States of a session.
CLOSED = "closed"  # no port is open
WAITING = "waiting"  # a port is open, no trusted frame came yet
ONLINE = "online"
OFFLINE = "offline"  # a port is open and the table is silent
TAKEN = "taken"  # a port is open and the table follows another host

# A host that lost its table to another asks for it again after this pause, which doubles each time
# up to the longest, so that two hosts given the same table do not fight. A watcher does not ask.
TAKEN_PAUSE_S = 10.0
TAKEN_LONGEST_S = 300.0
# Between rounds heartbeats are 500 ms apart: then staleness is noted a little later.
NOTED_LATER_NS = NS // 2

_DURABLE_DEPTH = 4096  # a table stores at most 1000 unacknowledged records
_EPHEMERAL_DEPTH = 256
_NONCE_BYTES = 8

# More than ever waits.
_EVERYTHING = 1 << 30


def host_name(program: str) -> bytes:
    """Return the name of a run of a program on this machine: 16 bytes of ASCII at most.

    It shows program and machine to users; the random end distinguishes two runs.
    """
    place = f"{program}@{socket.gethostname()}".encode("ascii", "replace")[:11]
    return place + b"-" + os.urandom(2).hex().encode()


# Takes a durable record, its bytes on the line, delimiter included, and how far it is
# authenticated (seals.NONE ...), with the number of the key that verified it. Returns, once it is
# safe, whether it was new. Raises Contradiction, or another error if it could not be stored.
Store = Callable[[Frame, bytes, str, Proof | None], bool]


class NotOnline(RuntimeError):
    """A command was given while no table answers."""


class Session:
    """The state of a link and its counters.

    state: CLOSED, WAITING, ONLINE or OFFLINE. frames, skipped, duplicates, missed, tampered: since
    the start; missed counts gaps in the frames' counters, tampered forged frames. received_at:
    time of the last frame in seconds that was no repeat, or None. identity: the identity frame
    that answered us, or came unasked at boot. freshness: bounds the age of the information, by
    beacons that a session with a store sends. far_end: what is there, by the bytes received.
    on_frame: called with every frame in the order of the line, before store. keys: see
    trust.Trust.
    """

    def __init__(
        self,
        store: Store | None = None,
        *,
        keys: Keys | None = None,
        on_frame: Callable[[Frame], None] | None = None,
        new_nonce: Callable[[], bytes] = fresh_nonce,
        stale_after_ns: int = STALE_AFTER_NS,
        program: str = "tabletool",
        joins: bool = True,
    ) -> None:
        """program: its name, part of the name that this host gives to tables.

        joins: False to request the identity and leave the table to the host it follows.
        """
        self.name = host_name(program)
        self.state = CLOSED
        self.frames = self.skipped = self.duplicates = self.missed = self.tampered = 0
        self.received_at: float | None = None
        self.identity: Frame | None = None
        self.log = FrameLog()
        self.trust = Trust(keys)
        self._store = store
        self._on_frame = on_frame
        self._joins = joins
        self._new_nonce = new_nonce
        self._nonce = b""
        self._identify_at: float | None = (
            None  # when to identify next; None: the table has answered
        )
        self._identify_sent_at = 0.0
        self._quiet_since = 0.0
        self._receiver = Receiver(verify=self.trust.check)
        self._window = Window()
        self._sender: Sender | None = None  # to the newest device and boot
        self._newest = 0  # highest counter of the present boot
        self._durable = DuplicateFilter(_DURABLE_DEPTH)
        self._ephemeral = DuplicateFilter(_EPHEMERAL_DEPTH)
        self._out = b""  # the start of a session is sent before all that waits
        self._waiting = Outgoing()
        self._fell_to: int | None = None  # boot received below the present one
        self._now = 0.0
        self.freshness = Freshness(stale_after_ns=stale_after_ns)
        self._echo: tuple[int, float] | None = None  # uptime of the newest live frame, and when
        self._is_noted_stale = False
        self._proof_due_ns: int | None = None  # by when the table has to echo a beacon
        self._taken_pause_s = TAKEN_PAUSE_S
        self._may_bet = False  # the table reported that a round is open
        self.far_end = FarEnd()
        self._listens = False

    def connected(self, now: float, *, listens: bool = False) -> list[Event]:
        """Note that a port was opened, and identify.

        listens: not before a frame of a table came.
        """
        self._now, self._listens = now, listens
        self.state = WAITING
        self.far_end = FarEnd()
        self.trust.connected()
        self._receiver = Receiver(verify=self.trust.check)
        self._window = Window()
        self._out = b""
        self._waiting.clear()
        self._echo = None
        self._taken_pause_s = TAKEN_PAUSE_S
        self.freshness.beacons.restart()
        self._quiet_since = self._identify_at = now
        self._ask(now)
        doing = "listening for a table" if listens else "asking who is there"
        return [Notice("connected", f"port open, {doing}")]

    def lost(self, now: float, why: str) -> list[Event]:
        """Note that the port is gone."""
        self.state = CLOSED
        left = [event for skip in self._receiver.finish() for event in self._refuse(skip, now)]
        self._receiver = Receiver(verify=self.trust.check)
        return [*left, self._error("disconnected", f"the port was lost: {why}")]

    def receive(self, data: bytes, now: float) -> list[Event]:
        """Take received bytes; returns their events, in order."""
        self._now = now
        self._window.add(data)
        self.far_end.take(data)
        found: list[Event] = []
        *ended, begun = data.split(b"\0")
        # A frame at a time: it may begin the session under which the next one is judged.
        for piece in (*(piece + b"\0" for piece in ended), begun):
            for item in self._receiver.feed(piece):
                if isinstance(item, Frame):
                    found += self._take(item, now)
                elif isinstance(item.frame, UnreadFrame):
                    found += self._take_unread(item, item.frame, now)
                else:
                    found += self._refuse(item, now)
        if self._listens and self.far_end.is_table:
            self._listens = False
            self._ask(now)
        return found + self._note_age()

    def tick(self, now: float) -> list[Event]:
        """Check the time: call at least every 100 ms while the port is open."""
        self._now = now
        found: list[Event] = []
        silent = now - self._quiet_since
        if self.state in (WAITING, ONLINE) and silent >= OFFLINE_AFTER_S:
            self.state = OFFLINE
            self._identify_at = now
            found.append(self._error("offline", f"no frame for {silent:.1f} s"))
        if self.state != CLOSED:
            self._ask(now)
        return found + self._note_age()

    def outgoing(self, most: int = _EVERYTHING) -> bytes:
        """Frames to write to the port now; the last one is begun before `most` bytes are full."""
        if most <= 0:
            return b""
        data, self._out = self._out + self._beacon(), b""
        # Between two sessions it is unknown under which one a frame would be read.
        while len(data) < most and not self.trust.is_changing:
            order = self._waiting.take(self._speaker())
            if order is None:
                break
            data += self._sealed(order.sender, order.ident, order.values, order.round)
            order.counter = order.sender.counter
        return data

    @property
    def present(self) -> tuple[int, int] | None:
        """Device and boot that commands go to, None until a frame of one came."""
        return None if self._sender is None else (self._sender.device, self._sender.boot)

    @property
    def newest(self) -> int:
        """Highest counter received of the present boot."""
        return self._newest

    def command(self, ident: int, values: tuple[int | bytes, ...], round_number: int) -> Order:
        """Queue a command to the table for a round; it is dropped when another boot or session
        of the table begins. Raises NotOnline, FrameError("range").
        """
        sender = self._speaker()
        if sender is None or self.state != ONLINE:
            raise NotOnline(f"the table is {self.state}")
        order = Order(ident, values, round_number, sender)
        self._waiting.put(order)
        return order

    def replace_key(self, identity: Frame, values: tuple[int | bytes, ...]) -> None:
        """Queue an untagged set_key for a table with a key that is not here, by its identity.

        It obeys only while its maintenance switch is turned.
        """
        self._out += self._sealed(Sender(identity.device, identity.boot), SET_KEY, values, 0)

    def _speaker(self) -> Sender | None:
        """The sender of our frames to the present table: sealing, if a session is active."""
        session = self.trust.session
        return self._sender if session is None else session.sender

    def _sealed(
        self, sender: Sender, ident: int, values: tuple[int | bytes, ...], number: int
    ) -> bytes:
        sender.round = number
        sender.echo, sender.echo_ms = 0, UNKNOWN_U16
        if self._echo is not None and sender.device:
            uptime_ms, at = self._echo
            sender.echo = uptime_ms
            sender.echo_ms = min(max(int((self._now - at) * 1000), 0), UNKNOWN_U16)
        wire = sender.build(ident, values)
        # The log is shown with errors, and no key is ever shown.
        self.log.add(self._now, TO_TABLE, b"" if ident == SET_KEY else wire, NAMES[ident])
        return wire

    def _beacon(self) -> bytes:
        """The beacon that is due, from a host to its table."""
        sender = self._speaker()
        # A table that was asked for its identity may have restarted: it would treat this as a
        # forgery.
        is_ours = self.state == ONLINE and self._identify_at is None
        if self._store is None or sender is None or not is_ours:
            return b""
        now_ns = _ns(self._now)
        token = self.freshness.beacons.due(now_ns)
        if token is None:
            return b""
        if self._proof_due_ns is None:
            self._proof_due_ns = now_ns + self.freshness.stale_after_ns + NOTED_LATER_NS
        return self._sealed(sender, BEACON, (token,), 0)

    def _note_age(self) -> list[Event]:
        """Report once that the information became stale, and once that it is fresh again."""
        if self._store is None or self.state != ONLINE:
            return []
        now_ns, known = _ns(self._now), self.freshness.known
        age_ns = None if known is None else known.age_ns(now_ns)
        if self._is_noted_stale:
            if age_ns is None or age_ns > self.freshness.stale_after_ns:
                return []
            self._is_noted_stale = False
            return [Notice("fresh", f"the state of the table is {age_ns // MS} ms old")]
        limit_ns = self.freshness.stale_after_ns + (0 if self._may_bet else NOTED_LATER_NS)
        is_due = self._proof_due_ns is not None and now_ns >= self._proof_due_ns
        if not is_due or (age_ns is not None and age_ns <= limit_ns):
            return []
        self._is_noted_stale = True
        how = "of unknown age" if age_ns is None else f"{age_ns // MS} ms old"
        text = f"the state of the table is {how}: frames are delayed, lost or withheld"
        return [self._error("link_stale", text)]

    def _ask(self, now: float) -> None:
        if not self._listens and self._identify_at is not None and now >= self._identify_at:
            # Each request has a new nonce: a late answer cannot begin a session which the table
            # has dropped for that of a later one.
            self._nonce = self._new_nonce()
            self.trust.note_request(self._nonce)
            # Device 0 addresses any table.
            self._out += self._sealed(Sender(0, 0), IDENTIFY, (self._nonce,), 0)
            self._identify_sent_at, self._identify_at = now, now + IDENTIFY_EVERY_S

    def _refuse(self, skip: Skip, now: float) -> list[Event]:
        data = self._window.at(skip.offset, skip.length)
        self.log.add(now, FROM_TABLE, data, f"refused: {skip.reason}")
        if self.trust.must_identify and self._identify_at is None:
            self._identify_at = max(now, self._identify_sent_at + IDENTIFY_EVERY_S)
        if skip.reason == NOT_JUDGED:
            return []
        if not self.trust.is_tampering(skip.reason):
            self.skipped += 1
            return [FrameRefused(skip, data)]
        self.tampered += 1
        return [Tampered(skip, data, self.trust.accused(skip))]

    def _error(self, kind: str, text: str) -> Notice:
        return Notice(kind, text, error=True, frames=self.log.last())

    def _take(self, frame: Frame, now: float) -> list[Event]:
        wire = self._window.at(frame.offset, frame.length)
        self.log.add(now, FROM_TABLE, wire, NAMES[frame.type])
        self.frames += 1
        is_live = self._is_live(frame)
        if is_live:
            self.received_at = self._quiet_since = now
        if (begun := self.trust.pending()) is not None:
            self.identity, self._identify_at = frame, None
            if self._joins:
                self._out += self._sealed(begun.sender, START_SESSION, (self.name,), 0)
                self._identify_at = now + IDENTIFY_EVERY_S  # again, if this is lost on the line
            return [self._received(frame, wire)]
        if frame.type == SESSION_ENDED and self.trust.session is not None:
            return self._ended(frame, now)
        found = self._follow(frame, now, is_live=is_live)
        if self.trust.session is not None and not self.trust.is_changing:
            self._identify_at = None
        if frame.type == IDENTITY and frame.values[0] in (self._nonce, bytes(_NONCE_BYTES)):
            self.identity = frame
            if frame.values[0] == self._nonce:
                self._identify_at = None
        if self._on_frame is not None:
            self._on_frame(frame)
        if frame.flags & FLAG_DURABLE and self._store is not None:
            return found + self._keep(self._store, frame, wire)
        return found + self._deliver(frame, wire)

    def _take_unread(self, skip: Skip, frame: UnreadFrame, now: float) -> list[Event]:
        """Take an authentic frame that cannot be decoded: a record is stored as it is."""
        wire = self._window.at(skip.offset, skip.length)
        self.log.add(now, FROM_TABLE, wire, f"not read: {frame.problem}")
        self.skipped += 1
        found: list[Event] = []
        is_live = self._is_live(frame)
        if is_live:
            self.received_at = self._quiet_since = now
        found += self._follow(frame, now, is_live=is_live)
        if self._on_frame is not None:
            self._on_frame(frame)
        if not frame.flags & FLAG_DURABLE or self._store is None:
            return [*found, Unread(skip, wire, False)]
        kept = self._keep(self._store, frame, wire)
        unread = [
            Unread(skip, wire, True) if isinstance(each, Received) else each for each in kept
        ]
        return found + unread

    def _is_live(self, frame: Frame) -> bool:
        """Whether a frame was made after all earlier ones: a repeat proves no life."""
        if frame.flags & FLAG_RETRANSMITTED:
            return False
        before = self._sender
        if before is None or frame.device != before.device or frame.boot > before.boot:
            return True
        return frame.boot == before.boot and frame.counter > self._newest

    def _follow(self, frame: Frame, now: float, *, is_live: bool) -> list[Event]:
        """Follow the state, boot, counter and clock of the table."""
        if not is_live:
            # A lower boot is no sign of life, and has to be reported.
            return [] if frame.flags & FLAG_RETRANSMITTED else self._follow_boot(frame, now)
        found: list[Event] = []
        if self.state != ONLINE:
            self.state = ONLINE
            self._proof_due_ns = None
            found.append(Notice("online", self.trust.trust_text(frame.device)))
        found += self._follow_boot(frame, now)
        self._echo = frame.uptime_ms, now
        if frame.type in (ROUND_OPENED, BETS_CLOSED):
            self._may_bet = frame.type == ROUND_OPENED
        elif frame.type == HEARTBEAT and frame.values and frame.values[0] == PHASE_CLOSED:
            self._may_bet = False
        step_ns = self.freshness.take(frame, _ns(now))
        if step_ns:
            way = "ahead of" if step_ns > 0 else "behind"
            text = f"the clock of the table is {abs(step_ns) // MS} ms {way} what it should show"
            text += " at least: it stepped, or drifts by more than 500 ppm"
            found.append(Notice("clock_step", text, True, self.log.last(), step_ns))
        return found

    def _ended(self, frame: Frame, now: float) -> list[Event]:
        """Wait after another host began a session; ask later if this one stores records."""
        name = bytes(frame.values[0]).rstrip(b"\0").decode("ascii", "replace")
        self.state = TAKEN
        self.trust.ended()
        self._waiting.clear()
        self._identify_at = None
        again = "this program only watches and waits until it is connected again"
        if self._store is not None:
            pause_s, self._taken_pause_s = self._taken_pause_s, self._taken_pause_s * 2
            self._taken_pause_s = min(self._taken_pause_s, TAKEN_LONGEST_S)
            self._identify_at = now + pause_s
            again = f"this host tries again in {pause_s:g} s"
        return [self._error("taken", f"host {name or 'without a name'} took the table; {again}")]

    def _follow_boot(self, frame: Frame, now: float) -> list[Event]:
        """Note the sender and missed frames. A repeated record proves neither."""
        before = self._sender
        if before is not None and (frame.device, frame.boot) == (before.device, before.boot):
            self.missed += max(frame.counter - self._newest - 1, 0)
            self._newest = max(frame.counter, self._newest)
            return []
        if before is not None and frame.device == before.device and frame.boot < before.boot:
            return self._fallen(frame, before)
        self._sender = Sender(frame.device, frame.boot)
        self._newest = frame.counter
        self._proof_due_ns = None
        if before is None:
            return []
        if self.trust.session is None:
            self._identify_at = now
        if frame.device != before.device:
            return [self._error("replaced", f"device {frame.device} in place of {before.device}")]
        return [Notice("rebooted", f"boot {frame.boot} after boot {before.boot}")]

    def _fallen(self, frame: Frame, present: Sender) -> list[Event]:
        """Report once that a boot number fell, and do not follow it: they only rise."""
        if frame.boot == self._fell_to:
            return []
        self._fell_to = frame.boot
        text = f"boot {frame.boot} after boot {present.boot}: the boot counter fell"
        return [self._error("boot_fell", text)]

    def _keep(self, store: Store, frame: Frame, wire: bytes) -> list[Event]:
        if not (frame.boot and frame.counter):  # no acknowledgement can name it
            return [self._error("conflict", f"{named(frame)}: both count from 1")]
        try:
            is_new = store(frame, wire, self.trust.seal, self.trust.proof)
        except Contradiction as error:
            if error.is_kept:
                self._waiting.acknowledge(frame)
            return [self._error("conflict", str(error))]
        except Exception as error:
            return [self._error("store_failed", f"{type(error).__name__}: {error}")]
        self._waiting.acknowledge(frame)
        self.duplicates += not is_new
        return [self._received(frame, wire, stored=True)] if is_new else []

    def _deliver(self, frame: Frame, wire: bytes) -> list[Event]:
        seen = self._durable if frame.flags & FLAG_DURABLE else self._ephemeral
        verdict = seen.look(frame)
        if verdict == CONFLICT:
            return [self._error("conflict", f"{named(frame)} came again with different content")]
        if verdict == DUPLICATE:
            self.duplicates += 1
            return []
        seen.remember(frame)
        return [self._received(frame, wire)]

    def _received(self, frame: Frame, wire: bytes, *, stored: bool = False) -> Received:
        return Received(frame, stored, self.trust.seal, wire, self.trust.proof)


def _ns(seconds: float) -> int:
    return int(seconds * NS)

"""One table on one link, without I/O: bytes and times in, events and bytes to send out.

Not responsible for opening ports, for the meaning of a record, or for storing it: `store` is. A
durable record is acknowledged only after store returned; the table repeats what is not
acknowledged. Without store nothing is ever acknowledged, so a watcher cannot make a table drop a
record. `trust` decides what is trusted: a table whose key is here is accepted only under a
session.

The states of the conversation and their transitions are those of `states`. A session finds out
which trigger has come, moves the states, and does what belongs to it.
"""

from collections.abc import Callable

from tabletools.link import link_states
from tabletools.link.delivery import Delivery, Store
from tabletools.link.events import Event, Notice
from tabletools.link.far_end import FarEnd
from tabletools.link.frame_log import FrameLog
from tabletools.link.freshness import STALE_AFTER_NS, Freshness, to_ns
from tabletools.link.identification import Identification, host_name
from tabletools.link.incoming import Incoming
from tabletools.link.nonces import fresh_nonce
from tabletools.link.notices import Notices
from tabletools.link.outgoing import Order, Transmitter
from tabletools.link.present_table import PresentTable
from tabletools.link.session_trust import KeyedSession, Keys, Trust
from tabletools.link.staleness import Staleness
from tablewire import messages as m
from tablewire.codec import Frame, UnreadFrame
from tablewire.framing import Skip
from tablewire.sender import Sender

OFFLINE_AFTER_S = 2.0

# More than ever waits.
_EVERYTHING = 1 << 30


class NotOnline(RuntimeError):
    """A command was given while no table answers."""


class Session:
    """The conversation with the table at the other end of one link."""

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
        device: int | None = None,
    ) -> None:
        """Start without a port.

        Args:
            store: See delivery.Store; None to watch only.
            keys: See trust.Trust.
            on_frame: Called with every frame in the order of the line, before store.
            new_nonce: Returns the nonce of a request, see nonces.fresh_nonce.
            stale_after_ns: Age from which the information is too old to accept a bet.
            program: Its name, part of the name that this host gives to tables.
            joins: False to request the identity and leave the table to the host it follows.
            device: The only one with which a session is started: another one that answers in its
                place is left to the host it follows, and identified again; None for any.
        """
        # The last frames, both directions.
        self.log = FrameLog()
        # What is trusted, and the keys of the session.
        self.trust = Trust(keys)
        # Bounds the age of the information, by beacons that a session with a store sends.
        self.freshness = Freshness(stale_after_ns=stale_after_ns)
        # Those of all parts of the conversation.
        self.states = link_states.States()
        self._device = device
        self._notices = Notices(self.log)
        self._identification = Identification(new_nonce, host_name(program) if joins else None)
        self._table = PresentTable()
        self._incoming = Incoming(self.trust, self.log)
        self._transmitter = Transmitter(self.log)
        self._delivery = Delivery(
            store, on_frame, self.trust, self._notices, self._transmitter.acknowledge
        )
        self._staleness = Staleness(self.freshness)

    @property
    def state(self) -> str:
        """The presence of the table: closed, waiting, online, offline or taken."""
        return str(self.states.presence)

    @property
    def frames(self) -> int:
        """Frames received since the start."""
        return self._incoming.frames

    @property
    def skipped(self) -> int:
        """Refusals since the start that prove no intent."""
        return self._incoming.skipped

    @property
    def tampered(self) -> int:
        """Forged frames since the start."""
        return self._incoming.tampered

    @property
    def duplicates(self) -> int:
        """Repeats since the start."""
        return self._delivery.duplicates

    @property
    def missed(self) -> int:
        """Gaps in the frames' counters since the start."""
        return self._table.missed

    @property
    def received_at(self) -> float | None:
        """Time of the last frame in seconds that was no repeat."""
        return self._table.received_at

    @property
    def identity(self) -> Frame | None:
        """The identity frame that answered us, or came unrequested at boot."""
        return self._identification.identity

    @property
    def far_end(self) -> FarEnd:
        """What is there, by the bytes received."""
        return self._incoming.far_end

    @property
    def present(self) -> tuple[int, int] | None:
        """Device and boot that commands go to, None until a frame of one came."""
        return self._table.name

    @property
    def newest(self) -> int:
        """Highest counter received of the present boot."""
        return self._table.newest

    def connected(self, now: float, *, listens: bool = False) -> list[Event]:
        """Note that a port was opened, and identify.

        listens: not before a frame of a table came.
        """
        self._move(link_states.LOSS)  # of the port before, if it was not reported
        self._move(link_states.QUIET_OPENING if listens else link_states.OPENING)
        self._transmitter.now_s = self._table.quiet_since = now
        self._incoming.restart()
        self.trust.restart()
        self._transmitter.restart()
        self.freshness.beacons.restart()
        self._identification.restart(now)
        self._request_if_due(now)
        doing = "listening for a table" if listens else "asking who is there"
        return [Notice("connected", f"port open, {doing}")]

    def lost(self, now: float, why: str) -> list[Event]:
        """Note that the port is gone."""
        events: list[Event] = []
        for skip in self._incoming.finish():
            events += self._refuse(skip, self._incoming.note(skip, now), now)
        self._move(link_states.LOSS)
        return [*events, self._notices.error("disconnected", f"the port was lost: {why}")]

    def receive(self, data: bytes, now: float) -> list[Event]:
        """Take received bytes; returns their events, in order."""
        if self.states.presence is link_states.CLOSED:
            raise link_states.ImpossibleTransition("bytes were received while no port is open")
        self._transmitter.now_s = now
        self._incoming.add(data)
        is_first = self.states.handshake is link_states.LISTENING and self.far_end.is_table
        if is_first:
            self._move(link_states.FIRST_FRAME)
        events: list[Event] = []
        for item in self._incoming.frames_of(data):
            wire = self._incoming.note(item, now)
            if isinstance(item, Frame):
                events += self._take(item, wire, now)
            elif isinstance(item.frame, UnreadFrame):
                events += self._take_unread(item, item.frame, wire, now)
            else:
                events += self._refuse(item, wire, now)
        if is_first:
            self._request_if_due(now)
        return events + self._note_age(now)

    def tick(self, now: float) -> list[Event]:
        """Check the time: call at least every 100 ms while the port is open."""
        self._transmitter.now_s = now
        events: list[Event] = []
        silent_s = now - self._table.quiet_since
        if silent_s >= OFFLINE_AFTER_S and self.states.permits(link_states.SILENCE):
            self._move(link_states.SILENCE)
            self._identification.due_at_s = now
            events.append(self._notices.error("offline", f"no frame for {silent_s:.1f} s"))
        self._request_if_due(now)
        return events + self._note_age(now)

    def outgoing(self, most: int = _EVERYTHING) -> bytes:
        """Frames to write to the port now; the last one is begun before `most` bytes are full."""
        if most <= 0:
            return b""
        speaker = self._speaker()
        if speaker is not None:
            self._send_beacon(speaker)
        return self._transmitter.take(most, speaker, is_changing=self.trust.is_changing)

    def command(self, ident: int, values: tuple[int | bytes, ...], round_number: int) -> Order:
        """Queue a command to the table for a round; it is dropped when another boot or session
        of the table begins. Raises NotOnline, FrameError("range").
        """
        sender = self._speaker()
        if sender is None or self.states.presence is not link_states.ONLINE:
            raise NotOnline(f"the table is {self.state}")
        order = Order(ident, values, round_number, sender)
        self._transmitter.put(order)
        return order

    def replace_key(self, identity: Frame, values: tuple[int | bytes, ...]) -> None:
        """Queue an untagged set_key for a table with a key that is not here, by its identity.

        It obeys only while its maintenance switch is turned.
        """
        self._transmitter.send_first(Sender(identity.device, identity.boot), m.SET_KEY, values)

    def _move(self, trigger: link_states.Trigger) -> None:
        self.states = self.states.after(trigger)

    def _speaker(self) -> Sender | None:
        """The sender of our frames to the present table: sealing, if a session is active."""
        session = self.trust.session
        return self._table.sender if session is None else session.sender

    def _request_if_due(self, now: float) -> None:
        if now < self._identification.due_at_s or not self.states.permits(link_states.REQUEST):
            return
        self._move(link_states.REQUEST)
        nonce = self._identification.request(now)
        self.trust.note_request(nonce)
        # Device 0 addresses any table.
        self._transmitter.send_first(Sender(0, 0), m.IDENTIFY, (nonce,))

    def _send_beacon(self, speaker: Sender) -> None:
        """Send the beacon that is due, from a host to its table."""
        # A table whose identity is requested may have restarted: it would treat this as a forgery.
        is_ours = (
            self.states.presence is link_states.ONLINE
            and self.states.handshake is link_states.SETTLED
        )
        if not is_ours or not self._delivery.has_store:
            return
        token = self._staleness.beacon(to_ns(self._transmitter.now_s))
        if token is not None:
            self._transmitter.send_first(speaker, m.BEACON, (token,))

    def _note_age(self, now: float) -> list[Event]:
        """Report once that the information became stale, and once that it is fresh again."""
        if not self._delivery.has_store or self.states.presence is not link_states.ONLINE:
            return []
        now_ns = to_ns(now)
        trigger = self._staleness.trigger(self.states.age, now_ns)
        if trigger is None:
            return []
        self._move(trigger)
        return [self._notices.age(trigger, self._staleness.age_ns(now_ns))]

    def _refuse(self, skip: Skip, wire: bytes, now: float) -> list[Event]:
        is_idle = self.states.handshake in (link_states.SETTLED, link_states.DISMISSED)
        if self.trust.must_identify and is_idle:
            self._move(link_states.RESTART)
            self._identification.request_soon(now)
        return self._incoming.refuse(skip, wire)

    def _take(self, frame: Frame, wire: bytes, now: float) -> list[Event]:
        session = self.trust.start_pending()
        if session is not None and self._device not in (None, frame.device):
            self._leave(frame, now)
            return [self._delivery.received(frame, wire)]
        is_live = self._table.note_time(frame, now)
        if session is not None:
            self._start(session, frame, now)
            return [self._delivery.received(frame, wire)]
        if frame.type == m.SESSION_ENDED and self.trust.session is not None:
            return [self._end(frame, now)]
        events = self._follow(frame, now, is_live=is_live)
        is_joined = self.trust.session is not None and not self.trust.is_changing
        if self._identification.is_answer(frame) or is_joined:
            self._move(link_states.ANSWER)
        return events + self._delivery.deliver(frame, wire)

    def _take_unread(self, skip: Skip, frame: UnreadFrame, wire: bytes, now: float) -> list[Event]:
        """Take an authentic frame that cannot be decoded."""
        events = self._follow(frame, now, is_live=self._table.note_time(frame, now))
        return events + self._delivery.deliver_unread(skip, frame, wire)

    def _start(self, session: KeyedSession, identity: Frame, now: float) -> None:
        """Start the session of a table that has proved its key, unless this host joins none."""
        self._identification.prove(identity, now)
        host = self._identification.host
        self._move(link_states.ANSWER if host is None else link_states.PROOF)
        if host is not None:
            self._transmitter.send_first(session.sender, m.START_SESSION, (host,))

    def _leave(self, identity: Frame, now: float) -> None:
        """Leave another device to the host that it follows; it is identified again in a second."""
        self._identification.prove(identity, now)
        self.trust.end_session()
        self._transmitter.drop_waiting()

    def _end(self, frame: Frame, now: float) -> Notice:
        """Wait after another host began a session; ask later if this one stores records."""
        self.trust.end_session()
        self._transmitter.drop_waiting()
        retries = self._delivery.has_store
        self._move(link_states.TAKEOVER if retries else link_states.WATCHER_TAKEOVER)
        pause_s = self._identification.pause(now) if retries else None
        return self._notices.notice(bytes(frame.values[0]), pause_s)

    def _follow(self, frame: Frame, now: float, *, is_live: bool) -> list[Event]:
        """Follow the state, boot, counter and clock of the table. A repeat proves none of them."""
        if not is_live:
            # A lower boot is no sign of life, and has to be reported.
            return [] if frame.flags & m.FLAG_RETRANSMITTED else self._follow_boot(frame, now)
        events: list[Event] = []
        if self.states.presence is not link_states.ONLINE:
            self._staleness.restart()
            events.append(Notice("online", self.trust.trust_text(frame.device)))
        self._move(link_states.LIVE_FRAME)
        events += self._follow_boot(frame, now)
        self._transmitter.note_live(frame)
        self._staleness.note_phase(frame)
        step_ns = self.freshness.take(frame, to_ns(now))
        if step_ns:
            events.append(self._notices.clock_step(step_ns))
        return events

    def _follow_boot(self, frame: Frame, now: float) -> list[Event]:
        """Report another device or boot; request its identity, unless it follows a session."""
        succession = self._table.follow(frame)
        if succession is None:
            return []
        if succession.is_followed:
            self._staleness.restart()
            if self.trust.session is None:
                self._move(link_states.RESTART)
                self._identification.due_at_s = now
        return [self._notices.succession(succession)]

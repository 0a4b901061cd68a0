"""One casino table of this host: its lease, its link, and its frames entered in the ledger.

`run` is its whole life, for a thread; `step` one iteration, for a test. While the lease is not
owned the port stays closed. A ledger that failed accepts no bets at this table until it has
closed them: records received meanwhile may have closed them already.
"""

import threading
from collections.abc import Callable

from tabletools import decode, evidence
from tabletools.authenticity import VERIFIED
from tabletools.evidence import second_readings
from tabletools.link import (
    ONLINE,
    Contradiction,
    Event,
    Link,
    Notice,
    Proof,
    Received,
    Session,
    Tampered,
    Unread,
)
from tabletools.link.repeats import Repeats
from tabletools.pit.assignments import (
    TableAssignment,
    describe,
    ledger_facts,
    note_identity,
    settle_terms,
)
from tabletools.pit.attendance import Attendance, Wanted
from tabletools.pit.host_context import HostContext, HostStats, IntervalTimer, TableUnavailable
from tabletools.pit.live import LiveTable, facts_of
from tabletools.pit.orders import Orders
from tabletools.pit.precedence import Precedence
from tabletools.pit.second_reader import SecondReader
from tabletools.pit.throw_camera import ThrowCamera
from tabletools.store import Lease, LedgerRejection, LostLease, StoreError
from tabletools.store.clock import MS, NS
from tabletools.table.bet_context import ReadClock
from tabletools.table.intake import Intake
from tablewire.codec import Frame
from tablewire.messages import HEARTBEAT

AGAIN_NS = 1 * NS  # pause before a lease, or a ledger that failed, is tried again
LOOK_NS = 500 * MS  # between reads of the ledger for live watchers, apart from heartbeats
SEEK_NS = 4 * NS  # at a port where the table does not answer, before another one
LOOK_PICTURES_NS = 200 * MS  # between looks for throws of dice to be read
READING_NS = 50 * MS  # the same while one waits: its number does, too
SILENT_NS = 2 * NS  # a thread that was idle for this long no longer owns its table


class TableHost:
    """Serves one table while it owns the lease. lease: None while another host owns it."""

    def __init__(
        self, context: HostContext, place: TableAssignment, live: LiveTable, wait: threading.Event
    ) -> None:
        self.place = place
        self.live = live
        self.tally = HostStats()
        context.ports.add(place.device, place.port)
        self.orders = Orders()
        # On PostgreSQL, tables write concurrently.
        self.precedence = context.precedence if context.ledger.is_sqlite else Precedence()
        self.lease: Lease | None = None
        self.link: Link | None = None
        self.attendance: Attendance | None = None
        self._context = context
        self._clock = context.ledger.clock
        self._over = wait
        self._state = decode.LiveState()
        self._lost: LostLease | None = None
        self._second: SecondReader | ThrowCamera | None = None
        self._pending_close: Callable[[], None] | None = (
            None  # closes the bets; repeated until it succeeds
        )
        self._is_linked = False
        self._other_until_ns = 0  # while another device answers in its place
        self._repeats = Repeats()
        self._due = IntervalTimer(self._clock)
        self._steps = context.ledger.watch.steps
        self._stepped_ns = self._clock.mono_ns()

    # --- for others ------------------------------------------------------------------------------

    @property
    def reading(self) -> ReadClock | None:
        """Reads the clock of the table, None for a table without one."""
        attendance = self.attendance
        return (lambda: None) if attendance is None else attendance.clock.reading

    @property
    def intake(self) -> Intake | None:
        """The intake of the table, None while another host owns it."""
        return None if self.attendance is None else self.attendance.intake

    def attended(self) -> Lease:
        """Return the lease to write under. Raises TableUnavailable."""
        lease = self.lease
        if lease is None:
            what = f"table {self.place.name} is not owned by this host"
            raise TableUnavailable("table_not_held", what, "ask the host that owns it, or wait")
        if self._pending_close is not None:
            what = f"table {self.place.name}: the ledger failed, its bets are being closed"
            raise TableUnavailable("ledger_failed", what, "wait for the next round")
        if self._clock.mono_ns() - self._stepped_ns > SILENT_NS:
            what = f"table {self.place.name} was not served for more than 2 s"
            raise TableUnavailable("table_unattended", what, "wait; if it stays, restart the host")
        return lease

    def lost(self, why: LostLease) -> None:
        """Note that another host owns the table now; called by the thread that noticed."""
        self._lost = why

    # --- life ------------------------------------------------------------------------------------

    def run(self) -> None:
        """Serve the table until stopped, then release it."""
        while not self._over.is_set():
            try:
                self.step()
            except Exception as error:
                self._defect(error)
        self.leave()

    def step(self) -> None:
        """Do one iteration: claim or renew, receive, check times. Waits some 20 ms when idle."""
        self._stepped_ns = self._clock.mono_ns()
        if self._lost is not None:
            self._drop(self._lost)
        if self.lease is None:
            if self._due.is_due("claim", AGAIN_NS):
                self._claim()
            else:
                self._over.wait(0.02)
            return
        if self._due.is_due("renew", self._context.lease_s * NS // 3):
            self._succeeds(self._renew)
        if self.link is not None and self._lost is None:
            self.orders.tick(self._seconds())
            events = self.link.step()
            for event in events:
                self._succeeds(lambda event=event: self._take(event))  # type: ignore[misc]
            self._pass(any(map(_is_news, events)))

    def leave(self) -> None:
        """Close the port and release the table: its bets close, another host may claim it."""
        self._close_link()
        lease, self.lease = self.lease, None
        if lease is None:
            return
        try:
            evidence.let_go(self._context.ledger, lease)
            self._say("table_let_go")
        except (StoreError, LedgerRejection) as error:
            self._say("table_not_let_go", why=str(error))

    # --- lease -----------------------------------------------------------------------------------

    def _claim(self) -> None:
        ledger, table = self._context.ledger, self.place.table
        try:
            lease = evidence.claim(
                ledger, table, self._context.holder, seconds=self._context.lease_s
            )
            settle_terms(ledger, lease, self.place)
            describe(ledger, lease, self.place)
        except (LedgerRejection, StoreError) as error:
            self.live.say(held=False, trouble=str(error))
            return
        self._lost, self._pending_close = None, None
        limit_ns = self._context.stale_after_ns
        session = Session(
            self._store,
            keys=self._context.keys,
            on_frame=self._on_frame,
            new_nonce=self._context.new_nonce,
            stale_after_ns=limit_ns,
            program="pit",
            device=self.place.device,
        )
        wanted = Wanted(
            self.place.terms,
            self.place.expected,
            self.place.release,
            has_host_camera=self.place.aids.camera is not None,
        )
        self.attendance = Attendance(ledger, lease, session, wanted, is_fresh=self._is_fresh)
        self.link = Link(
            self.place.port,
            session,
            opener=self._context.opener,
            clock=self._seconds,
            wait=self._wait,
        )
        self._second = self._reader(self.attendance.intake)
        self.orders.begin(session)
        self._due.put("renew", self._context.lease_s * NS // 3)
        self._due.put("seek", SEEK_NS)
        self.lease = lease
        intake = self.attendance.intake
        self._succeeds(lambda: self._read_again(intake))
        self._say("table_claimed", token=lease.token)
        self.live.say(held=True, trouble=None, link="closed", **ledger_facts(ledger, self.place))

    def _reader(self, intake: Intake) -> SecondReader | ThrowCamera | None:
        """Return what has throws of dice read by this host, None where it reads none."""
        if not second_readings.is_wanted(self.place.terms):
            return None
        aids, context = self.place.aids, self._context
        reader = ThrowCamera if aids.camera else SecondReader
        return reader(context.ledger, intake, self.place.device, context.readers, aids)

    def _read_again(self, intake: Intake) -> None:
        """Decode what an earlier release could not."""
        if count := intake.reread():
            self._say("records_read", records=count)

    def _renew(self) -> None:
        assert self.lease is not None
        assert self.intake is not None
        self.lease = evidence.renew(
            self._context.ledger, self.lease, seconds=self._context.lease_s
        )
        self.intake.lease = self.lease

    def _drop(self, why: LostLease) -> None:
        """Stop serving the table: nothing more is written under this lease."""
        self._lost, self._pending_close, self.lease, self.attendance = None, None, None, None
        self.tally.leases_lost += 1
        self._close_link()
        self._due.put("claim", AGAIN_NS)
        self._say("table_lost", why=why.what)
        self.live.say(held=False, bets_open=False, trouble=why.what)

    def _close_link(self) -> None:
        if self.link is not None:
            self.link.close()
        self.link, self._is_linked = None, False
        self.orders.drop("the link was closed")
        self._state = decode.LiveState()
        self.live.say(link="closed", **facts_of(self._state))

    # --- what is received ------------------------------------------------------------------------

    def _store(self, frame: Frame, wire: bytes, seal: str, proof: Proof | None) -> bool:
        assert self.intake is not None
        if frame.device != self.place.device:
            # Not acknowledged: the lease here is not that of its table.
            raise Contradiction(self._other(frame.device))
        try:
            with self.precedence.record():
                is_new = self.intake.store(frame, wire, seal, proof)
        except Contradiction:
            raise
        except LostLease as error:
            self._lost = error
            raise
        except Exception as error:
            self._fail(error)
            raise
        self.tally.records += is_new
        return is_new

    def _on_frame(self, frame: Frame) -> None:
        self.tally.frames += 1
        if (attendance := self.attendance) is not None and self._lost is None:
            self._succeeds(lambda: attendance.intake.observe(frame))
            if frame.device == self.place.device:
                self._succeeds(lambda: attendance.observe(frame))

    def _take(self, event: Event) -> None:
        assert self.intake is not None
        if isinstance(event, Tampered):
            self.tally.tampered += 1
            self._say("tampered", detail=event.skip.detail)
            text = f"a frame refused: {event.skip.detail}"
            self.intake.tamper(self.place.device, text, event.data)
        elif isinstance(event, Unread):
            self._say("frame_not_read", detail=event.skip.detail, stored=event.stored)
        elif isinstance(event, Received):
            self._receive(event)
        elif isinstance(event, Notice):
            self._note(event)

    def _receive(self, event: Received) -> None:
        record = decode.record(event.frame, event.seal)
        self._state.update(record)
        self.live.say(**facts_of(self._state))
        if event.frame.device == self.place.device:
            if record["type"] == "identity":
                note_identity(self._context.ledger, self.place.table, record)
            self._note_linked(event)
            self.orders.take(event.frame)
            if self.attendance is not None:
                self.attendance.take(event, self._seconds())
            self._context.on_record(self.place.table, record)
        else:
            self._cut(f"device {event.frame.device} answers, not {self.place.device}")
            self._note_answer(event)
            self._due.put("seek", 0)
            self._other_until_ns = self._clock.mono_ns() + SILENT_NS
            self.live.say(trouble=self._other(event.frame.device))

    def _other(self, device: int) -> str:
        """Return what is wrong while another device answers."""
        what = f"device {device} answers, not {self.place.device}: its records wait"
        return f"{what} for the host of its own table"

    def _note(self, event: Notice) -> None:
        if (notice := self._repeats.take(event, self._seconds())) is not None:
            self._say(f"link_{event.kind}", text=notice.text)
        if event.kind == "connected" and self.attendance is not None:
            self.attendance.connected()
        if event.kind in ("offline", "disconnected", "replaced", "taken"):
            self._cut(event.text)
        if event.kind == "clock_step" and (intake := self.intake) is not None:
            self._close_or_retry(lambda: intake.clock_stepped(event.step_ns, self.place.device))
        self.live.say(trouble=event.text if event.error else None)

    def _note_linked(self, event: Received) -> None:
        if not self._is_linked and (intake := self.intake) is not None:
            self._succeeds(intake.linked)
            self._note_answer(event)
        self._is_linked = True

    def _note_answer(self, event: Received) -> None:
        """Note where a table answers, if that is proved as well as it can be."""
        assert self.link is not None
        device = event.frame.device
        if event.seal == VERIFIED or not self._context.keys(device):
            self._context.ports.answered(self.link.url, device)

    def _seek(self, link: Link) -> None:
        """Look for the table at another port, if it does not answer at this one."""
        port = self._context.ports.next_of(
            self.place.device, link.url, is_gone=link.failure is not None
        )
        if port != link.url:
            self._say("port_sought", text=f"looking for device {self.place.device} at {port}")
            link.move(port)

    def _cut(self, text: str) -> None:
        """Close the bets of a table whose presence is in doubt."""
        if not self._is_linked:
            return
        self._is_linked = False
        self.tally.link_lost += 1
        if (intake := self.intake) is not None:
            self._close_or_retry(lambda: intake.link_lost(self.place.device, text))

    # --- time, and what fails --------------------------------------------------------------------

    def _pass(self, is_news: bool) -> None:
        assert self.link is not None
        if self._pending_close is not None and self._due.is_due("owed", AGAIN_NS // 4):
            self._close_or_retry(self._pending_close)
        if self.intake is not None and self._due.is_due("tick", 100 * MS):
            self._succeeds(self.intake.tick)
            self._watch(self.intake)
        if not self._is_linked and self._due.is_due("seek", SEEK_NS):
            self._seek(self.link)
        if self._second is not None:
            self._read_throws(self._second, is_news=is_news)
        if is_news or self._due.is_due("look", LOOK_NS):
            self._succeeds(self._look)

    def _read_throws(self, second: SecondReader | ThrowCamera, *, is_news: bool) -> None:
        """Have throws read. A record may be the result of one."""
        every_ns = READING_NS if second.is_awaited else LOOK_PICTURES_NS
        if is_news or self._due.is_due("pictures", every_ns):
            self._succeeds(second.step)

    def _watch(self, intake: Intake) -> None:
        """Close the bets after a step of this host's clock; one of the tables stores it."""
        watch = self._context.ledger.watch
        step_ns = watch.look()
        if watch.steps == self._steps:
            return
        self._steps = watch.steps
        if step_ns is None:
            self._close_or_retry(lambda: intake.close("clock_step"))
        else:
            self._say("clock_step", step_ms=step_ns // MS)
            self._close_or_retry(lambda: intake.clock_stepped(step_ns))

    def _look(self) -> None:
        """Publish what the ledger and the link report now to live watchers."""
        assert self.link is not None
        session = self.link.session
        self.tally.missed, refusal = session.missed, session.trust.refusal
        link = session.state
        if not self._is_linked and self._clock.mono_ns() < self._other_until_ns:
            link = "stranger"
        elif link == ONLINE and not self._is_fresh():
            link = "stale"
        facts = ledger_facts(self._context.ledger, self.place)
        if self._pending_close is not None:
            facts |= {"bets_open": False, "cause": "ledger_failed"}
        self.live.say(link=link, refused=refusal and refusal._asdict(), **facts)

    def _close_or_retry(self, close: Callable[[], None]) -> None:
        """Close the bets; until that succeeds none are accepted, and it is repeated."""
        self._pending_close = close
        with self.precedence.record():
            is_done = self._succeeds(close)
        if is_done and self._pending_close is close:
            self._pending_close = None

    def _fail(self, error: Exception) -> None:
        """Close the bets after the ledger failed to store a record."""
        self.tally.ledger_failures += 1
        if self._pending_close is None and (intake := self.intake) is not None:
            self._pending_close = lambda: intake.close("ledger_failed")
            self._due.put("owed", 0)
        self._say("ledger_failed", why=f"{type(error).__name__}: {error}")
        self.live.say(bets_open=False, trouble=f"the ledger failed: {error}")

    def _succeeds(self, action: Callable[[], None]) -> bool:
        """Call a function that uses the ledger; returns whether it succeeded."""
        try:
            action()
            return True
        except LostLease as error:
            self._lost = error
        except StoreError as error:
            self._fail(error)
        return False

    def _defect(self, error: Exception) -> None:
        """Restart one table after a defect of this program, with closed bets."""
        self.tally.defects += 1
        self._say("defect", why=f"{type(error).__name__}: {error}")
        self._fail(error)
        self._close_link()
        if self.lease is not None:
            self._lost = LostLease(self.place.table, f"a defect of the host: {error}")
        self._over.wait(1.0)

    def _is_fresh(self) -> bool:
        """Whether the last frame of the table is recent enough to accept a bet."""
        return self.attendance is not None and self.attendance.clock.is_fresh

    def _seconds(self) -> float:
        return self._clock.mono_ns() / NS

    def _wait(self, seconds: float) -> None:
        self._over.wait(seconds)

    def _say(self, event: str, **facts: object) -> None:
        self._context.say(event, {"table": self.place.name, **facts})


def _is_news(event: Event) -> bool:
    """Whether live watchers must see the result of an event at once."""
    return not (isinstance(event, Received) and event.frame.type == HEARTBEAT)

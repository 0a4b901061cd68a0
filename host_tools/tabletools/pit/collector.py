"""A host without money: stores what the tables of one line send, as casino tables without terms.

Without I/O on the line; time comes from the store's clock.
"""

from collections.abc import Callable

from tablespec.names import NAMES
from tabletools import evidence
from tabletools.evidence import listing
from tabletools.evidence.alarms import stopped
from tabletools.evidence.tables import LEASE_S, device_table
from tabletools.link import (
    Contradiction,
    Event,
    Keys,
    Notice,
    Proof,
    Received,
    Session,
    Tampered,
)
from tabletools.pit.attendance import Attendance, Wanted
from tabletools.pit.host_context import IntervalTimer
from tabletools.release import Manifest
from tabletools.store import Lease, LedgerRejection, Store, StoreError
from tabletools.store.clock import MS, NS
from tablewire.codec import Frame

HOLDER = "collect"
"""Its name in leases: after a kill, a restarted one continues at once."""


class Collector:
    """Stores what one table sends.

    keys: of the tables that have one here; a table without one works, and is never settled.
    session: to be run by a link. device: the newest table, None before any. stored, repeats:
    records since the start. failure: why something could not be stored, None if all was.
    """

    def __init__(
        self,
        ledger: Store,
        keys: Keys,
        *,
        manifest: Manifest | None = None,
        lease_s: float = LEASE_S,
    ) -> None:
        """manifest: of the release the table must run, None for no attestation."""
        self.session = Session(self._store, keys=keys, on_frame=self._on_frame, program="collect")
        self.device: int | None = None
        self.attendance: Attendance | None = None
        self.stored = self.repeats = 0
        self.failure: Exception | None = None
        self._ledger = ledger
        self._wanted = Wanted(release=manifest)
        self._lease: Lease | None = None
        self._lease_s = lease_s
        self._is_linked = False
        self._due = IntervalTimer(ledger.clock)
        self._steps = ledger.watch.steps
        with ledger.read() as db:
            self._newest_taken = listing.newest_alarm(db)

    def take(self, event: Event) -> None:
        """Follow an event of the link: 2 s of silence, or a lost port, close the bets.

        A forged frame stops the table.
        """
        if isinstance(event, Tampered):
            self._guard(lambda: self._note_tamper(event))
        elif isinstance(event, Received):
            self._guard(lambda: self._receive(event))
        elif isinstance(event, Notice):
            self._guard(lambda: self._note(event))

    def tick(self) -> None:
        """Renew the lease, and close bets that are overdue; call every 100 ms or more often."""
        if self._lease is not None and self._due.is_due("renew", int(self._lease_s * NS) // 3):
            self._guard(self._renew)
        if self._lease is not None and self._due.is_due("tick", 100 * MS):
            self._guard(self._tick)

    @property
    def attests(self) -> bool:
        """Whether the table must attest its program."""
        return self._wanted.release is not None

    @property
    def is_locking(self) -> bool:
        """Whether a lock is on its way to a table whose program does not match."""
        attesting = None if self.attendance is None else self.attendance.attesting
        return attesting is not None and attesting.is_locking

    def take_matches(self) -> list[str]:
        """Return what matched since the last call, as text."""
        attesting = None if self.attendance is None else self.attendance.attesting
        return [] if attesting is None else attesting.take_matches()

    def take_alarms(self) -> list[listing.Row]:
        """Return the alarms raised since the last call, oldest first. Raises StoreError."""
        with self._ledger.read() as db:
            rows = [*listing.alarm_rows(db, after=self._newest_taken, device=self.device)]
        if rows:
            self._newest_taken = rows[-1]["id"]
        return rows

    def stopped(self) -> str | None:
        """Return why the table is stopped, None if it is not. Raises StoreError."""
        if self.device is None:
            return None
        with self._ledger.read() as db:
            return stopped(db, self.device)

    def leave(self) -> None:
        """Stop serving the table: its bets close, and another host may claim it."""
        lease, self._lease, self.attendance = self._lease, None, None
        if lease is not None:
            evidence.let_go(self._ledger, lease)

    # --- what comes ------------------------------------------------------------------------------

    def _store(self, frame: Frame, wire: bytes, seal: str, proof: Proof | None) -> bool:
        try:
            is_new = self._attend(frame.device).intake.store(frame, wire, seal, proof)
        except Contradiction:
            raise
        except Exception as error:
            self.failure = error
            raise
        self.stored += is_new
        self.repeats += not is_new
        return is_new

    def _on_frame(self, frame: Frame) -> None:
        def take() -> None:
            attendance = self._attend(frame.device)
            attendance.intake.observe(frame)
            attendance.observe(frame)

        self._guard(take)

    def _receive(self, event: Received) -> None:
        self._attend(event.frame.device).take(event, self._ledger.clock.mono_ns() / NS)

    def _note_tamper(self, event: Tampered) -> None:
        self._attend(event.device).intake.tamper(event.device, _text_of(event), event.data)

    def _note(self, event: Notice) -> None:
        if event.kind == "online":
            self._is_linked = True
        if self.device is None:
            return
        attendance, device = self._attend(self.device), self.device
        if event.kind == "online":
            attendance.intake.linked()
        elif event.kind == "connected":
            attendance.connected()
        elif event.kind == "clock_step":
            attendance.intake.clock_stepped(event.step_ns, device)
        elif event.kind in ("offline", "disconnected", "taken") and self._is_linked:
            self._is_linked = False
            attendance.intake.link_lost(device, event.text)

    # --- the lease -------------------------------------------------------------------------------

    def _attend(self, device: int) -> Attendance:
        """Return the attendance of a device; that of another one on the line is ended first.

        A program that was suspended past the end of its lease claims the table again.
        """
        lease, attendance = self._lease, self.attendance
        if lease is not None and self._ledger.clock.mono_ns() >= lease.until_mono_ns:
            lease = attendance = self._lease = self.attendance = None
        if attendance is not None and device == self.device:
            return attendance
        if attendance is not None and self.device is not None:
            text = f"device {device} answers in place of {self.device}"
            attendance.intake.link_lost(self.device, text)
            self.leave()
        table = device_table(self._ledger, device)
        lease = evidence.claim(self._ledger, table, HOLDER, seconds=self._lease_s)
        self._due.put("renew", int(self._lease_s * NS) // 3)
        self._lease, self.device = lease, device
        self.attendance = Attendance(self._ledger, lease, self.session, self._wanted)
        self.attendance.intake.reread()  # what an earlier release could not decode
        return self.attendance

    def _renew(self) -> None:
        assert self.device is not None
        attendance = self._attend(self.device)
        assert self._lease is not None
        self._lease = evidence.renew(self._ledger, self._lease, seconds=self._lease_s)
        attendance.intake.lease = self._lease

    def _tick(self) -> None:
        assert self.attendance is not None
        intake, watch = self.attendance.intake, self._ledger.watch
        intake.tick()
        step_ns = watch.look()
        if watch.steps != self._steps:
            self._steps = watch.steps
            if step_ns is not None:
                intake.clock_stepped(step_ns)

    def _guard(self, action: Callable[[], None]) -> None:
        """Call a function that uses the store; store its failure for the owner."""
        try:
            action()
        except (StoreError, LedgerRejection) as error:
            self.failure = error


def _text_of(event: Tampered) -> str:
    """Return a forged frame as text: what it claimed to be, and why it was refused."""
    frame = event.skip.frame
    if frame is None:
        return f"a frame refused: {event.skip.detail}"
    kind = NAMES.get(frame.type, f"type 0x{frame.type:02x}")
    place = f"device {frame.device} boot {frame.boot} counter {frame.counter}"
    return f"{kind} of {place} refused: {event.skip.detail}"

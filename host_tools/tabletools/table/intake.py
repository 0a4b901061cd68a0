"""Write what one table sends into the ledger: store it once, judge it, settle, then acknowledge.

`store` is passed to the link's session, which acknowledges only after it returned; `observe` is
called for every frame. Each call is one transaction. A repeat changes nothing; a record that
contradicts a stored one overwrites nothing and stops the table.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection, insert

from tablespec.names import NAMES
from tabletools import decode
from tabletools.authenticity import VERIFIED
from tabletools.evidence import (
    alarms,
    configuration,
    heartbeat,
    maintenance,
    rounds,
    second_readings,
    unread,
)
from tabletools.evidence import tables as casino
from tabletools.evidence.alarms import AlarmCause
from tabletools.evidence.device_clock import Estimate
from tabletools.evidence.records import StoredFields, proof_of
from tabletools.evidence.second_readings import Awaited, Reading
from tabletools.evidence.unread import UnreadRow
from tabletools.link import Contradiction, Proof
from tabletools.release import Manifest
from tabletools.roles.frame_record import body_of
from tabletools.store.audit import Actor
from tabletools.store.clock import MS
from tabletools.store.database import Lease, Store
from tabletools.store.schema.evidence import clock_steps
from tabletools.table import bet_windows, frames, judging, programs, settling, shell
from tabletools.table.frames import Boot
from tabletools.table.judging import Stored
from tabletools.table.programs import MATCH, Attested
from tabletools.table.shell import Turn
from tabletools.table.state import RecordRow
from tablewire import messages as m
from tablewire.codec import Frame, UnreadFrame
from tablewire.framing import Receiver

Result = TypeVar("Result")


_STEPS_EVERY_NS = 60 * 1_000_000_000
"""Between two stored sums of the steps of a device's clock."""
_ABOVE_ALL = 2**32
"""Above each counter of a boot."""


class Intake:
    """Intake of one casino table, for as long as this host holds its lease.

    lease: renewed by its owner with `tables.renew`; assign the new one here. made_at: when the
    table made a frame, if the owner tracks its clock.
    """

    def __init__(
        self,
        ledger: Store,
        lease: Lease,
        *,
        made_at: Callable[[Frame], Estimate | None] = lambda frame: None,
        is_fresh: Callable[[], bool] = lambda: True,
        requires_attestation: bool = False,
        requires_configuration: bool = False,
    ) -> None:
        """is_fresh: whether the last frame is recent enough to accept bets.

        requires_attestation: bets open only in a boot whose program was attested here.
        requires_configuration: only in one whose configuration was read here, fits the terms, and
        is proved by a walk where the role needs one.
        """
        self.lease = lease
        self._ledger = ledger
        self._made_at = made_at
        self._boots: dict[tuple[int, int], Boot] = {}
        self._present: dict[int, int] = {}  # device: boot of its newest frame that was no repeat
        self._is_fresh = is_fresh
        self._requires_attestation = requires_attestation
        self._attested: tuple[int, int] | None = None  # device and boot whose program matched
        self._requires_configuration = requires_configuration
        self._facts = configuration.Facts(0)  # of the device whose configuration was read last
        self._steps: dict[int | None, tuple[int, int]] = {}  # when stored last, sum since, in ns
        # Device and boot whose configuration was read, and why it does not fit, "" if it does.
        self._measured: tuple[int, int, str] | None = None
        self._camera_trouble = ""  # why the host's own camera keeps bets closed

    # --- frames ----------------------------------------------------------------------------------

    def store(self, frame: Frame, wire: bytes, seal: str, proof: Proof | None = None) -> bool:
        """Store a durable record; True if it is new, False if it is a repeat.

        Safe on disk when it returns. Raises Contradiction for a record that must not be stored,
        LostLease, StoreError.
        """
        name = (frame.device, frame.boot)
        self._ledger.at("received")
        if isinstance(frame, UnreadFrame):
            fields = StoredFields("", body_of(frame, wire), wire, seal, proof)
            return self._store_unread(frame, fields)
        fields = frames.stored_fields(frame, wire, seal, proof)

        def write(turn: Turn) -> tuple[bool, str, Boot]:
            boot = self._boot(turn.db, name)
            self._ledger.at("begun")
            counts = frames.may_count(frame, seal, boot)
            is_new, against = self._verdict(turn, frame, fields, boot, counts=counts)
            if against:
                self._note_contradiction(turn, frame, fields, against)
            elif is_new:
                boot = self._insert(turn, frame, boot, fields, counts=counts)
            return is_new, against, boot

        is_new, against, boot = self._run(write, frame.device)
        self._boots[name] = boot
        if against:
            raise Contradiction(against, is_kept=True)
        return is_new

    def _store_unread(self, frame: UnreadFrame, fields: StoredFields) -> bool:
        """Store a record that this release cannot decode: bets close until it can be decoded."""
        name, table = (frame.device, frame.boot), self.lease.table

        def write(turn: Turn) -> tuple[str, bool, Boot]:
            db, now_ns = turn.db, turn.now_ns
            boot = self._boot(db, name)
            before = unread.body_of(db, frame) or frames.known(db, frame, fields.seal)
            if before is not None:
                if before == fields.body:
                    return "", False, boot
                against = f"device {frame.device} boot {frame.boot} counter {frame.counter}"
                against += " came again with different content"
                self._note_contradiction(turn, frame, fields, against)
                return against, False, boot
            counts = frames.may_count(frame, fields.seal, boot)
            frames.note_device(db, frame.device, now_ns)
            unread.keep(db, frame, fields, self._made_at(frame), (table, now_ns, counts))
            if counts:
                turn.close_bets(unread.CAUSE)
            turn.look_again()
            return "", True, self._count(turn, frame, boot)

        against, is_new, boot = self._run(write, frame.device)
        self._boots[name] = boot
        if against:
            raise Contradiction(against, is_kept=True)
        return is_new

    def reread(self) -> int:
        """Decode what an earlier release could not, in order; returns how many were decoded."""
        count = 0
        with self._ledger.read() as db:
            device = casino.device_of(db, self.lease.table)
            rows = [] if device is None else unread.open_rows(db, device)
        for row in rows:
            raw = bytes(row.raw)
            [item] = Receiver().feed(raw)
            if not isinstance(item, Frame):
                break  # later records must wait for it
            self._run(lambda turn, row=row, frame=item: self._read_again(turn, row, frame))  # type: ignore[misc]
            count += 1
        return count

    def _read_again(self, turn: Turn, row: UnreadRow, frame: Frame) -> None:
        db = turn.db
        proof = proof_of(db, row.line_session_id)
        fields = frames.stored_fields(frame, bytes(row.raw), row.seal, proof)
        boot = self._boot(db, (frame.device, frame.boot))
        unread.close_read(db, row.id, turn.now_ns)
        turn.look_again()
        counts = frames.may_count(frame, row.seal, boot)
        is_new, against = self._verdict(turn, frame, fields, boot, counts=counts)
        if against:
            self._note_contradiction(turn, frame, fields, against)
        elif is_new:
            self._insert(turn, frame, boot, fields, row.received_ns, counts=counts)

    def observe(self, frame: Frame) -> None:
        """Note a frame of any type: counter, boot, its bet state and its pending records.

        Raises LostLease, StoreError.
        """
        name = (frame.device, frame.boot)
        boot = self._boots.get(name) or self._read_boot(name)
        is_live = not frame.flags & m.FLAG_RETRANSMITTED
        if is_live and not boot.fell and self._present.get(frame.device) != frame.boot:
            boot = self._enter(frame, boot)
        if not frame.flags & m.FLAG_DURABLE and not boot.fell:
            if frame.counter > boot.newest + 1 or frame.counter < boot.newest:
                before = boot
                boot = self._run(lambda turn: self._count(turn, frame, before))
            boot = boot._replace(newest=max(boot.newest, frame.counter))
        self._boots[name] = boot  # first: counts are kept even when the look fails
        if not boot.fell and frame.type in (m.HEARTBEAT, m.STATE):
            if isinstance(frame, UnreadFrame):
                self.close("phase")  # a phase that this release does not know
            else:
                self._look(frame)

    # --- events reported by the owner -----------------------------------------------------------

    def link_lost(self, device: int, text: str) -> None:
        """Note that the link of a table is down: its bets close, with an alarm."""
        table = self.lease.table

        def write(turn: Turn) -> None:
            turn.close_bets("link_lost")
            cents = settling.staked_cents(turn.db, table)
            more = f"; {cents} cents are in play there: if it never returns, two users rule"
            key = turn.state.round_id if cents else None
            alarm = AlarmCause(
                alarms.LINK_LOST, text + (more if cents else ""), device, table, key
            )
            alarms.raise_once(turn.db, alarm, turn.now_ns)

        self._run(write)

    def linked(self) -> None:
        """Note that the link of the table is back."""
        self._run(lambda turn: turn.end_alarms((alarms.LINK_LOST,)))

    def clock_stepped(self, step_ns: int, device: int | None = None) -> None:
        """Store a clock step of this host or of a device; bets close, with an alarm.

        A clock that runs off steps with every frame: of a device their sum is stored once a
        minute, and its one alarm counts them until a user acknowledges it.
        """
        now_ns, table = self._now_ns(), self.lease.table
        last_ns, left_out_ns = self._steps.get(device, (0, 0))
        is_stored = device is None or now_ns - last_ns >= _STEPS_EVERY_NS
        values = {"at_ns": now_ns, "device": device, "step_ns": step_ns + left_out_ns}
        kind, whose = alarms.CLOCK_STEP, "this host"
        if device is not None:
            kind, whose = alarms.DEVICE_CLOCK, "the table"
        text = (
            f"the clock of {whose} stepped by {step_ns // MS} ms: what is dated now may be wrong"
        )

        def write(turn: Turn) -> None:
            if is_stored:
                turn.db.execute(insert(clock_steps).values(**values))
            turn.close_bets(kind)
            own = None if device is None else table
            alarms.raise_once(turn.db, AlarmCause(kind, text, device, own), now_ns)

        self._run(write)
        self._steps[device] = (now_ns, 0) if is_stored else (last_ns, step_ns + left_out_ns)

    def tamper(self, device: int, text: str, raw: bytes) -> None:
        """Stop a table whose link was tampered with; repeats of the same are only counted."""
        alarm_facts = AlarmCause(alarms.TAMPER, text, device, self.lease.table, raw=raw)

        def write(turn: Turn) -> None:
            alarm = alarms.active_alarm(turn.db, device, alarms.TAMPER)
            if alarm is None:
                turn.stop(alarm_facts)
            else:
                alarms.count(turn.db, alarm)  # so that a flood does not fill the disk

        self._run(write)

    def attested(self, manifest: Manifest, attestation: Attested) -> str:
        """Judge and store what a table attested; anything but a match stops it."""
        table, now_ns = self.lease.table, self._now_ns()

        def write(turn: Turn) -> str:
            outcome = programs.keep(turn.db, table, manifest, attestation, now_ns)
            if outcome != MATCH:
                turn.reload()  # the device is stopped
            return outcome

        outcome = self._run(write)
        is_proved = outcome == MATCH and attestation.seal == VERIFIED
        self._attested = (attestation.device, attestation.boot) if is_proved else None
        return outcome

    def store_configuration(self, answers: Sequence[Frame]) -> None:
        """Store the configuration that a table reported, in one transaction.

        An alarm is raised for a value that no record explains.
        """
        device, boot = answers[0].device, answers[0].boot
        if device != self._facts.device:
            self._facts = configuration.Facts(device)

        def write(turn: Turn) -> None:
            db = turn.db
            if self._boot(db, (device, boot)).fell:
                return
            for unexplained in configuration.store(db, self._facts, answers, self._now_ns()):
                alarm = AlarmCause(alarms.UNEXPECTED, unexplained, device, self.lease.table)
                alarms.raise_once(db, alarm, self._now_ns())

        self._run(write)

    def measured(
        self, device: int, boot: int, misfits: Sequence[str], values: Mapping[int, int]
    ) -> None:
        """Note that the configuration of a boot was read.

        misfits: texts of what does not fit the terms. values: what was read, by key number; they
        have to be those of the newest walk. If anything does not fit, the bets close, with an
        alarm.
        """
        why, text = "", ""
        if misfits:
            why, text = bet_windows.CONFIGURATION, "the configuration does not fit the terms of"
            text += f" the table: {'; '.join(misfits)}"
            text += "; change it, or the terms, before bets can open"
        else:
            with self._ledger.read() as db:
                missing = maintenance.missing_walk(db, device, values)
            if missing:
                why, text = bet_windows.NO_WALK, f"{missing}; bets open with the next round after"
                text += f" {maintenance.WALK_COMMAND} has passed"
        self._measured = device, boot, why
        self._run(lambda turn: self._note_fit(turn, device, why, text))

    def forget_configuration(self) -> None:
        """Note that the configuration may have changed: no bets open until it is read again."""
        self._measured = None

    @property
    def is_fitting(self) -> bool:
        """Whether the configuration of the present boot was read and fits."""
        if self._measured is None:
            return False
        device, boot, why = self._measured
        return self._present.get(device) == boot and not why

    def stopped(self, device: int) -> str | None:
        """Return why a device is stopped, None if it is not. Raises StoreError."""
        with self._ledger.read() as db:
            return alarms.stopped(db, device)

    def release(self, device: int, user: Actor, why: str) -> None:
        """Release a stopped table, and settle what waited. Raises LedgerRejection."""

        def write(turn: Turn) -> None:
            alarms.end_stop(turn.db, device, user, why, turn.now_ns)
            turn.look_again()
            self._judge_and_settle(turn, device)

        self._run(write, device)

    def close(self, cause: str) -> None:
        """Close the bets: by the dealer, when this host stops, or after the maximum time."""
        self._run(lambda turn: turn.close_bets(cause))

    def tick(self) -> None:
        """Close bets that were open too long or whose link is stale; call every 100 ms."""
        table = self.lease.table
        if self._ledger.bets_overdue(table):
            self.close("maximum_time")
            self._ledger.forget_opening(table)
        elif self._ledger.has_opening(table) and not self._is_fresh():
            self._run(self._close_stale)
            self._ledger.forget_opening(table)

    def _note_fit(self, turn: Turn, device: int, why: str, text: str) -> None:
        both = (bet_windows.CONFIGURATION, bet_windows.NO_WALK)
        turn.end_alarms([kind for kind in both if kind != why])
        if not why:
            return
        turn.close_bets(why)
        alarms.raise_once(turn.db, AlarmCause(why, text, device, turn.table), turn.now_ns)

    def _close_stale(self, turn: Turn) -> None:
        if turn.close_bets(bet_windows.LINK_STALE):
            alarm = bet_windows.stale(turn, turn.shared.device)
            alarms.raise_once(turn.db, alarm, turn.now_ns)

    def expect_camera(self) -> None:
        """Have no bets open until the host has looked through its camera."""
        self._camera_trouble = "the host has not looked through its camera yet"

    def note_camera(self, device: int, trouble: str) -> None:
        """Note what is wrong with the host's camera now, "" if nothing is.

        If anything is, the bets close, with an alarm.
        """
        self._camera_trouble = trouble

        def write(turn: Turn) -> None:
            if not trouble:
                turn.end_alarms([bet_windows.HOST_CAMERA])
                return
            turn.close_bets(bet_windows.HOST_CAMERA)
            text = f"the host's camera above the tray: {trouble}"
            alarm = AlarmCause(bet_windows.HOST_CAMERA, text, device, turn.table)
            alarms.raise_once(turn.db, alarm, turn.now_ns)

        self._run(write, device)

    def second_reading(self, one: Awaited, reading: Reading) -> None:
        """Store what the host read in the picture of a result, and settle what it confirms."""

        def write(turn: Turn) -> None:
            second_readings.keep(turn.db, one, reading, turn.now_ns)
            self._judge_and_settle(turn, one.device)

        self._run(write, one.device)

    # --- in a transaction ------------------------------------------------------------------------

    def _verdict(
        self, turn: Turn, frame: Frame, fields: StoredFields, boot: Boot, *, counts: bool
    ) -> tuple[bool, str]:
        """Whether the record is new, and what it contradicts, if anything.

        boot: with the highest counter so far, above which no record is stored. counts: whether
        the record may change anything.
        """
        before = None
        if frame.counter <= boot.newest:
            before = frames.known(turn.db, frame, fields.seal)
        if before is not None:
            name = f"device {frame.device} boot {frame.boot} counter {frame.counter}"
            return (
                False,
                "" if before == fields.body else f"{name} came again with different content",
            )
        other = None
        if counts:
            other = judging.other_end(turn, frame, fields.payload)
        if other is None:
            return True, ""
        kind = NAMES[frame.type]
        return False, f"{kind} {fields.payload} for round {frame.round} that ended: {other}"

    def _note_contradiction(
        self, turn: Turn, frame: Frame, fields: StoredFields, why: str
    ) -> None:
        against = judging.find(turn, frame.device, frame.round)
        key = None if against is None else against.id
        more = {"raw": fields.raw, "body": fields.body}
        alarm = AlarmCause(alarms.CONFLICT, why, frame.device, self.lease.table, key, None, **more)
        turn.stop(alarm)

    def _insert(
        self,
        turn: Turn,
        frame: Frame,
        boot: Boot,
        fields: StoredFields,
        received_ns: int | None = None,
        *,
        counts: bool,
    ) -> Boot:
        db, now_ns, device = turn.db, turn.now_ns, frame.device
        frames.note_device(db, device, now_ns)
        estimate = self._made_at(frame)
        record = frames.insert_frame(
            db,
            frame,
            fields,
            estimate,
            (received_ns or now_ns, counts),
            turn.session_of(device, fields.proof),
        )
        self._ledger.at("evidence")
        boot = self._count(turn, frame, boot)
        if boot.fell:
            text = f"{NAMES[frame.type]} of boot {frame.boot}, which went back: does not count"
            alarms.raise_once(db, AlarmCause(alarms.BOOT_FELL, text, device, turn.table), now_ns)
        if not counts:
            return boot
        if frame.type in (m.FAULT_RAISED, m.FAULT_CLEARED):
            turn.note_fault(frame)
        stored = Stored(frame, fields, RecordRow(record, (frame.boot, frame.counter)), estimate)
        entered, wrong = judging.enter(turn, stored)
        bet_windows.carry_into(turn, stored, entered)
        wrong += judging.judge(turn, device)
        self._ledger.at("judged")
        bet_windows.follow(turn, stored, entered, doubt=partial(self._doubt, frame))
        judging.raise_alarms(turn, device, wrong)
        self._note_record(turn, frame, fields)
        settling.settle_due(turn, device)
        return boot

    def _note_record(self, turn: Turn, frame: Frame, fields: StoredFields) -> None:
        """Do what single types of records require besides their part in a round."""
        device, table = frame.device, turn.table
        if frame.type == m.FAULT_RAISED:
            text = decode.describe(decode.record(frame))
            alarm = AlarmCause(alarms.FAULT, text, device, table, code=frame.values[0])
            alarms.raise_once(turn.db, alarm, turn.now_ns)
            present = self._present.get(device, frame.boot)
            if present != frame.boot:  # nothing clears what a boot that is over raised
                self._end_faults(turn, device, present)
        if frame.type == m.FAULT_CLEARED and device == turn.shared.device:
            turn.end_alarms((alarms.FAULT,), code=frame.values[0])
        if frame.type == m.CONFIGURATION_CHANGED:
            self.forget_configuration()
        if frame.type == m.TAMPER:
            text = f"the table refused frames: {fields.payload}"
            alarms.raise_once(turn.db, AlarmCause(alarms.TAMPER, text, device, table), turn.now_ns)

    def _count(self, turn: Turn, frame: Frame, boot: Boot) -> Boot:
        """Count a frame of a boot; returns it."""
        after = frames.count_frame(turn.db, frame, boot, turn.now_ns)
        if frame.counter != boot.newest + 1:
            turn.look_for_gaps()
        return after

    def _doubt(self, frame: Frame) -> str:
        """Why this host does not trust the table that sent a record, empty if it does."""
        if self._present.get(frame.device) != frame.boot:
            return bet_windows.NOT_LIVE
        if self._requires_attestation and self._attested != (frame.device, frame.boot):
            return bet_windows.NOT_ATTESTED
        if self._requires_configuration:
            if self._measured is None or self._measured[:2] != (frame.device, frame.boot):
                return bet_windows.CONFIGURATION
            if self._measured[2]:
                return self._measured[2]
        if self._camera_trouble:
            return bet_windows.HOST_CAMERA
        if not self._is_fresh():
            return bet_windows.LINK_STALE
        return ""

    def _judge_and_settle(self, turn: Turn, device: int) -> None:
        judging.raise_alarms(turn, device, judging.judge(turn, device))
        settling.settle_due(turn, device)

    # --- the rest --------------------------------------------------------------------------------

    def _run(self, action: Callable[[Turn], Result], device: int | None = None) -> Result:
        """Run an action as a transaction. device: whose records it is about."""
        return shell.run(self._ledger, self.lease, action, device=device)

    def _now_ns(self) -> int:
        return self._ledger.clock.wall_ns()

    def _boot(self, db: Connection, name: tuple[int, int]) -> Boot:
        return self._boots.get(name) or frames.load_boot(db, name)

    def _read_boot(self, name: tuple[int, int]) -> Boot:
        with self._ledger.read() as db:
            return frames.load_boot(db, name)

    def _enter(self, frame: Frame, boot: Boot) -> Boot:
        """Enter a live frame of a new boot, or the first one of this run."""
        device, now_ns = frame.device, self._now_ns()

        def write(turn: Turn) -> Boot:
            db = turn.db
            higher = frames.higher_boot(db, device, frame.boot)
            entered = boot._replace(fell=higher is not None)
            frames.note_device(db, device, now_ns)
            frames.save_boot(db, (device, frame.boot), entered, now_ns)
            turn.close_bets("rebooted")
            if higher is not None:
                text = f"a live frame of boot {frame.boot} after boot {higher}"
                alarm = AlarmCause(alarms.BOOT_FELL, text, device, turn.table)
                alarms.raise_once(db, alarm, now_ns)
            elif device == turn.shared.device:
                turn.end_alarms((alarms.BOOT_FELL,))
                self._end_faults(turn, device, frame.boot)
            return entered

        entered = self._run(write)
        if not entered.fell:
            self._present[device] = frame.boot
        return entered

    def _end_faults(self, turn: Turn, device: int, boot: int) -> None:
        """Note that faults are over that are not active in the present boot of a device."""
        active = rounds.active_faults(turn.db, device, (boot, _ABOVE_ALL))
        alarms.clear(turn.db, turn.now_ns, (alarms.FAULT,), device=device, but=active)

    def _look(self, frame: Frame) -> None:
        """Check what the table reports between records: a bets_closed may have been lost."""
        state = shell.look(self._ledger, self.lease)
        if frame.device == state.device:
            has_gap = state.has_gap
        else:
            with self._ledger.read() as db:
                has_gap = rounds.gap_is_open(db, frame.device)
        if state.bets_open and not heartbeat.may_bet(frame):
            self.close("phase")
        elif state.bets_open and has_gap and heartbeat.waiting_while_ball_runs(frame):
            self.close("record_missing")
        if frame.type != m.HEARTBEAT or heartbeat.waiting(frame) or not has_gap:
            return

        def write(turn: Turn) -> None:
            name = frame.device, frame.boot
            frames.end_gaps(turn.db, name, frame.counter, turn.now_ns)
            turn.look_for_gaps()
            self._judge_and_settle(turn, frame.device)

        self._run(write, frame.device)

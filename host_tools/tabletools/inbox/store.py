"""The inbox: durable records of any number of tables, stored once, before they are acknowledged.

Store is handed to the link's session; it returns only after the commit. Hear is told of every
frame in the order of the line, for counters and clock. Not responsible for ports or printing.
"""

import sqlite3
import time
from collections.abc import Callable

from tablespec.messages import BY_ID
from tabletools.evidence.body import body_of
from tabletools.evidence.programs import Attested
from tabletools.inbox import boots, configuration, gaps, programs, records, rounds, state, unread
from tabletools.inbox.boots import Boot
from tabletools.inbox.database import transaction
from tabletools.inbox.records import Kept
from tabletools.inbox.state import Alarm
from tabletools.inbox.timing import Timing
from tabletools.inbox.traces import Traces
from tabletools.link import Contradiction
from tabletools.release import Manifest
from tablewire import messages as m
from tablewire import money_wheel, roulette
from tablewire.codec import Frame, UnreadFrame
from tablewire.framing import Receiver
from tablewire.names import NAMES

# Steps of storing one record, in their order; a test may end the program at each.
RECEIVED, BEGUN, WRITTEN, COMMITTED = "received", "begun", "written", "committed"
WAITING_AT = [name for name, _ in BY_ID[m.HEARTBEAT].facts()].index("unacknowledged")
_MAY_BET = (money_wheel.PHASE_TURNING, m.PHASE_BETS_OPEN, roulette.PHASE_BALL_IN_RIM)


class Inbox:
    """Keeps what tables send. stored, repeats: since the start.

    at: called at each step. is_fresh: whether what is known of the table is young enough to open
    its bets. requires_attestation: bets open only in a boot whose program matched.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        mono_ns: Callable[[], int] = time.monotonic_ns,
        wall_ns: Callable[[], int] = time.time_ns,
        at: Callable[[str], None] = lambda step: None,
    ) -> None:
        self.stored = self.repeats = 0
        self.traces = Traces(connection, wall_ns)
        self._db = connection
        self._wall_ns = wall_ns
        self._at = at
        self._timing = Timing(connection, mono_ns, wall_ns)
        self._boots: dict[tuple[int, int], Boot] = {}
        self._present: dict[int, int] = {}  # device: boot heard last, not as a repeat
        self.requires_attestation = False
        self._attested: dict[int, int] = {}  # device: boot whose program matched
        self._alarms: list[Alarm] = []
        self.is_fresh: Callable[[], bool] = lambda: True
        with transaction(connection):
            state.close_all(connection, "host_started", wall_ns())
            self._read_again()

    def take_alarms(self) -> list[Alarm]:
        """Alarms since the last call, oldest first."""
        found, self._alarms = self._alarms, []
        return found

    # --- frames ---------------------------------------------------------------------------------

    def hear(self, frame: Frame) -> None:
        """Note a frame of any type: clock, counter, what it says of bets and records waiting."""
        boot = self._boot(frame)
        is_live = not frame.flags & m.FLAG_RETRANSMITTED
        if is_live:
            if boot.fell_ns is None and self._present.get(frame.device) != frame.boot:
                self._enter(frame, boot)
            if boot.fell_ns is None:
                self._timing.sample(frame, boot)
        if frame.flags & m.FLAG_DURABLE or boot.fell_ns is not None:
            return  # counted when it is stored; what fell counts for nothing
        if frame.counter > boot.newest + 1 or frame.counter < boot.newest:
            with transaction(self._db):
                newest = self._count(frame, boot)
            boot.newest = newest
        boot.newest = max(boot.newest, frame.counter)
        if isinstance(frame, UnreadFrame):
            if frame.type in (m.HEARTBEAT, m.STATE):
                self._close_open(frame, "phase")  # one that this release does not know
        elif frame.type in (m.HEARTBEAT, m.STATE):
            self._look(frame)
        elif frame.type == m.CONFIGURATION and frame.values:
            with transaction(self._db):
                self._alarms += configuration.read(self._db, frame, self._wall_ns())

    def store(self, frame: Frame, wire: bytes, seal: str, key: int | None = None) -> bool:
        """Keep a durable record; True if it is new, False if it was here. Returns when it is safe.

        seal: how far the table is believed, see tabletools.seals; only VERIFIED is ever settled.
        key: number of the key that verified it.
        Raises Contradiction for one that must not be kept, InboxError if it could not be.
        """
        self._at(RECEIVED)
        boot = self._boot(frame)
        before = (boot.newest, boot.reordered)
        if isinstance(frame, UnreadFrame):
            return self._store_unread(frame, boot, (body_of(frame, wire), wire, seal, key))
        kept = records.kept(frame, wire, seal, key)
        alarms: list[Alarm] = []
        try:
            with transaction(self._db):
                self._at(BEGUN)
                is_new, against = self._verdict(frame, kept)
                if against:
                    alarms.append(
                        state.conflict(
                            self._db, frame, against, (kept.body, kept.wire), self._wall_ns()
                        )
                    )
                elif is_new:
                    alarms += self._insert(frame, boot, kept)
                self._at(WRITTEN)
        except BaseException:
            boot.newest, boot.reordered = before
            raise
        self._at(COMMITTED)
        self._alarms += alarms
        if against:
            raise Contradiction(against, is_kept=True)
        self.stored += is_new
        self.repeats += not is_new
        return is_new

    def close_bets(self, device: int, cause: str, text: str, kind: str = state.LINK_LOST) -> None:
        """Close the bets of a table whose link is lost or not to be trusted, with an alarm."""
        now_ns = self._wall_ns()
        with transaction(self._db):
            state.set_bets(self._db, device, is_open=False, cause=cause, number=0, now_ns=now_ns)
            found = state.alarm(self._db, kind, text, device, now_ns)
        self._alarms.append(found)

    def _store_unread(
        self, frame: UnreadFrame, boot: Boot, found: tuple[bytes, bytes, str, int | None]
    ) -> bool:
        """Keep a record that this release cannot read; bets close until it is understood."""
        now_ns, against = self._wall_ns(), ""
        with transaction(self._db):
            row = self._db.execute(
                "SELECT body FROM records WHERE device = ? AND boot = ? AND counter = ?",
                (frame.device, frame.boot, frame.counter),
            ).fetchone()
            before = row[0] if row is not None else unread.body_of(self._db, frame)
            is_new = before is None
            if before not in (None, found[0]):
                against = f"device {frame.device} boot {frame.boot} counter {frame.counter}"
                against += " came again with another content"
                alarm = state.conflict(self._db, frame, against, found[:2], now_ns)
            elif is_new:
                newest = self._count(frame, boot)
                text = unread.keep(self._db, frame, found, now_ns)
                _, alarm = state.alarm_for(self._db, state.NOT_UNDERSTOOD, text, frame, now_ns)
                state.set_bets(
                    self._db, frame.device, is_open=False, cause=unread.CAUSE, number=frame.round,
                    now_ns=now_ns,
                )  # fmt: skip
        if against or is_new:
            self._alarms.append(alarm)
        if against:
            raise Contradiction(against, is_kept=True)
        if is_new:
            boot.newest = newest
        self.stored += is_new
        self.repeats += not is_new
        return is_new

    def _read_again(self) -> None:
        """Read what an earlier release could not, in the order of each table."""
        waiting: set[int] = set()
        for number, device, raw, seal, key in unread.open_rows(self._db):
            [item] = Receiver().feed(raw)
            if device in waiting or not isinstance(item, Frame):
                waiting.add(device)  # those after it wait for it
                continue
            kept = records.kept(item, raw, seal, key)
            unread.close_read(self._db, number, self._wall_ns())
            is_new, against = self._verdict(item, kept)
            if against:
                refused = (kept.body, kept.wire)
                self._alarms.append(
                    state.conflict(self._db, item, against, refused, self._wall_ns())
                )
            elif is_new:
                self._alarms += self._insert(item, self._boot(item), kept)

    def tamper(self, device: int, text: str, raw: bytes) -> None:
        """Somebody meddles with the link of a table: stop it, with an alarm."""
        now_ns = self._wall_ns()
        with transaction(self._db):
            found = state.tampered(self._db, device, text, raw, now_ns)
        self._alarms.append(found)

    def attested(self, manifest: Manifest, found: Attested) -> str:
        """Judge what a table attested; anything but programs.MATCH stops it, with an alarm."""
        with transaction(self._db):
            outcome, alarms = programs.keep(self._db, manifest, found, self._wall_ns())
        self._alarms += alarms
        if outcome == programs.MATCH:
            self._attested[found.device] = found.boot
        else:
            self._attested.pop(found.device, None)
        return outcome

    def end(self) -> None:
        """Nobody will watch the tables: close the bets. A start does the same after a crash."""
        with transaction(self._db):
            state.close_all(self._db, "host_ended", self._wall_ns())

    def stopped(self, device: int) -> str | None:
        """Why a table is stopped, None if it is not."""
        return state.stopped(self._db, device)

    def answered(self, device: int, round_trip_ns: int) -> None:
        """A question to a table was answered within that time."""
        boot = self._boots.get((device, self._present.get(device, -1)))
        if boot is not None:
            clock = boot.clock
            clock.round_trip_ns = min(clock.round_trip_ns or round_trip_ns, round_trip_ns)

    # --- in a transaction -----------------------------------------------------------------------

    def _verdict(self, frame: Frame, kept: Kept) -> tuple[bool, str]:
        """Whether the record is new, and what it contradicts, if anything."""
        row = self._db.execute(
            "SELECT id, body FROM records WHERE device = ? AND boot = ? AND counter = ?",
            (frame.device, frame.boot, frame.counter),
        ).fetchone()
        name = f"device {frame.device} boot {frame.boot} counter {frame.counter}"
        if row is None:
            other = rounds.other_end(self._db, frame, kept.payload)
            if other is None:
                return True, ""
            kind = NAMES[frame.type]
            return (
                False,
                f"{name}: {kind} {kept.payload} for round {frame.round} that ended: {other}",
            )
        if row[1] != kept.body:
            return False, f"{name} came again with another content"
        self._db.execute("UPDATE records SET repeats = repeats + 1 WHERE id = ?", (row[0],))
        return False, ""

    def _insert(self, frame: Frame, boot: Boot, kept: Kept) -> list[Alarm]:
        now_ns = self._wall_ns()
        made = boots.mapped(boot, self._timing.host, frame.uptime_ms, now_ns)
        is_late = frame.counter < boot.newest and not frame.flags & m.FLAG_RETRANSMITTED
        boot.reordered += is_late
        boot.newest = self._count(frame, boot)
        record = records.insert(self._db, frame, kept, made, now_ns)
        if boot.fell_ns is not None:
            text = (
                f"{NAMES[frame.type]} of boot {frame.boot}, which fell: kept, counts for nothing"
            )
            return [state.alarm_for(self._db, state.BOOT_FELL, text, frame, now_ns)[1]]
        found = rounds.enter(self._db, frame, record)
        found += rounds.judge_pending(self._db, frame.device)
        self._set_bets(frame, now_ns)
        told = [(state.UNEXPECTED, text) for _, text in found]
        if frame.type == m.TAMPER:
            # The table stops itself where it must (link_tampered); a person has to know.
            told.append((state.TAMPER, f"the table refused frames: {kept.payload}"))
        return [state.alarm_for(self._db, kind, text, frame, now_ns)[1] for kind, text in told]

    def _count(self, frame: Frame, boot: Boot) -> int:
        """Open or fill gaps as the frame's counter says; returns the newest counter."""
        name, now_ns = (frame.device, frame.boot), self._wall_ns()
        newest = max(boot.newest, frame.counter)
        boots.save(self._db, name, boot, newest, now_ns)
        if boot.fell_ns is not None:
            return newest  # its gaps hold up nothing
        if frame.counter > boot.newest:
            gaps.note(self._db, name, after=boot.newest, before=frame.counter, now_ns=now_ns)
        else:
            gaps.fill(self._db, name, frame.counter, now_ns)
        return newest

    def _set_bets(self, frame: Frame, now_ns: int) -> None:
        """Open or close the bets as a new record says; only a live opening opens."""
        is_open, number = self._bets(frame.device)
        kind = NAMES[frame.type]
        opens = frame.type == m.ROUND_OPENED and self._may_open(frame)
        ends = frame.type in (m.BETS_CLOSED, *m.ROUND_ENDS) and frame.round >= number
        if opens or (is_open and (ends or frame.type == m.FAULT_RAISED)):
            state.set_bets(
                self._db, frame.device, is_open=opens, cause=kind, number=frame.round,
                now_ns=now_ns,
            )  # fmt: skip

    def _may_open(self, frame: Frame) -> bool:
        # A repeat may be old: the ball may long have been launched.
        return (
            not frame.flags & m.FLAG_RETRANSMITTED
            and self._present.get(frame.device) == frame.boot
            and self.stopped(frame.device) is None
            and not unread.is_open(self._db, frame.device)
            and self.is_fresh()
            and (not self.requires_attestation or self._attested.get(frame.device) == frame.boot)
            and rounds.is_running(self._db, frame.device, frame.round)
            and not rounds.standing(self._db, frame.device, (frame.boot, frame.counter))
        )

    # --- outside one ----------------------------------------------------------------------------

    def _boot(self, frame: Frame) -> Boot:
        name = (frame.device, frame.boot)
        if name not in self._boots:
            self._boots[name] = boots.load(self._db, name)
        return self._boots[name]

    def _bets(self, device: int) -> tuple[bool, int]:
        """Whether the bets of a table are open, and for which round."""
        row = self._db.execute(
            "SELECT bets_open, round FROM tables WHERE device = ?", (device,)
        ).fetchone()
        return (bool(row[0]), row[1]) if row else (False, 0)

    def _look(self, frame: Frame) -> None:
        """What the table says of itself between records: a bets_closed may have been lost."""
        now_ns = self._wall_ns()
        if frame.values[0] not in _MAY_BET:
            self._close_open(frame, "phase")
        if frame.type != m.HEARTBEAT or frame.values[WAITING_AT]:
            return
        if not gaps.is_open(self._db, frame.device):
            return
        with transaction(self._db):
            gaps.end_all(self._db, (frame.device, frame.boot), frame.counter, now_ns)
            alarms = [
                state.alarm_for(self._db, state.UNEXPECTED, text, frame, now_ns)[1]
                for _, text in rounds.judge_pending(self._db, frame.device)
            ]
        self._alarms += alarms

    def _enter(self, frame: Frame, boot: Boot) -> None:
        """A live frame of another boot than the last one, or the first of this run."""
        with transaction(self._db):
            fell = boots.enter(self._db, frame, boot, self._wall_ns())
        if fell is None:
            self._present[frame.device] = frame.boot
        else:
            self._alarms.append(fell)
        self._close_open(frame, "rebooted" if fell is None else fell.kind)

    def _close_open(self, frame: Frame, cause: str) -> None:
        if self._bets(frame.device)[0]:
            with transaction(self._db):
                state.set_bets(
                    self._db, frame.device, is_open=False, cause=cause, number=frame.round,
                    now_ns=self._wall_ns(),
                )  # fmt: skip

"""Alarms after ISA-18.2, and stops.

That an alarm was raised, that its cause is over and that a user acknowledged it are separate
facts. Works on an open transaction, except for the actions of a named user.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    bindparam,
    case,
    func,
    insert,
    or_,
    select,
    text,
    update,
)

from tabletools import roles
from tabletools.evidence.tables import close_bets
from tabletools.store import audit
from tabletools.store.audit import Actor
from tabletools.store.clock import NS
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.outbox import OutboxEvent, enqueue, number_from
from tabletools.store.rows import insert_new
from tabletools.store.schema.evidence import OPEN, alarms, stops, unread_records
from tabletools.store.schema.play import tables

CONFLICT = "conflict"
UNEXPECTED = "unexpected"
LINK_LOST = "link_lost"
FAULT = "fault"
TAMPER = "tamper"
BOOT_FELL = "boot_fell"
PROGRAM = "program"
UNENDED = "unended"
UNSETTLED = "unsettled"
VOID_HELD = "void_held"
LATE_BET = "late_bet"
LATE_WITHDRAWAL = "late_withdrawal"
CLOCK_STEP = "clock_step"
DEVICE_CLOCK = "device_clock"
LINK_STALE = "link_stale"
NOT_UNDERSTOOD = "not_understood"
CONFIGURATION = "configuration"
NO_WALK = "no_walk"
HOST_CAMERA = "host_camera"
BELOW_ZERO = "balance_below_zero"
METER_MOVED = "meter_moved"
PICTURE = "picture_not_confirmed"
RIGHTS = "rights"
RESTORED = "restored"
PIN_GUESSED = "pin_guessed"
CALL = "supervisor_called"
PACE = "pace_low"
UNDONE = "rounds_undone"
HOLD = "hold_out_of_band"
LONG_OPEN = "bets_open_long"
WALLET_DOWN = "wallet_down"
WALLET_REFUSED = "wallet_refused"
URGENT, HIGH, MEDIUM, LOW = 1, 2, 3, 4
"""Priorities, after ISA-18.2: money or evidence is in doubt; play stopped or a decision waits; a
cause that will stop play; a note."""


class Kind(NamedTuple):
    """What the alarms of a kind have in common.

    has_end: the ledger itself learns when the cause is over. An alarm of another kind is over
    when a user acknowledges it.
    """

    priority: int
    has_end: bool = False


KINDS: Mapping[str, Kind] = {
    CONFLICT: Kind(URGENT),
    UNEXPECTED: Kind(HIGH),
    LINK_LOST: Kind(MEDIUM, has_end=True),
    FAULT: Kind(HIGH, has_end=True),
    TAMPER: Kind(URGENT),
    BOOT_FELL: Kind(URGENT, has_end=True),
    PROGRAM: Kind(URGENT),
    UNENDED: Kind(HIGH, has_end=True),
    UNSETTLED: Kind(URGENT, has_end=True),
    VOID_HELD: Kind(URGENT, has_end=True),
    LATE_BET: Kind(HIGH, has_end=True),
    LATE_WITHDRAWAL: Kind(HIGH),
    CLOCK_STEP: Kind(HIGH),
    DEVICE_CLOCK: Kind(MEDIUM),
    LINK_STALE: Kind(MEDIUM, has_end=True),
    NOT_UNDERSTOOD: Kind(HIGH, has_end=True),
    CONFIGURATION: Kind(MEDIUM, has_end=True),
    NO_WALK: Kind(MEDIUM, has_end=True),
    HOST_CAMERA: Kind(MEDIUM, has_end=True),
    BELOW_ZERO: Kind(URGENT),
    METER_MOVED: Kind(MEDIUM),
    PICTURE: Kind(HIGH, has_end=True),
    RIGHTS: Kind(URGENT),
    RESTORED: Kind(HIGH),
    PIN_GUESSED: Kind(HIGH),
    CALL: Kind(URGENT),
    WALLET_DOWN: Kind(HIGH, has_end=True),
    WALLET_REFUSED: Kind(URGENT, has_end=True),
    **dict.fromkeys((PACE, UNDONE, HOLD, LONG_OPEN), Kind(MEDIUM, has_end=True)),
}
PLAYABLE = (LINK_LOST, LINK_STALE, CONFIGURATION, NO_WALK, HOST_CAMERA)
"""Over as soon as bets open."""
SETTLED = (UNENDED, UNSETTLED, VOID_HELD, PICTURE)
"""Over as soon as their round is settled."""
FIRST_UP_NS = 10 * NS
"""Alarms that follow one another within 10 s have one cause: those of one kind, and those of a
device after one of LEADING."""
LEADING = (LINK_LOST, LINK_STALE, FAULT, TAMPER, BOOT_FELL, PROGRAM, DEVICE_CLOCK, CLOCK_STEP)
"""What other alarms of a device follow from."""
_RECENT = 200
"""Among how many of the newest alarms that cause is looked for."""
LONGEST_SHELF_MINUTES = 480
"""A shift."""
NORMAL, UNACKNOWLEDGED, ACKNOWLEDGED, RETURNED, SHELVED = (
    "normal",
    "unacknowledged",
    "acknowledged",
    "returned",
    "shelved",
)
"""States of an alarm: nothing is left of it; its cause is active, and no user has acknowledged
it; active and acknowledged; over and not acknowledged; set aside by a user until a time."""


def is_open() -> ColumnElement[bool]:
    """Return the condition that an alarm is not back to normal."""
    return text(OPEN)  # type: ignore[return-value]


def is_unhandled() -> ColumnElement[bool]:
    """Return the condition that a user has neither acknowledged nor shelved an open alarm.

    Its parameter is now_ns.
    """
    until_ns = func.coalesce(alarms.c.shelved_until_ns, 0)
    return and_(alarms.c.acknowledged_ns.is_(None), until_ns <= bindparam("now_ns"))


def state_of(row: Row[Any], now_ns: int) -> str:
    """Return the state of an alarm."""
    is_acknowledged = row.acknowledged_ns is not None
    if row.normal_ns is not None or (is_acknowledged and row.priority is None):
        return NORMAL
    if (row.shelved_until_ns or 0) > now_ns:
        return SHELVED
    if row.cleared_ns is not None:
        return RETURNED
    return ACKNOWLEDGED if is_acknowledged else UNACKNOWLEDGED


class AlarmCause(NamedTuple):
    """A condition that an operator must look at. raw, body: of a frame that was refused."""

    kind: str
    text: str
    device: int | None
    table: int | None = None
    round: int | None = None
    code: int | None = None
    raw: bytes | None = None
    body: bytes | None = None


def _priority(alarm: AlarmCause) -> int:
    """A machine that waits for its cards or balls to be declared has not failed."""
    return MEDIUM if alarm.code in roles.awaiting() else KINDS[alarm.kind].priority


def raise_alarm(
    db: Connection, alarm: AlarmCause, now_ns: int, event_number: int | None = None
) -> int:
    """Store an alarm; a repeated refused frame is only counted. Returns its number.

    event_number: of its event, None: the next one.
    """
    col = alarms.c
    if alarm.body is not None:
        query = select(col.id).where(
            col.device == alarm.device, col.kind == alarm.kind, col.body == alarm.body
        )
        known = db.execute(query).scalar_one_or_none()
        if known is not None:
            count(db, known)
            return int(known)
    values = {
        "at_ns": now_ns,
        "device": alarm.device,
        "table_id": alarm.table,
        "kind": alarm.kind,
        "priority": _priority(alarm),
        "first_up": _first_up(db, alarm, now_ns),
        "round_id": alarm.round,
        "code": alarm.code,
        "text": alarm.text,
        "raw": alarm.raw,
        "body": alarm.body,
        "repeats": 0,
    }
    number = int(db.execute(insert(alarms).values(**values).returning(col.id)).scalar_one())
    data = {"alarm": number, "kind": alarm.kind, "text": alarm.text, "device": alarm.device}
    data |= {"code": alarm.code, "round": alarm.round, "priority": _priority(alarm)}
    event = OutboxEvent(
        f"alarm-{number}", "tablewire.alarm.raised", f"alarm/{number}", data, alarm.table
    )
    enqueue(db, event, now_ns, event_number)
    return number


def _first_up(db: Connection, alarm: AlarmCause, now_ns: int) -> int | None:
    """Return the first alarm of the cause that a new one follows from, None if it is the first.

    An alarm never follows from a less urgent one: that would hide it.
    """
    col = alarms.c
    related = col.kind == alarm.kind
    if alarm.device is not None:
        related = or_(related, and_(col.device == alarm.device, col.kind.in_(LEADING)))
    first = alarms.alias("first")
    query = (
        select(first.c.id)
        .join(alarms, first.c.id == func.coalesce(col.first_up, col.id))
        .where(col.id > select(func.max(col.id) - _RECENT).scalar_subquery())
        .where(col.at_ns > now_ns - FIRST_UP_NS, related)
        .where(first.c.priority <= _priority(alarm))
        .order_by(col.id.desc())
        .limit(1)
    )
    number: int | None = db.execute(query).scalar_one_or_none()
    return number


def call_supervisor(ledger: Store, table: int, who: Actor, why: str) -> None:
    """Raise an alarm by which a user at a table calls a supervisor; once while it is active."""
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        device = db.execute(select(tables.c.device).where(tables.c.id == table)).scalar_one()
        raise_once(
            db, AlarmCause(CALL, f"{who.name} calls a supervisor: {why}", device, table), now_ns
        )
        audit.note(db, who, "supervisor_called", f"table {table}", now_ns, why=why)

    ledger.run(write)


def note_alone(ledger: Store, name: str, what: str, why: str) -> None:
    """Note that the command line gives a user rights without a second supervisor, with an alarm.

    what: happens to the user.
    """
    now_ns, text = ledger.clock.wall_ns(), f"user {name!r} {what} by the command line: {why}"

    def write(db: Connection) -> None:
        raise_alarm(db, AlarmCause(RIGHTS, text, None), now_ns)
        audit.note(db, Actor("command line"), "rights_alone", f"user {name}", now_ns, why=why)

    ledger.run(write)


def note_restore(ledger: Store, file: str) -> None:
    """Note that a ledger was restored from a backup: an alarm, and the numbers of its events.

    Those are above all that a management system has, and its new events have new ids.
    """
    now_ns = ledger.clock.wall_ns()
    what = f"this ledger was restored from {file}: what was played and paid after that backup is"
    what += " not in it; compare it with the management system and the cash desk"

    def write(db: Connection) -> None:
        number = number_from(db, now_ns // 1000)
        raise_alarm(db, AlarmCause(RESTORED, what, None), now_ns, number)
        audit.note(db, Actor("command line"), "ledger_restored", "ledger", now_ns, file=file)

    ledger.run(write)


def raise_once(db: Connection, wanted: AlarmCause, now_ns: int) -> None:
    """Store an alarm; while one of its kind, code and round is open for its device, count it.

    One whose cause was over is active again.
    """
    col = alarms.c
    query = select(col.id).where(
        col.device.is_not_distinct_from(wanted.device),
        col.kind == wanted.kind,
        col.table_id.is_not_distinct_from(wanted.table),
        is_open(),
        col.code.is_not_distinct_from(wanted.code),
        col.round_id.is_not_distinct_from(wanted.round),
    )
    alarm = db.execute(query.order_by(col.id.desc()).limit(1)).scalar_one_or_none()
    if alarm is None:
        raise_alarm(db, wanted, now_ns)
    else:
        count(db, alarm)


def count(db: Connection, number: int) -> None:
    """Count a repeat of an alarm; the cause of an open one is active again if it was over."""
    col = alarms.c
    is_past = col.normal_ns.is_not(None)
    values = {name: case((is_past, col[name])) for name in ("cleared_ns", "cleared_by")}
    db.execute(update(alarms).where(col.id == number).values(repeats=col.repeats + 1, **values))


def clear(
    db: Connection,
    now_ns: int,
    kinds: Collection[str],
    *,
    device: int | None = None,
    table: int | None = None,
    round_key: int | None = None,
    code: int | None = None,
    but: Collection[int] = (),
    by: Actor | None = None,
) -> None:
    """Note that the cause of alarms is over.

    device, table, round_key, code: those of the alarms, None: any. but: codes whose cause is not.
    by: the user who ended it, None: the ledger learned it. An alarm that is not urgent, or was
    acknowledged, is back to normal.
    """
    col = alarms.c
    wanted = {col.device: device, col.table_id: table, col.round_id: round_key, col.code: code}
    same = [column == value for column, value in wanted.items() if value is not None]
    if but:
        same.append(or_(col.code.is_(None), col.code.not_in(but)))
    query = select(col.id).where(is_open(), col.cleared_ns.is_(None), col.kind.in_(kinds), *same)
    numbers = list(db.execute(query).scalars())
    if numbers:
        end(db, numbers, now_ns, by)


def end(db: Connection, numbers: Sequence[int], now_ns: int, by: Actor | None = None) -> None:
    """Note that the cause of alarms is over. by: see `clear`."""
    col, user = alarms.c, None if by is None else by.user
    is_done = or_(col.acknowledged_ns.is_not(None), col.priority >= MEDIUM)
    values = {"cleared_ns": now_ns, "cleared_by": user}
    ended = (
        update(alarms)
        .where(col.id.in_(numbers))
        .values(**values, normal_ns=case((is_done, now_ns)))
        .returning(col.id, col.table_id, col.kind, col.repeats)
    )
    for row in sorted(db.execute(ended)):
        data = {"alarm": row.id, "kind": row.kind, "user": user}
        name, subject = f"alarm-cleared-{row.id}-{row.repeats}", f"alarm/{row.id}"
        event = OutboxEvent(name, "tablewire.alarm.cleared", subject, data, row.table_id)
        enqueue(db, event, now_ns)


def stop(db: Connection, alarm: AlarmCause, now_ns: int) -> int:
    """Store an alarm and stop its device: no bets and no settlement until it is released."""
    number = raise_alarm(db, alarm, now_ns)
    values = {"device": alarm.device, "since_ns": now_ns, "reason": alarm.text, "alarm_id": number}
    insert_new(db, stops, values)
    for table in db.execute(select(tables.c.id).where(tables.c.device == alarm.device)).scalars():
        close_bets(db, table, "stopped", now_ns)
    return number


# Built once: these run with every bet, and building them takes longer than executing them.
_STOPPED = select(stops.c.reason).where(
    stops.c.device == bindparam("device"), stops.c.released_ns.is_(None)
)
_UNREAD = (
    select(alarms.c.text)
    .join(unread_records, unread_records.c.alarm_id == alarms.c.id)
    .where(
        unread_records.c.device == bindparam("device"),
        unread_records.c.closed_ns.is_(None),
        unread_records.c.counts == 1,
    )
    .order_by(unread_records.c.boot, unread_records.c.counter)
    .limit(1)
)
_UNSEEN = (
    select(alarms.c.id)
    .where(alarms.c.acknowledged_ns.is_(None), alarms.c.kind == bindparam("kind"))
    .order_by(alarms.c.id.desc())
    .limit(1)
)


def stopped(db: Connection, device: int) -> str | None:
    """Return why a device is stopped, None if it is not; an unread record stops it too."""
    reason: str | None = db.execute(_STOPPED, {"device": device}).scalar_one_or_none()
    return reason or not_understood(db, device)


def not_understood(db: Connection, device: int) -> str | None:
    """Return the text about the oldest unread record of a device, None if there is none."""
    text: str | None = db.execute(_UNREAD, {"device": device}).scalar_one_or_none()
    return text


def active_alarm(db: Connection, device: int, kind: str) -> int | None:
    """Return the alarm of that kind for which a device is stopped now."""
    query = (
        select(alarms.c.id)
        .join(stops, stops.c.alarm_id == alarms.c.id)
        .where(stops.c.device == device, stops.c.released_ns.is_(None), alarms.c.kind == kind)
    )
    alarm: int | None = db.execute(query).scalar_one_or_none()
    return alarm


def unseen(db: Connection, kind: str) -> int | None:
    """Return the newest alarm of a kind that is not acknowledged, None if there is none."""
    alarm: int | None = db.execute(_UNSEEN, {"kind": kind}).scalar_one_or_none()
    return alarm


def acknowledge(ledger: Store, alarm: int, user: Actor, why: str) -> None:
    """Acknowledge an alarm as a named user. Raises LedgerRejection."""
    acknowledge_all(ledger, [alarm], user, why)


def acknowledge_all(ledger: Store, wanted: Sequence[int], user: Actor, why: str) -> None:
    """Acknowledge alarms as a named user: all of them, or none. Raises LedgerRejection.

    A cause of which the ledger learns the end remains until then; every other is over.
    """
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        _verify_user(user, why)
        col = alarms.c
        lasts = or_(col.kind.in_(_WITH_END), _stops_a_device())
        is_over = or_(col.cleared_ns.is_not(None), ~lasts, col.priority.is_(None))
        for number in sorted(set(wanted)):
            done = db.execute(
                update(alarms)
                .where(col.id == number, col.acknowledged_ns.is_(None))
                .values(
                    acknowledged_ns=now_ns,
                    acknowledged_by=user.user,
                    note=why,
                    cleared_ns=case((is_over, func.coalesce(col.cleared_ns, now_ns))),
                    normal_ns=case((is_over, func.coalesce(col.normal_ns, now_ns))),
                )
                .returning(col.table_id, col.kind)
            ).one_or_none()
            if done is None:
                raise _not_so(number, "not acknowledged")
            audit.note(db, user, "alarm_acknowledged", f"alarm {number}", now_ns, note=why)
            data = {"alarm": number, "kind": done.kind, "user": user.user, "note": why}
            name, subject = f"alarm-acknowledged-{number}", f"alarm/{number}"
            kind = "tablewire.alarm.acknowledged"
            enqueue(db, OutboxEvent(name, kind, subject, data, done.table_id), now_ns)

    ledger.run(write)


_WITH_END = [name for name, kind in KINDS.items() if kind.has_end]


def _stops_a_device() -> ColumnElement[bool]:
    """Return the condition that a device is stopped for an alarm."""
    standing = select(stops.c.id).where(
        stops.c.alarm_id == alarms.c.id, stops.c.released_ns.is_(None)
    )
    return standing.exists()


def shelve(ledger: Store, wanted: Sequence[int], minutes: int, user: Actor, why: str) -> None:
    """Set alarms aside for some minutes as a named user: all of them, or none.

    What is urgent is never shelved. Raises LedgerRejection.
    """
    if not 1 <= minutes <= LONGEST_SHELF_MINUTES:
        what = f"an alarm is shelved for 1 to {LONGEST_SHELF_MINUTES} minutes, not {minutes}"
        step = "choose a shorter time; shelve it again when that is over"
        raise LedgerRejection("too_long", what, step, "minutes")
    until_ns = ledger.clock.wall_ns() + minutes * 60 * NS
    values = {"shelved_until_ns": until_ns, "shelved_by": user.user, "shelved_why": why}
    col = alarms.c
    is_allowed = func.coalesce(col.priority, URGENT) > URGENT
    _change_open(
        ledger, wanted, user, why, ("alarm_shelved", values, is_allowed, "open and below urgent")
    )


def unshelve(ledger: Store, wanted: Sequence[int], user: Actor, why: str) -> None:
    """End the shelving of alarms as a named user: all of them, or none. Raises LedgerRejection."""
    now_ns = ledger.clock.wall_ns()
    values = {"shelved_until_ns": now_ns, "shelved_by": user.user, "shelved_why": why}
    is_shelved = alarms.c.shelved_until_ns > now_ns
    _change_open(ledger, wanted, user, why, ("alarm_unshelved", values, is_shelved, "shelved"))


def clear_by_hand(ledger: Store, wanted: Sequence[int], user: Actor, why: str) -> None:
    """Note as a named user that the cause of alarms is over, where the ledger missed its end.

    All of them, or none. A device that is stopped is released instead. Raises LedgerRejection.
    """
    now_ns = ledger.clock.wall_ns()
    is_allowed = and_(alarms.c.cleared_ns.is_(None), ~_stops_a_device())
    change: _Change = ("alarm_cleared", {}, is_allowed, "active and without a stopped device")
    _change_open(ledger, wanted, user, why, change, lambda db, ids: end(db, ids, now_ns, user))


_Change = tuple[str, Mapping[str, object], ColumnElement[bool], str]
"""Name in the audit log, new values, condition of a row, and the same in words."""


def _change_open(
    ledger: Store,
    wanted: Sequence[int],
    user: Actor,
    why: str,
    change: _Change,
    then: Callable[[Connection, Sequence[int]], None] = lambda db, numbers: None,
) -> None:
    action, values, condition, name = change
    now_ns, col, numbers = ledger.clock.wall_ns(), alarms.c, sorted(set(wanted))

    def write(db: Connection) -> None:
        _verify_user(user, why)
        for number in numbers:
            here = and_(col.id == number, is_open(), condition)
            # Set to what it is where nothing else changes: that locks the row.
            changed = update(alarms).where(here).values({"repeats": col.repeats, **values})
            if not db.execute(changed).rowcount:
                raise _not_so(number, name)
            audit.note(db, user, action, f"alarm {number}", now_ns, why=why)
        then(db, numbers)

    ledger.run(write)


def _not_so(number: int, name: str) -> LedgerRejection:
    what = f"alarm {number} is not there, or it is not {name}"
    return LedgerRejection("no_such_alarm", what, "see the list of alarms", "alarm")


def end_stop(db: Connection, device: int, user: Actor, why: str, now_ns: int) -> None:
    """Release a stopped device; the stop stays on record. Raises LedgerRejection."""
    _verify_user(user, why)
    col = stops.c
    done = db.execute(
        update(stops)
        .where(col.device == device, col.released_ns.is_(None))
        .values(released_ns=now_ns, released_by=user.user, released_why=why)
    )
    unread = unread_records.c
    let_go = db.execute(
        update(unread_records)
        .where(unread.device == device, unread.closed_ns.is_(None))
        .values(closed_ns=now_ns, closed_by="released", released_by=user.user, released_why=why)
    )
    if not done.rowcount and not let_go.rowcount:
        raise LedgerRejection(
            "not_stopped", f"device {device} is not stopped", "see its alarms", "device"
        )
    clear(db, now_ns, _STOPPING, device=device, by=user)
    audit.note(db, user, "device_released", f"device {device}", now_ns, why=why)


_STOPPING = (CONFLICT, TAMPER, PROGRAM, BOOT_FELL, UNSETTLED, NOT_UNDERSTOOD)
"""Over when a user releases the device."""


def _verify_user(user: Actor, why: str) -> None:
    if user.user is None:
        raise LedgerRejection("user_needed", "a named user has to do this", "log in", "user")
    if not why.strip():
        raise LedgerRejection("reason_needed", "a reason is needed", "say why", "why")

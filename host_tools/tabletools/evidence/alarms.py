"""Alarms and stops. Works on an open transaction, except for the actions of a named user."""

from typing import NamedTuple

from sqlalchemy import Connection, bindparam, insert, select, update

from tabletools.evidence.tables import close_bets
from tabletools.store import audit
from tabletools.store.audit import Actor
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.outbox import OutboxEvent, enqueue, number_from
from tabletools.store.rows import insert_new
from tabletools.store.schema.evidence import alarms, stops, unread_records
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
BELOW_ZERO = "balance_below_zero"
METER_MOVED = "meter_moved"
PICTURE = "picture_not_confirmed"
RIGHTS = "rights"
RESTORED = "restored"
PIN_GUESSED = "pin_guessed"
CALL = "supervisor_called"
KINDS = (
    CONFLICT,
    UNEXPECTED,
    LINK_LOST,
    FAULT,
    TAMPER,
    BOOT_FELL,
    PROGRAM,
    UNENDED,
    UNSETTLED,
    VOID_HELD,
    LATE_BET,
    LATE_WITHDRAWAL,
    CLOCK_STEP,
    DEVICE_CLOCK,
    LINK_STALE,
    NOT_UNDERSTOOD,
    CONFIGURATION,
    NO_WALK,
    BELOW_ZERO,
    METER_MOVED,
    PICTURE,
    RIGHTS,
    RESTORED,
    PIN_GUESSED,
    CALL,
)


class Found(NamedTuple):
    """A condition that an operator must look at. raw, body: of a frame that was refused."""

    kind: str
    text: str
    device: int | None
    table: int | None = None
    round: int | None = None
    code: int | None = None
    raw: bytes | None = None
    body: bytes | None = None


def raise_alarm(db: Connection, alarm: Found, now_ns: int, event_number: int | None = None) -> int:
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
        "round_id": alarm.round,
        "code": alarm.code,
        "text": alarm.text,
        "raw": alarm.raw,
        "body": alarm.body,
        "repeats": 0,
    }
    number = int(db.execute(insert(alarms).values(**values).returning(col.id)).scalar_one())
    data = {"alarm": number, "kind": alarm.kind, "text": alarm.text, "device": alarm.device}
    data |= {"code": alarm.code, "round": alarm.round}
    event = OutboxEvent(
        f"alarm-{number}", "tablewire.alarm.raised", f"alarm/{number}", data, alarm.table
    )
    enqueue(db, event, now_ns, event_number)
    return number


def call_supervisor(ledger: Store, table: int, who: Actor, why: str) -> None:
    """Raise an alarm by which a user at a table calls a supervisor; once while it is active."""
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        device = db.execute(select(tables.c.device).where(tables.c.id == table)).scalar_one()
        raise_once(db, Found(CALL, f"{who.name} calls a supervisor: {why}", device, table), now_ns)
        audit.note(db, who, "supervisor_called", f"table {table}", now_ns, why=why)

    ledger.run(write)


def note_alone(ledger: Store, name: str, what: str, why: str) -> None:
    """Note that the command line gives a user rights without a second supervisor, with an alarm.

    what: happens to the user.
    """
    now_ns, text = ledger.clock.wall_ns(), f"user {name!r} {what} by the command line: {why}"

    def write(db: Connection) -> None:
        raise_alarm(db, Found(RIGHTS, text, None), now_ns)
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
        raise_alarm(db, Found(RESTORED, what, None), now_ns, number)
        audit.note(db, Actor("command line"), "ledger_restored", "ledger", now_ns, file=file)

    ledger.run(write)


def raise_once(db: Connection, wanted: Found, now_ns: int) -> None:
    """Store an alarm; while one of its kind, code and round is active for its device, count it."""
    col = alarms.c
    query = select(col.id).where(
        col.device == wanted.device,
        col.kind == wanted.kind,
        col.acknowledged_ns.is_(None),
        col.code.is_not_distinct_from(wanted.code),
        col.round_id.is_not_distinct_from(wanted.round),
    )
    alarm = db.execute(query.order_by(col.id.desc()).limit(1)).scalar_one_or_none()
    if alarm is None:
        raise_alarm(db, wanted, now_ns)
    else:
        count(db, alarm)


def count(db: Connection, number: int) -> None:
    """Count a repeat of an alarm."""
    statement = update(alarms).where(alarms.c.id == number)
    db.execute(statement.values(repeats=alarms.c.repeats + 1))


def stop(db: Connection, alarm: Found, now_ns: int) -> int:
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


def acknowledge(ledger: Store, alarm: int, user: Actor, text: str) -> None:
    """Acknowledge an alarm as a named user; its cause remains. Raises LedgerRejection."""
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        _verify_user(user, text)
        col = alarms.c
        done = db.execute(
            update(alarms)
            .where(col.id == alarm, col.acknowledged_ns.is_(None))
            .values(acknowledged_ns=now_ns, acknowledged_by=user.user, note=text)
        )
        if not done.rowcount:
            what = f"alarm {alarm} is not active"
            raise LedgerRejection("no_such_alarm", what, "see the list of alarms", "alarm")
        audit.note(db, user, "alarm_acknowledged", f"alarm {alarm}", now_ns, note=text)

    ledger.run(write)


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
    audit.note(db, user, "device_released", f"device {device}", now_ns, why=why)


def _verify_user(user: Actor, why: str) -> None:
    if user.user is None:
        raise LedgerRejection("user_needed", "a named user has to do this", "log in", "user")
    if not why.strip():
        raise LedgerRejection("reason_needed", "a reason is needed", "say why", "why")

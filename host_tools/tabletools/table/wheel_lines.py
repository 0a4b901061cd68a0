"""Rounds of a wheel that reports on a status line; nothing on that line is authenticated.

Its opening and its no-more-bets open and close the bets. Its number settles a round only where
the terms of the table say so (`trust_status_line`); else it raises an alarm and two named users
rule. The lines that led to it are in the audit log, and `verify` compares the settlement with
them.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, Select, select

from tabletools.evidence import alarms
from tabletools.evidence import tables as casino
from tabletools.evidence.alarms import AlarmCause
from tabletools.evidence.rounds import RoundRow
from tabletools.money import outcome_in_force
from tabletools.store import audit, removals
from tabletools.store.audit import Actor
from tabletools.store.clock import MS
from tabletools.store.database import Lease, Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema import play
from tabletools.store.schema.books import outbox
from tabletools.store.schema.people import audit_log
from tabletools.table import bet_windows, judging, settling, shell
from tabletools.table.settling import Decision
from tabletools.table.shell import Turn

MOST_BET_MS = 120_000
RESULT = "line_result"  # in the audit log
_WHO = Actor("wheel status line")


class _Note(msgspec.Struct):
    """What the audit log has of a result of the line. is_closed: None of release 1.0."""

    outcome: dict[str, Any]
    is_closed: bool | None = None


class Face(NamedTuple):
    """State of a table for a display. settled: the newest settled round. pocket: its outcome in
    force, None for a void or a game without pockets. generation: of that outcome, 0 for none."""

    is_enabled: bool
    round: int | None
    bets_open: bool
    settled: int | None
    pocket: str | None
    generation: int


def open_round(ledger: Store, lease: Lease) -> int:
    """Begin a round when the wheel opens bets; they open unless something forbids it.

    Returns the round. Raises LedgerRejection, LostLease, StoreError.
    """

    def write(turn: Turn) -> tuple[int, str]:
        device = _device(turn)
        number = turn.state.newest_number + 1
        opened = judging.begin(turn, device, number, (turn.table, turn.shared.terms))
        settling.carry(turn)
        why = bet_windows.why_barred(turn, opened)
        why = why or bet_windows.why_waiting(turn, device, opened.id)
        cause = why or "status_line"
        turn.set_bets(is_open=not why, cause=cause, round_id=opened.id)
        turn.state.renew_stakes()
        more: dict[str, object] = {"bets_open": not why, "cause": cause}
        bet_windows.announce(turn, opened, bet_windows.OPENED, more)
        return opened.id, why

    key, why = shell.run(ledger, lease, write)
    if not why:
        ledger.note_opening(lease.table, key, MOST_BET_MS * MS)
    return key


def close_round(ledger: Store, lease: Lease, key: int) -> None:
    """Close the bets of a round; a repeat changes nothing. Raises LostLease, StoreError."""

    def write(turn: Turn) -> None:
        turn.close_bets("status_line")
        if not _is_closed(turn.db, key):
            closed = judging.by_key(turn, key)
            bet_windows.announce(turn, closed, bet_windows.CLOSED, {})

    shell.run(ledger, lease, write)


def end_round(
    ledger: Store,
    lease: Lease,
    key: int,
    outcome: Mapping[str, object],
    lines: Sequence[str],
) -> bool:
    """Enter the outcome that the wheel reported; returns whether that settled the round.

    outcome: as `settle` reads it. Raises LedgerRejection, LostLease, StoreError.
    """

    def write(turn: Turn) -> bool:
        turn.close_bets("status_line")
        db, now_ns = turn.db, turn.now_ns
        ended = judging.by_key(turn, key)
        if ended.settled:
            return False  # two users ruled meanwhile, or it is a repeat
        if db.execute(_notes(key)).first() is not None:
            return False
        is_closed = _is_closed(db, key)
        details = {"outcome": dict(outcome), "lines": list(lines), "is_closed": is_closed}
        audit.note(db, _WHO, RESULT, f"round {key}", now_ns, **details)
        is_trusted = _trusts_line(db, ended.terms) and alarms.stopped(db, ended.device) is None
        stakes = [bet.stake for bet in ended.in_play()]
        is_undone = "void" in outcome and bool(stakes) and is_closed
        if is_trusted and not is_undone:
            settling.settle(turn, ended, Decision(outcome, "void" in outcome))
            return True
        text, kind = f"the status line says {json.dumps(dict(outcome))}", alarms.UNEXPECTED
        if is_trusted:
            kind = alarms.VOID_HELD
            text += f" after no more bets; {sum(stakes)} cents are held until two users rule"
        else:
            text += ": not authenticated, two users rule"
        alarm = AlarmCause(kind, text, ended.device, lease.table, key)
        alarms.raise_alarm(db, alarm, now_ns)
        return False

    return shell.run(ledger, lease, write)


def doubt_round(
    ledger: Store, lease: Lease, key: int | None, why: str, lines: Sequence[str] = ()
) -> None:
    """Close bets and refer a round to two users: the line does not say what its outcome is.

    key None: of no round, only an alarm. Raises LostLease, StoreError.
    """
    now_ns = ledger.clock.wall_ns()

    def write(turn: Turn) -> None:
        if key is not None:
            turn.close_bets("status_line")
            details = {"why": why, "lines": list(lines)}
            audit.note(turn.db, _WHO, "line_doubt", f"round {key}", now_ns, **details)
        alarm = AlarmCause(alarms.UNEXPECTED, why, _device(turn), lease.table, key)
        alarms.raise_alarm(turn.db, alarm, now_ns)

    shell.run(ledger, lease, write)


def _trusts_line(db: Connection, terms: int | None) -> bool:
    """Whether terms settle a round by what the line reports. terms: their row."""
    if terms is None:
        return False
    return casino.terms_at(db, terms).options.get("trust_status_line") is True


def reported_outcome(db: Connection, row: RoundRow) -> str | None:
    """Return the stored outcome that the line reported, if the terms let it settle the round."""
    detail = db.execute(_notes(row.id)).scalar_one_or_none()
    if detail is None or not _trusts_line(db, row.terms):
        return None
    return json.dumps(msgspec.json.decode(detail, type=_Note).outcome)


def face(db: Connection, table: int) -> Face:
    """Return the state of a table for a display. Works on an open transaction."""
    state = casino.state_of(db, table)
    round_col = play.rounds.c
    enabled = db.execute(select(play.tables.c.enabled).where(play.tables.c.id == table))
    query = (
        select(round_col.id, round_col.settled, outcome_in_force.OUTCOME.label("outcome"))
        .select_from(outcome_in_force.joined(play.rounds))
        .where(round_col.table_id == table, round_col.settled > 0)
        .order_by(round_col.id.desc())
        .limit(1)
    )
    row = db.execute(query).one_or_none()
    is_enabled = bool(enabled.scalar_one())
    if row is None:
        return Face(is_enabled, state.round, state.bets_open, None, None, 0)
    pocket = json.loads(row.outcome).get("pocket")
    shown = None if pocket is None else str(pocket)
    return Face(is_enabled, state.round, state.bets_open, int(row.id), shown, row.settled)


def is_late_void(db: Connection, key: int) -> bool:
    """Whether the line reported a void after no more bets."""
    text = db.execute(_notes(key)).scalar_one_or_none()
    note = None if text is None else msgspec.json.decode(text, type=_Note)
    if note is None or "void" not in note.outcome:
        return False
    if note.is_closed is not None:
        return note.is_closed
    # Of release 1.0: the event says it, or was removed since.
    return _is_closed(db, key) or removals.of_table(db, outbox).entry > 0


def _is_closed(db: Connection, key: int) -> bool:
    """Whether the line reported no more bets in a round that is not over."""
    event = select(outbox.c.id).where(outbox.c.event_id == f"{bet_windows.CLOSED}-{key}")
    return db.execute(event).first() is not None


def _device(turn: Turn) -> int:
    device = turn.shared.device
    if device is None:
        what = f"table {turn.table} has no device number, which its rounds are counted under"
        raise LedgerRejection("no_device", what, "give it one that no controller has", "device")
    return device


def _notes(key: int) -> Select[tuple[str]]:
    col = audit_log.c
    return select(col.detail).where(col.action == RESULT, col.subject == f"round {key}").limit(1)

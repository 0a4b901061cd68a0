"""When the bets of a table open and close, according to its records. Works on an open transaction.

Only a round_opened record opens bets, never a timeout: at that moment the host must trust the
table, and the record must be of the newest round, with no active fault, no stop and no earlier
stake that waits for a ruling.
"""

from sqlalchemy import Connection, exists, select

from tablespec.names import NAMES
from tabletools.evidence import alarms, rounds, second_readings, unread
from tabletools.evidence import tables as casino
from tabletools.evidence.alarms import Found
from tabletools.evidence.tables import State
from tabletools.money import referring, settling
from tabletools.store.clock import MS
from tabletools.store.database import Store
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.store.schema import play
from tablewire import messages as m
from tablewire.codec import Frame

_MOST_BET_AT = 2  # place of max_bet_ms in round_opened
# Why a host does not trust a table: its device runs in another boot, or is not connected yet; the
# program of this boot was not attested here; its configuration was not read in this boot, or does
# not fit the terms; no passed walk proves it with that configuration; its last frame is more than
# 1 s old.
NOT_LIVE, NOT_ATTESTED, LINK_STALE = "not_live", "not_attested", alarms.LINK_STALE
CONFIGURATION, NO_WALK = alarms.CONFIGURATION, alarms.NO_WALK
RECORDED_CLOSED = NAMES[m.BETS_CLOSED]
"""The round was closed or ended by its records, whatever the state of the table is."""
PICTURE_AWAITED = "picture_awaited"
"""The host has not read the picture of an earlier result yet."""
OPENED, CLOSED = "tablewire.round.opened", "tablewire.bets.closed"


def follow(
    ledger: Store, db: Connection, table: int, kept: tuple[Frame, int], *, doubt: str
) -> None:
    """Open or close the bets of a table according to a new valid record.

    kept: the frame and the number of its row. doubt: why this host does not trust the table now,
    empty if it does.
    """
    frame, record = kept
    now_ns = ledger.clock.wall_ns()
    row = rounds.find(db, frame.device, frame.round)
    key = None if row is None or row["table_id"] != table else int(row["id"])
    state = casino.state_of(db, table)
    if key is not None and row is not None and rounds.is_begun_by(row, record):
        settling.carry(db, table, now_ns)
    if frame.type == m.ROUND_OPENED:
        if key is not None and (state.round is None or key > state.round):
            _open(ledger, db, State(table, key, False, "", now_ns), frame, doubt)
        return
    is_first = row is not None and row["closed"] == record
    if frame.type == m.BETS_CLOSED and is_first and row is not None and key is not None:
        if not row["settled"]:
            referring.refer_unproved(db, row, frame, now_ns)
            referring.report_unproved_withdrawals(db, row, record, now_ns)
        announce(db, table, key, CLOSED, {}, now_ns)
    is_end = frame.type in (m.BETS_CLOSED, *m.ROUND_ENDS)
    is_present = key is None or state.round is None or key >= state.round
    if frame.type == m.FAULT_RAISED or (is_end and is_present):
        casino.close_bets(db, table, NAMES[frame.type], now_ns)


def _open(ledger: Store, db: Connection, state: State, frame: Frame, doubt: str) -> None:
    table, key, now_ns = state.table, state.round, state.since_ns
    assert key is not None
    why = _why_not(db, (table, key), frame, doubt, now_ns)
    cause = why or NAMES[frame.type]
    casino.set_state(db, state._replace(bets_open=not why, cause=cause))
    announce(db, table, key, OPENED, {"bets_open": not why, "cause": cause}, now_ns)
    if why == LINK_STALE:
        alarms.raise_once(db, stale(frame.device, state), now_ns)
    if not why:
        ledger.note_opening(table, key, frame.values[_MOST_BET_AT] * MS)


def stale(device: int | None, state: State) -> Found:
    """The alarm of a table whose frames are too old to accept bets."""
    text = "nothing proves that the state of the table is less than 1 s old: frames are delayed,"
    text += " lost or held back; look at its line, bets open again with the next round"
    return Found(alarms.LINK_STALE, text, device, state.table, state.round)


def _why_not(db: Connection, name: tuple[int, int], frame: Frame, doubt: str, now_ns: int) -> str:
    """Why a round_opened does not open the bets here, empty if it does. name: table, round."""
    device = frame.device
    if doubt == NOT_LIVE:
        return doubt
    if frame.flags & m.FLAG_RETRANSMITTED:
        return "opening_repeated"  # the record may be old, and the ball launched long ago
    barred = why_barred(db, device) or doubt
    if barred:
        return barred
    if rounds.active_faults(db, device, (frame.boot, frame.counter)):
        return "fault"
    if not rounds.is_newest(db, device, frame.round):
        return "round_over"
    table, key = name
    return why_waiting(db, table, device, key, now_ns)


def why_barred(db: Connection, device: int) -> str:
    """Why bets must not open at the table of a device, whatever it sends; empty if they may."""
    row = casino.table_of(db, device)
    if row is None or not row["enabled"]:
        return "table_disabled"
    if alarms.not_understood(db, device) is not None:
        return unread.CAUSE
    if alarms.stopped(db, device) is not None:
        return "stopped"
    return ""


def why_waiting(db: Connection, table: int, device: int, key: int, now_ns: int) -> str:
    """Why stakes of an earlier round are still open; empty if there are none.

    With an alarm, unless the picture of its result is being read.
    """
    before = _unended(db, table, key)
    if before is None:
        return ""
    if second_readings.is_awaited(db, before):
        return PICTURE_AWAITED
    text = f"round {before} has bets and was never settled: its stakes wait for a ruling"
    alarms.raise_alarm(db, Found(alarms.UNENDED, text, device, table, before), now_ns)
    return "round_unended"


def _unended(db: Connection, table: int, before: int) -> int | None:
    """Return the newest round of a table before one that has stakes and was never settled.

    A bet that was withdrawn or ruled invalid has none: its money is back, and no ruling ends it.
    """
    at = play.rounds.c
    is_back = exists().where(play.withdrawals.c.bet_id == play.bets.c.id)
    has_bets = exists().where(play.bets.c.round_id == at.id, ~is_back)
    query = (
        select(at.id)
        .where(at.table_id == table, at.id < before, at.settled == 0, has_bets)
        .order_by(at.id.desc())
        .limit(1)
    )
    found: int | None = db.execute(query).scalar_one_or_none()
    return found


def announce(
    db: Connection, table: int, key: int, kind: str, more: dict[str, object], now_ns: int
) -> None:
    """Enqueue the event that the bets of a round opened or closed. kind: OPENED or CLOSED."""
    row = rounds.by_key(db, key)
    assert row is not None
    data = {"round": key, "device": row["device"], "number": row["number"], "table": table}
    enqueue(db, OutboxEvent(f"{kind}-{key}", kind, f"round/{key}", data | more, table), now_ns)

"""When the bets of a table open and close, according to its records. Works on an open transaction.

Only a round_opened record opens bets, never a timeout: at that moment the host must trust the
table, and the record must be of the newest round, with no active fault, no stop and no earlier
stake that waits for a ruling.
"""

from tablespec.names import NAMES
from tabletools.evidence import alarms, second_readings, unread
from tabletools.evidence.alarms import Found
from tabletools.store.clock import MS
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.table import referring, settling
from tabletools.table.judging import Stored
from tabletools.table.shell import Turn
from tabletools.table.state import Round
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


def carry_into(turn: Turn, stored: Stored, entered: Round | None) -> None:
    """Carry stakes that stayed in play, if a new valid record begins a round of the table.

    Before the round is judged: its void may be held for them. entered: see follow.
    """
    if entered is None or entered.table != turn.table or not turn.state.has_live_stakes:
        return
    if {entered.opened, entered.closed, entered.ended} - {None} == {stored.row}:
        settling.carry(turn)


def follow(turn: Turn, stored: Stored, entered: Round | None, *, doubt: str) -> None:
    """Open or close the bets of a table according to a new valid record.

    entered: its round, None if it is of none. doubt: why this host does not trust the table now,
    empty if it does.
    """
    frame, record = stored.frame, stored.row
    own = entered if entered is not None and entered.table == turn.table else None
    newest = turn.state.round_id
    if frame.type == m.ROUND_OPENED:
        if own is not None and (newest is None or own.id > newest):
            _open(turn, own, frame, doubt)
        return
    if frame.type == m.BETS_CLOSED and own is not None and own.closed == record:
        if not own.settled:
            referring.refer_unproved(turn, own, frame)
            referring.report_unproved_withdrawals(turn, own, stored)
        announce(turn, own, CLOSED, {})
    is_end = frame.type in (m.BETS_CLOSED, *m.ROUND_ENDS)
    is_present = own is None or newest is None or own.id >= newest
    if frame.type == m.FAULT_RAISED or (is_end and is_present):
        turn.close_bets(NAMES[frame.type])


def _open(turn: Turn, opened: Round, frame: Frame, doubt: str) -> None:
    why = _why_not(turn, opened, frame, doubt)
    cause = why or NAMES[frame.type]
    turn.set_bets(is_open=not why, cause=cause, round_id=opened.id)
    turn.state.renew_stakes()
    announce(turn, opened, OPENED, {"bets_open": not why, "cause": cause})
    if why == LINK_STALE:
        alarms.raise_once(turn.db, stale(turn, opened.device), turn.now_ns)
    if not why:
        turn.store.note_opening(turn.table, opened.id, frame.values[_MOST_BET_AT] * MS)


def stale(turn: Turn, device: int | None) -> Found:
    """The alarm of a table whose frames are too old to accept bets."""
    text = "nothing proves that the state of the table is less than 1 s old: frames are delayed,"
    text += " lost or held back; look at its line, bets open again with the next round"
    return Found(alarms.LINK_STALE, text, device, turn.table, turn.state.round_id)


def _why_not(turn: Turn, opened: Round, frame: Frame, doubt: str) -> str:
    """Why a round_opened does not open the bets here, empty if it does."""
    if doubt == NOT_LIVE:
        return doubt
    if frame.flags & m.FLAG_RETRANSMITTED:
        return "opening_repeated"  # the record may be old, and the ball launched long ago
    barred = why_barred(turn) or doubt
    if barred:
        return barred
    if turn.active_faults((frame.boot, frame.counter)):
        return "fault"
    if opened.number != turn.state.newest_number or opened.is_over:
        return "round_over"
    return why_waiting(turn, opened.device, opened.id)


def why_barred(turn: Turn) -> str:
    """Why bets must not open at the table, whatever its device sends; empty if they may."""
    shared = turn.shared
    if shared.device is None or not shared.is_enabled:
        return "table_disabled"
    if shared.unread is not None:
        return unread.CAUSE
    return "stopped" if shared.stop is not None else ""


def why_waiting(turn: Turn, device: int, key: int) -> str:
    """Why stakes of an earlier round are still open; empty if there are none.

    With an alarm, unless the picture of its result is being read.
    """
    before = turn.state.unended_before(key)
    if before is None:
        return ""
    turn.flush()
    if second_readings.is_awaited(turn.db, before):
        return PICTURE_AWAITED
    text = f"round {before} has bets and was never settled: its stakes wait for a ruling"
    alarm = Found(alarms.UNENDED, text, device, turn.table, before)
    alarms.raise_alarm(turn.db, alarm, turn.now_ns)
    return "round_unended"


def announce(turn: Turn, opened: Round, kind: str, more: dict[str, object]) -> None:
    """Enqueue the event that the bets of a round opened or closed. kind: OPENED or CLOSED."""
    data: dict[str, object] = {"round": opened.id, "device": opened.device}
    data |= {"number": opened.number, "table": turn.table, **more}
    event = OutboxEvent(f"{kind}-{opened.id}", kind, f"round/{opened.id}", data, turn.table)
    enqueue(turn.db, event, turn.now_ns)

"""When the bets of a table open and close, according to its records. Works on an open transaction.

Only a round_opened record opens bets, never a timeout: at that moment the host must trust the
table, and the record must be of the newest round, with no active fault, no stop and no earlier
stake that waits for a ruling.

Bets that are not proved to be earlier than no-more-bets are referred: they need a ruling to be
paid. A bet is proved early if the clock of the table was known when it was accepted, and the
latest value that clock can have had is before the time of no-more-bets, in the same boot.
"""

from collections.abc import Callable

from tablespec.names import NAMES
from tabletools.evidence import alarms, second_readings, unread
from tabletools.evidence.alarms import AlarmCause
from tabletools.money.referring import named
from tabletools.store.clock import MS
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.store.rows import insert_many
from tabletools.store.schema.play import referrals
from tabletools.table import play_end, settling
from tabletools.table.clock_proof import why_unproved
from tabletools.table.judging import Stored
from tabletools.table.shell import Turn
from tabletools.table.state import REFERRED, VALID, Round
from tablewire import messages as m
from tablewire.codec import Frame

_MOST_BET_AT = 2  # place of max_bet_ms in round_opened
# Why a host does not trust a table: its device runs in another boot, or is not connected yet; the
# program of this boot was not attested here; its configuration was not read in this boot, or does
# not fit the terms; no passed walk proves it with that configuration; the host's camera does not
# show its tray; its last frame is more than 1 s old.
NOT_LIVE, NOT_ATTESTED, LINK_STALE = "not_live", "not_attested", alarms.LINK_STALE
CONFIGURATION, NO_WALK = alarms.CONFIGURATION, alarms.NO_WALK
HOST_CAMERA = alarms.HOST_CAMERA
RECORDED_CLOSED = NAMES[m.BETS_CLOSED]
"""The round was closed or ended by its records, whatever the state of the table is."""
PICTURE_AWAITED = "picture_awaited"
"""The host has not read the picture of an earlier result yet."""
OPENED, CLOSED = "tablewire.round.opened", "tablewire.bets.closed"
"""Why a bet is not proved to be earlier than no-more-bets."""


def carry_into(turn: Turn, stored: Stored, entered: Round | None) -> None:
    """Carry stakes that stayed in play, if a new valid record begins a round of the table.

    Before the round is judged: its void may be held for them. entered: see follow.
    """
    if entered is None or entered.table != turn.table or not turn.state.has_live_stakes:
        return
    if {entered.opened, entered.closed, entered.ended} - {None} == {stored.row}:
        settling.carry(turn)


def follow(turn: Turn, stored: Stored, entered: Round | None, *, doubt: Callable[[], str]) -> None:
    """Open or close the bets of a table according to a new valid record.

    entered: its round, None if it is of none. doubt: returns why this host does not trust the
    table now, empty if it does.
    """
    frame, record = stored.frame, stored.row
    own = entered if entered is not None and entered.table == turn.table else None
    newest = turn.state.round_id
    if frame.type == m.ROUND_OPENED:
        if own is not None and (newest is None or own.id > newest):
            _open(turn, own, frame, doubt())
        return
    if frame.type == m.BETS_CLOSED and own is not None and own.closed == record:
        if not own.settled:
            _refer_unproved(turn, own, frame)
            _report_unproved_withdrawals(turn, own, stored)
        announce(turn, own, CLOSED, {})
    is_end = frame.type in (m.BETS_CLOSED, *m.ROUND_ENDS)
    is_present = own is None or newest is None or own.id >= newest
    if frame.type == m.FAULT_RAISED or (is_end and is_present):
        turn.close_bets(NAMES[frame.type])


def _refer_unproved(turn: Turn, played: Round, closed: Frame) -> None:
    """Refer the bets of a round that its no-more-bets does not prove to be early, with an alarm.

    played: a round which no settlement has decided yet.
    """
    rows = []
    for number, bet in sorted(played.bets.items()):
        if not bet.is_own or bet.standing != VALID:
            continue
        if cause := why_unproved(bet.clock, closed.boot, closed.uptime_ms):
            rows.append((number, played.id, cause, turn.now_ns))
            played.bets[number] = bet._replace(standing=REFERRED)
    if not rows:
        return
    insert_many(turn.db, referrals, ("bet_id", "round_id", "cause", "at_ns"), rows)
    names, they = named([row[0] for row in rows]), "it" if len(rows) == 1 else "they"
    text = f"{names}: nothing proves that {they} came before no-more-bets"
    text += "; two users have to rule"
    alarm = AlarmCause(alarms.LATE_BET, text, closed.device, played.table, played.id)
    alarms.raise_alarm(turn.db, alarm, turn.now_ns)


def _report_unproved_withdrawals(turn: Turn, played: Round, closed: Stored) -> None:
    """Raise an alarm for bets taken back or changed not provably before no-more-bets.

    The stake is with the player, who may have played on with it, so nothing is booked.
    """
    estimate, late = closed.made_at, played.returned
    if estimate is not None:
        least_ns = estimate.at_ns - estimate.uncertainty_ns
        late = [each for each in late if each[1] >= least_ns]
    if late:
        text = f"{named([bet for bet, _ in late])}: nothing proves that the stake was taken back"
        text += " or changed before no-more-bets; it was returned"
        device = closed.frame.device
        alarm = AlarmCause(alarms.LATE_WITHDRAWAL, text, device, played.table, played.id)
        alarms.raise_alarm(turn.db, alarm, turn.now_ns)


def _open(turn: Turn, opened: Round, frame: Frame, doubt: str) -> None:
    why = _why_not(turn, opened, frame, doubt)
    cause = why or NAMES[frame.type]
    turn.set_bets(is_open=not why, cause=cause, round_id=opened.id)
    turn.state.renew_stakes()
    announce(turn, opened, OPENED, {"bets_open": not why, "cause": cause})
    if why == LINK_STALE:
        alarms.raise_once(turn.db, stale(turn, opened.device), turn.now_ns)
    if not why:
        turn.end_alarms(alarms.PLAYABLE)
        turn.store.note_opening(turn.table, opened.id, frame.values[_MOST_BET_AT] * MS)


def stale(turn: Turn, device: int | None) -> AlarmCause:
    """The alarm of a table whose frames are too old to accept bets."""
    text = "nothing proves that the state of the table is less than 1 s old: frames are delayed,"
    text += " lost or held back; look at its line, bets open again with the next round"
    return AlarmCause(alarms.LINK_STALE, text, device, turn.table)


def _why_not(turn: Turn, opened: Round, frame: Frame, doubt: str) -> str:
    """Why a round_opened does not open the bets here, empty if it does."""
    if doubt == NOT_LIVE:
        return doubt
    if frame.flags & m.FLAG_RETRANSMITTED:
        return "opening_repeated"  # the record may be old, and the ball launched long ago
    barred = why_barred(turn, opened) or doubt
    if barred:
        return barred
    if turn.active_faults((frame.boot, frame.counter)):
        return "fault"
    if opened.number != turn.state.newest_number or opened.is_over:
        return "round_over"
    return why_waiting(turn, opened.device, opened.id)


def why_barred(turn: Turn, opened: Round) -> str:
    """Why bets of a round must not open, whatever its device sends; empty if they may."""
    shared = turn.shared
    if shared.device is None or not shared.is_enabled:
        return "table_disabled"
    if shared.unread is not None:
        return unread.CAUSE
    if shared.stop is not None:
        return "stopped"
    return play_end.why_over(turn, opened.id) if shared.play_end is not None else ""


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
    alarm = AlarmCause(alarms.UNENDED, text, device, turn.table, before)
    alarms.raise_once(turn.db, alarm, turn.now_ns)
    return "round_unended"


def announce(turn: Turn, opened: Round, kind: str, more: dict[str, object]) -> None:
    """Enqueue the event that the bets of a round opened or closed. kind: OPENED or CLOSED."""
    data: dict[str, object] = {"round": opened.id, "device": opened.device}
    data |= {"number": opened.number, "table": turn.table, **more}
    event = OutboxEvent(f"{kind}-{opened.id}", kind, f"round/{opened.id}", data, turn.table)
    enqueue(turn.db, event, turn.now_ns)

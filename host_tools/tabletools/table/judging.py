"""From records to rounds: what opened, closed and ended each, whether its result is valid, and
the outcome that its game settles by.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import insert, select

from tablespec.names import NAMES
from tabletools import roles
from tabletools.evidence import (
    alarms,
    round_records,
    rounds,
    second_readings,
    voids,
)
from tabletools.evidence import tables as casino
from tabletools.evidence.alarms import AlarmCause
from tabletools.evidence.device_clock import Estimate
from tabletools.evidence.records import RecordId, StoredFields, frame_at
from tabletools.evidence.rounds import BELIEVED, PENDING, RUNNING, UNEXPECTED
from tabletools.roles import Record, shoe_round
from tabletools.rules.records import NEEDS_RULING
from tabletools.rules.violation import RuleViolation
from tabletools.store.schema import play
from tabletools.store.schema.play import results
from tabletools.table import dealer_entries, loading
from tabletools.table.frames import decoded_new
from tabletools.table.shell import Turn
from tabletools.table.state import RecordRow, Round
from tablewire.codec import Frame
from tablewire.messages import BETS_CLOSED, ROUND_ENDS, ROUND_OPENED, ROUND_VOID

_LACKS = (
    "not every record from its opening to its void is here and counts: some could not be read, "
    "came in test mode, or are with another host, since the session with the table changed and "
    "frames are missing; ask who else has its key"
)
_ROUND_RECORDS = frozenset((ROUND_OPENED, BETS_CLOSED, *ROUND_ENDS))


class ResultFacts(NamedTuple):
    """The stored facts of a round that ended with a result.

    It counts only if its opening and no-more-bets came before it, with no active fault. "Before"
    is in the order of the table's boots and counters: records may arrive late. A void pays
    nothing, and a power cut may leave it without either; so it is always valid.
    """

    opened: RecordId | None
    """Places of its records, None for a missing one."""
    closed: RecordId | None
    ended: RecordId
    faults: tuple[int, ...]
    """Codes active at the end."""
    also: str = ""
    """Other objections."""


def objections_to(facts: ResultFacts) -> list[str]:
    """The objections to the result; empty when there are none."""
    texts = []
    if facts.opened is None:
        texts.append("its round_opened is missing")
    elif facts.opened > facts.ended:
        texts.append("it came before its round_opened")
    if facts.closed is None:
        texts.append("its bets_closed is missing")
    elif facts.closed > facts.ended:
        texts.append("it came before its bets_closed")
    elif facts.opened is not None and facts.closed < facts.opened:
        texts.append("bets closed before they opened")
    texts += [f"fault {code} stood" for code in facts.faults]
    texts += [facts.also] if facts.also else []
    return texts


class Wrong(NamedTuple):
    """What is wrong with a round."""

    round: int
    text: str
    kind: str = alarms.UNEXPECTED
    """Of the alarm."""


class Stored(NamedTuple):
    """A record as it was stored."""

    frame: Frame
    fields: StoredFields
    row: RecordRow
    made_at: Estimate | None
    """When the device made it, None if that is unknown."""


def find(turn: Turn, device: int, number: int) -> Round | None:
    """Return a round by the number that its device gave it, from memory where it is there.

    One of another table is read again: its host may have settled it.
    """
    state = turn.state
    if not number:
        return None  # of no round
    known = next(
        (each for each in state.rounds.values() if (each.device, each.number) == (device, number)),
        None,
    )
    is_new = known is None and device == state.device and number > state.newest_number
    if is_new or (known is not None and known.table == turn.table):
        return known
    turn.flush()
    past = loading.read_round(turn.db, device, number)
    if past is not None:
        state.rounds[past.id] = past  # something may be to come of it now
    return past


def find_by_key(turn: Turn, key: int) -> Round | None:
    """Return a round by its row, from memory where it is there; None if there is none.

    One of another device is read again: the host that has the device now may have entered records.
    """
    state = turn.state
    known = state.rounds.get(key)
    if known is not None and known.device == state.device:
        return known
    turn.flush()
    fresh = loading.read_by_key(turn.db, key)
    if known is not None and fresh is not None:
        state.rounds[key] = fresh
    return fresh


def by_key(turn: Turn, key: int) -> Round:
    """Return a round that exists by its row."""
    known = find_by_key(turn, key)
    assert known is not None
    return known


def other_end(turn: Turn, frame: Frame, payload: str) -> str | None:
    """Return the end of a round that a record ends differently, as text; None if it does not."""
    if frame.type not in ROUND_ENDS:
        return None
    ended_round = find(turn, frame.device, frame.round)
    end = None if ended_round is None else ended_round.ended
    if ended_round is None or end is None or ended_round.end_type is None:
        return None
    if (ended_round.end_type, ended_round.end_payload) == (frame.type, payload):
        return None
    kind = NAMES[ended_round.end_type]
    boot, counter = end.place
    return f"{kind} {ended_round.end_payload} (boot {boot} counter {counter})"


def enter(turn: Turn, stored: Stored) -> tuple[Round | None, list[Wrong]]:
    """Enter a valid record in its round; returns the round, and what is wrong if the record has
    no place there.
    """
    frame = stored.frame
    if frame.type not in _ROUND_RECORDS:
        return find(turn, frame.device, frame.round), []
    entered = find(turn, frame.device, frame.round) or _begin(turn, frame)
    rows = {ROUND_OPENED: entered.opened, BETS_CLOSED: entered.closed}
    if rows.get(frame.type, entered.ended) is not None:
        if frame.type == ROUND_VOID:
            return entered, []  # the same void again: sent twice after a power cut
        return entered, [Wrong(entered.id, f"a second {NAMES[frame.type]} of the round")]
    turn.change(entered)
    if frame.type == ROUND_OPENED:
        entered.opened = stored.row
        entered.opening = decoded_new(frame, stored.fields)
        return entered, []
    if frame.type == BETS_CLOSED:
        entered.closed, entered.close_payload = stored.row, stored.fields.payload
        return entered, []
    return entered, _end(turn, entered, stored)


def _end(turn: Turn, ended: Round, stored: Stored) -> list[Wrong]:
    frame = stored.frame
    ended.ended, ended.ending = stored.row, decoded_new(frame, stored.fields)
    ended.end_type, ended.end_payload = frame.type, stored.fields.payload
    wrong = []
    if ended.settled:
        text = f"{NAMES[frame.type]} of round {frame.round} came after two users had ruled on it"
        wrong.append(Wrong(ended.id, f"{text}: where it says otherwise, correct the round"))
    ended.verdict = PENDING
    return wrong


def _void_may_pay(turn: Turn, ended: Round) -> bool:
    """Whether a void may leave bets won or lost; without terms it is unknown what was played."""
    game = turn.played_by(ended.terms).game
    return game is None or roles.is_card_game(game)


def _begin(turn: Turn, frame: Frame) -> Round:
    """Create the round of a record, with the present terms of the table of its device."""
    shared, db = turn.shared, turn.db
    if frame.device == shared.device:
        return begin(turn, frame.device, frame.round, (turn.table, shared.terms))
    row = casino.table_of(db, frame.device)
    table = None if row is None else row.id
    terms = None if table is None else casino.newest_terms(db, table)
    return begin(turn, frame.device, frame.round, (table, terms))


def begin(turn: Turn, device: int, number: int, at: tuple[int | None, int | None]) -> Round:
    """Create a round. number: as the device counts. at: its table and the row of its terms."""
    state, (table, terms) = turn.state, at
    values = {
        "device": device,
        "number": number,
        "table_id": table,
        "terms_id": terms,
        "verdict": RUNNING,
        "settled": 0,
    }
    statement = insert(play.rounds).values(**values).returning(play.rounds.c.id)
    key = int(turn.db.execute(statement).scalar_one())
    begun = Round(
        id=key, device=device, number=number, table=table, terms=terms, bets={}, returned=[]
    )
    state.rounds[key] = begun
    if device == state.device:
        state.newest_number = max(state.newest_number, number)
    return begun


def judge(turn: Turn, device: int) -> list[Wrong]:
    """Decide on the rounds of a device that wait for it, as far as can be decided now."""
    wrong: list[Wrong] = []
    for each in turn.state.of_device(device):
        if each.settled or each.verdict != PENDING or _must_wait(turn, each):
            continue
        records = _records_of(turn, each)
        why, kind = _problems(turn, each, records), alarms.UNEXPECTED
        verdict = UNEXPECTED if why else BELIEVED
        if not why and each.end_type == second_readings.RESULT:
            verdict, why = _second_verdict(turn, each)
            kind = alarms.PICTURE
            if verdict == PENDING:
                continue
        each.verdict = verdict
        turn.change(each)
        if why:
            text = f"result of round {each.number} not valid: {why}"
            wrong.append(Wrong(each.id, text, kind))
        else:
            wrong += keep_outcome(turn, each, records)
    return wrong


def _must_wait(turn: Turn, judged: Round) -> bool:
    """Whether something may still come that changes what an ended round comes to."""
    assert judged.ended is not None
    if turn.is_missing_before(judged.ended.place):
        return True  # even for a complete round: the missing record may be a fault
    # A stake may still join a void, and then the void may be held.
    return judged.end_type == ROUND_VOID and turn.state.is_held(judged)


def _records_of(turn: Turn, judged: Round) -> Sequence[Record]:
    """Return the record that ended a round, or all of the round where others complete it."""
    assert judged.ending is not None
    if judged.end_type not in round_records.OF_PARTS:
        return [judged.ending]
    return round_records.all_of(turn.db, judged.device, judged.number)


def _problems(turn: Turn, judged: Round, records: Sequence[Record]) -> str:
    """Return what speaks against a result, "" if nothing does; a void is always valid."""
    if judged.end_type == ROUND_VOID:
        return ""
    assert judged.ended is not None
    assert judged.ending is not None
    end, played = judged.ended.place, turn.played_by(judged.terms)
    also = "; ".join(roles.objections(played, judged.opening, judged.ending, records))
    opened, closed = (None if row is None else row.place for row in (judged.opened, judged.closed))
    facts = ResultFacts(opened, closed, end, turn.active_faults(end), also)
    return "; ".join(objections_to(facts))


def _second_verdict(turn: Turn, judged: Round) -> tuple[str, str]:
    """The verdict on a result that its records justify, by what the host read in its picture."""
    if judged.terms is None:
        return BELIEVED, ""
    terms = turn.terms_at(judged.terms)
    if not second_readings.is_wanted(terms):
        return BELIEVED, ""
    reading = second_readings.of_round(turn.db, judged.id)
    if reading is None:
        return PENDING, ""
    assert judged.ending is not None
    why = second_readings.objection_by(terms, reading, judged.ending)
    return (UNEXPECTED if why else BELIEVED), why


def keep_outcome(turn: Turn, valid: Round, records: Sequence[Record]) -> list[Wrong]:
    """Store the outcome of a valid round; returns why two users have to give it, if they do.

    A round without terms has no outcome to settle; one that waits for its dealer has none yet.
    """
    if valid.terms is None:
        return []
    assert valid.ended is not None
    assert valid.end_type is not None
    is_void = valid.end_type == ROUND_VOID
    if is_void and (held := _held_void(turn, valid)):
        return [held]
    is_dealt = NAMES[valid.end_type] == shoe_round.ENDED
    entries = _dealer_entries(turn, valid) if is_dealt else {}
    if dealer_entries.LAYOUT in entries and dealer_entries.HANDS not in entries:
        return []  # it waits for what its boxes decided
    try:
        outcome = _outcome(turn, valid, records, entries)
    except RuleViolation as refusal:
        text = f"round {valid.number} waits for a ruling by two users: {refusal.what}"
        has_bets = bool(valid.bets or valid.returned) or _had_bets(turn, valid.id)
        return [Wrong(valid.id, text, alarms.UNENDED)] if has_bets else []
    text = json.dumps(outcome)
    valid.outcome, valid.is_void = outcome, is_void
    values = {
        "round_id": valid.id,
        "frame_id": valid.ended.id,
        "outcome": text,
        "is_void": int(valid.is_void),
        "at_ns": turn.now_ns,
    }
    turn.db.execute(insert(results).values(**values))
    return []


def _held_void(turn: Turn, valid: Round) -> Wrong | None:
    """Return what two users have to rule on, if a void after no more bets waits for them.

    valid: a round that ended with a void.
    """
    stakes = [bet.stake for bet in valid.in_play()]
    if not stakes:
        return None
    assert valid.ending is not None
    assert valid.terms is not None
    is_automatic = voids.is_automatic(turn.terms_at(valid.terms).options, valid.ending)
    assert valid.ended is not None
    is_later = valid.opened is not None and valid.opened.place[0] != valid.ended.place[0]
    payloads = valid.close_payload, valid.end_payload
    if is_automatic or not voids.is_late(*payloads, is_of_later_boot=is_later):
        return None
    text = f"round {valid.number} is void after no more bets: {voids.described(valid.ending)};"
    text += f" {sum(stakes)} cents are held until two users rule: it is void, or its result"
    return Wrong(valid.id, text, alarms.VOID_HELD)


def _had_bets(turn: Turn, key: int) -> bool:
    query = select(play.bets.c.id).where(play.bets.c.round_id == key).limit(1)
    return turn.db.execute(query).first() is not None


def _outcome(
    turn: Turn, valid: Round, records: Sequence[Record], entries: dealer_entries.Entries
) -> dict[str, object]:
    """Return the outcome of a round. Raises RuleViolation where its records do not decide it.

    entries: of its dealer.
    """
    assert valid.ended is not None
    assert valid.ending is not None
    if valid.end_type == ROUND_VOID and _void_may_pay(turn, valid):
        turn.flush()
        row = rounds.by_key(turn.db, valid.id)
        assert row is not None
        if round_records.lacks_records(turn.db, row, frame_at(turn.db, valid.ended.id)):
            raise RuleViolation(NEEDS_RULING, _LACKS)
    ended = valid.ending
    if valid.end_type == second_readings.RESULT and valid.terms is not None:
        reading = None
        if second_readings.is_wanted(turn.terms_at(valid.terms)):
            reading = second_readings.of_round(turn.db, valid.id)
        ended = second_readings.completed_by(ended, reading)
    if entries and valid.terms is not None:
        terms = turn.terms_at(valid.terms)
        return dealer_entries.outcome_of(terms, entries, (ended, records), valid.in_play())
    return roles.outcome_of(turn.played_by(valid.terms), ended, records)


def _dealer_entries(turn: Turn, valid: Round) -> dealer_entries.Entries:
    """Return what the dealer of a round entered, where its shoe may decide with it."""
    assert valid.ending is not None
    game = turn.played_by(valid.terms).game
    may_decide = dealer_entries.may_decide(game, valid.ending)
    return dealer_entries.of_round(turn.db, valid.id) if may_decide else {}


def raise_alarms(turn: Turn, device: int, wrong: Sequence[Wrong]) -> None:
    """Raise an alarm for each thing that is wrong with a round."""
    for key, text, kind in wrong:
        alarms.raise_alarm(turn.db, AlarmCause(kind, text, device, turn.table, key), turn.now_ns)

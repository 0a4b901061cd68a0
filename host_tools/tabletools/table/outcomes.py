"""From the record that ended a round to its outcome, by `round_outcome` and the terms in force.

Works on an open transaction. Only valid records are read.
"""

import json

from sqlalchemy import Connection, RowMapping, insert, select

from tabletools import round_outcome
from tabletools.evidence import alarms, round_records, second_readings
from tabletools.evidence.rounds import Wrong, by_key
from tabletools.rules.violation import RuleViolation
from tabletools.settle.records import NEEDS_RULING
from tabletools.store.documents import remember
from tabletools.store.schema.evidence import frames
from tabletools.store.schema.play import bets, results
from tablewire.messages import ROUND_VOID

_LACKS = (
    "not every record from its opening to its void is here and counts: some could not be read, "
    "came in test mode, or are with another host, since the session with the table changed and "
    "frames are missing; ask who else has its key"
)


def outcome_of(db: Connection, row: RowMapping, end: int) -> dict[str, object]:
    """Return the outcome of a round. row: of the round. end: number of the record that ended it.

    Raises RuleViolation where the records do not decide it: then two users rule.
    """
    ended, records = round_records.of_round(db, row, end)
    ended = second_readings.completed(db, row, ended)
    return round_outcome.outcome_of(round_records.played(db, row), ended, records)


def keep_result(db: Connection, key: int, record: int, now_ns: int) -> list[Wrong]:
    """Store the outcome of a valid round; returns why two users have to give it, if they do.

    A round without terms has no outcome to settle.
    """
    row = by_key(db, key)
    assert row is not None
    if row["terms_id"] is None:
        return []
    ended = db.execute(select(frames).where(frames.c.id == record)).mappings().one()
    try:
        if round_records.lacks_records(db, row, ended):
            raise RuleViolation(NEEDS_RULING, _LACKS)
        outcome = outcome_of(db, row, record)
    except RuleViolation as refusal:
        has_bets = db.execute(select(bets.c.id).where(bets.c.round_id == key).limit(1)).first()
        text = f"round {row['number']} waits for a ruling by two users: {refusal.what}"
        return [Wrong(key, text, alarms.UNENDED)] if has_bets else []
    text = json.dumps(outcome)
    remember(text, outcome)
    values = {
        "round_id": key, "frame_id": record, "outcome": text,
        "is_void": int(ended["type"] == ROUND_VOID), "at_ns": now_ns,
    }  # fmt: skip
    db.execute(insert(results).values(**values))
    return []

"""Which configuration was in force when, out of the records of changes and of values read.

A table tells each change in a record, and its values when it is asked. Works on an open
transaction of the inbox; places are (boot, counter), the order of the table itself.
"""

import json
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from tablespec.config import KEYS
from tabletools.evidence.judge import Place
from tabletools.inbox import gaps, state
from tabletools.inbox.state import Alarm
from tablewire.codec import Frame
from tablewire.messages import CHANGE_CAUSE_PROVISION, CONFIGURATION_CHANGED

# By key number; None: nothing stored tells.
Values = dict[int, int | None]


class Fact(NamedTuple):
    """A value from a place on. previous, cause: of a change; None for a value read."""

    place: Place
    key: int
    value: int
    previous: int | None
    cause: int | None


def in_force(db: sqlite3.Connection, device: int, place: Place) -> Values:
    """The values of a table at a place: as last told before it, else as first told after it."""
    values: Values = dict.fromkeys(key.number for key in KEYS)
    later = []
    for fact in _facts(db, device):
        if fact.place > place:
            later.append(fact)
            continue
        if fact.cause == CHANGE_CAUSE_PROVISION:
            values = {key.number: key.default for key in KEYS}
        values[fact.key] = fact.value
    for fact in later:
        if fact.cause == CHANGE_CAUSE_PROVISION:
            break  # before it nothing valid was stored
        if values.get(fact.key) is None:
            values[fact.key] = fact.value if fact.previous is None else fact.previous
    return values


def read(db: sqlite3.Connection, frame: Frame, now_ns: int) -> list[Alarm]:
    """Keep a value a table told when asked, if it is news; an alarm if its records say otherwise.

    frame: of type configuration.
    """
    place = (frame.boot, frame.counter)
    key, value = frame.values[:2]
    known = in_force(db, frame.device, place).get(key)
    if known == value:
        return []
    db.execute(
        "INSERT OR IGNORE INTO readings VALUES (?, ?, ?, ?, ?, ?)",
        (frame.device, *place, key, value, now_ns),
    )
    if known is None or gaps.is_open(db, frame.device, place):
        return []  # the record of the change may still come
    name = KEYS[key - 1].name if 1 <= key <= len(KEYS) else f"key {key}"
    text = f"{name} is {value} and was {known}: no record here tells of the change"
    return [state.alarm_for(db, state.UNEXPECTED, text, frame, now_ns)[1]]


def _facts(db: sqlite3.Connection, device: int) -> Iterator[Fact]:
    rows = db.execute(
        "SELECT boot, counter, payload, NULL, NULL FROM records WHERE device = ? AND type = ?"
        " UNION ALL SELECT boot, counter, NULL, key, value FROM readings WHERE device = ?"
        " ORDER BY boot, counter",
        (device, CONFIGURATION_CHANGED, device),
    )
    for boot, counter, payload, key, value in rows:
        if payload is None:
            yield Fact((boot, counter), key, value, None, None)
        else:
            told = json.loads(payload)
            yield Fact(
                (boot, counter), told["key"], told["value"], told["previous"], told["cause"]
            )

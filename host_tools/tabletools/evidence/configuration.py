"""Which configuration was in force when, by the records of changes and by values read.

A device tells each change in a record, and its values when it is asked. Works on an open
transaction; places are (boot, counter), the order of the device itself.
"""

import json
from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, insert, select

from tablespec.config import KEYS
from tabletools.evidence import rounds
from tabletools.evidence.judge import Place
from tabletools.store.schema.evidence import frames, readings
from tablewire.codec import Frame
from tablewire.messages import CHANGE_CAUSE_PROVISION, CONFIGURATION_CHANGED

# By key number; None: nothing stored tells.
Values = dict[int, int | None]


class Fact(NamedTuple):
    """A value from a place on. previous, cause: of a change; None for a value read."""

    place: Place
    key: int
    value: int
    previous: int | None = None
    cause: int | None = None


def in_force(db: Connection, device: int, place: Place) -> Values:
    """Return the values at a place: as last told before it, else as first told after it."""
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


def read(db: Connection, frame: Frame, now_ns: int) -> str:
    """Keep a value that a device gave when asked, if it is news.

    Returns in words what its records say otherwise, or "". frame: of type configuration.
    """
    place = (frame.boot, frame.counter)
    key, value = frame.values[:2]
    known = in_force(db, frame.device, place).get(key)
    if known == value:
        return ""
    at = readings.c
    query = select(at.key).where(
        at.device == frame.device, at.boot == frame.boot, at.counter == frame.counter
    )
    if db.execute(query).first() is not None:
        return ""  # the same answer again
    values = {"device": frame.device, "boot": frame.boot, "counter": frame.counter}
    db.execute(insert(readings).values(**values, key=key, value=value, at_ns=now_ns))
    if known is None or rounds.gap_is_open(db, frame.device, place):
        return ""  # the record of the change may still come
    name = KEYS[key - 1].name if 1 <= key <= len(KEYS) else f"key {key}"
    return f"{name} is {value} and was {known}: no record here tells of the change"


def _facts(db: Connection, device: int) -> Iterator[Fact]:
    """The facts of a device in its own order."""
    at, of = frames.c, readings.c
    changes = select(at.boot, at.counter, at.payload).where(
        at.device == device, at.type == CONFIGURATION_CHANGED
    )
    found = []
    for boot, counter, payload in db.execute(changes):
        told = json.loads(payload)
        fact = Fact((boot, counter), *(told[n] for n in ("key", "value", "previous", "cause")))
        found.append(fact)
    query = select(of.boot, of.counter, of.key, of.value).where(of.device == device)
    found += [Fact((row.boot, row.counter), row.key, row.value) for row in db.execute(query)]
    yield from sorted(found, key=lambda fact: fact.place)

"""Which configuration was in force when, by the records of changes and by values read.

A device reports each change in a record, and its values on request. Works on an open
transaction; places are (boot, counter), the order of the device itself.
"""

from bisect import insort
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sqlalchemy import Connection, insert, select

from tablespec.config import KEYS
from tabletools.evidence import rounds
from tabletools.evidence.round_validity import RecordId
from tabletools.store.documents import value_of
from tabletools.store.schema.evidence import frames, readings
from tablewire.codec import Frame
from tablewire.messages import CHANGE_CAUSE_PROVISION, CONFIGURATION_CHANGED

# By key number; None: unknown.
Values = dict[int, int | None]


class Fact(NamedTuple):
    """A value from a place on. previous, cause: of a change; None for a value read."""

    place: RecordId
    key: int
    value: int
    previous: int | None = None
    cause: int | None = None


def in_force(db: Connection, device: int, place: RecordId) -> Values:
    """Return the values at a place: as last reported before it, else as first after it."""
    return _values_at(_facts(db, device), place)


def _values_at(facts: Iterable[Fact], place: RecordId) -> Values:
    values: Values = dict.fromkeys(key.number for key in KEYS)
    later = []
    for fact in facts:
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


def store(db: Connection, device: int, answers: Iterable[Frame], now_ns: int) -> Iterator[str]:
    """Store the values that a device returned on request, where they are new.

    Yields those that no record explains. answers: frames of type configuration.
    """
    facts = _facts(db, device)
    for frame in answers:
        place = (frame.boot, frame.counter)
        key, value = frame.values[:2]
        known = _values_at(facts, place).get(key)
        if known == value or any(fact.place == place for fact in facts):
            continue
        values = {"device": device, "boot": frame.boot, "counter": frame.counter}
        db.execute(insert(readings).values(**values, key=key, value=value, at_ns=now_ns))
        insort(facts, Fact(place, key, value), key=lambda fact: fact.place)
        if known is None or rounds.gap_is_open(db, device, place):
            continue  # the record of the change may still come
        name = KEYS[key - 1].name if 1 <= key <= len(KEYS) else f"key {key}"
        yield f"{name} is {value} and was {known}: there is no record of the change"


def _facts(db: Connection, device: int) -> list[Fact]:
    """Return the facts of a device in its order."""
    at, of = frames.c, readings.c
    changes = select(at.boot, at.counter, at.payload).where(
        at.device == device, at.type == CONFIGURATION_CHANGED
    )
    found = []
    for boot, counter, payload in db.execute(changes):
        values = value_of(payload)
        fact = Fact((boot, counter), *(values[n] for n in ("key", "value", "previous", "cause")))
        found.append(fact)
    query = select(of.boot, of.counter, of.key, of.value).where(of.device == device)
    found += [Fact((row.boot, row.counter), row.key, row.value) for row in db.execute(query)]
    return sorted(found, key=lambda fact: fact.place)

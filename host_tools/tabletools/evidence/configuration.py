"""Which configuration was in force when, by the records of changes and by values read.

A device reports each change in a record, and its values on request. Works on an open
transaction; places are (boot, counter), the order of the device itself.
"""

import json
from bisect import insort
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sqlalchemy import Connection, func, insert, select

from tablespec.config_keys import KEYS
from tabletools.evidence import rounds
from tabletools.evidence.records import RecordId
from tabletools.store.schema.evidence import frames, readings
from tablewire.codec import Frame
from tablewire.messages import CHANGE_CAUSE_PROVISION, CONFIGURATION_CHANGED

# By key number; None: unknown.
Values = dict[int, int | None]
_LATEST = (1 << 62, 0)


class Fact(NamedTuple):
    """A value from a place on. previous, cause: of a change; None for a value read."""

    place: RecordId
    key: int
    value: int
    previous: int | None = None
    cause: int | None = None


class Facts:
    """The facts of a device. Changes once read are remembered, for no frame is ever altered.

    A host reads them once a minute: of 200,000 frames in 32 ms, then those stored since in 0.3.
    """

    def __init__(self, device: int) -> None:
        self.device = device
        self._changes: list[Fact] = []
        self._newest = 0  # id of the newest frame that was looked at, of any device

    def read(self, db: Connection) -> list[Fact]:
        """Return the facts in the order of the device."""
        frame_col, reading_col = frames.c, readings.c
        newest = db.execute(select(func.max(frame_col.id))).scalar_one() or 0
        # First by the index of devices; a database that may choose would use it again.
        is_new = frame_col.id > self._newest if self._newest else frame_col.device == self.device
        query = select(
            frame_col.device, frame_col.boot, frame_col.counter, frame_col.payload
        ).where(is_new, frame_col.id <= newest, frame_col.type == CONFIGURATION_CHANGED)
        changes = []
        for device, boot, counter, payload in db.execute(query):
            if device == self.device:
                values = json.loads(payload)
                named = (values[name] for name in ("key", "value", "previous", "cause"))
                changes.append(Fact((boot, counter), *named))
        self._changes += changes
        self._newest = newest
        read = select(
            reading_col.boot, reading_col.counter, reading_col.key, reading_col.value
        ).where(reading_col.device == self.device)
        facts = [Fact((row.boot, row.counter), row.key, row.value) for row in db.execute(read)]
        return sorted(self._changes + facts, key=lambda fact: fact.place)


def newest(db: Connection, device: int) -> Values:
    """Return the values as last known."""
    return in_force(db, device, _LATEST)


def in_force(db: Connection, device: int, place: RecordId) -> Values:
    """Return the values at a place: as last reported before it, else as first after it."""
    return _values_at(Facts(device).read(db), place)


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


def store(db: Connection, known: Facts, answers: Iterable[Frame], now_ns: int) -> Iterator[str]:
    """Store the values that a device returned on request, where they are new.

    Yields those that no record explains. known: of the device. answers: frames of type
    configuration.
    """
    device, facts = known.device, known.read(db)
    for frame in answers:
        place = (frame.boot, frame.counter)
        key, value = frame.values[:2]
        before = _values_at(facts, place).get(key)
        if before == value or any(fact.place == place for fact in facts):
            continue
        values = {"device": device, "boot": frame.boot, "counter": frame.counter}
        db.execute(insert(readings).values(**values, key=key, value=value, at_ns=now_ns))
        insort(facts, Fact(place, key, value), key=lambda fact: fact.place)
        if before is None or rounds.gap_is_open(db, device, place):
            continue  # the record of the change may still come
        name = KEYS[key - 1].name if 1 <= key <= len(KEYS) else f"key {key}"
        yield f"{name} is {value} and was {before}: there is no record of the change"

"""Folds events of the sites into the tables of the centre.

Every fold names its row by what the event is about, so an event that comes twice changes nothing:
a round, for example, has the settlement with the highest sequence. Drop and win are those of
`reports.takings`: a settlement counts in the quarter of an hour in which it was posted, a
correction by its difference, for the dealer and the game of the first settlement. What fell counts
in the month of the first settlement; a correction replaces it.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, Table, and_, bindparam, select

from tabletools import roles
from tabletools.estate import events, model
from tabletools.estate.events import EstateEvent
from tabletools.store.clock import NS
from tabletools.store.rows import insert_new, put

SLOT_NS = 900 * NS
_OF_TAKINGS = ("currency", *model.NAMES)
_OF_ROUND = (*_OF_TAKINGS, "variant")
_Fold = Callable[[Connection, EstateEvent, Any], None]


def fold(db: Connection, batch: Sequence[EstateEvent]) -> None:
    """Fold events in the order of the stream."""
    by_pit: dict[tuple[str, str], list[EstateEvent]] = {}
    for one in batch:
        if one.data is not None:
            FOLDS[type(one.data)](db, one, one.data)
        by_pit.setdefault((one.site, one.pit), []).append(one)
    for events_of_pit in by_pit.values():
        _note_pit(db, events_of_pit)


def _place(one: EstateEvent) -> dict[str, Any]:
    return {"site": one.site, "pit": one.pit}


def _row(db: Connection, table: Table, key: Mapping[str, Any]) -> Row[Any] | None:
    return db.execute(_selection(table, tuple(key)), key).one_or_none()


@cache
def _selection(table: Table, names: tuple[str, ...]) -> Select[Any]:
    """Return the query of a row by its key; to build one takes longer than to execute it."""
    return select(table).where(and_(*(table.c[name] == bindparam(name) for name in names)))


def _note_pit(db: Connection, batch: Sequence[EstateEvent]) -> None:
    place = _place(batch[0])
    row = _row(db, model.pits, place)
    values = place | {
        "at_ns": max([*(one.at_ns for one in batch), 0 if row is None else row.at_ns]),
        "sequence": max([*(one.sequence for one in batch), 0 if row is None else row.sequence]),
        "events": len(batch) + (0 if row is None else row.events),
    }
    put(db, model.pits, ("site", "pit"), values)


def _change_table(db: Connection, one: EstateEvent, **values: Any) -> None:
    if one.table is None:
        return
    key = _place(one) | {"table": one.table}
    put(db, model.casino_tables, tuple(key), key | {"at_ns": one.at_ns} | values)


def _describe_table(db: Connection, one: EstateEvent, data: events.Described) -> None:
    _change_table(db, one, **{name: getattr(data, name) for name in data.__struct_fields__})


def _dealer(db: Connection, one: EstateEvent, data: events.DealerChanged) -> None:
    _change_table(db, one, dealer=data.dealer or "")


def _open_round(db: Connection, one: EstateEvent, data: events.Opened) -> None:
    _change_table(db, one, bets_open=int(data.bets_open), number=data.number, since_ns=one.at_ns)


def _close_bets(db: Connection, one: EstateEvent, data: events.Closed) -> None:
    _change_table(db, one, bets_open=0, number=data.number, since_ns=one.at_ns)


def _settle_round(db: Connection, one: EstateEvent, data: events.Settled) -> None:
    key = _place(one) | {"device": data.device, "number": data.number}
    before = _row(db, model.rounds, key)
    if one.table is None or (before is not None and one.sequence <= before.sequence):
        return
    named: Any = before
    if named is None:
        named = _row(db, model.casino_tables, _place(one) | {"table": one.table})
    names = {name: "" if named is None else getattr(named, name) for name in _OF_ROUND}
    sums = {"games": 0, "drop_cents": 0, "win_cents": 0}
    if not data.void:
        drop_cents, win_cents = data.back_cents + data.lost_cents, data.lost_cents - data.win_cents
        sums = {"games": 1, "drop_cents": drop_cents, "win_cents": win_cents}
    changes = {
        name: value - (0 if before is None else getattr(before, name))
        for name, value in sums.items()
    }
    changes["undone"] = int(data.void or data.generation > 1)
    place = _place(one) | {"table": one.table}
    slot = {"slot": one.at_ns // SLOT_NS} | place | {name: names[name] for name in _OF_TAKINGS}
    _add(db, model.takings, slot, changes)
    month = _month(one.at_ns) if before is None else before.month
    machine, labels = _fallen(named, data)
    where = {"month": month, "machine": machine} | place
    where |= {name: names[name] for name in model.NAMES}
    for label in () if before is None else before.labels.split():
        _add(db, model.falls, where | {"label": label}, {"results": -1})
    for label in labels:
        _add(db, model.falls, where | {"label": label}, {"results": 1})
    values = key | names | sums | {"table": one.table, "sequence": one.sequence}
    values |= {"month": month, "labels": " ".join(labels)}
    put(db, model.rounds, tuple(key), values)


def _fallen(named: Any, data: events.Settled) -> tuple[str, list[str]]:
    """Return the machine of a round and what fell, as the audit names both; nothing of a void.

    named: the row of its table or of itself, None where the table was never described.
    """
    for role in () if named is None else map(roles.role, roles.names_for(named.game)):
        if role.audited is not None:
            machine, labels = role.audited.settled(named.variant, data.outcome)
            known = role.audited.labels.get(machine, ())
            return machine, [] if data.void else [label for label in labels if label in known]
    return "", []


def _month(at_ns: int) -> str:
    return f"{datetime.fromtimestamp(at_ns // NS, UTC):%Y-%m}"


def _add(db: Connection, table: Table, key: Mapping[str, Any], changes: Mapping[str, int]) -> None:
    row = _row(db, table, key)
    sums = {
        name: value + (0 if row is None else getattr(row, name)) for name, value in changes.items()
    }
    put(db, table, tuple(key), {**key, **sums})


def _late(db: Connection, one: EstateEvent, data: events.Late) -> None:
    values = {"late": data.late, "stake_cents": data.stake_cents, "code": data.code}
    values |= {"table": one.table or 0, "at_ns": one.at_ns}
    insert_new(db, model.late_bets, _place(one) | values)


def _change_alarm(db: Connection, one: EstateEvent, alarm: int, **values: Any) -> None:
    key = _place(one) | {"alarm": alarm}
    put(db, model.alarms, tuple(key), key | {"table": one.table} | values)


def _raise_alarm(db: Connection, one: EstateEvent, data: events.Raised) -> None:
    facts = {"kind": data.kind, "text": data.text, "priority": data.priority}
    _change_alarm(db, one, data.alarm, raised_ns=one.at_ns, **facts)


def _update_alarm(db: Connection, one: EstateEvent, data: events.Changed) -> None:
    column = f"{one.type.rpartition('.')[2]}_ns"
    _change_alarm(db, one, data.alarm, kind=data.kind, **{column: one.at_ns})


def _change_device(db: Connection, one: EstateEvent, device: int, **values: Any) -> None:
    key = _place(one) | {"device": device}
    facts = {"table": one.table, "heard_ns": one.at_ns, **values}
    put(db, model.devices, tuple(key), key | facts)


def _identify(db: Connection, one: EstateEvent, data: events.Identified) -> None:
    facts = {"role": data.role, "board": data.board, "firmware": data.firmware}
    _change_device(db, one, data.device, **facts)


def _attest(db: Connection, one: EstateEvent, data: events.Attested) -> None:
    facts = {"outcome": data.outcome, "version": data.version, "release": data.release}
    facts |= {"reported": data.reported, "attested_ns": one.at_ns}
    _change_device(db, one, data.device, **facts)


def _decide_offer(db: Connection, one: EstateEvent, data: events.OfferDecided) -> None:
    names = ("digest", "kind", "name", "target", "decision", "reason")
    values = {name: getattr(data, name) for name in names}
    key = _place(one) | {"number": data.number}
    put(db, model.offers, tuple(key), key | values | {"user_name": data.user, "at_ns": one.at_ns})


def _close_day(db: Connection, one: EstateEvent, data: events.DayClosed) -> None:
    first, second = data.users
    cents = {"expected_cents": data.expected_cents, "counted_cents": data.counted_cents}
    values = {"first_user": first, "second_user": second, "reason": data.reason}
    key = _place(one) | {"day": data.day, "place": data.place, "currency": data.currency}
    put(db, model.days, tuple(key), key | cents | values | {"at_ns": one.at_ns})


FOLDS: dict[type[Any], _Fold] = {
    events.Described: _describe_table,
    events.DealerChanged: _dealer,
    events.Opened: _open_round,
    events.Closed: _close_bets,
    events.Settled: _settle_round,
    events.Late: _late,
    events.Raised: _raise_alarm,
    events.Changed: _update_alarm,
    events.Identified: _identify,
    events.Attested: _attest,
    events.OfferDecided: _decide_offer,
    events.DayClosed: _close_day,
}

"""The figures of an estate, read from the tables of the centre: rows of names and numbers."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, Select, case, func, select

from tabletools.estate import model
from tabletools.estate.fold import SLOT_NS
from tabletools.money.ratio import ratio_text
from tabletools.store.clock import NS

BY = ("site", "pit", "table", "game", "wheel_model", "ball_batch", "dealer")
"""What hold is shown by."""
OPEN_S = 600
"""After so many seconds an active alarm has been open too long."""
HOURS = 24
_MOST = 1000
Row = dict[str, Any]


class Wanted(NamedTuple):
    """What a figure is of. by: of BY, for hold. hours: back from now. open_s: for alarms."""

    now_ns: int
    by: str = "site"
    hours: int = HOURS
    open_s: int = OPEN_S

    @property
    def since_ns(self) -> int:
        """The beginning of the time asked for, a whole quarter of an hour."""
        return (self.now_ns // SLOT_NS + 1) * SLOT_NS - self.hours * 3600 * NS


def floor(db: Connection, wanted: Wanted) -> list[Row]:
    """Return each pit: its tables, open bets, active alarms, rounds, age of its newest event."""
    pits = _by_pit(db, select(model.pits.c.site, model.pits.c.pit, model.pits.c.at_ns))
    col = model.casino_tables.c
    counted = select(col.site, col.pit, func.count().label("tables"))
    counted = counted.add_columns(func.sum(col.bets_open).label("open")).group_by(
        col.site, col.pit
    )
    tables = _by_pit(db, counted)
    col = model.alarms.c
    active = select(col.site, col.pit, func.count().label("alarms"))
    active = active.where(_is_active()).group_by(col.site, col.pit)
    alarms = _by_pit(db, active)
    takings = {(row["site"], row["pit"]): row for row in _takings(db, wanted, ("site", "pit"))}
    rows = []
    for key, pit in pits.items():
        here = {"tables": 0, "open": 0} | tables.get(key, {})
        rows.append(
            {"site": key[0], "pit": key[1], "tables": here["tables"], "bets_open": here["open"]}
            | {"alarms": alarms.get(key, {}).get("alarms", 0)}
            | {name: takings.get(key, {}).get(name, 0) for name in ("games", "undone")}
            | {"silent_s": max(0, (wanted.now_ns - pit["at_ns"]) // NS)}
        )
    return sorted(rows, key=lambda row: (row["site"], row["pit"]))


def where(db: Connection, name: str) -> list[Row]:
    """Return the tables with a name: one of each pit that has one. bets_open: when last heard."""
    col = model.casino_tables.c
    query = select(model.casino_tables).where(col.name == name).order_by(col.site, col.pit)
    return [
        {"site": row.site, "pit": row.pit, "table": row.table, "name": row.name}
        | {"zone": row.zone, "game": row.game, "bets_open": bool(row.bets_open)}
        | {"since": _time(row.at_ns)}
        for row in db.execute(query.limit(_MOST))
    ]


def hold(db: Connection, wanted: Wanted) -> list[Row]:
    """Return drop, win and hold by one of BY, and by currency: none is converted."""
    by = ("site", "pit", "table") if wanted.by == "table" else (wanted.by,)
    rows = _takings(db, wanted, (*by, "currency"))
    return [{name: row[name] for name in (*by, "currency")} | _sums(row) for row in rows]


def alarms(db: Connection, wanted: Wanted) -> list[Row]:
    """Return alarms that have been active too long, the oldest first."""
    col = model.alarms.c
    query = (
        select(model.alarms)
        .where(_is_active(), col.raised_ns <= wanted.now_ns - wanted.open_s * NS)
        .order_by(col.priority, col.raised_ns)
        .limit(_MOST)
    )
    return [
        {"site": row.site, "pit": row.pit, "table": row.table, "kind": row.kind}
        | {"priority": row.priority, "text": row.text, "raised_at": _time(row.raised_ns)}
        | {"open_s": (wanted.now_ns - row.raised_ns) // NS}
        | {"acknowledged": row.acknowledged_ns is not None}
        for row in db.execute(query)
    ]


def late(db: Connection, wanted: Wanted) -> list[Row]:
    """Return how many bets each table refused as late."""
    col = model.late_bets.c
    by = (col.site, col.pit, col.table)
    query = (
        select(*by, func.count().label("bets"), func.sum(col.stake_cents).label("stake_cents"))
        .where(col.at_ns >= wanted.since_ns)
        .group_by(*by)
        .order_by(func.count().desc(), *by)
        .limit(_MOST)
    )
    return [_whole(row) for row in db.execute(query).mappings()]


def firmware(db: Connection, _wanted: Wanted) -> list[Row]:
    """Return each controller: what it runs and what it attested; those in doubt first."""
    col = model.devices.c
    doubt = case((col.outcome == "match", 2), (col.outcome == "", 1), else_=0)
    query = select(model.devices).order_by(doubt, col.firmware, col.site, col.pit, col.device)
    return [
        {"site": row.site, "pit": row.pit, "table": row.table, "device": row.device}
        | {"role": row.role, "board": row.board, "firmware": row.firmware}
        | {"attested": row.outcome or "never", "release": row.version}
        | {"attested_at": None if row.attested_ns is None else _time(row.attested_ns)}
        for row in db.execute(query.limit(_MOST))
    ]


def days(db: Connection, _wanted: Wanted) -> list[Row]:
    """Return the gaming days that sites closed, the newest first."""
    col = model.days.c
    query = select(model.days).order_by(col.day.desc(), col.site, col.pit, col.place)
    return [
        {"site": row.site, "pit": row.pit, "day": row.day, "place": row.place}
        | {"currency": row.currency, "expected_cents": row.expected_cents}
        | {"counted_cents": row.counted_cents}
        | {"difference_cents": row.counted_cents - row.expected_cents}
        for row in db.execute(query.limit(_MOST))
    ]


FIGURES: Mapping[str, Callable[[Connection, Wanted], list[Row]]] = {
    "floor": floor,
    "hold": hold,
    "alarms": alarms,
    "late": late,
    "firmware": firmware,
    "days": days,
}


def _is_active() -> Any:
    """Whether an alarm was raised and its cause is not over: also acknowledged, it is open."""
    col = model.alarms.c
    return col.raised_ns.is_not(None) & col.cleared_ns.is_(None)


def _takings(db: Connection, wanted: Wanted, by: tuple[str, ...]) -> list[Row]:
    col = model.takings.c
    names = [col[name] for name in by]
    query = (
        select(*names, *(func.sum(col[name]).label(name) for name in model.SUMS))
        .where(col.slot >= wanted.since_ns // SLOT_NS)
        .group_by(*names)
        .order_by(*names)
    )
    return [_whole(row) for row in db.execute(query).mappings()]


def _whole(row: RowMapping) -> Row:
    """Return a row whose sums are integers: those of PostgreSQL are decimals."""
    return {str(name): each if isinstance(each, str) else int(each) for name, each in row.items()}


def _sums(row: Mapping[str, Any]) -> Row:
    sums = {name: row.get(name, 0) for name in model.SUMS}
    drop = sums["drop_cents"]
    return sums | {"hold_percent": ratio_text(100 * sums["win_cents"], drop, 2) if drop else None}


def _by_pit(db: Connection, query: Select[Any]) -> dict[tuple[str, str], Row]:
    rows = db.execute(query).mappings()
    return {(row["site"], row["pit"]): dict(row) for row in rows}


def _time(at_ns: int) -> str:
    return f"{datetime.fromtimestamp(at_ns // NS, UTC):%Y-%m-%dT%H:%M:%SZ}"

"""The figures of an estate, read from the tables of the centre: rows of names and numbers."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Column, ColumnElement, Connection, Select, case, func, select, true
from sqlalchemy import Row as DatabaseRow

from tabletools.audit.audit_machines import MACHINES
from tabletools.audit.audit_report import ALARM, QUIET
from tabletools.audit.chance import fullest
from tabletools.estate import model
from tabletools.estate.fold import SLOT_NS
from tabletools.money.ratio import ratio_text
from tabletools.store.clock import NS

BY = ("site", "pit", "table", "game", "wheel_model", "ball_batch", "dealer")
"""What hold and bias are shown by."""
OPEN_S = 600
"""After so many seconds an active alarm has been open too long."""
HOURS = 24
ALARM_P = 0.001
"""A look at fair machines shows an alarm of bias once in a thousand."""
_MOST = 1000
Row = dict[str, Any]


class Wanted(NamedTuple):
    """What a figure is of: by one of BY, so many hours back, alarms open for so many seconds."""

    now_ns: int
    by: str = "site"
    hours: int = HOURS
    open_s: int = OPEN_S
    sites: tuple[str, ...] | None = None
    """The sites that it is of, None: all."""

    def has(self, site: Column[str]) -> ColumnElement[bool]:
        """Whether a row is of one of the sites."""
        return true() if self.sites is None else site.in_(self.sites)

    @property
    def since_ns(self) -> int:
        """The beginning of the time asked for, a whole quarter of an hour."""
        return (self.now_ns // SLOT_NS + 1) * SLOT_NS - self.hours * 3600 * NS


def floor(db: Connection, wanted: Wanted) -> list[Row]:
    """Return each pit: its tables, open bets, active alarms, rounds, age of its newest event."""
    table, alarm = model.casino_tables.c, model.alarms.c
    count = func.count()
    open_tables = func.sum(table.bets_open).label("bets_open")
    tables = select(table.site, table.pit, count.label("tables"), open_tables)
    active = select(alarm.site, alarm.pit, count.label("alarms")).where(_is_active())
    counts = (
        tables.group_by(table.site, table.pit).subquery(),
        active.group_by(alarm.site, alarm.pit).subquery(),
        _takings(wanted, ("site", "pit")).subquery(),
    )
    pit = model.pits.c
    names = ("tables", "bets_open", "alarms", "games", "undone")
    columns = [each.c[name] for each in counts for name in names if name in each.c]
    query = select(pit.site, pit.pit, *(func.coalesce(col, 0).label(col.name) for col in columns))
    query = query.add_columns(pit.at_ns).select_from(model.pits).where(wanted.has(pit.site))
    for each in counts:
        query = query.outerjoin(each, (each.c.site == pit.site) & (each.c.pit == pit.pit))
    rows = sorted(db.execute(query), key=lambda row: (row.site, row.pit))
    return [
        {"site": row.site, "pit": row.pit}
        | {name: int(getattr(row, name)) for name in names}
        | {"silent_s": max(0, (wanted.now_ns - row.at_ns) // NS)}
        for row in rows
    ]


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
    names = (*by, "currency")
    rows = db.execute(_takings(wanted, names).order_by(*(model.takings.c[each] for each in names)))
    return [_whole(row) | {"hold_percent": _percent(row)} for row in rows]


def alarms(db: Connection, wanted: Wanted) -> list[Row]:
    """Return alarms that have been active too long, the oldest first."""
    col = model.alarms.c
    query = (
        select(model.alarms)
        .where(_is_active(), col.raised_ns <= wanted.now_ns - wanted.open_s * NS)
        .where(wanted.has(col.site))
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
        .where(col.at_ns >= wanted.since_ns, wanted.has(col.site))
        .group_by(*by)
        .order_by(func.count().desc(), *by)
        .limit(_MOST)
    )
    return [_whole(row) for row in db.execute(query)]


def firmware(db: Connection, wanted: Wanted) -> list[Row]:
    """Return each controller: what it runs and what it attested; those in doubt first."""
    col = model.devices.c
    doubt = case((col.outcome == "match", 2), (col.outcome == "", 1), else_=0)
    query = select(model.devices).where(wanted.has(col.site))
    query = query.order_by(doubt, col.firmware, col.site, col.pit, col.device)
    return [
        {"site": row.site, "pit": row.pit, "table": row.table, "device": row.device}
        | {"role": row.role, "board": row.board, "firmware": row.firmware}
        | {"attested": row.outcome or "never", "release": row.version}
        | {"attested_at": None if row.attested_ns is None else _time(row.attested_ns)}
        for row in db.execute(query.limit(_MOST))
    ]


def days(db: Connection, wanted: Wanted) -> list[Row]:
    """Return the gaming days that sites closed, the newest first."""
    col = model.days.c
    query = select(model.days).where(wanted.has(col.site))
    query = query.order_by(col.day.desc(), col.site, col.pit, col.place)
    return [
        {"site": row.site, "pit": row.pit, "day": row.day, "place": row.place}
        | {"currency": row.currency, "expected_cents": row.expected_cents}
        | {"counted_cents": row.counted_cents}
        | {"difference_cents": row.counted_cents - row.expected_cents}
        for row in db.execute(query.limit(_MOST))
    ]


def offers(db: Connection, wanted: Wanted) -> list[Row]:
    """Return what was decided at the pits about offers of the centre, the newest first."""
    col = model.offers.c
    query = select(model.offers).where(wanted.has(col.site))
    query = query.order_by(col.at_ns.desc(), col.site, col.pit, col.number)
    return [
        {"site": row.site, "pit": row.pit, "offer": row.number, "kind": row.kind}
        | {"name": row.name, "target": row.target, "decision": row.decision}
        | {"user": row.user_name, "decided_at": _time(row.at_ns)}
        | {"reason": row.reason, "digest": row.digest}
        for row in db.execute(query.limit(_MOST))
    ]


def bias(db: Connection, wanted: Wanted) -> list[Row]:
    """Return what fell too often, by one of BY and by machine, the most striking first.

    Whole months, from the one in which the time asked for begins. p: the chance that of as many
    fair machines one shows some result so often: exact, times results and rows.
    """
    names = ("site", "pit", "table") if wanted.by == "table" else (wanted.by,)
    groups = _results(db, wanted, (*names, "machine"))
    answers = []
    for group, by_label in groups.items():
        labels = MACHINES[group[-1]].labels
        top = fullest([by_label.get(label, 0) for label in labels])
        p = min(1.0, top.p * len(groups))
        row = dict(zip((*names, "machine"), group, strict=True))
        row |= {"results": sum(by_label.values()), "most_often": labels[top.place]}
        row |= {"count": top.count, "expected": f"{top.expected:.1f}", "p": f"{p:.2g}"}
        answers.append((p, group, row | {"verdict": ALARM if p < ALARM_P else QUIET}))
    answers.sort(key=lambda answer: answer[:2])
    return [row for _, _, row in answers[:_MOST]]


def _results(
    db: Connection, wanted: Wanted, names: tuple[str, ...]
) -> dict[tuple[Any, ...], dict[str, int]]:
    """Return how often each label fell, by group."""
    col = model.falls.c
    query = (
        select(*(col[name] for name in names), col.label, func.sum(col.results))
        .where(col.month >= _time(wanted.since_ns)[:7], wanted.has(col.site))
        .group_by(*(col[name] for name in names), col.label)
    )
    groups: dict[tuple[Any, ...], dict[str, int]] = {}
    for *group, label, results in db.execute(query):
        groups.setdefault(tuple(group), {})[label] = int(results)
    return groups


FIGURES: Mapping[str, Callable[[Connection, Wanted], list[Row]]] = {
    "floor": floor,
    "hold": hold,
    "alarms": alarms,
    "late": late,
    "firmware": firmware,
    "days": days,
    "offers": offers,
    "bias": bias,
}


def _is_active() -> Any:
    """Whether an alarm was raised and its cause is not over: also acknowledged, it is open."""
    col = model.alarms.c
    return col.raised_ns.is_not(None) & col.cleared_ns.is_(None)


def _takings(wanted: Wanted, by: tuple[str, ...]) -> Select[Any]:
    """Return the query of what tables took in the time asked for, summed by columns."""
    col = model.takings.c
    names = [col[name] for name in by]
    return (
        select(*names, *(func.sum(col[name]).label(name) for name in model.SUMS))
        .where(col.slot >= wanted.since_ns // SLOT_NS, wanted.has(col.site))
        .group_by(*names)
    )


def _whole(row: DatabaseRow[Any]) -> Row:
    """Return a row whose sums are integers: those of PostgreSQL are decimals."""
    return {
        name: value if isinstance(value, str) else int(value)
        for name, value in row._asdict().items()
    }


def _percent(row: DatabaseRow[Any]) -> str | None:
    """Return the hold of a row of takings, None without a drop."""
    drop_cents = int(row.drop_cents)
    return ratio_text(100 * int(row.win_cents), drop_cents, 2) if drop_cents else None


def _time(at_ns: int) -> str:
    return f"{datetime.fromtimestamp(at_ns // NS, UTC):%Y-%m-%dT%H:%M:%SZ}"

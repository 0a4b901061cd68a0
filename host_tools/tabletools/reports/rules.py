"""Judges the rules that users set, on the read model; raises their alarms and ends them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from tabletools.evidence import alarm_rules, alarms
from tabletools.evidence.alarm_rules import HOLD, LONG_OPEN, MEASURES, PACE, UNDONE, ActiveRule
from tabletools.evidence.alarms import AlarmCause
from tabletools.money.gaming_day import Span
from tabletools.money.ratio import ratio_text
from tabletools.reports import takings
from tabletools.reports.takings import SLOT_NS, Sums
from tabletools.store import Store
from tabletools.store.clock import NS
from tabletools.store.schema.evidence import alarms as rows
from tabletools.store.schema.play import table_states, tables

_HOUR_NS, _HOUR_MS = 3600 * NS, 3_600_000
_KINDS = [measure.kind for measure in MEASURES.values()]
Ratio = tuple[int, int]


class Broken(NamedTuple):
    """A table that does not keep a rule."""

    table: int
    kind: str
    text: str


def look(ledger: Store, model: Connection) -> None:
    """Judge all rules now. Raises StoreError."""
    now_ns = ledger.clock.wall_ns()
    with ledger.read() as db:
        active = _active(db)
        rules = alarm_rules.active(db)
        if not rules and not active:
            return
        known = {row.id: row for row in db.execute(select(tables))}
        broken = {(one.table, one.kind): one for one in _broken(db, model, rules, known, now_ns)}
    raised = [one for place, one in broken.items() if place not in active]
    over = [place for place in active if place not in broken]
    if raised or over:
        ledger.run(lambda db: _note(db, known, raised, over, now_ns))


def _active(db: Connection) -> set[tuple[int, str]]:
    """Return table and kind of the alarms by rules whose cause is not over."""
    col = rows.c
    query = select(col.table_id, col.kind).where(
        alarms.is_open(), col.cleared_ns.is_(None), col.kind.in_(_KINDS)
    )
    return {(row.table_id, row.kind) for row in db.execute(query)}


def _note(
    db: Connection,
    known: Mapping[int, Any],
    raised: list[Broken],
    over: list[tuple[int, str]],
    now_ns: int,
) -> None:
    for one in raised:
        cause = AlarmCause(one.kind, one.text, known[one.table].device, one.table)
        alarms.raise_once(db, cause, now_ns)
    for table, kind in over:
        alarms.clear(db, now_ns, [kind], table=table)


def _broken(
    db: Connection,
    model: Connection,
    rules: list[ActiveRule],
    known: Mapping[int, Any],
    now_ns: int,
) -> Iterator[Broken]:
    opened = {row.table_id: row.since_ns for row in db.execute(_OPEN)}
    windows: dict[int, Mapping[int, Sums]] = {}
    for rule in rules:
        hours, measure = rule.hours, MEASURES[rule.measure]
        if hours not in windows and rule.measure != LONG_OPEN:
            windows[hours] = _by_table(model, now_ns, hours)
        for table, row in known.items():
            if not row.enabled or rule.table_id not in (None, table):
                continue
            if rule.measure == LONG_OPEN:
                value = None if table not in opened else (now_ns - opened[table], NS)
            else:
                value = _value(rule, windows[hours].get(table, Sums()))
            why = None if value is None else _why(rule, value)
            if why is not None:
                text = f"{measure.text} of {row.name} is {why} (rule {rule.id})"
                yield Broken(table, measure.kind, text)


_OPEN = select(table_states.c.table_id, table_states.c.since_ns).where(
    table_states.c.bets_open == 1
)


def _by_table(model: Connection, now_ns: int, hours: int) -> Mapping[int, Sums]:
    """Return the sums of the last hours by table, in whole quarters of an hour."""
    end_ns = (now_ns // SLOT_NS + 1) * SLOT_NS
    sums: dict[int, Sums] = defaultdict(Sums)
    for key, one in takings.between(model, Span(end_ns - hours * _HOUR_NS, end_ns)).items():
        sums[key.table] = sums[key.table].plus(one)
    return sums


def _value(rule: ActiveRule, sums: Sums) -> Ratio | None:
    """Return the exact value of a measure, None where too few rounds were played to judge."""
    played = sums.games + sums.undone
    values: Mapping[str, tuple[int, Ratio]] = {
        PACE: (sums.paced, (_HOUR_MS * sums.paced, sums.paced_ms)),
        UNDONE: (played, (10_000 * sums.undone, played)),
        HOLD: (sums.games, (10_000 * sums.win_cents, sums.drop_cents)),
    }
    games, (dividend, divisor) = values[rule.measure]
    return (dividend, divisor) if games >= rule.least_games and divisor > 0 else None


def _why(rule: ActiveRule, value: Ratio) -> str | None:
    """Return in words by what a value breaks a rule, None if it keeps it."""
    low, high, (dividend, divisor) = rule.low, rule.high, value
    unit = MEASURES[rule.measure].unit
    value_text = f"{ratio_text(dividend, divisor, 1)} {unit}"
    if low is not None and dividend < low * divisor:
        return f"{value_text}, below {low}"
    if high is not None and dividend > high * divisor:
        return f"{value_text}, above {high}"
    return None

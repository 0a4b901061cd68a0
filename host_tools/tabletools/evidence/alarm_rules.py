"""Rules by which users want an alarm: what is measured, and the band it has to stay in."""

from typing import NamedTuple

from sqlalchemy import Connection, insert, select, update

from tabletools.evidence import alarms
from tabletools.store import audit
from tabletools.store.audit import Actor
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.evidence import alarm_rules
from tabletools.store.schema.people import users
from tabletools.store.schema.play import tables

PACE, UNDONE, HOLD, LONG_OPEN = "pace", "undone", "hold", "long_open"


class Measure(NamedTuple):
    """What a rule is about. kind: of its alarm. low, high: least and most value of a limit."""

    kind: str
    text: str
    unit: str
    low: int
    high: int


MEASURES = {
    PACE: Measure(alarms.PACE, "the pace", "games an hour", 1, 1_000),
    UNDONE: Measure(alarms.UNDONE, "the part of rounds undone", "hundredths of 1 %", 0, 10_000),
    HOLD: Measure(alarms.HOLD, "the hold", "hundredths of 1 %", -1_000_000, 10_000),
    LONG_OPEN: Measure(alarms.LONG_OPEN, "the time bets are open", "seconds", 10, 86_400),
}
MOST_HOURS, MOST_RULES, MOST_GAMES = 744, 200, 1_000_000


class Rule(NamedTuple):
    """One rule. Fields: see the table `alarm_rules`."""

    measure: str
    table: int | None
    low: int | None
    high: int | None
    hours: int
    least_games: int


class ActiveRule(NamedTuple):
    """A rule in force: its row, with the names of who added it and of its table."""

    id: int
    measure: str
    table_id: int | None
    low: int | None
    high: int | None
    hours: int
    least_games: int
    at_ns: int
    user_id: int
    ended_ns: int | None
    ended_by: int | None
    user_name: str
    table_name: str | None


def add(ledger: Store, rule: Rule, who: Actor) -> int:
    """Add a rule as a named user; returns its number. Raises LedgerRejection."""
    _verify(rule)
    now_ns = ledger.clock.wall_ns()
    values = {**rule._asdict(), "table_id": rule.table, "at_ns": now_ns, "user_id": who.user}
    del values["table"]

    def write(db: Connection) -> int:
        if len(active(db)) >= MOST_RULES:
            what = f"there are {MOST_RULES} rules"
            raise LedgerRejection("too_many_rules", what, "end one of them first", "rule")
        known = select(tables.c.id).where(tables.c.id == rule.table)
        if rule.table is not None and db.execute(known).one_or_none() is None:
            what = f"there is no table {rule.table}"
            raise LedgerRejection("no_such_table", what, "list them", "table")
        row = insert(alarm_rules).values(**values).returning(alarm_rules.c.id)
        number = int(db.execute(row).scalar_one())
        audit.note(db, who, "alarm_rule_added", f"rule {number}", now_ns, **rule._asdict())
        return number

    return ledger.run(write)


def _verify(rule: Rule) -> None:
    measure = MEASURES.get(rule.measure)
    if measure is None:
        what = f"measure {rule.measure[:40]!r} is not known"
        raise LedgerRejection("unknown_measure", what, f"use {' '.join(MEASURES)}", "measure")
    for name, limit in (("low", rule.low), ("high", rule.high)):
        if limit is not None and not measure.low <= limit <= measure.high:
            what = (
                f"{name} is {limit} {measure.unit}, it has to be {measure.low} to {measure.high}"
            )
            raise LedgerRejection("limit_invalid", what, "choose another limit", name)
    if rule.low is None and rule.high is None:
        what = "a rule has a lower limit, an upper limit or both"
        raise LedgerRejection("limit_needed", what, "give one of them", "low")
    if rule.low is not None and rule.high is not None and rule.low > rule.high:
        what = f"the lower limit {rule.low} is above the upper limit {rule.high}"
        raise LedgerRejection("limit_invalid", what, "exchange them", "low")
    for name, value, most in (
        ("hours", rule.hours, MOST_HOURS),
        ("least_games", rule.least_games, MOST_GAMES),
    ):
        if not 1 <= value <= most:
            what = f"{name} is {value}, it has to be 1 to {most}"
            raise LedgerRejection("limit_invalid", what, "choose another number", name)


def end(ledger: Store, number: int, who: Actor) -> None:
    """End a rule as a named user; its alarms end with the next look. Raises LedgerRejection."""
    now_ns, col = ledger.clock.wall_ns(), alarm_rules.c

    def write(db: Connection) -> None:
        done = update(alarm_rules).where(col.id == number, col.ended_ns.is_(None))
        if not db.execute(done.values(ended_ns=now_ns, ended_by=who.user)).rowcount:
            what = f"there is no rule {number}"
            raise LedgerRejection("no_such_rule", what, "list them", "rule")
        audit.note(db, who, "alarm_rule_ended", f"rule {number}", now_ns)

    ledger.run(write)


def active(db: Connection) -> list[ActiveRule]:
    """Return the rules in force."""
    query = (
        select(alarm_rules, users.c.name.label("user_name"), tables.c.name.label("table_name"))
        .join(users, users.c.id == alarm_rules.c.user_id)
        .outerjoin(tables, tables.c.id == alarm_rules.c.table_id)
        .where(alarm_rules.c.ended_ns.is_(None))
        .order_by(alarm_rules.c.id)
    )
    return [ActiveRule(*row) for row in db.execute(query)]

"""Retention: old rows that only other systems and repeated requests need are removed.

These are events that every sink has, with their deliveries, and the answers to requests that may
be repeated. No balance, no settlement and no evidence follows from them. They go by whole entries
of the chain, oldest first, and a row of `removals` says up to which entry: so verification still
proves that nothing else is missing. A row that is not as its entry says stays as evidence.
"""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, Table, and_, func, insert, select

from tabletools.money.outbox_queries import SinkLock
from tabletools.store import Store, StoreError, chain_verify, removals
from tabletools.store import chain as chains
from tabletools.store.chain import Appended, Key
from tabletools.store.clock import NS
from tabletools.store.schema.books import deliveries, idempotency_keys, outbox
from tabletools.store.schema.books import removals as removed
from tabletools.store.schema.chain import chain, key_names

EVENT_DAYS, REQUEST_DAYS, LEAST_DAYS = 90, 30, 7
LOCK = "retention"
_DAY_NS = 24 * 3600 * NS
_ENTRIES = 2000
"""Most entries of the chain read in one step."""
_ROWS = 250
"""Rows removed in one transaction, or those of one entry: bets of SQLite wait meanwhile."""


class Ages(NamedTuple):
    """Days after which rows are removed."""

    events: int = EVENT_DAYS
    requests: int = REQUEST_DAYS


class Blocked(NamedTuple):
    """The first old event that cannot go. sink: has not received it; "": the event is needed to
    number the next one."""

    event: int
    sink: str
    at_ns: int


class Step(NamedTuple):
    """What one step removed. has_more: the next step can go on at once."""

    events: int = 0
    requests: int = 0
    has_more: bool = False
    blocked: Blocked | None = None


class _Part(NamedTuple):
    """Rows of one table that one entry of the chain wrote. digest: of them."""

    entry: int
    keys: list[Key]
    digest: str


class _Plan(NamedTuple):
    """What can be removed of one table. read: the last entry that was read."""

    table: Table
    parts: list[_Part]
    read: int
    has_more: bool
    blocked: Blocked | None = None


class Retention:
    """Removes old rows of a ledger, one process at a time. `close` it.

    sinks: names of those that are to receive events, even if they received none yet.
    """

    def __init__(self, ledger: Store, ages: Ages, sinks: Collection[str] = ()) -> None:
        self._ledger = ledger
        self._ages = ages
        self._sinks = frozenset(sinks)
        self._lock = SinkLock(ledger, LOCK)
        self._read = {outbox.name: 0, idempotency_keys.name: 0}

    def close(self) -> None:
        """Let another process go on."""
        self._lock.release()

    def take(self) -> bool:
        """Become the process that removes; False while another one is. Raises StoreError."""
        return self._lock.take()

    def step(self) -> Step:
        """Remove what is old, up to some hundred rows of each table. Raises StoreError."""
        if not self.take():
            return Step()
        now_ns = self._ledger.clock.wall_ns()
        with self._ledger.read() as db:
            events = _plan(db, outbox, self._read, now_ns - self._ages.events * _DAY_NS)
            events = _plan_deliveries(db, events, self._sinks)
            answers = idempotency_keys, self._read, now_ns - self._ages.requests * _DAY_NS
            requests = _plan(db, *answers)
            for plan in (events, requests):
                _verify_unchanged(db, plan)
        for plan in (events, requests):
            if plan.parts:
                self._ledger.run(lambda db, plan=plan: _remove(db, plan, now_ns))  # type: ignore[misc]
            self._read[plan.table.name] = plan.read
        has_more = events.has_more or requests.has_more
        return Step(_count(events), _count(requests), has_more, events.blocked)


def retire(ledger: Store, sink: str, say: Callable[[int], None] = lambda count: None) -> int:
    """Forget a sink that is no longer fed: no event is kept for it. Returns its deliveries.

    say: called with the number so far. Raises StoreError.
    """
    total, col = 0, deliveries.c
    while True:
        some = select(col.outbox_id).where(col.sink == sink).order_by(col.outbox_id).limit(_ROWS)

        def remove(db: Connection, some: object = some) -> int:
            numbers = db.execute(some).scalars().all()  # type: ignore[call-overload]
            _delete(db, deliveries, [(sink, number) for number in numbers])
            return len(numbers)

        count = ledger.run(remove)
        total += count
        if not count:
            return total
        say(total)


def _plan(db: Connection, table: Table, reads: dict[str, int], before_ns: int) -> _Plan:
    """Return what entries older than before_ns wrote to a table. reads: entries read before."""
    after = max(reads[table.name], removals.of_table(db, table).entry)
    last = min(after + _ENTRIES, chains.head(db).seq)
    parts, count = list[_Part](), 0
    query = select(chain.c.seq, chain.c.at_ns, chain.c.rows).order_by(chain.c.seq)
    query = query.where(chain.c.seq > after, chain.c.seq <= last)
    for seq, at_ns, rows in db.execute(query):
        if at_ns >= before_ns:
            return _Plan(table, parts, seq - 1, False)
        if f'"{table.name}":' in rows and (part := json.loads(rows).get(table.name)):
            written = chains.appended(part)
            if parts and count + len(written.keys) > _ROWS:
                return _Plan(table, parts, seq - 1, True)
            parts.append(_Part(seq, *written))
            count += len(written.keys)
    return _Plan(table, parts, last, last == after + _ENTRIES)


def _plan_deliveries(db: Connection, plan: _Plan, sinks: Collection[str]) -> _Plan:
    """Return the plan for events up to the first that is still needed. sinks: see Retention."""
    keys = [number for part in plan.parts for (number,) in part.keys]
    if not keys:
        return plan
    needed = dict.fromkeys(set(keys).intersection(_newest(db)), "")
    for sink in sorted({*_known_sinks(db), *sinks}):
        needed |= dict.fromkeys(_owing(db, keys, sink), sink)
    for place, part in enumerate(plan.parts):
        first = min((number for (number,) in part.keys if number in needed), default=None)
        if first is not None:
            at_ns = db.execute(select(outbox.c.at_ns).where(outbox.c.id == first)).scalar()
            blocked = Blocked(first, needed[first], int(at_ns or 0))
            return _Plan(outbox, plan.parts[:place], part.entry - 1, False, blocked)
    return plan


def _newest(db: Connection) -> Iterator[int]:
    """Yield the newest event, and the newest one that each sink knows: so it stays known."""
    yield db.execute(select(func.max(outbox.c.id))).scalar_one()
    for sink in _known_sinks(db):
        query = select(func.max(deliveries.c.outbox_id)).where(deliveries.c.sink == sink)
        yield db.execute(query).scalar_one()


def _known_sinks(db: Connection) -> list[str]:
    """Return the sinks of the deliveries, each by one look into their index."""
    sinks = list[str]()
    sink = db.execute(select(func.min(deliveries.c.sink))).scalar()
    while sink is not None:
        sinks.append(sink)
        after = select(func.min(deliveries.c.sink)).where(deliveries.c.sink > sink)
        sink = db.execute(after).scalar()
    return sinks


def _owing(db: Connection, keys: Sequence[int], sink: str) -> list[int]:
    """Return the events that a sink has not confirmed, given-up ones too."""
    col = deliveries.c
    query = (
        select(outbox.c.id)
        .outerjoin(deliveries, and_(col.outbox_id == outbox.c.id, col.sink == sink))
        .where(outbox.c.id.between(min(keys), max(keys)), col.delivered_ns.is_(None))
    )
    return [int(number) for number in db.execute(query).scalars()]


def _verify_unchanged(db: Connection, plan: _Plan) -> None:
    """Raise StoreError where a row to be removed is not as its entry of the chain says."""
    group = [
        (part.entry, plan.table.name, Appended(part.keys, part.digest)) for part in plan.parts
    ]
    problems = chain_verify.check_new_rows(db, group)
    if problems:
        raise StoreError(
            f"retention removes nothing: {problems[0]}",
            "another program changed the database, or its disk failed",
            "run `tabletool ledger verify`; the row stays as evidence",
        )


def _remove(db: Connection, plan: _Plan, now_ns: int) -> None:
    """Remove the rows of a plan, and note it."""
    table, keys = plan.table, [key for part in plan.parts for key in part.keys]
    rows = chain_verify.rows_by_key(db, table.name, keys)
    place = [*key_names(table), *(c.name for c in table.columns if not c.primary_key)]
    newest_ns = max(row[place.index("at_ns")] for _, row in rows)
    entry = plan.parts[-1].entry
    values = {"before_ns": newest_ns + 1, "rows": len(keys), "at_ns": now_ns}
    db.execute(insert(removed).values(name=table.name, entry=entry, **values))
    if table is outbox:
        for sink in _known_sinks(db):
            _delete(db, deliveries, [(sink, number) for (number,) in keys])
    _delete(db, table, keys)


def _delete(db: Connection, table: Table, keys: Sequence[Key]) -> None:
    """Delete the rows with these keys."""
    names = key_names(table)
    mark = "?" if db.dialect.name == "sqlite" else "%s"
    condition = " AND ".join(f"{name} = {mark}" for name in names)
    if keys:
        db.exec_driver_sql(f"DELETE FROM {table.name} WHERE {condition}", list(keys))


def _count(plan: _Plan) -> int:
    return sum(len(part.keys) for part in plan.parts)

"""The first statement of each transaction of a table: it locks the lease and reads what other
programs may change, and for a batch of bets the balances of its players and the known requests.
"""

import json
from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, text

from tabletools.store.engine import POSTGRESQL, SQLITE
from tabletools.store.schema.evidence import OPEN
from tabletools.table.state import SharedFacts

_FACTS = """
SELECT l.token, t.device, t.name, t.currency, t.enabled,
    (SELECT MAX(x.id) FROM terms x WHERE x.table_id = t.id) AS terms,
    (SELECT s.reason FROM stops s WHERE s.device = {device} AND s.released_ns IS NULL) AS stop,
    u.boot, u.counter, a.text AS unread_text, e.kind AS end_kind, e.bound AS end_bound,
    (SELECT MAX(c.id) FROM alarms c WHERE c.acknowledged_ns IS NULL AND c.kind = 'clock_step')
        AS clock_alarm,
    (SELECT MAX(o.id) FROM alarms o WHERE o.table_id = t.id AND o.cleared_ns IS NULL
        AND {open}) AS active_alarm
FROM leases l JOIN tables t ON t.id = l.table_id
LEFT JOIN unread_records u ON u.id = (
    SELECT v.id FROM unread_records v
    WHERE v.device = {device} AND v.closed_ns IS NULL AND v.counts = 1
    ORDER BY v.boot, v.counter LIMIT 1)
LEFT JOIN alarms a ON a.id = u.alarm_id
LEFT JOIN play_ends e ON e.id = (SELECT MAX(y.id) FROM play_ends y WHERE y.table_id = t.id)
    AND e.bound IS NOT NULL
WHERE l.table_id = :table
"""
_LOCKED = _FACTS + " FOR UPDATE OF l"
# Built once: they begin every transaction. By whether they lock the lease, then of the controller
# or another device. SQLite has one writer and needs no lock.
_QUERIES = {
    (is_locked, is_own): text(query.format(device="t.device" if is_own else ":device", open=OPEN))
    for is_locked, query in ((False, _FACTS), (True, _LOCKED))
    for is_own in (True, False)
}
_BATCH = """
SELECT f.*, p.* FROM ({facts}) f LEFT JOIN {lateral} (
    SELECT a.id AS account, a.balance_cents, NULL AS key, NULL AS digest, NULL AS answer
    FROM ({players}) a
    UNION ALL SELECT NULL, NULL, k.name, k.digest, k.answer FROM {answers}
) p ON 1 = 1
"""
_PLAYERS = """
SELECT id, balance_cents FROM accounts
WHERE id {those} AND kind = 'player' AND currency = {currency} ORDER BY id
"""
_ANSWERS = "SELECT name, digest, answer FROM idempotency_keys WHERE scope = :scope AND name"
# In PostgreSQL the rows of the players depend on the facts, so the lease is locked before them;
# it looks up each key, as for a long list it would read all of them.
_BATCHES = {
    SQLITE: text(
        _BATCH.format(
            facts=_FACTS.format(device="t.device", open=OPEN),
            lateral="",
            players=_PLAYERS.format(
                those="IN :players", currency="(SELECT currency FROM tables WHERE id = :table)"
            ),
            answers=f"({_ANSWERS} IN :keys) k",
        )
    ).bindparams(bindparam("players", expanding=True), bindparam("keys", expanding=True)),
    POSTGRESQL: text(
        _BATCH.format(
            facts=_LOCKED.format(device="t.device", open=OPEN),
            lateral="LATERAL",
            players=_PLAYERS.format(
                those="= ANY(CAST(:players AS bigint[]))", currency="f.currency"
            )
            + " FOR NO KEY UPDATE",
            answers="unnest(CAST(:keys AS text[])) AS n (key)"
            f" CROSS JOIN LATERAL ({_ANSWERS} = n.key LIMIT 1) k",
        )
    ),
}


class Batch(NamedTuple):
    """What a batch of bet requests needs from the database."""

    players: Collection[int]
    """Accounts of the players."""
    keys: Collection[str]
    """Keys of the requests."""


class BatchFacts(NamedTuple):
    """What the database says to a batch."""

    balances: dict[int, int]
    """Cents by account of those that are players in the currency of the table; locked."""
    answers: dict[str, tuple[str, Any]]
    """Digest and answer of the requests that were answered before, by key."""


def scope_of(table: int) -> str:
    """Return the scope of the keys of the bet requests of a table."""
    return f"bets {table}"


def read(
    db: Connection, table: int, device: int | None = None, *, lock: bool = True
) -> SharedFacts | None:
    """Return what other programs may change; None for a table without a lease.

    device: whose stop and unread records are meant, None for the controller of the table. lock:
    no other transaction takes the lease until the end.
    """
    query = _QUERIES[lock and db.dialect.name == POSTGRESQL, device is None]
    named = {"table": table} if device is None else {"table": table, "device": device}
    row = db.execute(query, named).one_or_none()
    return None if row is None else _facts_of(row)


def read_for(db: Connection, table: int, batch: Batch) -> tuple[SharedFacts | None, BatchFacts]:
    """Return the facts of the controller of a table, and those of a batch; lock lease and players.

    The players are locked in the order of their accounts.
    """
    values = {"table": table, "scope": scope_of(table), "keys": list(batch.keys)}
    values["players"] = sorted(set(batch.players))
    rows = db.execute(_BATCHES[db.dialect.name], values).all()
    facts = BatchFacts({}, {})
    for row in rows:
        if row.account is not None:
            facts.balances[int(row.account)] = int(row.balance_cents)
        elif row.key is not None:
            facts.answers[row.key] = row.digest, json.loads(row.answer)
    return (_facts_of(rows[0]) if rows else None), facts


def _facts_of(row: Any) -> SharedFacts:
    """Return the facts of a row. It names more where a batch is read."""
    return SharedFacts(
        token=row.token,
        device=row.device,
        name=row.name,
        currency=row.currency,
        is_enabled=bool(row.enabled),
        terms=row.terms,
        stop=row.stop,
        unread=None if row.boot is None else (row.boot, row.counter),
        unread_text=row.unread_text,
        clock_alarm=row.clock_alarm,
        play_end=None if row.end_kind is None else (row.end_kind, row.end_bound),
        has_active_alarm=row.active_alarm is not None,
    )

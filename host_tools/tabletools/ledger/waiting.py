"""Every stake that lies somewhere, and the end of those that no round will ever decide.

What lies is what the stakes in play of the tables add up to: in a round that runs or waits, held
for a ruling on a late bet, or played on with no next round yet.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, insert, select, text

from tabletools.inbox import judge
from tabletools.ledger import audit, people, settling
from tabletools.ledger import tables as casino
from tabletools.ledger.base import Lease, Ledger
from tabletools.ledger.errors import Refused
from tabletools.ledger.games import STAKES_BACK
from tabletools.ledger.rounds import by_key
from tabletools.ledger.schema.play import rounds, tables
from tabletools.ledger.settling import Decision

Row = dict[str, Any]
PLAYS_ON = "plays_on"
"""A stake lies for the next round. Else it runs, waits (for a result) or is late (a ruling)."""
# Each part by an index of its own: few rounds are not settled, few bets late, few stakes play on.
_LYING = """
SELECT b.table_id, r.id AS round_id, r.number, r.device,
    CASE WHEN r.verdict = 'running' AND t.round_id = r.id THEN 'runs' ELSE 'waits' END AS why,
    count(*) AS bets, sum(b.stake_cents) AS stake_cents, min(b.placed_ns) AS since_ns
FROM rounds r JOIN bets b ON b.round_id = r.id JOIN table_states t ON t.table_id = b.table_id
LEFT JOIN withdrawals w ON w.bet_id = b.id LEFT JOIN rulings u ON u.bet_id = b.id
WHERE r.settled = 0 AND w.bet_id IS NULL AND (b.standing = 'valid' OR u.is_valid = 1)
GROUP BY b.table_id, r.id, r.number, r.device, r.verdict, t.round_id
UNION ALL
SELECT b.table_id, r.id, r.number, r.device, 'late',
    count(*), sum(b.stake_cents), min(b.placed_ns)
FROM bets b JOIN rounds r ON r.id = b.round_id LEFT JOIN rulings u ON u.bet_id = b.id
WHERE b.standing = 'referred' AND u.bet_id IS NULL
GROUP BY b.table_id, r.id, r.number, r.device
UNION ALL
SELECT r.table_id, r.id, r.number, r.device, 'plays_on',
    count(*), sum(s.live_cents), min(b.placed_ns)
FROM settlements s JOIN rounds r ON r.id = s.round_id AND r.settled = s.generation
JOIN bets b ON b.id = s.bet_id
WHERE s.live_cents > 0 AND NOT EXISTS (
    SELECT 1 FROM bets c WHERE c.carried_from = b.id AND c.carried_generation = s.generation)
GROUP BY r.table_id, r.id, r.number, r.device
ORDER BY 1, 2, 5
"""


def stakes(db: Connection) -> list[Row]:
    """Return what lies, by table, round and why; the oldest round of a table first."""
    found = [dict(row) for row in db.execute(text(_LYING)).mappings()]
    return [row | {"stake_cents": int(row["stake_cents"])} for row in found]


def end_stakes(ledger: Ledger, lease: Lease, users: Sequence[int], reason: str) -> tuple[int, int]:
    """Give back what plays on at a table that plays no more; returns round and cents.

    It is laid into a last round, which no device played and two users end. Raises Refused.
    """
    now_ns, table = ledger.clock.wall_ns(), lease.table

    def write(db: Connection) -> tuple[int, int]:
        decided = people.two_deciding(db, users, reason)
        lying = [row for row in stakes(db) if row["table_id"] == table]
        for row in lying:
            if row["why"] != PLAYS_ON:
                what = f"round {row['round_id']} of the table has stakes that are not decided"
                raise Refused("round_unended", what, "rule on it first", "table")
        if not lying:
            what = f"no stake plays on at table {table}"
            raise Refused("nothing_lies", what, "see the stakes that lie", "table")
        key = _last_round(db, table)
        settling.carry(db, table, key, now_ns)
        last = by_key(db, key)
        assert last is not None
        settling.settle(db, last, Decision({STAKES_BACK: reason}, True, decided, reason), now_ns)
        cents = sum(row["stake_cents"] for row in lying)
        audit.note_both(db, decided, "stakes_ended", f"table {table}", now_ns,
                        round=key, cents=cents, reason=reason)  # fmt: skip
        return key, cents

    return ledger.run(write, lease)


def _last_round(db: Connection, table: int) -> int:
    """Make a round no device played: its number is below those a table counts."""
    device = db.execute(select(tables.c.device).where(tables.c.id == table)).scalar_one() or 0
    at = rounds.c
    query = select(at.number).where(at.device == device).order_by(at.number).limit(1)
    lowest = db.execute(query).scalar_one_or_none() or 0
    terms, _ = casino.terms_of(db, table)
    values = {
        "device": device, "number": min(lowest, 0) - 1, "table_id": table, "terms_id": terms,
        "verdict": judge.RUNNING, "settled": 0,
    }  # fmt: skip
    return int(db.execute(insert(rounds).values(**values).returning(at.id)).scalar_one())

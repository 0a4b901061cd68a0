"""Every open stake of the house, and the refund of those that no round will ever decide.

The list adds up to the stakes in play of the tables: in a round that runs or waits, held for a
ruling on a late bet, or staying in play with no next round yet.
"""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, insert, select, text

from tabletools.evidence import round_validity
from tabletools.evidence import tables as casino
from tabletools.evidence.rounds import by_key
from tabletools.money.games import STAKES_BACK
from tabletools.store import audit, people, requests
from tabletools.store.database import Lease, Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.play import rounds, tables
from tabletools.table import settling
from tabletools.table.settling import Decision

Row = dict[str, Any]
RUNS, WAITS, LATE, PLAYS_ON = "runs", "waits", "late", "plays_on"
"""Why a stake is open: its round runs; it waits (for a result, else a ruling); it came late (two
users rule on the bet); it stays in play for the next round."""
NO_HOST, SILENT, LEFT, NO_RESULT = "no_host", "silent", "left", "no_result"
"""Why it waits, besides the verdict of its round: no host owns the table; the table is offline;
another round began; the round is valid, but its records do not settle it."""
_JUDGED = ("verdict", "newest", "held_until_ns")
# An index for each part: few rounds are unsettled, few bets late, few stakes stay in play.
_OPEN_STAKES = """
SELECT x.*, (SELECT a.text FROM alarms a WHERE a.device = x.device AND a.round_id = x.round_id
    ORDER BY a.id DESC LIMIT 1) AS alarm
FROM (
SELECT b.table_id, r.id AS round_id, r.number, r.device, 'waits' AS why,
    count(*) AS bets, sum(b.stake_cents) AS stake_cents, min(b.placed_ns) AS since_ns,
    r.verdict, t.round_id AS newest, coalesce(l.expires_ns, 0) AS held_until_ns
FROM rounds r JOIN bets b ON b.round_id = r.id JOIN table_states t ON t.table_id = b.table_id
LEFT JOIN leases l ON l.table_id = b.table_id
LEFT JOIN withdrawals w ON w.bet_id = b.id LEFT JOIN rulings u ON u.bet_id = b.id
LEFT JOIN referrals f ON f.bet_id = b.id
WHERE r.settled = 0 AND w.bet_id IS NULL
    AND ((b.standing = 'valid' AND f.bet_id IS NULL) OR u.is_valid = 1)
GROUP BY b.table_id, r.id, r.number, r.device, r.verdict, t.round_id, l.expires_ns
UNION ALL
SELECT b.table_id, r.id, r.number, r.device, 'late',
    count(*), sum(b.stake_cents), min(b.placed_ns), r.verdict, NULL, NULL
FROM (SELECT id FROM bets WHERE standing = 'referred' UNION SELECT bet_id FROM referrals) f
JOIN bets b ON b.id = f.id JOIN rounds r ON r.id = b.round_id
LEFT JOIN rulings u ON u.bet_id = b.id
WHERE u.bet_id IS NULL
GROUP BY b.table_id, r.id, r.number, r.device, r.verdict
UNION ALL
SELECT r.table_id, r.id, r.number, r.device, 'plays_on',
    count(*), sum(s.live_cents), min(b.placed_ns), r.verdict, NULL, NULL
FROM settlements s JOIN rounds r ON r.id = s.round_id AND r.settled = s.generation
JOIN bets b ON b.id = s.bet_id
WHERE s.live_cents > 0 AND NOT EXISTS (
    SELECT 1 FROM bets c WHERE c.carried_from = b.id AND c.carried_generation = s.generation)
GROUP BY r.table_id, r.id, r.number, r.device, r.verdict
) x
ORDER BY 1, 2, 5
"""


def stakes(db: Connection, now_ns: int, offline: Collection[int] = ()) -> list[Row]:
    """Return the open stakes, by table, round and why; the oldest round of a table first.

    offline: tables whose link is down, as far as the caller knows. because: why it waits, else
    None. alarm: text of the newest alarm of the round, acknowledged or not.
    """
    return [_stake_row(row, now_ns, offline) for row in db.execute(text(_OPEN_STAKES)).mappings()]


def _stake_row(row: RowMapping, now_ns: int, offline: Collection[int]) -> Row:
    found = {name: value for name, value in row.items() if name not in _JUDGED}
    because = None
    if row["why"] == WAITS:
        because = _because(row, now_ns, offline)
        found["why"] = RUNS if because is None else WAITS
    return found | {"stake_cents": int(found["stake_cents"]), "because": because}


def _because(row: RowMapping, now_ns: int, offline: Collection[int]) -> str | None:
    """Why an unsettled round waits, None if it runs."""
    if row["verdict"] != round_validity.RUNNING:
        return NO_RESULT if row["verdict"] == round_validity.BELIEVED else str(row["verdict"])
    if row["newest"] != row["round_id"]:
        return LEFT
    if row["held_until_ns"] <= now_ns:
        return NO_HOST
    return SILENT if row["table_id"] in offline else None


def end_stakes(
    ledger: Store, lease: Lease, users: Sequence[int], reason: str, key: str
) -> tuple[int, int]:
    """Refund stakes in play that join no later round, or those of a table that no longer plays;
    returns round and cents.

    They are moved to a last round, which no device played and two users end. The same request
    again gets the same answer and changes nothing. Raises LedgerRejection.
    """
    requests.verify_key(key)
    digest = requests.digest_of({"users": list(users), "reason": reason})
    now_ns, table = ledger.clock.wall_ns(), lease.table
    scope = f"stakes end {table}"

    def write(db: Connection) -> tuple[int, int]:
        decided = people.two_deciding(db, users, reason)
        answer = requests.answered(db, scope, key, digest)
        if answer is not None:
            return int(answer["round"]), int(answer["cents"])
        lying = [row for row in stakes(db, now_ns) if row["table_id"] == table]
        for row in lying:
            if row["why"] != PLAYS_ON:
                what = f"round {row['round_id']} of the table has stakes that are not decided"
                raise LedgerRejection("round_unended", what, "rule on it first", "table")
        if not lying:
            what = f"no stake is left in play at table {table}"
            raise LedgerRejection("nothing_lies", what, "see the open stakes", "table")
        number = _last_round(db, table)
        cents = settling.carry_to_end(db, table, number, now_ns)
        last = by_key(db, number)
        assert last is not None
        settling.settle(db, last, Decision({STAKES_BACK: reason}, True, decided, reason), now_ns)
        ended = {"round": number, "cents": cents}
        audit.note_both(
            db, decided, "stakes_ended", f"table {table}", now_ns, **ended, reason=reason
        )
        requests.keep(db, scope, [(key, digest, ended)], now_ns)
        return number, cents

    return ledger.run(write, lease)


def _last_round(db: Connection, table: int) -> int:
    """Create a round that no device played: its number is below those a table counts."""
    device = db.execute(select(tables.c.device).where(tables.c.id == table)).scalar_one() or 0
    at = rounds.c
    query = select(at.number).where(at.device == device).order_by(at.number).limit(1)
    lowest = db.execute(query).scalar_one_or_none() or 0
    terms, _ = casino.terms_of(db, table)
    values = {
        "device": device, "number": min(lowest, 0) - 1, "table_id": table, "terms_id": terms,
        "verdict": round_validity.RUNNING, "settled": 0,
    }  # fmt: skip
    return int(db.execute(insert(rounds).values(**values).returning(at.id)).scalar_one())

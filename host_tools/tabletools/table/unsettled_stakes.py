"""Every open stake of the house, and the refund of those that no round will ever decide.

The list adds up to the stakes in play of the tables: in a round that runs or waits, held for a
ruling on a late bet, or staying in play with no next round yet.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select, text

from tabletools import authority, roles
from tabletools.evidence.rounds import BELIEVED, PENDING, RUNNING
from tabletools.store import audit, people, requests
from tabletools.store.audit import Actor
from tabletools.store.clock import NS
from tabletools.store.database import Lease, Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.evidence import devices, frames
from tabletools.store.schema.play import rounds
from tabletools.table import judging, settling, shell
from tabletools.table.game_rounds import STAKES_BACK
from tabletools.table.settling import Decision
from tabletools.table.shell import Turn
from tabletools.table.state import Round
from tablewire.messages import ROLES

RUNS, WAITS, LATE, PLAYS_ON = "runs", "waits", "late", "plays_on"
"""Why a stake is open: its round runs; it waits (for a result, else a ruling); it came late (two
users rule on the bet); it stays in play for the next round."""
NO_HOST, SILENT, LEFT, NO_RESULT = "no_host", "silent", "left", "no_result"
"""Why it waits, besides the verdict of its round: no host owns the table; the table is offline;
another round began; the round is valid, but its records do not settle it."""


class OpenStake(NamedTuple):
    """The open stakes of a round for one reason."""

    table_id: int
    round_id: int
    number: int
    device: int
    why: str
    bets: int
    stake_cents: int
    since_ns: int
    alarm: str | None
    """Text of the newest alarm of the round, acknowledged or not."""
    because: str | None
    """Why it waits."""


# An index for each part: few rounds are unsettled, few bets late, few stakes stay in play. SQLite
# joins what CROSS JOIN joins in the order that is written.
_OPEN_STAKES = """
SELECT x.*, (SELECT a.text FROM alarms a WHERE a.device = x.device AND a.round_id = x.round_id
    ORDER BY a.id DESC LIMIT 1) AS alarm
FROM (
SELECT b.table_id, r.id AS round_id, r.number, r.device, 'waits' AS why,
    count(*) AS bets, sum(b.stake_cents) AS stake_cents, min(b.placed_ns) AS since_ns,
    r.verdict, t.round_id AS newest, coalesce(l.expires_ns, 0) AS held_until_ns
FROM rounds r CROSS JOIN bets b JOIN table_states t ON t.table_id = b.table_id
LEFT JOIN leases l ON l.table_id = b.table_id
LEFT JOIN withdrawals w ON w.bet_id = b.id LEFT JOIN rulings u ON u.bet_id = b.id
LEFT JOIN referrals f ON f.bet_id = b.id
WHERE r.settled = 0 AND b.round_id = r.id AND w.bet_id IS NULL
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
FROM settlements s CROSS JOIN rounds r JOIN bets b ON b.id = s.bet_id
WHERE s.live_cents > 0 AND r.id = s.round_id AND r.settled = s.generation AND NOT EXISTS (
    SELECT 1 FROM bets c WHERE c.carried_from = b.id AND c.carried_generation = s.generation)
GROUP BY r.table_id, r.id, r.number, r.device, r.verdict
) x
ORDER BY 1, 2, 5
"""


def stakes(db: Connection, now_ns: int, offline: Collection[int] = ()) -> list[OpenStake]:
    """Return the open stakes, by table, round and why; the oldest round of a table first.

    offline: tables whose link is down, as far as the caller knows.
    """
    return [_open_stake(row, now_ns, offline) for row in db.execute(text(_OPEN_STAKES))]


def _open_stake(row: Row[Any], now_ns: int, offline: Collection[int]) -> OpenStake:
    why, because = row.why, None
    if why == WAITS:
        because = _because(row, now_ns, offline)
        why = RUNS if because is None else WAITS
    return OpenStake(
        row.table_id,
        row.round_id,
        row.number,
        row.device,
        why,
        row.bets,
        int(row.stake_cents),
        row.since_ns,
        row.alarm,
        because,
    )


def _because(row: Row[Any], now_ns: int, offline: Collection[int]) -> str | None:
    """Why an unsettled round waits, None if it runs."""
    if row.verdict != RUNNING:
        return NO_RESULT if row.verdict == BELIEVED else str(row.verdict)
    if row.newest != row.round_id:
        return LEFT
    if row.held_until_ns <= now_ns:
        return NO_HOST
    return SILENT if row.table_id in offline else None


def is_early(db: Connection, stake: OpenStake, now_ns: int) -> bool:
    """Whether a round is about to be settled: its end is newer than its role needs."""
    if stake.because not in (NO_RESULT, PENDING):
        return False
    query = (
        select(frames.c.received_ns, devices.c.role)
        .join(rounds, rounds.c.ended == frames.c.id)
        .outerjoin(devices, devices.c.device == rounds.c.device)
        .where(rounds.c.id == stake.round_id)
    )
    row = db.execute(query).one_or_none()
    if row is None or row.role not in ROLES:
        return False
    return bool(now_ns - row.received_ns < roles.role(row.role).settles_s * NS)


def end_stakes(
    ledger: Store, lease: Lease, users: Sequence[Actor], reason: str, key: str
) -> tuple[int, int]:
    """Refund stakes in play that join no later round, or those of a table that no longer plays;
    returns round and cents.

    They are moved to a last round, which no device played and two users end. The same request
    again gets the same answer and changes nothing. Raises LedgerRejection.
    """
    requests.verify_key(key)
    numbers = [who.user for who in users]
    digest = requests.digest_of({"users": numbers, "reason": reason})
    scope = f"stakes end {lease.table}"

    def write(turn: Turn) -> tuple[int, int]:
        db, table, now_ns = turn.db, turn.table, turn.now_ns
        deciding = people.two_deciding(db, users, reason, authority.STAKES_END)
        answer = requests.answered(db, scope, key, digest)
        if answer is not None:
            return int(answer["round"]), int(answer["cents"])
        _verify_no_round_decides(db, table, now_ns)
        last = _last_round(turn)
        cents = settling.carry_to_end(turn, last)
        settling.settle(turn, last, Decision({STAKES_BACK: reason}, True, deciding, reason))
        ended = {"round": last.id, "cents": cents}
        subject = f"table {table}"
        audit.note_both(db, deciding, "stakes_ended", subject, now_ns, **ended, reason=reason)
        requests.keep(db, scope, [(key, digest, ended)], now_ns)
        return last.id, cents

    return shell.run(ledger, lease, write)


def _verify_no_round_decides(db: Connection, table: int, now_ns: int) -> None:
    """Raise LedgerRejection unless stakes are left in play at a table, and no other is open."""
    left = [row for row in stakes(db, now_ns) if row.table_id == table]
    for row in left:
        if row.why != PLAYS_ON:
            what = f"round {row.round_id} of the table has stakes that are not decided"
            raise LedgerRejection("round_unended", what, "rule on it first", "table")
    if not left:
        what = f"no stake is left in play at table {table}"
        raise LedgerRejection("nothing_lies", what, "see the open stakes", "table")


def _last_round(turn: Turn) -> Round:
    """Create a round that no device played: its number is below those a table counts."""
    device = turn.shared.device or 0
    query = select(rounds.c.number).where(rounds.c.device == device)
    lowest = turn.db.execute(query.order_by(rounds.c.number).limit(1)).scalar_one_or_none() or 0
    return judging.begin(turn, device, min(lowest, 0) - 1, (turn.table, turn.shared.terms))

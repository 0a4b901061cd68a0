"""Reports for the auditor. Works on an open transaction."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, literal_column, select, text

from tabletools.evidence import voids
from tabletools.evidence.round_records import run_ms
from tabletools.link.freshness import signed_ms
from tabletools.store.clock import MS
from tabletools.store.schema.play import rounds
from tablewire.messages import ROUND_VOID

# A record happened when the table made it, if that is known, else when it arrived. Where the
# table's clock was read for the bet, only that clock decides, in one boot: it wraps at 2^32.
_LATE = """
SELECT x.bet, x.round_id, x.player, x.slip, x.stake_cents, x.at_ns, x.standing, x.terminal,
    x.is_valid, x.device_ms, x.uncertainty_ms,
    coalesce(o.made_ns, o.received_ns), coalesce(c.made_ns, c.received_ns),
    coalesce(e.made_ns, e.received_ns),
    o.uptime_ms, c.uptime_ms, e.uptime_ms, e.type, e.payload,
    coalesce(x.device_boot = o.boot AND x.device_boot = coalesce(c.boot, o.boot)
        AND x.device_boot = coalesce(e.boot, o.boot), false) AS in_one_boot,
    x.clock_alarm, t.currency
FROM (
    SELECT b.id AS bet, b.round_id, a.name AS player, b.slip, b.stake_cents,
        b.placed_ns AS at_ns, CASE WHEN f.bet_id IS NULL THEN b.standing ELSE 'referred' END
            AS standing, b.terminal, r.is_valid, b.device_boot, b.device_ms,
        b.uncertainty_ms, b.clock_alarm
    FROM bets b JOIN accounts a ON a.id = b.account_id LEFT JOIN rulings r ON r.bet_id = b.id
    LEFT JOIN referrals f ON f.bet_id = b.id
    WHERE b.carried_from IS NULL AND {bets}
    UNION ALL
    SELECT NULL, l.round_id, l.player, l.slip, l.stake_cents, l.at_ns, 'refused', l.terminal,
        NULL, l.device_boot, l.device_ms, l.uncertainty_ms, l.clock_alarm
    FROM late_refusals l WHERE {refusals}
) x
JOIN rounds n ON n.id = x.round_id JOIN tables t ON t.id = n.table_id
LEFT JOIN frames o ON o.id = n.opened LEFT JOIN frames c ON c.id = n.closed
LEFT JOIN frames e ON e.id = n.ended
WHERE {which}
ORDER BY x.round_id, x.at_ns
"""
# An index for each part: few bets are late, few rounds are asked for.
_REFERRED = """b.id IN (SELECT id FROM bets WHERE standing = 'referred'
    UNION SELECT bet_id FROM referrals)"""
_ALL = """x.standing <> 'valid' OR CASE WHEN x.device_boot = c.boot
    THEN (x.device_ms + x.uncertainty_ms - c.uptime_ms + 6442450944) % 4294967296 >= 2147483648
    ELSE x.at_ns > coalesce(c.made_ns, c.received_ns) END"""
_WAITING = "x.standing = 'referred' AND x.is_valid IS NULL"
DEVICE, HOST = "device", "host"
_MOST = 500
"""Most unsettled rounds of one answer."""


class LateBet(NamedTuple):
    """A bet that is not proved to be before no-more-bets. bet: None for one that was refused.

    ruled_valid: None until it is ruled on. clock: the source of the times: the device's clock or
    this host's. uncertainty_ms: of each of them, None for the host's. after_*_ms: since the
    opening, the first sign of the ball, no-more-bets, the number; negative: before it; None: no
    such event, or unknown. clock_alarm: of an unacknowledged step of the host's clock at the time
    of the request: times by the host's clock may be wrong.
    """

    bet: int | None
    round: int
    player: str
    slip: str
    stake_cents: int
    at_ns: int
    standing: str
    terminal: str | None
    ruled_valid: bool | None
    clock: str
    uncertainty_ms: int | None
    after_open_ms: int | None
    after_launch_ms: int | None
    after_closed_ms: int | None
    after_result_ms: int | None
    clock_alarm: int | None
    currency: str


def waiting_bets(db: Connection) -> list[LateBet]:
    """Return the bets that await a ruling by two users, oldest round first."""
    return list(_late_bets(db, _LATE.format(which=_WAITING, bets=_REFERRED, refusals="1 = 0")))


def late_bets(db: Connection, keys: Sequence[int]) -> list[LateBet]:
    """Return the bets of rounds that are not proved to be before no-more-bets, oldest round first.

    keys: of the rounds.
    """
    return list(_late_bets(db, _of_rounds(keys, _ALL)))


def unsettled_rounds(db: Connection, before: int | None) -> list[int]:
    """Return the newest rounds that are not settled. before: only lower keys."""
    # A literal and a sum: else every round is read in the order of keys, not those of an index.
    key = rounds.c.id + 0
    query = select(rounds.c.id).where(rounds.c.settled == literal_column("0"))
    if before is not None:
        query = query.where(key < before)
    return list(db.execute(query.order_by(key.desc()).limit(_MOST)).scalars())


def rounds_with_late_bets(db: Connection, keys: Sequence[int]) -> list[int]:
    """Return which of the rounds have bets that are not proved to be before no-more-bets."""
    query = f"SELECT DISTINCT y.round_id FROM ({_of_rounds(keys, _ALL)}) y"
    return [int(key) for key in db.execute(text(query)).scalars()] if keys else []


def _of_rounds(keys: Sequence[int], which: str) -> str:
    listed = ", ".join(str(int(key)) for key in keys) or "NULL"
    return _LATE.format(
        which=which, bets=f"b.round_id IN ({listed})", refusals=f"l.round_id IN ({listed})"
    )


def _late_bets(db: Connection, query: str) -> Iterator[LateBet]:
    for row in db.execute(text(query)):
        ruled = None if row[8] is None else bool(row[8])
        if row.in_one_boot:
            clock, give_or_take = DEVICE, row.uncertainty_ms
            spans = [
                None if when is None else signed_ms(row.device_ms - when) for when in row[14:17]
            ]
        else:
            clock, give_or_take = HOST, None
            spans = [None if when is None else (row.at_ns - when) // MS for when in row[11:14]]
        opened, closed, ended = spans
        times = opened, _after_launch(row.type, row.payload, ended), closed, ended
        end = row.clock_alarm, row.currency
        yield LateBet._make((*row[:8], ruled, clock, give_or_take, *times, *end))


def _after_launch(kind: int | None, payload: str | None, after_end_ms: int | None) -> int | None:
    """Time since the first sign of the ball, from the durations in the result."""
    if kind is None or payload is None or after_end_ms is None:
        return None
    run = run_ms(kind, payload)
    return None if run is None else after_end_ms + run


class UndoRate(NamedTuple):
    """How often rounds of a table with stakes became void after no more bets.

    by: number of these voids by the user whose order came last before them; "" if none came since
    the round opened: a button, a switch, a plug.
    """

    table: str
    rounds: int
    voids: int
    by: Counter[str]


_LATE_VOIDS = """
SELECT t.name, e.payload, c.payload, coalesce(o.boot <> e.boot, false),
    coalesce((SELECT a.who FROM audit_log a WHERE a.action = 'ordered'
        AND a.subject = 'table ' || CAST(t.id AS TEXT)
        AND a.at_ns BETWEEN o.received_ns AND e.received_ns ORDER BY a.seq DESC LIMIT 1), '')
FROM rounds r JOIN tables t ON t.id = r.table_id JOIN frames e ON e.id = r.ended
LEFT JOIN frames c ON c.id = r.closed LEFT JOIN frames o ON o.id = r.opened
WHERE e.type = :void AND EXISTS (SELECT 1 FROM bets b LEFT JOIN withdrawals w ON w.bet_id = b.id
    WHERE b.round_id = r.id AND (w.bet_id IS NULL OR w.cause <> 'withdrawn'))
ORDER BY r.id
"""
_ENDED = """
SELECT t.name, count(*) FROM rounds r JOIN tables t ON t.id = r.table_id
WHERE r.ended IS NOT NULL AND EXISTS (SELECT 1 FROM bets b WHERE b.round_id = r.id)
GROUP BY t.name ORDER BY t.name
"""


def undo_rates(db: Connection) -> list[UndoRate]:
    """Return the voids after no more bets of every table that had bets, held or returned."""
    counts: dict[str, Counter[str]] = {}
    for name, void, closed, is_later, who in db.execute(text(_LATE_VOIDS), {"void": ROUND_VOID}):
        if voids.is_late(closed, void, is_of_later_boot=bool(is_later)):
            counts.setdefault(name, Counter())[who] += 1
    return [
        UndoRate(name, count, counts.get(name, Counter()).total(), counts.get(name, Counter()))
        for name, count in db.execute(text(_ENDED))
    ]

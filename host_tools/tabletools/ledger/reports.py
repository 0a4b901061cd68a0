"""Reports for the auditor. Works on an open transaction."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, text

from tabletools.ledger.clock import MS

# Times of a record: when the table made it, if that could be told, else when it arrived.
_LATE = """
SELECT x.bet, x.round_id, x.player, x.slip, x.stake_cents, x.at_ns, x.standing, x.terminal,
    x.is_valid, coalesce(o.made_ns, o.received_ns), coalesce(c.made_ns, c.received_ns),
    coalesce(e.made_ns, e.received_ns)
FROM (
    SELECT b.id AS bet, b.round_id, a.name AS player, b.slip, b.stake_cents,
        b.placed_ns AS at_ns, b.standing, b.terminal, r.is_valid
    FROM bets b JOIN accounts a ON a.id = b.account_id LEFT JOIN rulings r ON r.bet_id = b.id
    WHERE b.carried_from IS NULL
    UNION ALL
    SELECT NULL, l.round_id, l.player, l.slip, l.stake_cents, l.at_ns, 'refused', l.terminal,
        NULL
    FROM late_refusals l
) x
JOIN rounds n ON n.id = x.round_id
LEFT JOIN frames o ON o.id = n.opened LEFT JOIN frames c ON c.id = n.closed
LEFT JOIN frames e ON e.id = n.ended
WHERE x.standing <> 'valid' OR x.at_ns > coalesce(c.made_ns, c.received_ns)
ORDER BY x.round_id, x.at_ns
"""


class LateBet(NamedTuple):
    """A bet that came after no-more-bets. bet: None for one that was refused.

    ruled_valid: None while nobody ruled. after_*_ms: since the opening, since no-more-bets, since
    the number; negative: before it; None: there is none.
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
    after_open_ms: int | None
    after_closed_ms: int | None
    after_result_ms: int | None


def late_bets(db: Connection) -> Iterator[LateBet]:
    """Yield every bet that was asked for after no-more-bets, oldest round first."""
    for row in db.execute(text(_LATE)):
        ruled = None if row[8] is None else bool(row[8])
        spans = [None if at is None else (row[5] - at) // MS for at in row[9:]]
        yield LateBet._make((*row[:8], ruled, *spans))

"""No single person changes who has money after no more bets, without a second one or an alarm.

Looked up in the ledger by queries of its own: every movement of a player's money after the bets of
its round were truly closed, every great movement of cash, every seat, PIN and right.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from sqlalchemy import Connection, text

from hil_tests.night.dishonest import STAFF
from hil_tests.night.invariants import View
from tableemulator.virtual_pit import START_NS

ALONE_CENTS = 10_000_000
"""EUR 100,000 in 24 hours: more of a user's deposits, or of a player's payouts, takes two."""
_MOVED = """
SELECT DISTINCT p.id, p.kind, p.at_ns, p.round_id, r.device, r.number
FROM postings p JOIN ledger_lines l ON l.posting_id = p.id JOIN accounts a ON a.id = l.account_id
JOIN rounds r ON r.id = p.round_id
WHERE p.id > :seen AND a.kind = 'player' AND p.kind <> 'bet' ORDER BY p.id
"""
_RULED_BY_TWO = """
SELECT 1 FROM round_settlements s JOIN users u ON u.id IN (s.first_user, s.second_user)
WHERE :posting IN (s.posting_id, s.reversal_id) AND s.first_user <> s.second_user
GROUP BY s.round_id, s.generation HAVING count(*) = 2 AND max(u.role = 'supervisor') = 1
"""
_BET_RULED_BY_TWO = """
SELECT 1 FROM withdrawals w JOIN rulings u ON u.bet_id = w.bet_id
WHERE w.posting_id = :posting AND u.first_user <> u.second_user
"""


def moved_by_one(view: View, db: Connection) -> Iterator[str]:
    """Nothing but a result, two users, or a void while bets were open, moves a stake."""
    for posting, kind, at_ns, key, device, number in view.new(db, "moved", _MOVED):
        table, at_us = view.tables[device], (at_ns - START_NS) // 1000
        truth = table.truth.get(number)
        if truth is None or truth.closed_us is None or at_us <= truth.closed_us:
            continue
        words = {"posting": posting}
        by_two = any(
            db.execute(text(query), words).first() for query in (_RULED_BY_TWO, _BET_RULED_BY_TWO)
        )
        is_result = kind == "settlement" and truth.ended_us is not None and not truth.is_undone
        query = "SELECT 1 FROM alarms WHERE round_id = :round AND kind = 'late_withdrawal'"
        has_alarm = db.execute(text(query), {"round": key}).first()
        if not (by_two or is_result or (kind == "withdrawal" and has_alarm)):
            yield f"{kind} {posting} of round {number} of {table.name}: by nobody or one person"


def cash_by_one(_view: View, db: Connection) -> Iterator[str]:
    """A user pays in so much alone, and a player is paid so much by one; above it two named it."""
    query = "SELECT user_id, subject, action, detail FROM audit_log"
    query += " WHERE action IN ('deposit', 'payout')"
    sums: dict[tuple[str, object], int] = {}
    for user, subject, action, detail in db.execute(text(query)):
        if user is None:
            continue
        facts = json.loads(detail)
        whose = (action, user if action == "deposit" else subject)
        names = facts.get("confirmed_by") or facts.get("released_by") or ()
        if len(set(names)) == 2:
            continue
        sums[whose] = sums.get(whose, 0) + abs(facts["cents"])
        if sums[whose] > ALONE_CENTS:
            yield f"{action} of {facts['cents']} cents by user {user} alone"


def rights_by_one(_view: View, db: Connection) -> Iterator[str]:
    """Nobody is seated without the PIN, which no player types here; no user gets a right."""
    for (session,) in db.execute(text("SELECT id FROM sessions WHERE account_id IS NOT NULL")):
        yield f"session {session}: a player was seated, who gave no PIN"
    query = "SELECT count(*) FROM audit_log WHERE action = 'pin_set' AND user_id IS NOT NULL"
    for (count,) in db.execute(text(query)):
        if count:
            yield f"{count} PINs were set by users alone"
    wanted = {"Sue": "supervisor", "Dan": "dealer"} | STAFF
    roles = dict(db.execute(text("SELECT name, role FROM users")).tuples().all())
    if roles != wanted:
        yield f"users are {roles}"


INVARIANTS = (moved_by_one, cash_by_one, rights_by_one)

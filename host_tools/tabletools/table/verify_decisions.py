"""Compare what users decided, as the audit log has it and they signed it, with what it did.

Each deposit and payout of a user, each ruling and each right of a user follows from rows of the
audit log, and so does each correction of a tray. A row without its decision was written by another
program.
"""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, select, text

from tabletools.store.schema.evidence import tray_versions
from tabletools.store.schema.people import audit_log, users

_MOVED = """
SELECT p.id, p.kind, p.user_id, l.account_id, l.amount_cents FROM postings p
JOIN ledger_lines l ON l.posting_id = p.id JOIN accounts a ON a.id = l.account_id
WHERE p.kind IN ('deposit', 'payout') AND a.kind = 'player' AND p.user_id IS NOT NULL
AND p.id >= :first ORDER BY p.id
"""
_RULED = """
SELECT 'round' AS what, round_id AS id, generation, first_user, second_user, reason, at_ns
FROM round_settlements WHERE second_user IS NOT NULL
UNION ALL
SELECT 'bet', bet_id, is_valid, first_user, second_user, reason, at_ns FROM rulings
UNION ALL
SELECT 'held payout', held_payout_id, 1, first_user, NULL, reason, at_ns FROM payout_decisions
ORDER BY 1, 2, 3
"""


def problems(db: Connection) -> Iterator[str]:
    """Yield what no decision in the audit log accounts for."""
    yield from _movements(db)
    yield from _rulings(db)
    yield from _rights(db)
    yield from _trays(db)


def _rows(db: Connection, *actions: str) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Yield rows of the audit log, in order, with their details."""
    query = select(audit_log).where(audit_log.c.action.in_(actions)).order_by(audit_log.c.seq)
    for row in db.execute(query):
        yield row, json.loads(row.detail)


def _movements(db: Connection) -> Iterator[str]:
    """Compare cash moved by users with what they noted, since the audit log names the posting."""
    noted = {}
    for row, detail in _rows(db, "deposit", "payout"):
        if "posting" in detail:
            fact = (row.action, row.user_id, row.subject, detail["cents"])
            noted[detail["posting"]] = fact
    if not noted:
        return
    for row in db.execute(text(_MOVED), {"first": min(noted)}):
        fact = (row.kind, row.user_id, f"account {row.account_id}", row.amount_cents)
        if noted.get(row.id) != fact:
            yield (
                f"posting {row.id}: {row.kind} of {row.amount_cents} cents by user {row.user_id},"
                f" which the audit log does not have"
            )


def _rulings(db: Connection) -> Iterator[str]:
    """Compare what two users ruled with what each of them noted at that time."""
    noted = set()
    ruled = ("round_ruled", "bet_ruled", "stakes_ended", "payout_released", "payout_declined")
    for row, detail in _rows(db, *ruled):
        noted.add((row.user_id, row.at_ns, detail.get("reason")))
    for row in db.execute(text(_RULED)):
        for user in (row.first_user, row.second_user):
            if user is not None and (user, row.at_ns, row.reason) not in noted:
                yield f"{row.what} {row.id}: a ruling of user {user} is not in the audit log"


def _trays(db: Connection) -> Iterator[str]:
    """Compare corrected trays with who noted each, and every tray with its digest."""
    noted = {
        (row.subject, row.user_id, row.at_ns, detail.get("digest"))
        for row, detail in _rows(db, "tray_corrected")
    }
    for row in db.execute(select(tray_versions).order_by(tray_versions.c.id)):
        where = f"version {row.version} of the tray of table {row.table_id}"
        if sha256(bytes(row.file)).hexdigest() != row.digest:
            yield f"{where}: its file has another SHA-256 than {row.digest}"
        fact = (f"table {row.table_id}", row.user_id, row.at_ns, row.digest)
        if row.version > 1 and fact not in noted:
            yield f"{where}: its correction by user {row.user_id} is not in the audit log"


def _rights(db: Connection) -> Iterator[str]:
    """Compare role and enabled of every user with the last decision on them."""
    decided: dict[str, dict[str, Any]] = {}
    for row, detail in _rows(db, "user_created", "user_changed"):
        known = decided.setdefault(row.subject, {"enabled": 1})
        known.update({key: detail[key] for key in ("name", "role", "enabled") if key in detail})
    col = users.c
    for row in db.execute(select(col.id, col.name, col.role, col.enabled).order_by(col.id)):
        known = decided.get(f"user {row.id}", {})
        for what in ("name", "role", "enabled"):
            value = getattr(row, what)
            if known.get(what) != value:
                yield (
                    f"user {row.id} ({row.name}): {what} is {value}, the audit log decided"
                    f" {known.get(what, 'nothing')}"
                )

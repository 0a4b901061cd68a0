"""Is the ledger sound? Every balance, every settlement derived again, evidence, the audit log.

Reads one state of the database and changes nothing; says in words what does not hold.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlalchemy import Connection, func, select, text

from tabletools.evidence import verify as verify_evidence
from tabletools.money import verify_rounds
from tabletools.store import audit
from tabletools.store.schema.books import ledger_lines, outbox, postings
from tabletools.store.schema.evidence import frames
from tabletools.store.schema.people import audit_log
from tabletools.store.schema.play import bets, rounds, settlements

_BALANCES = """
SELECT a.id, a.kind, a.name, a.balance_cents, coalesce(sum(l.amount_cents), 0) AS found
FROM accounts a LEFT JOIN ledger_lines l ON l.account_id = a.id
GROUP BY a.id, a.kind, a.name, a.balance_cents
HAVING a.balance_cents <> coalesce(sum(l.amount_cents), 0) ORDER BY a.id
"""
_POSTINGS = """
SELECT posting_id, sum(amount_cents) FROM ledger_lines
GROUP BY posting_id HAVING sum(amount_cents) <> 0 ORDER BY posting_id
"""
_CURRENCIES = """
SELECT p.id, p.currency, a.currency FROM postings p
JOIN ledger_lines l ON l.posting_id = p.id JOIN accounts a ON a.id = l.account_id
WHERE a.currency <> p.currency ORDER BY p.id
"""
_COUNTED = (frames, rounds, bets, settlements, postings, ledger_lines, outbox, audit_log)


@dataclass
class Report:
    """What was looked at, by table, and what is wrong."""

    counts: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def check(db: Connection) -> Report:
    """Look at everything, on an open transaction."""
    report = Report()
    for table in _COUNTED:
        count = db.execute(select(func.count()).select_from(table)).scalar_one()
        report.counts[table.name] = int(count)
    for problems in (
        _money(db), verify_rounds.problems(db), verify_evidence.problems(db), audit.broken(db),
    ):  # fmt: skip
        report.problems += problems
    return report


def _money(db: Connection) -> Iterator[str]:
    for key, kind, name, kept, found in db.execute(text(_BALANCES)):
        yield f"account {key} ({kind} {name}): balance {kept}, its lines add up to {found}"
    for key, found in db.execute(text(_POSTINGS)):
        yield f"posting {key}: its lines add up to {found}, not to 0"
    for key, currency, other in db.execute(text(_CURRENCIES)):
        yield f"posting {key} in {currency} has a line in {other}"

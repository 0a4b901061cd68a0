"""Adjustments: money that two users move between a player and the bank of a table, by hand.

For what no rule covers and no correction reaches, such as a stake paid to the wrong player. Two
different users, a reason and evidence are required; `authority.ACTS` limits what a user adjusts
in a day.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, insert, or_, select

from tabletools import authority
from tabletools.money import cash, day
from tabletools.money.cash import Movement
from tabletools.store import audit, books, people, removals, requests
from tabletools.store.audit import Actor
from tabletools.store.books import Entry
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.store.schema.books import accounts, adjustments, outbox, postings
from tabletools.store.schema.play import rounds, tables

POSTED = "tablewire.adjustment.posted"
_KIND = "adjustment"
_MOST_TEXT = 500
"""Characters of a reason, and of what evidence it has."""


class Adjustment(NamedTuple):
    """What two users adjust. key: of the request."""

    account: int
    """Of the player."""
    cents: int
    """Above 0 the bank of the table pays the player, below 0 the player the bank."""
    table: int
    users: Sequence[Actor]
    reason: str
    evidence: str
    """Who saw it, and which recording shows it."""
    key: str
    round: int | None = None
    """What it is about, if it is about a round of that table."""
    seen_cents: int | None = None
    """The balance that the two saw, None if no balance was shown."""


def adjust(ledger: Store, wanted: Adjustment) -> tuple[int, int]:
    """Post an adjustment; returns its posting and the balance of the player, cents.

    The same request again gets the same answer and changes nothing. Raises LedgerRejection.
    """
    cash.verify_amount(abs(wanted.cents))
    requests.verify_key(wanted.key)
    _verify_evidence(wanted)
    numbers = [who.user for who in wanted.users]
    digest = requests.digest_of({**wanted._asdict(), "users": numbers, "key": None})
    scope, now_ns = f"adjustment {wanted.account}", ledger.clock.wall_ns()

    def write(db: Connection) -> tuple[int, int]:
        users = people.two_deciding(db, wanted.users, wanted.reason, authority.ADJUSTMENT)
        currency = _verify_place(db, wanted)
        name = f"table {wanted.table}"
        bank = books.account(db, books.HOUSE, name, currency, now_ns=now_ns, table=wanted.table)
        # In the order in which a settlement locks them.
        locked = sorted((wanted.account, bank))
        before = {one: books.balance(db, one, lock=True) for one in locked}[wanted.account]
        for number in sorted(who.user for who in users if who.user is not None):
            people.lock(db, number)  # what two adjust at once, for several players, is summed
        answer = requests.answered(db, scope, wanted.key, digest)
        if answer is not None:
            return int(answer["posting"]), int(answer["balance_cents"])
        cash.verify(Movement(wanted.account, wanted.cents, wanted.seen_cents), before)
        for user in users:
            _verify_limit(db, wanted, user, now_ns)
        entry = Entry(_KIND, currency, wanted.table, user=users[0].user, note=wanted.reason)
        lines = {wanted.account: wanted.cents, bank: -wanted.cents}
        posting = books.post(db, entry, lines, now_ns)
        _record(db, wanted, users, posting, now_ns)
        answer = {"posting": posting, "balance_cents": before + wanted.cents}
        requests.keep(db, scope, [(wanted.key, digest, answer)], now_ns)
        return posting, before + wanted.cents

    return ledger.run(write)


def _verify_evidence(wanted: Adjustment) -> None:
    for name, text in (("reason", wanted.reason), ("evidence", wanted.evidence)):
        if not text.strip() or len(text) > _MOST_TEXT or not text.isprintable():
            what = f"the {name} of an adjustment has 1 to {_MOST_TEXT} printable characters"
            step = "say why, who saw it, and which recording shows it"
            raise LedgerRejection(f"{name}_needed", what, step, name)


def _verify_place(db: Connection, wanted: Adjustment) -> str:
    """Return the currency of the table. Raises LedgerRejection unless all of it fits together."""
    query = select(tables.c.currency).where(tables.c.id == wanted.table)
    currency: str | None = db.execute(query).scalar_one_or_none()
    if currency is None:
        what = f"there is no table {wanted.table}"
        raise LedgerRejection("no_such_table", what, "list them", "table")
    if books.currency_of_player(db, wanted.account) != currency:
        what = f"the bank of table {wanted.table} has {currency}, the player another currency"
        raise LedgerRejection("currency_differs", what, "choose the table of the bet", "table")
    if wanted.round is not None:
        of_table = select(rounds.c.table_id).where(rounds.c.id == wanted.round)
        if db.execute(of_table).scalar_one_or_none() != wanted.table:
            what = f"round {wanted.round} is not a round of table {wanted.table}"
            raise LedgerRejection("no_such_round", what, "see the rounds of the table", "round")
    return currency


def _verify_limit(db: Connection, wanted: Adjustment, user: Actor, now_ns: int) -> None:
    """Raise LedgerRejection above what a user may adjust in 24 hours, in both directions."""
    most = authority.ACTS[authority.ADJUSTMENT].together_cents
    assert most is not None
    col = adjustments.c
    query = select(func.coalesce(func.sum(func.abs(col.amount_cents)), 0)).where(
        or_(col.first_user == user.user, col.second_user == user.user),
        col.at_ns > day.began_ns(db, now_ns),
    )
    moved = int(db.execute(query).scalar_one())
    if moved + abs(wanted.cents) > most:
        what = f"{user.name} adjusted {moved} cents in 24 hours, and {abs(wanted.cents)} more are"
        what += f" above {most}"
        step = "have two other users adjust it, or wait until the 24 hours are over"
        raise LedgerRejection("adjustment_limit", what, step, "cents")


def _record(
    db: Connection, wanted: Adjustment, users: tuple[Actor, Actor], posting: int, now_ns: int
) -> None:
    """Record who decided an adjustment, in its row, the audit log and an event."""
    table, cents = wanted.table, wanted.cents
    values = {
        "posting_id": posting,
        "account_id": wanted.account,
        "table_id": table,
        "round_id": wanted.round,
        "amount_cents": cents,
        "first_user": users[0].user,
        "second_user": users[1].user,
        "reason": wanted.reason,
        "evidence": wanted.evidence,
        "at_ns": now_ns,
    }
    db.execute(insert(adjustments).values(**values))
    said = {"reason": wanted.reason, "evidence": wanted.evidence}
    details = {"cents": cents, "table": table, "round": wanted.round, "posting": posting, **said}
    subject = f"account {wanted.account}"
    audit.note_both(db, users, "adjusted", subject, now_ns, **details)
    data = {
        "adjustment": posting,
        "account": wanted.account,
        "table": table,
        "round": wanted.round,
        "amount_cents": cents,
        "users": [user.name for user in users],
        **said,
    }
    event = OutboxEvent(_event_id(posting), POSTED, f"account/{wanted.account}", data, table)
    enqueue(db, event, now_ns)


def _event_id(posting: int) -> str:
    return f"adjustment-{posting}"


def problems(db: Connection) -> Iterator[str]:
    """Yield what is wrong with adjustments: their postings, lines, events and texts."""
    rows = db.execute(select(adjustments).order_by(adjustments.c.posting_id)).all()
    known = {row.posting_id for row in rows}
    of_kind = select(postings.c.id).where(postings.c.kind == _KIND).order_by(postings.c.id)
    for posting in db.execute(of_kind).scalars():
        if posting not in known:
            yield f"posting {posting}: an adjustment that no two users decided"
    for row in rows:
        yield from _problems_of(db, row)


def _problems_of(db: Connection, row: Any) -> Iterator[str]:
    where = f"adjustment {row.posting_id}"
    col, player = accounts.c, accounts.alias("player")
    bank = (
        select(col.id)
        .join(player, player.c.currency == col.currency)
        .where(col.kind == books.HOUSE, col.table_id == row.table_id)
        .where(player.c.id == row.account_id)
    )
    wanted = {row.account_id: row.amount_cents}
    wanted |= dict.fromkeys(db.execute(bank).scalars(), -row.amount_cents)
    if books.lines_of(db, row.posting_id) != wanted:
        yield f"{where}: its posting does not move {row.amount_cents} cents from the bank"
    kind = select(postings.c.kind).where(postings.c.id == row.posting_id)
    if db.execute(kind).scalar_one_or_none() != _KIND:
        yield f"{where}: its posting is not one"
    event = select(outbox.c.id).where(outbox.c.event_id == _event_id(row.posting_id))
    is_removed = row.at_ns < removals.of_table(db, outbox).before_ns
    if db.execute(event).first() is None and not is_removed:
        yield f"{where} was never announced"
    if not row.reason.strip() or not row.evidence.strip():
        yield f"{where} has no reason or no evidence"

"""Held payouts: requested by a cashier, released by two users or declined by one.

hc2023 1:1(14), hc2011 1:1(15): the house may delay a payout of EUR 100,000. A held payout
reserves nothing: the player may keep playing, and the release checks the balance again.
"""

from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, insert, select

from tabletools import authority
from tabletools.money import cash
from tabletools.money.cash import Movement
from tabletools.store import audit, people, requests
from tabletools.store.audit import Actor
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.rows import fields_of
from tabletools.store.schema.books import accounts, held_payouts, payout_decisions
from tabletools.store.schema.people import users

Row = dict[str, Any]
MOST = 200
"""Most rows of one answer."""


class Decision(NamedTuple):
    """A supervisor's decision on a held payout.

    second: another user who gave a password, required to release what the supervisor requested.
    """

    payout: int
    is_released: bool
    reason: str
    second: Actor | None = None


def hold(ledger: Store, wanted: Movement, key: str, who: Actor, held_cents: int) -> int:
    """Request a payout that has to be released; returns its number. Raises LedgerRejection.

    held_cents: payouts of this much to a player in 24 hours need a release.
    """
    cash.verify_amount(-wanted.cents)
    requests.verify_key(key)
    digest = requests.digest_of({"kind": "held_payout", "cents": wanted.cents})
    scope, now_ns = f"hold {wanted.account}", ledger.clock.wall_ns()

    def write(db: Connection) -> int:
        people.verify_may(db, who, authority.PAYOUT)
        before = cash.lock(db, wanted.account)
        answer = requests.answered(db, scope, key, digest)
        if answer is not None:
            return int(answer)
        cash.verify(wanted, before)
        paid = cash.paid_cents(db, wanted.account, now_ns) - wanted.cents
        if paid < held_cents:
            what = f"{paid} cents in 24 hours are below {held_cents}: no release is needed"
            raise LedgerRejection("release_not_needed", what, "pay it out", "cents")
        _verify_others(db, wanted, before)
        values = {
            "account_id": wanted.account,
            "amount_cents": -wanted.cents,
            "paid_cents": paid,
            "limit_cents": held_cents,
            "user_id": who.user,
            "at_ns": now_ns,
        }
        statement = insert(held_payouts).values(**values).returning(held_payouts.c.id)
        number = int(db.execute(statement).scalar_one())
        subject = f"account {wanted.account}"
        audit.note(db, who, "payout_held", subject, now_ns, cents=-wanted.cents, payout=number)
        requests.keep(db, scope, [(key, digest, number)], now_ns)
        return number

    return ledger.run(write)


def _verify_others(db: Connection, wanted: Movement, balance_cents: int) -> None:
    """Raise LedgerRejection if the balance does not cover all held payouts of the player."""
    col = held_payouts.c
    query = (
        select(func.coalesce(func.sum(col.amount_cents), 0))
        .outerjoin(payout_decisions, payout_decisions.c.held_payout_id == col.id)
        .where(col.account_id == wanted.account, payout_decisions.c.held_payout_id.is_(None))
    )
    others = int(db.execute(query).scalar_one())
    if others - wanted.cents > balance_cents:
        what = f"{others} cents of the balance {balance_cents} are held already"
        raise LedgerRejection("not_enough_money", what, "decide the held payouts first", "cents")


def decide(ledger: Store, decision: Decision, key: str, who: Actor) -> int:
    """Release or decline a held payout; returns the balance. Raises LedgerRejection.

    A release needs two users: the requester and the one who decides, or given.second if the
    supervisor requested it. One of the two is a supervisor.
    """
    requests.verify_key(key)
    if not decision.reason.strip():
        raise LedgerRejection(
            "reason_needed", "the decision has no reason", "give a reason", "reason"
        )
    digest = requests.digest_of({"released": decision.is_released, "reason": decision.reason})
    scope, now_ns = f"held payout {decision.payout}", ledger.clock.wall_ns()

    def write(db: Connection) -> int:
        people.verify_may(db, who, authority.PAYOUT_RELEASE)
        row = _held(db, decision.payout)
        before = cash.lock(db, row.account_id)
        answer = requests.answered(db, scope, key, digest)
        if answer is not None:
            return int(answer)
        decided = select(payout_decisions.c.at_ns).where(
            payout_decisions.c.held_payout_id == decision.payout
        )
        if db.execute(decided).first() is not None:
            what = f"held payout {decision.payout} has been decided"
            raise LedgerRejection("payout_decided", what, "list the payouts again", "payout")
        posting, other, after = None, None, before
        if decision.is_released:
            posting, other = _release(db, row, decision, before, who, now_ns)
            after -= row.amount_cents
        values = {
            "held_payout_id": decision.payout,
            "posting_id": posting,
            "first_user": who.user,
            "second_user": other,
            "reason": decision.reason,
            "at_ns": now_ns,
        }
        db.execute(insert(payout_decisions).values(**values))
        action = "payout_released" if decision.is_released else "payout_declined"
        subject = f"account {row.account_id}"
        audit.note(
            db, who, action, subject, now_ns, payout=decision.payout, reason=decision.reason
        )
        requests.keep(db, scope, [(key, digest, after)], now_ns)
        return after

    return ledger.run(write)


def _release(
    db: Connection, row: Any, decision: Decision, balance_cents: int, who: Actor, now_ns: int
) -> tuple[int, int | None]:
    """Pay a held payout by two users; returns the posting and the second of them."""
    wanted = Movement(row.account_id, -row.amount_cents)
    cash.verify(wanted, balance_cents)
    assert who.user is not None
    # The requester signed the request; the one named here signs the release.
    other = Actor("", row.user_id) if decision.second is None else decision.second
    _, second = people.two_users(db, (who, other), authority.PAYOUT)
    detail = {"payout": decision.payout, "released_by": [who.name, second.name]}
    confirming = () if decision.second is None else (second,)
    return cash.book(db, wanted, (who, confirming), now_ns, detail), second.user


def _held(db: Connection, payout: int) -> Any:
    row = db.execute(select(held_payouts).where(held_payouts.c.id == payout)).one_or_none()
    if row is None:
        what = f"there is no held payout {payout}"
        raise LedgerRejection("no_such_payout", what, "list the held payouts", "payout")
    return row


def rows(
    db: Connection,
    *,
    is_open: bool | None = None,
    account: int | None = None,
    number: int | None = None,
    before: int | None = None,
    most: int = 100,
) -> list[Row]:
    """Return held payouts, newest first.

    is_open: undecided only. before: those with a lower key.
    """
    col = held_payouts.c
    query = _rows().order_by(col.id.desc()).limit(min(max(most, 1), MOST))
    if is_open is not None:
        undecided = payout_decisions.c.held_payout_id.is_(None)
        query = query.where(undecided if is_open else ~undecided)
    for column, value in ((col.account_id, account), (col.id, number)):
        if value is not None:
            query = query.where(column == value)
    if before is not None:
        query = query.where(col.id < before)
    return [fields_of(row) for row in db.execute(query)]


def _rows() -> Select[Any]:
    """Return the query of held payouts with who asked for and who decided each."""
    col, decided = held_payouts.c, payout_decisions.c
    first, second = users.alias("first"), users.alias("second")
    return (
        select(
            col.id,
            col.account_id,
            accounts.c.player_number,
            accounts.c.name.label("player"),
            accounts.c.currency,
            accounts.c.balance_cents,
            col.amount_cents,
            col.paid_cents,
            col.limit_cents,
            col.user_id,
            users.c.name.label("requested_by"),
            col.at_ns,
            decided.posting_id,
            first.c.name.label("decided_by"),
            second.c.name.label("second_user"),
            decided.reason,
            decided.at_ns.label("decided_ns"),
        )
        .select_from(held_payouts)
        .join(accounts, accounts.c.id == col.account_id)
        .join(users, users.c.id == col.user_id)
        .outerjoin(payout_decisions, decided.held_payout_id == col.id)
        .outerjoin(first, first.c.id == decided.first_user)
        .outerjoin(second, second.c.id == decided.second_user)
    )

"""Day close: cash and chips at the desk and at tables, counted by two users against the ledger.

What has to be there is what was counted at the close before, what the books brought since
(deposits less payouts; at a table none, as its stakes come from accounts), and what was brought
from the vault (a fill) or taken there (a credit). A difference stays a fact of its day.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

from sqlalchemy import Connection, case, func, insert, select

from tabletools import authority
from tabletools.money import cash
from tabletools.money.gaming_day import day_of
from tabletools.store import audit, books, people, requests
from tabletools.store.audit import Actor
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.outbox import OutboxEvent, enqueue
from tabletools.store.schema.books import day_closes, transfers
from tabletools.store.schema.people import users
from tabletools.store.schema.play import tables

FILL, CREDIT = "fill", "credit"
_DESK, _CASH = "desk", "cash"
_MOST_ROWS = 100


class Place(NamedTuple):
    """Where cash or chips are. table: None: the cash desk."""

    currency: str
    table: int | None = None

    @property
    def name(self) -> str:
        """Its name in the rows."""
        return _DESK if self.table is None else f"table {self.table}"


class Transfer(NamedTuple):
    """What two users bring from the vault or take there. key: of the request."""

    kind: str
    place: Place
    cents: int
    users: Sequence[Actor]
    reason: str
    key: str


class Count(NamedTuple):
    """What two users counted at a place. day: that they close; key: of the request."""

    day: date
    place: Place
    counted_cents: int
    users: Sequence[Actor]
    reason: str
    key: str


class Expected(NamedTuple):
    """What has to be at a place now. opening: counted at the close before, 0 before the first.

    booked, transferred: all that came by the books and from the vault so far.
    """

    opening_cents: int
    booked_cents: int
    transferred_cents: int
    expected_cents: int
    closed_day: str | None


def transfer(ledger: Store, wanted: Transfer) -> int:
    """Record a fill or a credit; returns what has to be at the place then. Raises LedgerRejection.

    The same request again gets the same answer and changes nothing.
    """
    cash.verify_amount(wanted.cents)
    if wanted.kind not in (FILL, CREDIT):
        what = f"{wanted.kind[:20]!r} is neither a fill nor a credit"
        raise LedgerRejection("unknown_kind", what, "use fill or credit", "kind")
    now_ns, name = ledger.clock.wall_ns(), wanted.place.name

    def write(db: Connection) -> int:
        both = _begin(db, wanted, authority.TRANSFER, now_ns)
        known = _known(db, wanted)
        if known is not None:
            return known
        before = expected(db, wanted.place).expected_cents
        if wanted.kind == CREDIT and wanted.cents > before:
            what = f"a credit of {wanted.cents} cents, and {before} have to be there"
            raise LedgerRejection("not_enough_money", what, "take less, or count first", "cents")
        values = _values(wanted.place, both, wanted.reason, now_ns)
        row = {"kind": wanted.kind, "amount_cents": wanted.cents}
        db.execute(insert(transfers).values(**row, **values))
        action = "filled" if wanted.kind == FILL else "credited"
        facts = {"cents": wanted.cents, "currency": wanted.place.currency}
        audit.note_both(db, both, action, name, now_ns, **facts, reason=wanted.reason)
        return _keep(db, wanted, expected(db, wanted.place).expected_cents, now_ns)

    return ledger.run(write)


def close(ledger: Store, wanted: Count, hour: int) -> int:
    """Close a gaming day at a place; returns counted less expected, cents. Raises LedgerRejection.

    hour: at which days begin. The same request again gets the same answer and changes nothing.
    """
    now_ns, place = ledger.clock.wall_ns(), wanted.place
    if type(wanted.counted_cents) is not int or not 0 <= wanted.counted_cents < 10**15:
        what = f"{wanted.counted_cents} is no sum of cash in cents"
        raise LedgerRejection("amount_invalid", what, "give what was counted", "counted_cents")

    def write(db: Connection) -> int:
        both = _begin(db, wanted, authority.DAY_CLOSE, now_ns)
        known = _known(db, wanted)
        if known is not None:
            return known
        due = expected(db, place)
        _verify_day(wanted.day, due.closed_day, day_of(now_ns, hour))
        difference = wanted.counted_cents - due.expected_cents
        values = _values(place, both, wanted.reason, now_ns)
        row = {
            "day": wanted.day.isoformat(),
            "booked_cents": due.booked_cents,
            "transferred_cents": due.transferred_cents,
            "expected_cents": due.expected_cents,
            "counted_cents": wanted.counted_cents,
        }
        db.execute(insert(day_closes).values(**row, **values))
        facts = row | {"currency": place.currency, "difference_cents": difference}
        audit.note_both(db, both, "day_closed", place.name, now_ns, **facts, reason=wanted.reason)
        _publish(db, wanted, both, due.expected_cents, now_ns)
        return _keep(db, wanted, difference, now_ns)

    return ledger.run(write)


def _publish(
    db: Connection, wanted: Count, both: tuple[Actor, Actor], expected_cents: int, now_ns: int
) -> None:
    place, day = wanted.place, wanted.day.isoformat()
    data: dict[str, object] = {"day": day, "place": place.name, "currency": place.currency}
    data |= {"expected_cents": expected_cents, "counted_cents": wanted.counted_cents}
    data |= {"users": [who.name for who in both], "reason": wanted.reason}
    name = f"day-{day}-{place.name.replace(' ', '-')}-{place.currency}"
    event = OutboxEvent(name, "tablewire.day.closed", f"day/{day}", data, place.table)
    enqueue(db, event, now_ns)


def _begin(db: Connection, wanted: Transfer | Count, act: str, now_ns: int) -> tuple[Actor, Actor]:
    """Return who decides; nothing else moves cash of the currency until the end."""
    requests.verify_key(wanted.key)
    both = people.two_deciding(db, wanted.users, wanted.reason, act)
    place = wanted.place
    if place.table is not None:
        query = select(tables.c.currency).where(tables.c.id == place.table)
        currency = db.execute(query).scalar_one_or_none()
        if currency != place.currency:
            what = f"there is no table {place.table} that plays in {place.currency}"
            raise LedgerRejection("no_such_table", what, "list them", "table")
    desk = books.account(db, books.CASH, _CASH, place.currency, now_ns=now_ns)
    books.balance(db, desk, lock=True)
    return both


def _scope(wanted: Transfer | Count) -> str:
    return f"{type(wanted).__name__.lower()} {wanted.place.name} {wanted.place.currency}"


def _digest(wanted: Transfer | Count) -> str:
    numbers = [who.user for who in wanted.users]
    facts = {**wanted._asdict(), "users": numbers, "key": None, "place": [*wanted.place]}
    return requests.digest_of({name: _plain(value) for name, value in facts.items()})


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value


def _known(db: Connection, wanted: Transfer | Count) -> int | None:
    answer = requests.answered(db, _scope(wanted), wanted.key, _digest(wanted))
    return None if answer is None else int(answer)


def _keep(db: Connection, wanted: Transfer | Count, answer: int, now_ns: int) -> int:
    requests.keep(db, _scope(wanted), [(wanted.key, _digest(wanted), answer)], now_ns)
    return answer


def _values(
    place: Place, both: tuple[Actor, Actor], reason: str, now_ns: int
) -> dict[str, object]:
    return {
        "place": place.name,
        "currency": place.currency,
        "table_id": place.table,
        "first_user": both[0].user,
        "second_user": both[1].user,
        "reason": reason,
        "at_ns": now_ns,
    }


def _verify_day(day: date, closed: str | None, present: date) -> None:
    if day > present:
        what = f"the gaming day {day} has not begun"
        raise LedgerRejection("no_such_day", what, f"close a day up to {present}", "day")
    if closed is not None and day <= date.fromisoformat(closed):
        what = f"the gaming day {closed} is closed here, and {day} is not after it"
        raise LedgerRejection("day_closed", what, "close a later day", "day")


def expected(db: Connection, place: Place) -> Expected:
    """Return what has to be at a place now."""
    booked = 0
    if place.table is None:
        desk = books.find_account(db, books.CASH, _CASH, place.currency)
        booked = 0 if desk is None else -books.balance(db, desk)
    col = transfers.c
    signed = case((col.kind == FILL, col.amount_cents), else_=-col.amount_cents)
    query = select(func.coalesce(func.sum(signed), 0))
    query = query.where(col.place == place.name, col.currency == place.currency)
    transferred = int(db.execute(query).scalar_one())
    past = day_closes.c
    newest = select(day_closes).where(past.place == place.name, past.currency == place.currency)
    row = db.execute(newest.order_by(past.id.desc()).limit(1)).one_or_none()
    if row is None:
        return Expected(0, booked, transferred, booked + transferred, None)
    since = booked - row.booked_cents + transferred - row.transferred_cents
    counted = int(row.counted_cents)
    return Expected(counted, booked, transferred, counted + since, row.day)


def rows(db: Connection, place: Place) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the newest closes and transfers of a place, with the names of who decided."""
    first, second = users.alias("first"), users.alias("second")
    lists = []
    for subject in (day_closes, transfers):
        query = (
            select(subject, first.c.name.label("first_name"), second.c.name.label("second_name"))
            .join(first, first.c.id == subject.c.first_user)
            .join(second, second.c.id == subject.c.second_user)
            .where(subject.c.place == place.name, subject.c.currency == place.currency)
            .order_by(subject.c.id.desc())
            .limit(_MOST_ROWS)
        )
        lists.append([dict(row) for row in db.execute(query).mappings()])
    return lists[0], lists[1]

"""The meters of jackpots: accounts of the ledger whose balance is the amount that can be won.

Works on an open transaction. A meter belongs to one table, or to all tables with the same
`linked` in their options; editions, variants and currencies have separate meters. The house
seeds a meter with its start amount. A settlement adds what stakes contribute and subtracts what
is won; the house pays what a meter cannot, so none is ever below zero.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, exists, func, or_, select

from tabletools.evidence.tables import LINKED, Terms
from tabletools.games import JACKPOT
from tabletools.games.jackpot import starts_of
from tabletools.rules.violation import RuleViolation
from tabletools.store import books
from tabletools.store.books import Entry
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.books import accounts, ledger_lines, postings
from tabletools.store.schema.play import round_settlements


class Meter(NamedTuple):
    """A meter at the time of a round. cents: what could be won when the round was first settled.

    is_moved: a later round has changed it since.
    """

    account: int
    cents: int
    is_moved: bool = False


Meters = Mapping[str, Meter]
"""By name; {} for games without meters."""


def levels(meters: Meters) -> dict[str, int]:
    """Return what can be won, cents by name."""
    return {name: meter.cents for name, meter in meters.items()}


def names(table: int, terms: Terms) -> dict[str, str]:
    """Return the account names of a table's meters, by name of the meter."""
    if terms.game != JACKPOT:
        return {}
    linked = terms.options.get(LINKED)
    owner = f"table {table}" if linked is None else f"linked {linked}"
    played = f"{owner} ({terms.rules} {terms.variant})"
    return {name: f"{played}: {name}" for name in _starts(terms)}


def _starts(terms: Terms) -> Mapping[str, int]:
    """Return the start amounts of a jackpot, cents by meter. Raises LedgerRejection."""
    try:
        return starts_of(terms.rules, terms.variant, terms.game_options)
    except RuleViolation as refusal:
        raise LedgerRejection(*refusal.parts) from refusal


def seed(db: Connection, table: int, terms: Terms, entry: Entry, now_ns: int) -> None:
    """Create the missing meters of a table, each with its start amount from the house.

    entry: the fields that every posting shares.
    """
    owner = None if terms.options.get(LINKED) is not None else table
    for name, account_name in names(table, terms).items():
        if books.find_account(db, books.METER, account_name, entry.currency) is not None:
            continue
        meter = books.account(
            db, books.METER, account_name, entry.currency, now_ns=now_ns, table=owner
        )
        books.balance(db, meter, lock=True)
        if _has_lines(db, meter):
            continue  # another host created it meanwhile
        cents = _starts(terms)[name]
        if cents:
            bank = books.account(
                db, books.HOUSE, f"table {table}", entry.currency, now_ns=now_ns, table=table
            )
            books.post(db, entry, {meter: cents, bank: -cents}, now_ns)


def _has_lines(db: Connection, meter: int) -> bool:
    query = select(ledger_lines.c.posting_id).where(ledger_lines.c.account_id == meter)
    return db.execute(query.limit(1)).first() is not None


def shown(db: Connection, table: int, terms: Terms, currency: str) -> dict[str, int]:
    """Return what can be won at a table now, cents by meter."""
    numbers = accounts_of(db, table, terms, currency)
    return {name: books.balance(db, meter) for name, meter in numbers.items()}


def of_round(
    db: Connection, table: int, terms: Terms, currency: str, settled_round: int | None
) -> Meters:
    """Return the meters by which a round is settled, locked until the end of the transaction.

    settled_round: a round that was settled before, None for another; its meters have the values
    of its first settlement.
    """
    numbers = lock(db, table, terms, currency)
    if settled_round is None:
        return {name: Meter(meter, books.balance(db, meter)) for name, meter in numbers.items()}
    if not numbers:
        return {}
    first = _first_posting(db, settled_round)
    return {name: before(db, meter, settled_round, first) for name, meter in numbers.items()}


def lock(db: Connection, table: int, terms: Terms, currency: str) -> dict[str, int]:
    """Lock the meters of a table; returns their accounts by name, {} for games without.

    Call it before the first posting of the transaction that changes a meter, so that the lines of
    a meter are in the order of their postings.
    """
    numbers = accounts_of(db, table, terms, currency)
    for meter in sorted(numbers.values()):
        books.balance(db, meter, lock=True)
    return numbers


def accounts_of(db: Connection, table: int, terms: Terms, currency: str) -> dict[str, int]:
    """Return the accounts of a table's meters by name; {} for games without."""
    known = names(table, terms)
    if not known:
        return {}
    col = accounts.c
    query = select(col.name, col.id).where(
        col.kind == books.METER, col.currency == currency, col.name.in_(known.values())
    )
    numbers = {row.name: int(row.id) for row in db.execute(query)}
    return {name: numbers[account] for name, account in known.items() if account in numbers}


def _first_posting(db: Connection, key: int) -> int:
    col = round_settlements.c
    query = select(col.posting_id).where(col.round_id == key, col.generation == 1)
    return int(db.execute(query).scalar_one())


class Levels:
    """Sums of the meters' lines; each line is added once if postings are queried in order."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, int]] = {}  # by account: posting, cents before it

    def before(self, db: Connection, meter: int, posting: int) -> int:
        """Return what a meter held before a posting, cents."""
        line = ledger_lines.c
        start, cents = self._known.get(meter, (0, 0))
        if start > posting:
            start, cents = 0, 0
        query = select(func.coalesce(func.sum(line.amount_cents), 0)).where(
            line.account_id == meter, line.posting_id >= start, line.posting_id < posting
        )
        cents += int(db.execute(query).scalar_one())
        self._known[meter] = posting, cents
        return cents


def before(
    db: Connection,
    meter: int,
    key: int,
    first: int,
    until: int | None = None,
    known: Levels | None = None,
) -> Meter:
    """Return a meter as it was before a round, computed from its lines.

    known: sums from earlier rounds. first: posting of the first settlement of the round; until:
    the settlement that asks whether other rounds changed the meter, None for now.
    """
    line, col = ledger_lines.c, postings.c
    other = (
        select(line.posting_id)
        .join(postings, col.id == line.posting_id)
        .where(
            line.account_id == meter,
            line.posting_id > first,
            or_(col.round_id.is_(None), col.round_id != key),
        )
    )
    if until is not None:
        other = other.where(line.posting_id < until)
    moved = first != until and bool(db.execute(select(exists(other))).scalar_one())
    return Meter(meter, (known or Levels()).before(db, meter, first), moved)


def growth(
    meters: Meters, after: Mapping[str, int], before_cents: Mapping[int, int]
) -> dict[int, int]:
    """Return what a settlement posts to the meters, cents by account.

    after: levels after the round. before_cents: what the settlement before posted to each
    account. That stays where a later round has changed the meter: a level that players saw is not
    withdrawn.
    """
    return {
        meter.account: before_cents.get(meter.account, 0)
        if meter.is_moved
        else after.get(name, meter.cents) - meter.cents
        for name, meter in meters.items()
    }


def warnings(
    meters: Meters, after: Mapping[str, int], moved: Mapping[int, int], number: int
) -> Iterator[str]:
    """Yield a text for each meter that the correction of a round leaves as later rounds set it.

    moved: what the correction posts, cents by account. number: of the round, as its device counts.
    """
    for name, meter in meters.items():
        cents = after.get(name, meter.cents) - meter.cents - moved[meter.account]
        if meter.is_moved and cents:
            yield (
                f"the correction of round {number} changes meter {name} by {cents} cents, "
                "and later rounds have moved it: it stays, and the house bears the difference"
            )

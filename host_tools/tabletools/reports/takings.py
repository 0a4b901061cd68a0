"""Drop, win, theoretical win and pace: folded from settlements, read by day, table, dealer, game.

A settlement counts at the time when it was posted, so the sums of a day are those of its postings:
a correction on a later day changes that day and leaves the first one as it was closed. The sums
are kept by quarter of an hour, because gaming days begin at an hour of local time that a house
sets.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, and_, bindparam, delete, func, insert, or_, select

from tabletools.evidence import tables as casino
from tabletools.money.gaming_day import Span
from tabletools.reports import model, theory
from tabletools.reports.feeds import Part
from tabletools.store.clock import MS, NS
from tabletools.store.schema.play import (
    bets,
    dealer_shifts,
    round_settlements,
    rounds,
    settlements,
)

SLOT_NS = 900 * NS
"""Every zone is a whole number of quarters of an hour from UTC."""
PAUSE_NS = 600 * NS
"""A longer time between two rounds is a pause of the table, and no pace."""
NO_DEALER = 0


class Sums(NamedTuple):
    """Sums of rounds."""

    games: int = 0
    """Rounds with a result."""
    undone: int = 0
    """Rounds that became void, and corrections."""
    drop_cents: int = 0
    """Stakes that were decided. A stake comes from an account, so this is what was put on the
    table; what stays in play counts when it is decided, a void round does not."""
    win_cents: int = 0
    """What the bank won of them; below 0 it lost."""
    known_cents: int = 0
    """Of the drop, that of bets whose theoretical win is known."""
    theory: Fraction = Fraction(0)
    """What the bank wins on average of those, cents, exact."""
    paced: int = 0
    """Rounds that followed another within ten minutes."""
    paced_ms: int = 0
    """The time between these."""

    def plus(self, other: "Sums", sign: int = 1) -> "Sums":
        """Return the sum of both."""
        return Sums(
            self.games + sign * other.games,
            self.undone + sign * other.undone,
            self.drop_cents + sign * other.drop_cents,
            self.win_cents + sign * other.win_cents,
            self.known_cents + sign * other.known_cents,
            self.theory + sign * other.theory,
            self.paced + sign * other.paced,
            self.paced_ms + sign * other.paced_ms,
        )


class Key(NamedTuple):
    """What sums are kept by. dealer: number of the user, NO_DEALER: no user had signed in."""

    table: int
    dealer: int
    game: str


def fold(ledger: Connection, db: Connection, part: Part) -> None:
    """Fold the settlements of a part of the postings."""
    col = round_settlements.c
    query = select(col.round_id, col.generation, rounds.c.table_id, col.at_ns)
    query = query.join(rounds, rounds.c.id == col.round_id)
    query = query.where(col.posting_id > part.after, col.posting_id <= part.last)
    changes: dict[tuple[int, Key], Sums] = {}
    paces: dict[int, int] = {}
    for key, generation, table, at_ns in ledger.execute(
        query.order_by(col.posting_id, col.round_id)
    ).all():
        sums, game, first_ns = _sums(ledger, key, generation)
        if generation > 1:
            sums = sums.plus(_sums(ledger, key, generation - 1)[0], -1)._replace(undone=1)
        elif sums.games:
            last_ns = paces.get(table) or _last_ns(db, table)
            paces[table] = at_ns
            if 0 < at_ns - last_ns <= PAUSE_NS:
                sums = sums._replace(paced=1, paced_ms=(at_ns - last_ns) // MS)
        place = at_ns // SLOT_NS, Key(table, _dealer(ledger, table, first_ns), game)
        changes[place] = changes.get(place, Sums()).plus(sums)
    for (slot, name), sums in changes.items():
        _add(db, {"slot": slot, **name._asdict()}, sums)
    for table, at_ns in paces.items():
        db.execute(delete(model.paces).where(model.paces.c.table == table))
        db.execute(insert(model.paces).values(table=table, at_ns=at_ns))


# Built once: to build a query takes longer than to execute it, and a rebuild has one a round.
_SETTLED = (
    select(
        round_settlements.c.is_void,
        round_settlements.c.back_cents,
        round_settlements.c.lost_cents,
        round_settlements.c.win_cents,
        round_settlements.c.at_ns,
        rounds.c.terms_id,
    )
    .join(rounds, rounds.c.id == round_settlements.c.round_id)
    .where(
        round_settlements.c.round_id == bindparam("round"),
        or_(
            round_settlements.c.generation == 1,
            round_settlements.c.generation == bindparam("generation"),
        ),
    )
    .order_by(round_settlements.c.generation)
)
_LINES = (
    select(bets.c.slip, bets.c.carried_from, settlements.c.stake_cents)
    .join(bets, bets.c.id == settlements.c.bet_id)
    .where(
        settlements.c.round_id == bindparam("round"),
        settlements.c.generation == bindparam("generation"),
    )
)
_DEALER = (
    select(dealer_shifts.c.user_id, dealer_shifts.c.ended_ns)
    .where(
        dealer_shifts.c.table_id == bindparam("table"),
        dealer_shifts.c.began_ns < bindparam("at_ns"),
    )
    .order_by(dealer_shifts.c.id.desc())
    .limit(1)
)


def _sums(ledger: Connection, key: int, generation: int) -> tuple[Sums, str, int]:
    """Return what a generation of a round comes to, its game, and when it was first settled."""
    place = {"round": key, "generation": generation}
    rows = ledger.execute(_SETTLED, place).all()
    row, first_ns = rows[-1], int(rows[0].at_ns)
    terms = casino.terms_at(ledger, row.terms_id)
    if row.is_void:
        return Sums(undone=1), terms.game, first_ns
    known_cents, won = 0, Fraction(0)
    for line in ledger.execute(_LINES, place):
        if line.carried_from is not None:
            continue  # counted when it was new
        average = theory.win_cents(terms, line.slip, line.stake_cents)
        if average is not None:
            known_cents += line.stake_cents
            won += average
    drop_cents = row.back_cents + row.lost_cents
    win_cents = row.lost_cents - row.win_cents
    return Sums(1, 0, drop_cents, win_cents, known_cents, won), terms.game, first_ns


def _last_ns(db: Connection, table: int) -> int:
    query = select(model.paces.c.at_ns).where(model.paces.c.table == table)
    return int(db.execute(query).scalar_one_or_none() or 0)


def _dealer(ledger: Connection, table: int, at_ns: int) -> int:
    """Return who dealt at a table at a time."""
    row = ledger.execute(_DEALER, {"table": table, "at_ns": at_ns}).one_or_none()
    is_gone = row is None or (row.ended_ns is not None and row.ended_ns < at_ns)
    return NO_DEALER if row is None or is_gone else int(row.user_id)


def _add(db: Connection, place: Mapping[str, object], sums: Sums) -> None:
    here = and_(*(model.takings.c[field] == value for field, value in place.items()))
    row = db.execute(select(model.takings).where(here)).one_or_none()
    whole = sums if row is None else _of_row(row).plus(sums)
    db.execute(delete(model.takings).where(here))
    won = {"theory": whole.theory.numerator, "theory_parts": whole.theory.denominator}
    db.execute(insert(model.takings).values(**place, **(whole._asdict() | won)))


def _of_row(row: Row[Any]) -> Sums:
    names = (name for name in Sums._fields if name != "theory")
    values = {name: int(getattr(row, name)) for name in names}
    return Sums(**values, theory=Fraction(int(row.theory), int(row.theory_parts)))


def between(db: Connection, span: Span) -> dict[Key, Sums]:
    """Return the sums of a span of whole quarters of an hour."""
    col = model.takings.c
    names = [name for name in Sums._fields if name != "theory"]
    by = (col.table, col.dealer, col.game, col.theory_parts)
    query = (
        select(*by, func.sum(col.theory).label("theory"))
        .add_columns(*(func.sum(col[name]).label(name) for name in names))
        .where(col.slot >= span.first_ns // SLOT_NS, col.slot < span.end_ns // SLOT_NS)
        .group_by(*by)
    )
    sums: dict[Key, Sums] = {}
    for row in db.execute(query):
        name = Key(row.table, row.dealer, row.game)
        sums[name] = sums.get(name, Sums()).plus(_of_row(row))
    return sums

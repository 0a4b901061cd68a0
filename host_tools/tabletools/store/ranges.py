"""How many rows tables have, and their keys split into ranges of a given number of rows."""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise

from sqlalchemy import ColumnElement, Connection, Select, Table, bindparam, func, select

_NEAR = 20
"""Keys with fewer between them share a range."""


def row_counts(db: Connection, tables: Sequence[Table]) -> dict[str, int]:
    """Return how many rows there are, by table.

    One statement for all: of a small ledger, a statement takes longer to make than to run.
    """
    counts = ", ".join(f"(SELECT count(*) FROM {table.name})" for table in tables)
    row = db.exec_driver_sql(f"SELECT {counts}").one()
    return {table.name: int(count) for table, count in zip(tables, row, strict=True)}


def ranges(
    db: Connection, key: ColumnElement[int], rows: int, least: int | None = None
) -> list[tuple[int, int]]:
    """Return the first and the last key of each range; together they cover every row.

    least: only rows whose key is not lower.
    """
    values = {"rows": rows, "first": 1 % rows}
    if least is not None:
        values |= {"least": least}
    firsts = db.execute(_firsts(key, has_least=least is not None), values).scalars().all()
    if not firsts:
        return []
    last = db.execute(_last(key)).scalar_one()
    return [(first, after - 1) for first, after in pairwise([*firsts, last + 1])]


@cache  # to make a statement takes longer than to run it on a small ledger
def _firsts(key: ColumnElement[int], *, has_least: bool) -> Select[tuple[int]]:
    place = func.row_number().over(order_by=key)
    covered = select(key.label("key"), place.label("place"))
    if has_least:
        covered = covered.where(key >= bindparam("least"))
    numbered = covered.subquery().c
    is_first = numbered.place % bindparam("rows") == bindparam("first")
    return select(numbered.key).where(is_first).order_by(numbered.key)


@cache
def _last(key: ColumnElement[int]) -> Select[tuple[int]]:
    return select(func.max(key))


def ranges_of(keys: Iterable[int], rows: int) -> list[tuple[int, int]]:
    """Return ranges that cover these keys, and few others: of `rows` keys at most."""
    covering: list[tuple[int, int]] = []
    for each in sorted(keys):
        if covering and each - covering[-1][0] < rows and each - covering[-1][1] < _NEAR:
            covering[-1] = covering[-1][0], each
        else:
            covering.append((each, each))
    return covering

"""Split the keys of a table into ranges with a given number of rows each."""

from collections.abc import Iterable
from itertools import pairwise

from sqlalchemy import ColumnElement, Connection, func, select

_NEAR = 20
"""Keys with fewer between them share a range."""


def ranges(
    db: Connection, key: ColumnElement[int], rows: int, least: int | None = None
) -> list[tuple[int, int]]:
    """Return the first and the last key of each range; together they cover every row.

    least: only rows whose key is not lower.
    """
    place = func.row_number().over(order_by=key)
    covered = select(key.label("key"), place.label("place"))
    if least is not None:
        covered = covered.where(key >= least)
    numbered = covered.subquery().c
    query = select(numbered.key).where(numbered.place % rows == 1 % rows).order_by(numbered.key)
    firsts = db.execute(query).scalars().all()
    if not firsts:
        return []
    last = db.execute(select(func.max(key))).scalar_one()
    return [(first, after - 1) for first, after in pairwise([*firsts, last + 1])]


def ranges_of(keys: Iterable[int], rows: int) -> list[tuple[int, int]]:
    """Return ranges that cover these keys, and few others: of `rows` keys at most."""
    covering: list[tuple[int, int]] = []
    for each in sorted(keys):
        if covering and each - covering[-1][0] < rows and each - covering[-1][1] < _NEAR:
            covering[-1] = covering[-1][0], each
        else:
            covering.append((each, each))
    return covering

"""Split the keys of a table into ranges with a given number of rows each."""

from itertools import pairwise

from sqlalchemy import ColumnElement, Connection, func, select


def ranges(db: Connection, key: ColumnElement[int], rows: int) -> list[tuple[int, int]]:
    """Return the first and the last key of each range; together they cover every row."""
    place = func.row_number().over(order_by=key)
    numbered = select(key.label("key"), place.label("place")).subquery().c
    query = select(numbered.key).where(numbered.place % rows == 1 % rows).order_by(numbered.key)
    firsts = db.execute(query).scalars().all()
    if not firsts:
        return []
    last = db.execute(select(func.max(key))).scalar_one()
    return [(first, after - 1) for first, after in pairwise([*firsts, last + 1])]

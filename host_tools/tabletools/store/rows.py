"""Writing rows: one that may exist already, and very many at once."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Dialect, Executable, Row, Table
from sqlalchemy.dialects import postgresql, sqlite

from tabletools.store.engine import SQLITE

# Below this a prepared statement is faster than a stream, whose triggers fire per row.
_COPY_FROM = 4
# Rows in one statement on SQLite, which opens a savepoint for each that fires triggers: 20,000
# settlements take 99 ms one by one and 50 ms so (CPU; 10 rows 58, 500 rows 49; CPython 3.11).
_AT_ONCE = 50


def insert_new(db: Connection, table: Table, values: Mapping[str, Any]) -> bool:
    """Insert a row unless its key exists; returns whether it was new."""
    return db.execute(_insertion(db.dialect, table, (), tuple(values)), values).rowcount == 1


def put(
    db: Connection,
    table: Table,
    key: Sequence[str],
    values: Mapping[str, Any],
    *,
    once: Sequence[str] = (),
) -> None:
    """Insert a row, or change the one with that key. once: columns that stay as they are then."""
    db.execute(_insertion(db.dialect, table, tuple(key), tuple(values), tuple(once)), values)


@lru_cache(maxsize=64)
def _insertion(
    dialect: Dialect,
    table: Table,
    key: Sequence[str],
    columns: Sequence[str],
    once: Sequence[str] = (),
) -> Any:
    """Return the insertion of a row that may exist; key: changed there then, else left as it is.

    once: columns that are not changed.

    Compiled here: SQLAlchemy compiles an "on conflict" again each time, in 0.5 ms.
    """
    statement: Any = sqlite.insert(table) if dialect.name == SQLITE else postgresql.insert(table)
    if key:
        changed = {name: statement.excluded[name] for name in columns if name not in (*key, *once)}
        statement = statement.on_conflict_do_update(index_elements=list(key), set_=changed)
    else:
        statement = statement.on_conflict_do_nothing()
    return statement.compile(dialect=dialect, column_keys=list(columns))


def insert_with_numbers(
    db: Connection, table: Table, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> list[int]:
    """Insert rows that the database numbers; returns their numbers, rising."""
    if len(rows) == 1:
        marks = _marks(len(columns))
        if db.dialect.name != SQLITE:
            marks = marks.replace("?", "%s")
        statement = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES {marks} RETURNING id"
        return [int(db.exec_driver_sql(statement, rows[0]).scalar_one())]
    if db.dialect.name == SQLITE:  # the only writer: no other transaction takes these numbers
        query = f"SELECT COALESCE(MAX(id), 0) FROM {table.name}"
        last = int(db.exec_driver_sql(query).scalar_one())
        numbers = list(range(last + 1, last + 1 + len(rows)))
    else:
        query = f"SELECT nextval(pg_get_serial_sequence('{table.name}', 'id'))"
        query += f" FROM generate_series(1, {len(rows)})"
        numbers = sorted(int(number) for number in db.exec_driver_sql(query).scalars())
    numbered = ((number, *row) for number, row in zip(numbers, rows, strict=True))
    insert_many(db, table, ("id", *columns), numbered)
    return numbers


def all_rows(db: Connection, query: Executable, values: Mapping[str, Any]) -> list[Any]:
    """Return the rows of a query of numbers and texts as plain tuples from the driver.

    For very many rows: SQLAlchemy takes longer to build each than SQLite to find it.
    """
    result = db.execute(query, values)
    assert result.cursor is not None
    try:
        return list(result.cursor.fetchall())
    finally:
        result.close()


def fields_of(row: Row[Any]) -> dict[str, Any]:
    """Return a row by name, each name a plain text: SQLAlchemy's are a kind of their own, which
    msgspec refuses.
    """
    return {str(name): value for name, value in row._mapping.items()}


def insert_many(
    db: Connection, table: Table, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]
) -> None:
    """Insert rows given as tuples of these columns."""
    values = list(rows)
    if not values:
        return
    names = ", ".join(columns)
    if db.dialect.name == SQLITE:
        beginning, marks = f"INSERT INTO {table.name} ({names}) VALUES ", _marks(len(columns))
        whole = len(values) - len(values) % _AT_ONCE
        if whole:
            some = [
                tuple(chain.from_iterable(values[place : place + _AT_ONCE]))
                for place in range(0, whole, _AT_ONCE)
            ]
            db.exec_driver_sql(beginning + ", ".join([marks] * _AT_ONCE), some)
        if values[whole:]:
            db.exec_driver_sql(beginning + marks, values[whole:])
    elif len(values) < _COPY_FROM:
        marks = ", ".join(["%s"] * len(columns))
        db.exec_driver_sql(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", values)
    else:
        driver = db.connection.cursor()
        with driver.copy(f"COPY {table.name} ({names}) FROM STDIN") as copy:
            for row in values:
                copy.write_row(row)
        driver.close()


@cache
def _marks(count: int) -> str:
    return f"({', '.join('?' * count)})"

"""Very many rows at once: every one is written, noted in the chain, and none when one is wrong."""

import pytest
from psycopg.errors import NotNullViolation
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from tabletools.store.rows import insert_many
from tabletools.store.schema.people import audit_log

COLUMNS = "at_ns", "who", "action", "subject", "detail"


def details(pit):
    with pit.ledger.read() as db:
        query = select(audit_log.c.detail).where(audit_log.c.action == "counted")
        return list(db.execute(query.order_by(audit_log.c.seq)).scalars())


@pytest.mark.parametrize("many", [0, 1, 49, 50, 51, 149, 200])
def test_rows_are_written_in_their_order(pit, many):
    """Whatever of them fits into whole statements."""
    rows = [(n, "Sue", "counted", "rows", f'{{"n":{n}}}') for n in range(many)]
    pit.ledger.run(lambda db: insert_many(db, audit_log, COLUMNS, iter(rows)))
    assert details(pit) == [row[-1] for row in rows]


def test_of_rows_of_which_one_is_refused_none_is_written(pit):
    rows = [(n, "Sue", "counted", "rows", None if n == 77 else "{}") for n in range(120)]
    with pytest.raises((IntegrityError, NotNullViolation)):
        pit.ledger.run(lambda db: insert_many(db, audit_log, COLUMNS, rows))
    assert details(pit) == []

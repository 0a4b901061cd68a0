"""The program of a next release, made up: its schema has grown, and a revision upgrades ledgers.

`python -m host_tools.tests.next_release FOLDER OLD NEW`: opens a ledger of this release and one
that does not exist yet, writes to both what only the next schema has, and prints their shapes.
FOLDER is empty; a copy of the revisions is put there.
"""

import json
import shutil
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from sqlalchemy import Index, func, insert, select, text, update

from host_tools.tests.database_shape import shape
from tabletools.cli.main import run
from tabletools.store import Store, migrate
from tabletools.store.schema import METADATA
from tabletools.store.schema.base import key, link, number, table, words
from tabletools.store.shape import missing, triggers

REVISION = Path(__file__).with_name("next_revision.py")


def grow():
    """Declare what the next release has."""
    table("tips", key(), link("account_id", "accounts.id"), number("cents"), append_only=True)
    METADATA.tables["accounts"].append_column(words("remark", null=True))
    bets = METADATA.tables["bets"]
    bets.append_column(number("seat", null=True))
    Index("ix_bets_seat", bets.c.seat)
    for check in METADATA.tables["postings"].constraints:
        if check.name == "ck_postings_kind_known":
            check.sqltext = text(str(check.sqltext).replace("'adjustment'", "'adjustment', 'tip'"))


def write(place):
    """Open a ledger, write what this release could not, and return what its database has."""
    store = Store.open(place)
    accounts, tips = METADATA.tables["accounts"], METADATA.tables["tips"]
    with store.write() as db:
        first = accounts.c.id == db.execute(select(func.min(accounts.c.id))).scalar()
        if not db.execute(update(accounts).where(first).values(remark="a guest")).rowcount:
            cash = {"kind": "cash", "name": "cash", "currency": "EUR", "created_ns": 0}
            db.execute(insert(accounts).values(**cash, balance_cents=0, remark="cash"))
        newest = db.execute(select(func.max(accounts.c.id))).scalar()
        db.execute(insert(tips).values(account_id=newest, cents=500))
        db.execute(insert(METADATA.tables["postings"]).values(at_ns=0, kind="tip", currency="EUR"))
    with store.read() as db:
        parts = {
            "revision": migrate.revision_of(db),
            "wrong": [*missing(db), *triggers(db)],
            "shape": shape(db),
        }
    store.close()
    with redirect_stdout(StringIO()) as printed:
        status = run(["ledger", "verify", place])
    return parts | {"verified": (status, printed.getvalue())}


def main(folder, *places):
    """Print as JSON what each database has."""
    shutil.copytree(migrate.MIGRATIONS, folder, dirs_exist_ok=True)
    shutil.copy(REVISION, Path(folder) / "versions" / "v9999_tips.py")
    migrate.MIGRATIONS = Path(folder)
    grow()
    print(json.dumps([write(place) for place in places]))


if __name__ == "__main__":
    main(*sys.argv[1:])

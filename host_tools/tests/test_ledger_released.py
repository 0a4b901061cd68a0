"""Ledgers that earlier releases wrote are upgraded, found sound, and played on.

`python -m host_tools.tests.test_ledger_released FILE` writes the ledger of the release at hand, a
database of SQLite: once for each release that changes the schema, into `ledgers`. A file there
never changes.
"""

import shutil
import sqlite3
import sys
from contextlib import closing
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import select

from host_tools.tests.database_shape import shape
from host_tools.tests.pit import BOOT, DEVICE, HOUSE, START, Hand, Pit, S
from tabletools.cli.main import run
from tabletools.money import cash
from tabletools.store import Store
from tabletools.store.migrate import newest, revision_of
from tabletools.store.schema.books import accounts
from tabletools.store.shape import triggers
from tabletools.table import betting
from tablewire.sender import Sender

LEDGERS = Path(__file__).with_name("ledgers")
SEVENTEEN = {"numbers": ["17"]}
# By hand, French wheel: 17 pays 35 to 1; red loses at 17 and wins at 1; a void returns the stake;
# at zero half of it is returned (hc2023); a payout of 25.00.
ADA = 100_000 + 35 * 500 - 1_000 // 2 - 2_500
BEN = 100_000 - 500 + 500


def play(place):
    """Write a ledger: five rounds, two of them ruled or voided, a withdrawn bet, a payout."""
    pit = Pit(place)
    pit.play(1, 17, (pit.ada, "straight", 500, SEVENTEEN), (pit.ben, "red", 500))
    pit.play(2, None, (pit.ada, "red", 500))
    pit.play(3, 1, (pit.ben, "red", 500))
    pit.play(4, 0, (pit.ada, "even", 1_000))
    pit.play(5, 2, (pit.ada, "red", 500))
    pit.rule(5, {"stakes_back": "a guest knocked the wheel"})
    pit.open(6)
    bet = pit.place(pit.ada, "red", 500).bet
    betting.withdraw(pit.ledger, pit.lease, pit.ada, bet, "withdrawal")
    cash.pay_out(pit.ledger, pit.ada, 2_500, "payout", HOUSE, held_cents=10_000)
    pit.ledger.close()


class Resumed(Pit):
    """The same table an hour later, started again, with the players that the ledger has."""

    def __init__(self, place):
        self.clock = Hand()
        self.clock.ahead = START + 3_600 * S
        self.ledger = Store.open(place, clock=self.clock)
        self.game, self.table = "roulette", 1
        with self.ledger.read() as db:
            rows = db.execute(select(accounts.c.name, accounts.c.id)).tuples()
            by_name = dict(rows.all())
        self.ada, self.ben = by_name["ada"], by_name["ben"]
        self.keys = (f"later {number}" for number in count())
        self.device = Sender(DEVICE, BOOT + 1)
        self.attach()


@pytest.mark.parametrize("written", sorted(LEDGERS.glob("*.db")), ids=lambda file: file.stem)
def test_a_ledger_of_a_release_is_upgraded_and_played_on(written, tmp_path, capsys):
    """Nothing of it is lost: its balances, its chain, its rounds settled again by this program."""
    place = Path(shutil.copy(written, tmp_path / "ledger"))
    new = Store.open(tmp_path / "new")
    pit = Resumed(place)
    with pit.ledger.read() as db, new.read() as declared:
        assert revision_of(db) == newest()
        assert shape(db) == shape(declared)
        assert [*triggers(db)] == []
    new.close()
    assert (pit.balance(pit.ada), pit.balance(pit.ben)) == (ADA, BEN)
    pit.play(7, 17, (pit.ben, "straight", 500, SEVENTEEN))
    assert pit.balance(pit.ben) == BEN + 35 * 500
    pit.ledger.close()
    assert run(["ledger", "verify", str(place)]) == 0, capsys.readouterr()
    assert "sound" in capsys.readouterr().out


def main(file):
    """Write the ledger of the release at hand, in small pages: most tables have no row."""
    with TemporaryDirectory() as folder:
        play(Path(folder) / "ledger")
        with closing(sqlite3.connect(Path(folder) / "ledger", isolation_level=None)) as db:
            db.execute("PRAGMA page_size=512")
            db.execute("VACUUM INTO ?", [file])


if __name__ == "__main__":
    main(sys.argv[1])

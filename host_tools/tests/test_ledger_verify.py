"""Rounds derived again: what is wrong with one is named, and the others are not blamed for it."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from host_tools.tests.pit import Pit
from tabletools.money import verify_rounds
from tabletools.store import Store

ROUNDS = 5


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Five rounds, a red bet of 5.00 in each; the second is void, the fourth has no bets."""
    place = tmp_path_factory.mktemp("verify") / "ledger"
    pit = Pit(place)
    for number, pocket in enumerate((1, None, 3, 2, 5), 1):
        wishes = () if number == 4 else ((pit.ada, "red", 500),)
        pit.play(number, pocket, *wishes)
    pit.ledger.close()
    return place


def problems(place):
    store = Store.open_any(place)
    with store.read() as db:
        found = list(verify_rounds.problems(db, 1, ROUNDS))
    store.close()
    return [problem.replace("(device 7 number ", "(") for problem in found]


@pytest.mark.parametrize(("statement", "expected"), [
    ("UPDATE bets SET stake_cents = 600 WHERE round_id = 3", [
        "generation 1: bets [3] come to something else when settled",
        "generation 1: its sums are not those of its lines",
        "account {ada} moved by 500 cents, its bets say 400",
        "account {escrow} moved by 0 cents, its bets say 100",
    ]),
    ("UPDATE settlements SET win_cents = 600 WHERE round_id = 3", [
        "generation 1: bets [3] come to something else when settled",
        "account {ada} moved by 500 cents, its bets say 600",
        "account {bank} moved by -500 cents, its bets say -600",
    ]),
    ("DELETE FROM settlements WHERE round_id = 3", [
        "generation 1 does not settle exactly the bets in play",
        "generation 1: its sums are not those of its lines",
        "account {ada} moved by 500 cents, its bets say -500",
        "account {escrow} moved by 0 cents, its bets say 500",
        "account {bank} moved by -500 cents, its bets say 0",
    ]),
    ("DELETE FROM round_settlements WHERE round_id = 3", [
        "settled 1 times, 0 settlements are kept",
    ]),
    ("UPDATE round_settlements SET win_cents = 0 WHERE round_id = 3", [
        "generation 1: its sums are not those of its lines",
    ]),
    ("DELETE FROM outbox WHERE event_id = 'round-3-1'", ["generation 1 was never announced"]),
    ("UPDATE results SET outcome = '{{\"pocket\": \"9\"}}' WHERE round_id = 3", [
        "its result is not that of the frame that ended it",
        "settled by another result than it has",
    ]),
    ("DELETE FROM results WHERE round_id = 3", [
        "it has a result that was never kept",
        "settled by another result than it has",
    ]),
    ("UPDATE ledger_lines SET amount_cents = 1 WHERE account_id = {ada} AND posting_id ="
     " (SELECT min(id) FROM postings WHERE round_id = 3)", [
        "account {ada} moved by 1001 cents, its bets say 500",
    ]),
    ("DELETE FROM rounds WHERE id = 3", []),
])  # fmt: skip
def test_what_is_wrong_with_a_round_is_named(played, tmp_path, statement, expected):
    """And no other round; the sums are those of a bet of 5.00 on red that wins 5.00."""
    assert problems(played) == []
    place = tmp_path / "ledger"
    shutil.copy(played, place)
    with closing(sqlite3.connect(place)) as db, db:
        for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'"):
            db.execute(f"DROP TRIGGER {name}")
        kinds = dict(db.execute("SELECT kind, max(id) FROM accounts WHERE kind <> 'player'"
                                " GROUP BY kind"))  # fmt: skip
        [ada] = db.execute("SELECT id FROM accounts WHERE name = 'ada'").fetchone()
        names = {"ada": ada, "escrow": kinds["escrow"], "bank": kinds["house"]}
        assert db.execute(statement.format(**names)).rowcount == 1
    assert problems(place) == [f"round 3 (3): {text.format(**names)}" for text in expected]

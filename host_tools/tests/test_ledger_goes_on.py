"""Verification that goes on from a verified state finds what was changed since."""

import json
import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import text

from host_tools.tests import pit as pits
from host_tools.tests.pit import Pit
from tabletools.cli.main import run
from tabletools.errors import UNSOUND, USER
from tabletools.store.ranges import ranges_of
from tabletools.table.verify import check


@pytest.fixture(autouse=True)
def data_home(tmp_path, monkeypatch):
    """The key of the states is in the data folder of the user."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def pit(ledger_place):
    new = Pit(ledger_place)
    new.play(1, 17, (new.ada, "red", 500))
    yield new
    new.ledger.close()


def state_of(pit, since=None):
    with pit.ledger.read() as db:
        report = check(db, since=since)
    assert report.problems == []
    return report.state


def problems(pit, since):
    with pit.ledger.read() as db:
        return check(db, since=since).problems


def tamper(pit, statement):
    """Change the database as its owner can: without its guards, and with no entry of the chain."""
    with pit.ledger.engine.begin() as db:
        if pit.ledger.is_sqlite:
            query = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
            guards = db.execute(text(query)).all()
            for name, _ in guards:
                db.execute(text(f"DROP TRIGGER {name}"))
            db.execute(text(statement))
            for _, sql in guards:
                db.exec_driver_sql(sql)
        else:
            db.execute(text("SET session_replication_role = replica"))
            db.execute(text(statement))
            db.execute(text("SET session_replication_role = origin"))


def test_it_goes_on_step_by_step_and_ends_where_a_whole_verification_does(pit):
    state = state_of(pit)
    for number in (2, 3, 4):
        pit.play(number, 18, (pit.ben, "red", 500))
        state = state_of(pit, state)
    assert state == state_of(pit)


def test_it_can_go_on_where_nothing_was_written(pit):
    state = state_of(pit)
    assert state_of(pit, state) == state


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        # Of before the verified state: rows that may change, numbers of rows, sums.
        (
            "UPDATE accounts SET name = 'eve' WHERE id = {ada}",
            "accounts: rows that no entry wrote",
        ),
        ("UPDATE accounts SET balance_cents = 1 WHERE id = {ada}", "account {ada} (player ada)"),
        (
            "UPDATE rounds SET verdict = 'unexpected' WHERE number = 1",
            "rounds: rows that no entry",
        ),
        ("DELETE FROM outbox", "outbox"),
        # Of since then.
        ("UPDATE bets SET stake_cents = 9 WHERE id = 2", "bets 2"),
        ("UPDATE settlements SET win_cents = 9 WHERE bet_id = 2", "settlements 2"),
        ("UPDATE accounts SET name = 'eve' WHERE id = {ben}", "accounts {ben}: not as written"),
        ("UPDATE chain SET at_ns = 1 WHERE seq = (SELECT max(seq) FROM chain)", "was changed"),
        ("DELETE FROM idempotency_keys WHERE scope LIKE 'bet%'", "idempotency_keys"),
    ],
)
@pytest.mark.one_in(2)
def test_it_finds_changes(pit, statement, problem):
    state = state_of(pit)
    pit.play(2, 18, (pit.ben, "red", 500))
    names = {"ada": pit.ada, "ben": pit.ben}
    tamper(pit, statement.format(**names))
    assert any(problem.format(**names) in one for one in problems(pit, state))


def test_an_old_row_that_never_changes_is_left_to_a_whole_verification(pit):
    """The price of going on, which the command and LEDGER.md name."""
    state = state_of(pit)
    tamper(pit, "UPDATE bets SET terminal = 'elsewhere' WHERE id = 1")
    assert problems(pit, state) == []
    assert any("bets 1" in one for one in problems(pit, None))


def test_a_correction_of_an_old_round_is_verified(pit):
    state = state_of(pit)
    pit.rule(1, {"pocket": "18"})
    assert state_of(pit, state) == state_of(pit)
    tamper(pit, 'UPDATE round_settlements SET outcome = \'{"pocket":"19"}\' WHERE generation = 2')
    assert any("round" in one for one in problems(pit, state))


def test_a_ledger_that_was_restored_from_before_the_state_is_not_it(pit):
    state = state_of(pit)
    tamper(pit, "DELETE FROM chain WHERE seq = (SELECT max(seq) FROM chain)")
    [problem] = problems(pit, state)
    assert problem == f"chain: it was verified up to entry {state.seq}, which is missing"


def test_ranges_cover_keys_and_few_others():
    assert ranges_of([], 10) == []
    assert ranges_of([5, 3, 4], 10) == [(3, 5)]
    assert ranges_of([1, 2, 900, 901], 500) == [(1, 2), (900, 901)]
    assert ranges_of(range(1, 1001), 500) == [(1, 500), (501, 1000)]


# --- the command ---------------------------------------------------------------------------------


@pytest.fixture
def played(tmp_path):
    place = tmp_path / "ledger"
    new = Pit(place)
    new.play(1, 17, (new.ada, "red", 500))
    new.ledger.close()
    return place


def verify(place, *words):
    return run(["ledger", "verify", str(place), "--workers", "1", *map(str, words)])


def test_the_command_goes_on_and_says_so(played, tmp_path, capsys):
    state = tmp_path / "pit.verified"
    assert verify(played, "--state", state) == 0
    assert "were verified on" not in capsys.readouterr().out
    assert state.stat().st_mode & 0o777 == 0o600
    assert verify(played, "--state", state) == 0
    assert "are not read again; --full does" in capsys.readouterr().out
    assert verify(played, "--state", state, "--full") == 0
    assert "were verified on" not in capsys.readouterr().out
    assert verify(played, "--full") == USER


def test_more_than_was_verified_is_verified_from_the_beginning(played, tmp_path, capsys):
    state = tmp_path / "pit.verified"
    assert verify(played, "--state", state) == 0
    assert verify(played, "--state", state, "--read-pictures") == 0
    assert "everything is verified" in capsys.readouterr().out


def test_an_unsound_ledger_leaves_the_state(played, tmp_path):
    state = tmp_path / "pit.verified"
    assert verify(played, "--state", state) == 0
    before = state.read_bytes()
    with closing(sqlite3.connect(played)) as db:
        db.execute("UPDATE accounts SET name = 'eve' WHERE kind = 'player'")
        db.commit()
    assert verify(played, "--state", state) == UNSOUND
    assert state.read_bytes() == before


def test_a_forged_state_is_refused(played, tmp_path, capsys, monkeypatch):
    state = tmp_path / "pit.verified"
    assert verify(played, "--state", state) == 0
    whole = state.read_text()
    record = json.loads(whole)
    record["verified"]["seq"] += 1
    for forged in (json.dumps(record), "{}", "[" * 9999, "", whole[:-2] + "}}", '{"verified": 1}'):
        state.write_text(forged)
        assert verify(played, "--state", state) == USER
        assert str(state) in capsys.readouterr().err
        assert state.read_text() == forged
    state.write_text(whole)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "of another user"))
    assert verify(played, "--state", state) == USER
    assert "not one that this user wrote" in capsys.readouterr().err


def test_a_state_of_another_ledger_is_refused(played, tmp_path, capsys, monkeypatch):
    state, other = tmp_path / "pit.verified", tmp_path / "other"
    assert verify(played, "--state", state) == 0
    monkeypatch.setattr(pits, "START", pits.START + 1)
    new = Pit(other)
    new.play(1, 17)
    new.ledger.close()
    assert verify(other, "--state", state) == USER
    assert "of another ledger" in capsys.readouterr().err


def test_a_key_that_others_may_read_is_refused(played, tmp_path, capsys):
    state = tmp_path / "pit.verified"
    assert verify(played, "--state", state) == 0
    key = tmp_path / "data" / "tablewire" / "verified.key"
    key.chmod(0o644)
    assert verify(played, "--state", state) == USER
    assert "others may read" in capsys.readouterr().err
    key.chmod(0o600)
    key.write_text("no key")
    assert verify(played, "--state", state) == USER

"""An archive of a month proves every row by itself, and a change in it is found."""

import hashlib
import json
import shutil

import pyarrow
import pytest
from pyarrow import parquet
from sqlalchemy import text

from host_tools.tests import pit as pits
from host_tools.tests.pit import Pit, S
from tabletools import release
from tabletools.archive import checking, writing
from tabletools.archive.writing import LEFT_OUT, Month
from tabletools.cli.main import run
from tabletools.errors import UNSOUND, USER
from tabletools.money import cash
from tabletools.store import StoreError
from tabletools.table.verify import check

DAY = 24 * 3600 * S
JANUARY, FEBRUARY = Month.of("2027-01"), Month.of("2027-02")


@pytest.fixture
def key(tmp_path):
    release.make_keys(tmp_path / "house.key")
    return tmp_path / "house.key"


@pytest.fixture
def pit(ledger_place):
    """Rounds in January, money in February and March of 2027."""
    new = Pit(ledger_place)
    for number, pocket in ((1, 17), (2, None), (3, 0)):
        new.play(number, pocket, (new.ada, "red", 500), (new.ben, "black", 500))
    for days in (30, 31):
        new.clock.ahead += days * DAY
        cash.deposit(new.ledger, new.ada, 100, f"after {days}", pits.HOUSE)
    yield new
    new.ledger.close()


def archived(pit, folder, key, month=JANUARY):
    with pit.ledger.read() as db:
        return writing.write(db, month, folder, release.read_private(key), 1)


def problems(folder, public=None):
    opened = checking.opened(folder, public)
    return list(checking.problems(opened))


def test_a_month_is_sound_by_itself(pit, tmp_path, key):
    written = archived(pit, tmp_path / "jan", key)
    public = release.read_public(key.with_suffix(".pub"))
    assert problems(tmp_path / "jan", public) == []
    manifest = json.loads((tmp_path / "jan" / "manifest.json").read_bytes())
    assert (manifest["month"], manifest["first"], manifest["before"]) == ("2027-01", 1, "00" * 32)
    assert written.first == 1
    rows = parquet.read_table(tmp_path / "jan" / "settlements.parquet").to_pylist()
    # By hand: 17 is black; a void returns the stakes; zero halves even chances.
    assert [row["win_cents"] for row in rows] == [0, 500, 0, 0, 0, 0]
    assert [row["lost_cents"] for row in rows] == [500, 0, 0, 0, 250, 250]
    assert not LEFT_OUT & {file.stem for file in (tmp_path / "jan").iterdir()}
    with pit.ledger.read() as db:
        assert check(db).problems == []


def test_no_secret_of_a_user_is_in_it(pit, tmp_path, key):
    archived(pit, tmp_path / "jan", key)
    for file in (tmp_path / "jan").glob("*.parquet"):
        names = parquet.read_schema(file).names
        assert not {"password_hash", "pin_hash", "token_hash", "sealed_key", "mac"} & set(names)


def test_months_follow_each_other(pit, tmp_path, key):
    archived(pit, tmp_path / "jan", key)
    archived(pit, tmp_path / "feb", key, FEBRUARY)
    both = [checking.opened(tmp_path / name, None) for name in ("jan", "feb")]
    assert list(checking.follow(both)) == []
    assert list(checking.follow(both[::-1])) == ["jan: does not follow feb"]
    assert problems(tmp_path / "feb") == []
    # The account of Ada and that of the cash changed again in February.
    assert both[0].manifest.changed_later["accounts"] == 2


@pytest.mark.parametrize("month", ["2027-03", "2027-04"])
def test_a_month_that_is_not_over_is_refused(pit, tmp_path, key, month):
    with pytest.raises(StoreError, match="is not over"):
        archived(pit, tmp_path / "it", key, Month.of(month))
    with pytest.raises(StoreError, match="nothing of 2026-12"):
        archived(pit, tmp_path / "it", key, Month.of("2026-12"))
    assert not (tmp_path / "it").exists()


def test_a_row_that_was_changed_is_not_archived(pit, tmp_path, key):
    with pit.ledger.engine.begin() as db:
        on = "" if pit.ledger.is_sqlite else " ON bets"
        name = "bets_no_update" if pit.ledger.is_sqlite else "bets_only_grows"
        db.execute(text(f"DROP TRIGGER {name}{on}"))
        db.execute(text("UPDATE bets SET stake_cents = 501 WHERE id = 1"))
    with pytest.raises(StoreError, match="bets: rows are not as written"):
        archived(pit, tmp_path / "jan", key)
    assert list(tmp_path.glob("*jan*")) == []


@pytest.fixture
def folder(tmp_path, key):
    """An archive of a ledger on SQLite."""
    new = Pit(tmp_path / "ledger")
    new.play(1, 17, (new.ada, "red", 500))
    new.clock.ahead += 60 * DAY
    cash.deposit(new.ledger, new.ada, 100, "later", pits.HOUSE)
    archived(new, tmp_path / "jan", key)
    new.ledger.close()
    return tmp_path / "jan"


def signed_again(folder, key, **changes):
    """Sign a manifest that fits the changed files, as who has the key can."""
    manifest = json.loads((folder / "manifest.json").read_bytes()) | changes
    for file in folder.glob("*.parquet"):
        facts = manifest["files"][file.stem]
        facts["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    data = json.dumps(manifest).encode()
    (folder / "manifest.json").write_bytes(data)
    (folder / "manifest.sig").write_text(release.read_private(key).sign(data).hex())


def rewrite(folder, name, change):
    """Change the rows of a file, a list of dicts."""
    table = parquet.read_table(folder / f"{name}.parquet")
    rows = table.to_pylist()
    change(rows)
    table = pyarrow.Table.from_pylist(rows, schema=table.schema)
    parquet.write_table(table, folder / f"{name}.parquet")


def test_any_changed_byte_is_found(folder):
    for file in sorted(folder.iterdir()):
        data = file.read_bytes()
        file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        assert run(["ledger", "check-archive", str(folder)]) != 0, file.name
        file.write_bytes(data)
    assert problems(folder) == []


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("bets", lambda rows: rows[0].update(stake_cents=1), "bets: not as written in entry"),
        ("bets", lambda rows: rows.pop(), "bets: not as written in entry"),
        ("bets", lambda rows: rows.append(rows[0]), "bets: rows that no entry names"),
        ("frames", lambda rows: rows.reverse(), "frames: not as written in entry"),
        ("rounds", lambda rows: rows[0].update(settled=0), "rounds (1,): not as written"),
        ("rounds", lambda rows: rows.pop(), "rounds: 1 rows are missing"),
        ("chain", lambda rows: rows.pop(), "chain: it ends with entry"),
        ("chain", lambda rows: rows[3].update(at_ns=1), "chain: entry 4 was changed"),
        ("chain", lambda rows: rows.pop(3), "chain: entry 5 does not follow"),
    ],
)
def test_rows_are_proved_by_the_chain_whoever_signs(folder, key, name, change, problem):
    rewrite(folder, name, change)
    signed_again(folder, key)
    assert any(one.startswith(problem) for one in problems(folder)), problems(folder)


@pytest.mark.parametrize("text", [b"", b"PAR1 no Parquet PAR1"])
def test_files_of_another_kind_are_found_whoever_signs(folder, key, text):
    (folder / "bets.parquet").write_bytes(text)
    signed_again(folder, key)
    assert [one[:26] for one in problems(folder)] == ["its files cannot be read: "]


def test_a_chain_of_other_columns_is_found_whoever_signs(folder, key):
    shutil.copy(folder / "bets.parquet", folder / "chain.parquet")
    signed_again(folder, key)
    assert problems(folder)


def test_files_that_are_missing_or_added_are_found(folder):
    shutil.copy(folder / "bets.parquet", folder / "tips.parquet")
    (folder / "faults.parquet").unlink(missing_ok=True)
    (folder / "bets.parquet").unlink()
    assert problems(folder) == [
        "tips.parquet: not in the manifest",
        "bets.parquet: No such file or directory",
    ]


def test_a_manifest_that_names_other_paths_is_refused(folder, key, capsys):
    manifest = json.loads((folder / "manifest.json").read_bytes())
    files = manifest["files"] | {"../../etc/passwd": {"rows": 1, "keys": 1, "sha256": ""}}
    signed_again(folder, key, files=files)
    assert run(["ledger", "check-archive", str(folder)]) == USER
    assert "not an archive" in capsys.readouterr().err


# --- the commands --------------------------------------------------------------------------------


def test_the_commands(folder, key, tmp_path, capsys):
    place, out = str(tmp_path / "ledger"), str(tmp_path / "again")
    public = str(key.with_suffix(".pub"))
    assert run(["ledger", "archive", place, "2027-01", out, "--key", str(key)]) == 0
    assert "entries 1 to" in capsys.readouterr().out
    assert run(["ledger", "check-archive", out, "--public", public]) == 0
    assert "sound" in capsys.readouterr().out
    assert run(["ledger", "check-archive", out, "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[-1] == {"sound": True, "signer_is_proved": False}
    assert run(["ledger", "check-archive", out]) == 0
    assert "not proved without --public" in capsys.readouterr().out
    assert run(["ledger", "archive", place, "2027-01", out, "--key", str(key)]) == USER
    assert run(["ledger", "archive", place, "2027-01", f"{out}2"]) == USER
    assert "no host has signed" in capsys.readouterr().err
    assert run(["ledger", "archive", place, "2027-13", out, "--key", str(key)]) == USER
    assert run(["ledger", "check-archive", str(tmp_path), "--public", public]) == USER
    release.make_keys(tmp_path / "other.key")
    other = str(tmp_path / "other.pub")
    assert run(["ledger", "check-archive", out, "--public", other]) == USER
    assert "another key signed it" in capsys.readouterr().err
    (tmp_path / "again" / "bets.parquet").unlink()
    assert run(["ledger", "check-archive", out, "--public", public]) == UNSOUND

"""`tabletool evidence` and bad input: refused with place and limit, nothing is changed."""

import json
import re
import shutil

import pytest

from host_tools.tests.collecting import Collecting
from host_tools.tests.pit import DEVICE, Pit
from tableemulator.machines.repeater import result
from tabletools.cli.main import run
from tabletools.errors import USER
from tabletools.link import Contradiction
from tabletools.table.verify import check
from tablewire.roulette import WHEEL_RESULT

SURROGATE = "\udcff"  # what a byte that is no UTF-8 becomes in an argument
RELEASE = ["--release", "7", "--by", "Tess", "--why", "board replaced"]


def played(place):
    """Play three rounds of a table that is stopped then; returns the place of the database."""
    host = Collecting(place)
    host.beat()
    for number in range(1, 4):
        host.round(number)
    host.say(WHEEL_RESULT, result(3), 2)
    host.close()
    return str(place)


@pytest.fixture(scope="module")
def night_file(ledger_file, tmp_path_factory):
    """Such a night in a file of SQLite, to be copied."""
    return played(shutil.copy(ledger_file, tmp_path_factory.mktemp("night") / "ledger"))


@pytest.fixture
def night(ledger_place, night_file):
    """A database with three rounds of a table that is stopped."""
    is_file = "://" not in ledger_place
    return shutil.copy(night_file, ledger_place) if is_file else played(ledger_place)


def listed(night, capsys, *words):
    capsys.readouterr()
    assert run(["evidence", night, "--json", *words]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def with_value(option, value):
    """The words of a release with another value."""
    words = list(RELEASE)
    words[words.index(option) + 1] = value
    return words


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--round", "0"], "--round: the least is 1"),
        (["--round", "4294967296"], "the most is 4294967295"),
        (["--round", "9" * 30], "the most is 4294967295"),
        (["--round", "one"], "--round: not a whole number"),
        ([*RELEASE, "--round", "2"], "--release lists nothing (--release, beside --round)"),
        ([*RELEASE, "--alarms", "--json"], "--release, beside --alarms, --json"),
        (with_value("--release", "-1"), "--release: the least is 1"),
        (with_value("--release", "9" * 30), "the most is 4294967295"),
        (with_value("--release", "8"), "device 8 is not stopped"),
        (with_value("--by", " "), "a name is needed (--by)"),
        (with_value("--by", "a" * 61), "a name has 61 characters (--by, at most 60)"),
        (with_value("--by", "A\nB"), "a name has characters that cannot be shown: 'A\\nB'"),
        (with_value("--by", SURROGATE), "cannot be shown: '\\udcff'"),
        (with_value("--by", "T\u0435ss"), "mixes letters of cyrillic and latin"),
        (with_value("--why", ""), "a reason is needed (--why)"),
        (with_value("--why", "a" * 501), "a reason has 501 characters (--why, at most 500)"),
        (with_value("--why", "seen\x1b[2J"), "a reason has characters that cannot be shown"),
        (with_value("--why", SURROGATE), "cannot be shown"),
    ],
)
@pytest.mark.one_in(3)
def test_bad_words_are_refused_and_change_nothing(words, why, night, capsys):
    """With the place and the limit; no user is added, and the table stays stopped."""
    before = listed(night, capsys, "--tables"), listed(night, capsys, "--alarms")
    assert run(["evidence", night, *words]) == USER
    error = capsys.readouterr().err
    assert why in error
    assert "next step: " in error or ("--json" in words and '"step": "' in error)
    assert (listed(night, capsys, "--tables"), listed(night, capsys, "--alarms")) == before
    assert "for round 2 that ended" in before[0][0]["stopped"]
    host = Collecting(night)
    assert host.rows("SELECT name FROM users") == []
    host.close()


def test_a_release_is_kept_with_its_user_and_reason(night, capsys):
    """Added if unknown, in the same transaction; the chain of the database stays sound."""
    assert run(["evidence", night, *with_value("--by", " Tess ")]) == 0
    assert capsys.readouterr().out == "table 7 released: board replaced\n"
    host = Collecting(night)
    assert host.rows(
        "SELECT name, role, password_hash, released_why FROM stops JOIN users"
        " ON users.id = released_by"
    ) == [("Tess", "technician", None, "board replaced")]
    with host.store.read() as db:
        assert check(db).problems == []
    host.close()


def test_a_user_who_is_disabled_releases_nothing(night, capsys):
    host = Collecting(night)
    with host.store.write() as db:
        db.exec_driver_sql(
            "INSERT INTO users (name, role, enabled, created_ns)"
            " VALUES ('Tess', 'technician', 0, 0)"
        )
    host.close()
    assert run(["evidence", night, *RELEASE]) == USER
    assert "user 'Tess' is disabled" in capsys.readouterr().err
    [table] = [row for row in listed(night, capsys, "--tables") if row["list"] == "table"]
    assert table["stopped"] is not None


def test_a_table_of_a_pit_is_released_by_its_host_alone(tmp_path, capsys):
    """There the release settles as well."""
    place = str(tmp_path / "pit.ledger")
    pit = Pit(place)
    pit.play(1, 17)
    with pytest.raises(Contradiction):
        pit.say(WHEEL_RESULT, result(3), 1)
    assert run(["evidence", place, *RELEASE]) == USER
    assert "device 7 plays table R1 of a pit" in capsys.readouterr().err
    assert pit.intake.stopped(DEVICE) is not None
    pit.ledger.close()


@pytest.mark.parametrize(
    "words",
    [
        ["--round", "0"],
        ["--round", "9" * 30],
        ["--round", "1", "--device", "9" * 30],
        ["--round", "1", "--device", "0"],
    ],
)
def test_a_replay_of_a_number_that_none_can_have(words, night, capsys):
    assert run(["replay", "--db", night, *words]) == USER
    assert re.search(": (the (least|most) is |not a whole number)", capsys.readouterr().err)


URLS = (
    "postgresql://ada:geheim@127.0.0.1:9/x",
    "postgresql://127.0.0.1:9/x?password=geheim&user=u",
    "postgresql://ada:ge@geheim@127.0.0.1:9/x",
    "postgresql://ada:geheim@host:port/x",
    "mysql://ada:geheim@host/x",
)


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize(
    "words",
    [
        ["evidence", "{}"],
        ["evidence", "{}", *RELEASE],
        ["replay", "--db", "{}", "--round", "1"],
        ["collect", "socket://127.0.0.1:9", "--db", "{}"],
        ["ledger", "verify", "{}"],
        ["audit", "--db", "{}"],
        ["users", "list", "--db", "{}"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_password_in_a_url_is_not_shown(words, url, capsys):
    """The place is named without it: errors end up in logs and tickets."""
    assert run([word.format(url) for word in words]) == USER
    error = capsys.readouterr().err
    assert error.startswith(("tabletool: error: th", "tabletool: error: no such"))
    assert "://" in error
    assert "geheim" not in error


def test_a_round_that_is_nowhere_is_an_error(night, capsys):
    """Not an empty listing, which reads as a round without records."""
    assert run(["evidence", night, "--round", "77"]) == USER
    assert "there is no record of round 77 (--round)" in capsys.readouterr().err


def test_a_collected_device_is_audited(night, capsys):
    """A database of `collect` has no tables: the device and its three results have a line."""
    assert run(["audit", "--db", night, "--json"]) == 0
    record = json.loads(capsys.readouterr().out.splitlines()[0])
    assert record["wheel"] == str(DEVICE)
    assert record["n"] >= 3

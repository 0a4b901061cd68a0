"""Traces and archives of several sites on a cluster: the answer of one processor, none lost."""

import json
import shutil
from contextlib import closing
from pathlib import Path

import dask
import pytest

from host_tools.tests import pit as pits
from host_tools.tests.dying_worker import Job, doubled
from host_tools.tests.pit import Pit, S
from host_tools.tests.rechained import rechain
from host_tools.tests.test_ledger_traces import behind, night, raw_of
from tabletools import cluster, release
from tabletools.archive import checking, writing
from tabletools.archive.writing import Month
from tabletools.cli.main import run
from tabletools.errors import UNREACHABLE, UNSOUND, USER, ToolError
from tabletools.money import cash
from tabletools.store import Store
from tabletools.table import verify_traces

DAY = 24 * 3600 * S
__all__ = ["night"]


@pytest.fixture
def sites(night, tmp_path):
    """Two sites with the same night; at Berlin the trace of round 1 is that of round 2."""
    places = {name: str(tmp_path / f"{name}.db") for name in ("athens", "berlin")}
    for place in places.values():
        shutil.copy(night[0], place)
    other = raw_of(places["berlin"], 2)
    behind(places["berlin"], "UPDATE traces SET raw = ? WHERE round = 1", other)
    return places


@pytest.fixture(scope="module")
def address():
    """A cluster of one worker, in this process."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0") as local:
        yield local.scheduler_address


def named(sites):
    return [f"{name}={place}" for name, place in sites.items()]


def serial(place):
    """What one processor says, trace by trace."""
    with closing(Store.open_existing(place, reads=True)) as store, store.read() as db:
        jobs = verify_traces.jobs(db, *verify_traces.span(db))
        return [text for one in verify_traces.judge_all([*jobs]) for text in one.problems]


def test_a_trace_that_differs_is_named_by_site_table_and_round(sites, night, address, capsys):
    assert run(["estate", "replay", *named(sites), "--cluster", address]) == UNSOUND
    output = capsys.readouterr()
    assert output.out == (
        "athens: traces replayed: 2 x agrees\nberlin: traces replayed: 1 x DISAGREES, 1 x agrees\n"
    )
    device = night[2]
    assert "1 of 4 traces differ from the record (athens, berlin)" in output.err
    where = f"berlin: trace 1 (table device {device}, device {device} round 1): it is of device"
    assert where in output.err


def test_the_answer_is_that_of_one_processor(sites, address, capsys):
    run(["estate", "replay", *named(sites), "--cluster", address, "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    problems = {line["ledger"]: line["problems"] for line in lines}
    assert problems == {name: serial(place) for name, place in sites.items()}
    assert problems["berlin"]


@pytest.fixture(scope="module")
def archives(night, tmp_path_factory):
    """A sound and a forged night as archives: the folder with both, and their keys.

    Berlin owns its database and its key: its chain agrees with the forged trace.
    """
    folder = tmp_path_factory.mktemp("archives")
    for name in ("athens", "berlin"):
        place = str(folder / f"{name}.db")
        shutil.copy(night[0], place)
        if name == "berlin":
            values = raw_of(place, 2), raw_of(place, 2)
            behind(place, "UPDATE traces SET raw = ?, bytes = length(?) WHERE round = 1", *values)
            rechain(place)
        release.make_keys(folder / f"{name}.key")
        key = release.read_private(folder / f"{name}.key")
        with closing(Store.open_existing(place, reads=True)) as store, store.read() as db:
            last_ns = db.exec_driver_sql("SELECT max(at_ns) FROM chain").scalar()
            writing.write(db, Month("all", 0, last_ns), folder / name, key, 1)
    return folder


@pytest.fixture
def copied(archives, tmp_path):
    """These archives, to be changed."""
    return Path(shutil.copytree(archives, tmp_path / "archives"))


def words(folder, *names):
    """The arguments that name archives and their keys."""
    keys = [f"--public={name}={folder / name}.pub" for name in names]
    return [*(f"{name}={folder / name}" for name in names), *keys]


def test_traces_are_replayed_from_archives(archives, address, capsys):
    """Signature and chain of Berlin's are right: only the replay finds what its owner forged."""
    assert (
        run(["estate", "check-archives", *words(archives, "berlin"), f"--cluster={address}"]) == 0
    )
    assert "sound: signatures, chains" in capsys.readouterr().out
    both = words(archives, "athens", "berlin")
    assert run(["estate", "replay", *both, "--cluster", address]) == UNSOUND
    output = capsys.readouterr()
    assert "athens: traces replayed: 2 x agrees\n" in output.out
    assert "berlin: traces replayed: 1 x DISAGREES, 1 x agrees\n" in output.out
    assert "berlin: trace 1 (table device" in output.err


def test_who_signed_is_not_proved_without_the_key(archives, address, capsys):
    """Anyone can make an archive that is sound by itself."""
    for name in ("replay", "check-archives"):
        command = ["estate", name, f"athens={archives / 'athens'}", "--cluster", address]
        assert run(command) == 0
        assert "not proved without --public: who signed athens\n" in capsys.readouterr().out


def test_an_archive_that_was_changed_is_not_replayed(copied, address, capsys):
    file = copied / "athens" / "frames.parquet"
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    command = ["estate", "replay", *words(copied, "athens"), "--cluster", address]
    assert run(command) == UNSOUND
    assert "frames.parquet: was changed" in capsys.readouterr().err


def test_another_key_is_refused(copied, address, capsys):
    """With it, who changes an archive signs it again."""
    shutil.copy(copied / "berlin.pub", copied / "athens.pub")
    for name in ("replay", "check-archives"):
        assert run(["estate", name, *words(copied, "athens"), "--cluster", address]) == USER
        assert "another key signed it" in capsys.readouterr().err


def test_archives_are_checked_as_by_one_processor(copied, address, capsys):
    """Every file that was changed is found, in the same words and order."""
    for name, table in (("athens", "rounds"), ("athens", "frames"), ("berlin", "traces")):
        file = copied / name / f"{table}.parquet"
        file.write_bytes(file.read_bytes()[:-1] + b"x")
    expected = [
        f"{name}: {name}: {text}"
        for name in ("berlin", "athens")
        for text in checking.problems(checking.opened(copied / name, None))
    ]
    assert len(expected) == 3
    command = ["estate", "check-archives", *words(copied, "berlin", "athens")]
    assert run([*command, "--cluster", address]) == UNSOUND
    assert capsys.readouterr().err.splitlines()[-3:] == expected


def test_the_archive_of_one_pit_is_not_that_of_another(archives, copied, address, capsys):
    """A pit that shows the evidence of another shows none of its own."""
    shown = [f"athens={archives / 'athens'}", f"athens/vip={copied / 'athens'}"]
    assert run(["estate", "check-archives", *shown, "--cluster", address]) == UNSOUND
    assert "athens/vip: these are archives of athens" in capsys.readouterr().err


def test_months_that_do_not_follow_are_refused(tmp_path, address, capsys):
    """What was in the month between is compared with nothing, and nothing says so."""
    new = Pit(tmp_path / "ledger")
    release.make_keys(tmp_path / "house.key")
    key = release.read_private(tmp_path / "house.key")
    for number, month in enumerate(("jan", "feb", "mar"), 1):
        new.play(number, 17, (new.ada, "red", 500))
        new.clock.ahead += 30 * DAY
        cash.deposit(new.ledger, new.ada, 100, month, pits.HOUSE)
    with new.ledger.read() as db:
        for name in ("2027-01", "2027-02"):
            writing.write(db, Month.of(name), tmp_path / name, key, 1)
    new.ledger.close()
    months = [f"athens={tmp_path / name}" for name in ("2027-02", "2027-01")]
    assert run(["estate", "replay", *months, "--cluster", address]) == USER
    assert "2027-01: does not follow 2027-02" in capsys.readouterr().err
    assert run(["estate", "replay", months[0], "--cluster", address]) == 0
    assert "athens: the terms of 1 rounds are in no archive here" in capsys.readouterr().out
    assert run(["estate", "replay", *months[::-1], "--cluster", address]) == 0
    assert "terms" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["athens.db"], "is not SITE=PLACE"),
        (["Athens=athens.db"], "is not a name"),
        (["athens/=athens.db"], "pit '' is not a name"),
        (["a=x.db", "b=x.db"], "the same place twice (x.db)"),
        (["a=x.db", "a=y.db"], "several databases of one pit (a)"),
        (["a=.", "a=y.db"], "a database beside archives (a)"),
        (["a=typo.db"], "there is no"),
    ],
)
def test_a_place_that_is_none_is_refused(arguments, what, address, capsys):
    assert run(["estate", "replay", *arguments, "--cluster", address]) == USER
    assert what in capsys.readouterr().err


# --- workers that die ----------------------------------------------------------------------------


def name_of(job):
    return f"number {job.number}"


def test_a_worker_that_dies_in_the_middle_loses_nothing(tmp_path):
    """Each number is there once, in its place."""
    death = tmp_path / "death"
    death.write_text("once")
    jobs = [Job(number, str(death) if number == 5 else "") for number in range(12)]
    with cluster.connected(None, 2) as client:
        results = list(cluster.done(client, doubled, jobs, name_of))
    assert (results, death.exists()) == (list(range(0, 24, 2)), False)


def test_what_kills_every_worker_is_named(tmp_path):
    death = tmp_path / "death"
    death.write_text("always")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        cluster.connected(None, 1) as client,
        pytest.raises(ToolError, match="the workers died again and again") as raised,
    ):
        list(cluster.done(client, doubled, [Job(7, str(death))], name_of))
    assert raised.value.where == "number 7"


def test_a_lost_scheduler_is_an_error():
    """Not a shorter answer."""
    from distributed import LocalCluster

    local = LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0")
    with local, cluster.connected(local.scheduler_address, 1) as client:
        results = cluster.done(client, doubled, map(Job, range(10_000)), name_of)
        assert next(results) == 0
        local.close()
        with pytest.raises(ToolError, match="the scheduler was lost") as raised:
            list(results)
    assert raised.value.exit_code == UNREACHABLE

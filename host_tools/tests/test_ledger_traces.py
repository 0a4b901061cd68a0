"""Traces prove themselves: kept with their tags, decided again, compared with record and terms."""

import json
import shutil
import sqlite3
import struct
import sys
from contextlib import closing
from unittest.mock import patch

import pytest

from host_tools.tests.test_cli_replay import SECRET, Line
from tableemulator import play_session
from tableemulator.machines.roulette.physical_wheel import Geometry
from tabletools import cluster
from tabletools.cli.main import run
from tabletools.decode.stored_frames import assembled
from tabletools.errors import UNSOUND, USER
from tabletools.evidence.stored_traces import Traces
from tabletools.keys import Key, Keyring
from tabletools.replay import AGREES, DISAGREES, UNPROVEN, Trace, Verdict, compared, parsed
from tabletools.roles import Played
from tabletools.store import Store
from tabletools.table.verify import check_in_processes
from tabletools.table.verify_traces import NOT_REPLAYED, jobs, judge
from tablewire import draw_machine, roulette
from tablewire.cobs import stuff, unstuff
from tablewire.crc import crc32
from tablewire.messages import SEED, TRACE_CHUNK
from tablewire.sender import Sender

FRENCH = Played("roulette", "hc2023", {}, "french")
TAG = slice(-20, -4)  # before the CRC


@pytest.fixture(scope="module")
def night(tmp_path_factory):
    """Two rounds of the shipped firmware, collected under a key: database, keyring, serial."""
    folder = tmp_path_factory.mktemp("traces")
    line = Line(folder / "night.db")
    geometry = Geometry("single", "both")
    with play_session.emulated_table(
        geometry, 8, listen=line.receive, pace=line.answer, acknowledge=False, key=(1, SECRET)
    ) as table:
        for _ in range(2):
            play_session.play(table, None)
        device = line.collector.device
        limit_us = table.now_us + 10_000_000
        while table.now_us < limit_us:
            table.step(limit_us)
    line.store.close()
    Keyring(folder / "keys.json").add(device, Key(1, SECRET))
    return folder / "night.db", str(folder / "keys.json"), device


@pytest.fixture
def copy_of_night(night, tmp_path):
    """The database of that night, to be forged, and its keyring."""
    place, ring, _ = night
    shutil.copy(place, tmp_path / "night.db")
    return str(tmp_path / "night.db"), ring


def verify(place, ring):
    return run(["ledger", "verify", place, "--keys", ring, "--workers", "1"])


def behind(place, statement, *values):
    """Change a trace past the program."""
    with closing(sqlite3.connect(place)) as db, db:
        db.execute("DROP TRIGGER traces_no_update")
        assert db.execute(statement, values).rowcount == 1


def raw_of(place, number):
    with closing(sqlite3.connect(place)) as db:
        return db.execute("SELECT raw FROM traces WHERE round = ?", (number,)).fetchone()[0]


def chunks(device, number, data):
    """The frames, without a tag, that bring a trace."""
    sender, pieces = Sender(device, 1), range(0, len(data), 192)
    parts = [(number, start, len(data), data[start : start + 192]) for start in pieces]
    return b"".join(sender.build(TRACE_CHUNK, part) for part in parts)


def job_of(place, number):
    store = Store.open_any(place)
    with store.read() as db:
        matches = [job for job in jobs(db, 1, 1000) if job.round == number]
    store.close()
    return matches[0]


def test_every_trace_is_verified_and_replayed(night, capsys):
    place, ring, _ = night
    assert verify(str(place), ring) == 0
    out = capsys.readouterr().out
    assert "traces replayed: 2 x agrees\n" in out
    assert "sound: every tag, " in out


def test_processes_replay_the_same(night):
    place, ring, _ = night
    report = check_in_processes(str(place), 2, keys=Keyring(ring).keys_of)
    assert (report.problems, dict(report.replays)) == ([], {AGREES: 2})


def seal_again(piece, change):
    """A frame on the line with another body, its CRC right."""
    body = bytearray(unstuff(piece))
    change(body)
    sealed = bytes(body[:-4]) + crc32(bytes(body[:-4]), SEED).to_bytes(4, "little")
    buf = bytearray(1) + bytearray(sealed) + bytearray(1)
    return bytes(buf[: stuff(buf, len(sealed))])


def no_tag_that_fits(body):
    body[TAG] = bytes(16)


def another_byte(body):
    body[60] ^= 1


@pytest.mark.parametrize("change", [no_tag_that_fits, another_byte])
def test_a_piece_that_no_table_made_is_found(copy_of_night, capsys, change):
    place, ring = copy_of_night
    first, rest = raw_of(place, 1).split(b"\0", 1)
    behind(place, "UPDATE traces SET raw = ? WHERE round = 1", seal_again(first, change) + rest)
    assert verify(place, ring) == UNSOUND
    assert "trace 1: its tag is not of the key and session" in capsys.readouterr().err


def test_the_trace_of_another_round_is_found(copy_of_night, capsys):
    """With every tag right: the trace contains the number of its round."""
    place, ring = copy_of_night
    other = raw_of(place, 2)
    values = other, len(assembled(other))
    behind(place, "UPDATE traces SET raw = ?, bytes = ? WHERE round = 1", *values)
    assert verify(place, ring) == UNSOUND
    error = capsys.readouterr().err
    assert "trace 1: its frames bring another trace" in error
    assert "round 1): it is of device" in error


def test_a_trace_with_a_piece_too_few_is_found(copy_of_night, capsys):
    place, ring = copy_of_night
    pieces = raw_of(place, 1).split(b"\0")
    behind(place, "UPDATE traces SET raw = ? WHERE round = 1", b"\0".join([pieces[0], b""]))
    assert verify(place, ring) == UNSOUND
    assert "trace 1: its frames bring another trace" in capsys.readouterr().err


def test_a_trace_without_a_session_is_found_where_the_round_had_one(copy_of_night, capsys):
    """A trace made by hand: without a tag it proves nothing of a table that has a key."""
    place, ring = copy_of_night
    pieces = chunks(job_of(place, 1).device, 1, assembled(raw_of(place, 1)))
    statement = "UPDATE traces SET raw = ?, line_session_id = NULL WHERE round = 1"
    behind(place, statement, pieces)
    assert verify(place, ring) == UNSOUND
    assert "trace 1: it names no session that verified it" in capsys.readouterr().err


def test_a_record_that_the_trace_does_not_come_to_is_found(night):
    job = job_of(*night[:1], 1)
    assert judge(job) == (AGREES, [])
    ident, values = job.ended
    assert ident == roulette.WHEEL_RESULT
    word, [problem] = judge(job._replace(ended=(ident, (values[0] ^ 1, *values[1:]))))
    assert word == DISAGREES
    assert problem.startswith(f"{job.name}: the database has wheel_res")


def test_a_configuration_that_the_terms_do_not_allow_is_found(night):
    """By the trace itself: what the logic had when it decided."""
    job = job_of(*night[:1], 1)
    assert judge(job._replace(played=FRENCH)) == (AGREES, [])
    word, problems = judge(job._replace(played=FRENCH._replace(variant="american00")))
    assert word == DISAGREES
    assert any("wheel is 1, expected 2" in problem for problem in problems), problems
    word, [problem] = judge(job._replace(played=Played("sic_bo", "hc2023")))
    assert problem.endswith("role is roulette, sic_bo is played on dice_tray")


def test_a_trace_of_another_release_is_counted_and_not_replayed(night):
    """Its tags are verified all the same; that release replays it."""
    job = job_of(*night[:1], 1)
    data = bytearray(assembled(job.raw))
    data[5] += 1  # major version
    data[-4:] = struct.pack("<I", crc32(bytes(data[:-4]), 0))
    assert judge(job._replace(raw=chunks(job.device, job.round, bytes(data)))) == (
        NOT_REPLAYED,
        [],
    )


def test_a_trace_that_is_none_is_found(night):
    job = job_of(*night[:1], 1)
    word, [problem] = judge(job._replace(raw=chunks(job.device, job.round, b"no trace")))
    assert (word, "this is not a trace" in problem) == (DISAGREES, True)


def test_balls_of_a_draw_are_compared_one_by_one(night):
    """A record keeps them as bytes, a trace as numbers."""
    numbers = bytes(range(1, 13))
    record = draw_machine.DRAW_RESULT, (12, 90, numbers)
    trace = parsed(assembled(job_of(*night[:1], 1).raw))
    draw = Trace(**(vars(trace) | {"ended": record[0], "values": (12, 90, *numbers)}))
    assert compared(draw, Verdict(AGREES), record) == Verdict(AGREES)
    other = record[0], (12, 90, numbers[::-1])
    assert compared(draw, Verdict(AGREES), other).word == DISAGREES
    assert compared(draw, Verdict(UNPROVEN), record).word == UNPROVEN


def test_a_trace_is_kept_once_and_with_its_session(night):
    """Asked for again it stays as it was."""
    store = Store.open(night[0])
    before = raw_of(night[0], 1)
    Traces(store).keep(night[2], 1, b"", None)
    assert raw_of(night[0], 1) == before
    assert Traces(store).next_missing(night[2]) is None
    store.close()


# --- on many processors --------------------------------------------------------------------------


def test_all_traces_of_a_database_are_replayed(night, capsys):
    """By processes of this machine."""
    assert run(["replay", "--all", str(night[0]), "--workers", "2"]) == 0
    assert capsys.readouterr().out == "traces replayed: 2 x agrees\n"


@pytest.fixture(scope="module")
def local_cluster():
    """The class of a cluster on this machine."""
    from distributed import LocalCluster  # takes half a second, which other files do not need

    return LocalCluster


@pytest.fixture(scope="module")
def address(local_cluster):
    """A cluster with one worker."""
    with local_cluster(
        n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as cluster:
        yield cluster.scheduler_address


def test_a_cluster_replays_them_by_its_address(copy_of_night, address, capsys):
    """And finds what one machine finds; a record that was changed is named."""
    place, _ = copy_of_night
    assert run(["replay", "--all", place, "--cluster", address, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == {"type": "replays", "words": {AGREES: 2}, "problems": []}
    other = raw_of(place, 2)
    behind(place, "UPDATE traces SET raw = ? WHERE round = 1", other)
    assert run(["replay", "--all", place, "--cluster", address]) == UNSOUND
    output = capsys.readouterr()
    assert output.out == "traces replayed: 1 x DISAGREES, 1 x agrees\n"
    assert "1 of 2 traces differ from the record" in output.err
    assert "round 1): it is of device" in output.err


def test_a_cluster_that_is_not_there_or_has_no_worker(night, local_cluster, monkeypatch, capsys):
    monkeypatch.setattr(cluster, "WITHIN_S", 1)
    words = ["replay", "--all", str(night[0]), "--cluster"]
    assert run([*words, "tcp://127.0.0.1:1"]) == USER
    assert "the cluster does not answer (tcp://127.0.0.1:1)" in capsys.readouterr().err
    assert run([*words, "nonsense://x"]) == USER
    assert "the cluster does not answer (nonsense://x)" in capsys.readouterr().err
    with local_cluster(n_workers=0, dashboard_address="127.0.0.1:0") as empty:
        assert run([*words, empty.scheduler_address]) == USER
    assert "the cluster has no worker" in capsys.readouterr().err


def test_workers_of_another_release_do_nothing(night, address, monkeypatch, capsys):
    """Their logic may decide otherwise."""
    monkeypatch.setattr(cluster, "version", lambda _: "99.0.0")
    assert run(["replay", "--all", str(night[0]), "--cluster", address]) == USER
    error = capsys.readouterr().err
    assert "the workers run another release" in error
    assert "release 99.0.0)" in error


def test_without_dask_the_package_is_named(night, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert run(["replay", "--all", str(night[0])]) == USER
    assert "pip install 'tablewire[cluster]'" in capsys.readouterr().err


def test_a_database_without_traces(tmp_path, capsys):
    """No process is started for it."""
    Store.open(tmp_path / "empty.db").close()
    with patch.object(cluster, "connected", side_effect=AssertionError("started for nothing")):
        assert run(["replay", "--all", str(tmp_path / "empty.db")]) == 0
    assert capsys.readouterr().out == "traces replayed: there is none\n"
    assert run(["replay", "--all", str(tmp_path / "typo.db")]) == USER
    assert not (tmp_path / "typo.db").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["--all", "night.db", "--round", "1"],
        ["--all", "night.db", "a.trace"],
        ["--db", "night.db", "--round", "1", "--workers", "2"],
        ["a.trace", "--cluster", "tls://x:1"],
    ],
)
@pytest.mark.one_in(2)
def test_all_traces_or_one(words, capsys):
    assert run(["replay", *words]) == USER
    assert "next step:" in capsys.readouterr().err

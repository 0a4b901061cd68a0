"""The floor of a tray, corrected in the ledger: between rounds, one after the other, never lost.

Rounds are those of a table with a scripted camera; faces come from the dice that were drawn.
"""

import os
import signal
from threading import Barrier, Thread

import pytest
from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import DBAPIError

from host_tools.tests.overhead_camera import dice, grey, host_camera
from host_tools.tests.overhead_camera import tray as calibrated_tray
from host_tools.tests.pit import HOUSE
from host_tools.tests.test_ledger_host_readings import assert_held
from host_tools.tests.test_ledger_throw_camera import (
    BET,
    BY_TABLE,
    DICE,
    FRESH_NS,
    STAKE,
    CameraTray,
    Slow,
    stored,
    throw,
)
from host_tools.tests.throws import SIC_BO, row, texts
from tabletools import evidence
from tabletools.dice.overhead import host_tray
from tabletools.dice.overhead.host_tray import tray_of
from tabletools.evidence import tray_versions
from tabletools.money.outbox_queries import due
from tabletools.pit import tray_in_force
from tabletools.pit.tray_in_force import FloorRequest
from tabletools.store import Actor, LedgerRejection, LostLease, people
from tabletools.store.schema import evidence as tables
from tabletools.store.schema.people import audit_log
from tabletools.table.bet_windows import HOST_CAMERA
from tabletools.table.verify import check
from tablewire.dice_tray import DICE_RESULT

FLOOR = ((60, 50), (580, 50), (580, 430), (60, 430))
OTHER = ((50, 50), (580, 50), (580, 430), (60, 430))
WITH_RIM = ((4, 3), (636, 3), (636, 477), (4, 477))


def before():
    """The digest of the tray as it was calibrated."""
    return host_camera(None).digest


@pytest.fixture
def table(ledger_place):
    """A table with a camera of the host, between two rounds."""
    new_table = table_of(ledger_place)
    yield new_table
    new_table.ledger.close()


def table_of(place):
    new_table = CameraTray(place, terms=SIC_BO._replace(dice_reading="both"))
    new_table.result = BY_TABLE
    new_table.look()
    new_table.look()
    number = people.create_user(new_table.ledger, "Tim", "technician", None, HOUSE)
    new_table.tim = Actor("Tim", number)
    return new_table


def correct(table, floor=FLOOR, replaces=None, who=None, lease=None):
    """Set a floor, of the tray in force unless a digest is named."""
    calibrated = host_camera(None)
    if replaces is None:
        replaces = in_force(table).digest
    request = FloorRequest(floor, replaces, "the floor is larger")
    lease = lease or table.lease
    tray_in_force.correct(table.ledger, lease, calibrated, request, who or table.tim)


def in_force(table):
    with table.ledger.read() as db:
        return tray_in_force.camera_in_force(db, table.table, host_camera(None))


def rows(table):
    with table.ledger.read() as db:
        query = select(tables.tray_versions).order_by(tables.tray_versions.c.id)
        return db.execute(query).mappings().all()


def refused(table, code, **how):
    """What is refused stores nothing: no version, no row of the audit log, no event."""
    before = rows(table), noted(table), events(table)
    with pytest.raises(LedgerRejection) as caught:
        correct(table, **how)
    assert caught.value.code == code, caught.value.what
    assert caught.value.step
    assert (rows(table), noted(table), events(table)) == before
    return caught.value


def noted(table):
    with table.ledger.read() as db:
        query = select(audit_log.c.who, audit_log.c.detail)
        return db.execute(query.where(audit_log.c.action == "tray_corrected")).all()


def events(table):
    kind = "tablewire.tray.corrected"
    return [one for one in due(table.ledger, "sink").events if one.type == kind]


def problems(table):
    with table.ledger.read() as db:
        return check(db).problems


def test_each_version_is_kept_with_who_and_why(table):
    """The calibrated file and both corrections; the audit log and an event have each."""
    correct(table)
    correct(table, OTHER)
    versions = rows(table)
    assert [one["version"] for one in versions] == [1, 2, 3]
    assert [one["replaces"] for one in versions] == [None, before(), versions[1]["digest"]]
    assert versions[0]["digest"] == before()
    assert bytes(versions[0]["file"]) == host_camera(None).file
    floors = [tray_of(bytes(one["file"]), "").floor for one in versions]
    assert floors == [calibrated_tray().floor, FLOOR, OTHER]
    assert [who for who, _ in noted(table)] == ["Tim", "Tim"]
    assert '"floor":[[50,50],[580,50],[580,430],[60,430]]' in noted(table)[1][1]
    assert [one.event_id for one in events(table)] == [
        f"tray-{table.table}-{before()}-{number}" for number in (2, 3)
    ]
    assert problems(table) == []


@pytest.fixture
def other_release(table, monkeypatch):
    """Call it to start a release that cannot read what the one before stored."""
    correct(table)

    def start():
        monkeypatch.setattr(host_tray, "_VERSION", host_tray._VERSION + 1)
        table.attach()
        table.look()

    return start


def test_a_tray_that_this_release_cannot_read_is_a_fault_of_its_table(table, other_release):
    """No step fails; bets stay closed, with an alarm that says what to do."""
    other_release()
    [text] = texts(table, HOST_CAMERA)
    assert "tray_unreadable: the tray of this table in the ledger cannot be read" in text
    assert "start the release that stored it, or calibrate the tray again" in text
    with pytest.raises(LedgerRejection, match="closed at this table: host_camera"):
        throw(table)
    with pytest.raises(LedgerRejection, match="cannot be read") as caught:
        in_force(table)
    assert caught.value.code == "tray_unreadable"


def test_the_release_that_stored_it_goes_on(table, other_release, monkeypatch):
    other_release()
    monkeypatch.undo()
    table.look()
    table.look()
    throw(table)
    assert row(table)["verdict"] == "believed"


def test_a_throw_whose_tray_cannot_be_read_is_held(table, other_release):
    """Another release was started while it was awaited: two users rule, nothing is guessed."""
    table.throw(1, table.result, (table.ada, BET, STAKE))
    other_release()
    assert_held(table, "tray_unreadable")


def test_the_next_throw_is_read_with_it_and_its_evidence_names_it(table):
    correct(table)
    throw(table)
    _, facts = stored(table)
    assert facts["tray"] == in_force(table).digest != before()
    assert (row(table)["verdict"], facts["dice"]) == ("believed", DICE)
    assert problems(table) == []


def test_a_floor_without_a_die_holds_the_throw(table):
    """It decides at once: the die beside it is not counted."""
    correct(table, ((330, 30), (600, 30), (600, 450), (330, 450)))
    throw(table)
    assert (row(table)["verdict"], row(table)["settled"]) == ("unexpected", 0)


def test_a_throw_keeps_the_floor_that_its_round_began_with(table):
    """No floor while bets are open, after no more bets, and until the throw is read."""
    table.open(1)
    table.place(table.ada, BET, STAKE)
    assert "round 1 of table" in refused(table, "round_unended").what
    table.close(1)
    assert "is not over" in refused(table, "round_unended").what
    pool, table.reader._pool = table.reader._pool, Slow()
    end(table)
    table.look()
    assert "is not read yet" in refused(table, "round_unended").what
    table.reader._pool = pool
    table.reader._jobs.clear()
    table.look()
    _, facts = stored(table)
    assert (row(table)["settled"], facts["tray"]) == (1, before())
    correct(table)
    assert in_force(table).digest != before()


def end(table):
    table.say(DICE_RESULT, table.result, 1)


def test_a_held_throw_does_not_bar_a_correction(table):
    """Its reading is final, so two users may rule it later."""
    table.see(grey(dice(2, 3, 5)))
    throw(table)
    assert row(table)["verdict"] == "unexpected"
    correct(table)


def test_of_two_at_once_one_is_stored(table):
    """Both saw the calibrated tray; the second is refused, and stores nothing."""
    barrier, outcomes = Barrier(2), []

    def send(floor):
        barrier.wait()
        try:
            correct(table, floor, replaces=before())
            outcomes.append("stored")
        except LedgerRejection as error:
            outcomes.append(error.code)

    threads = [Thread(target=send, args=(floor,)) for floor in (FLOOR, OTHER)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(outcomes) == ["stored", "tray_changed"]
    assert [one["version"] for one in rows(table)] == [1, 2]


def test_what_is_not_new_or_no_floor_is_refused(table):
    correct(table)
    refused(table, "tray_changed", floor=OTHER, replaces=before())
    refused(table, "tray_changed", floor=OTHER, replaces="0" * 64)
    refused(table, "floor_unchanged")
    error = refused(table, "floor_refused", floor=WITH_RIM)
    assert "the rim of the tray is" in error.what
    refused(table, "floor_refused", floor=((0, 0), (640, 480), (640, 0), (0, 480)))


def test_the_way_back_is_a_version_too(table):
    """With the digest of the calibrated file, so its evidence is that of before."""
    correct(table)
    correct(table, calibrated_tray().floor)
    assert [one["version"] for one in rows(table)] == [1, 2, 3]
    assert in_force(table).digest == before()
    correct(table)
    assert len({one["digest"] for one in rows(table)}) == 2
    assert problems(table) == []


@pytest.mark.parametrize("role", ["dealer", "cashier", "auditor"])
def test_no_other_role_corrects_it(table, role):
    who = Actor("Eve", people.create_user(table.ledger, "Eve", role, None, HOUSE))
    refused(table, "user_not_allowed", who=who)


def test_a_host_that_lost_the_table_stores_nothing(table):
    before = table.lease
    table.clock.pass_ms(11_000)
    table.lease = evidence.claim(table.ledger, table.table, "host b")
    with pytest.raises(LostLease):
        correct(table, lease=before)
    assert rows(table) == []


def test_the_next_host_reads_with_it(table):
    """It finds it in the ledger, by the file that both settings name."""
    correct(table)
    table.clock.pass_ms(11_000)
    table.attach()
    table.look()
    table.look()
    throw(table)
    assert stored(table)[1]["tray"] == rows(table)[-1]["digest"]


def test_a_tray_that_was_calibrated_again_has_no_correction(table):
    correct(table)
    again = host_camera(None).with_file(host_camera(None).file + b"\0")
    with table.ledger.read() as db:
        assert tray_in_force.camera_in_force(db, table.table, again) is again
        assert tray_versions.newest(db, table.table, again.digest) is None


@pytest.mark.parametrize("step", ["audit", "event"])
def test_what_fails_in_between_leaves_nothing(table, step, monkeypatch):
    """File, row, audit log and event are one transaction."""
    name = {"audit": "audit.note", "event": "enqueue"}[step]

    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(f"tabletools.table.tray_floor.{name}", fail)
    with pytest.raises(ZeroDivisionError):
        correct(table)
    monkeypatch.undo()
    assert (rows(table), noted(table), events(table)) == ([], [], [])
    correct(table)


def test_a_kill_in_between_leaves_nothing(tmp_path, monkeypatch):
    """SIGKILL after the file was written and before its event; the next host corrects it."""
    table = table_of(str(tmp_path / "ledger"))
    child = os.fork()
    if child == 0:
        kill = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # noqa: E731
        monkeypatch.setattr("tabletools.table.tray_floor.enqueue", kill)
        correct(table)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    assert (rows(table), noted(table)) == ([], [])
    correct(table)
    assert problems(table) == []
    table.ledger.close()


def test_a_version_is_never_changed_and_verify_notices_one_of_another_program(table):
    correct(table)
    for change in (update(tables.tray_versions).values(digest="0" * 64), None):
        with pytest.raises(DBAPIError), table.ledger.engine.begin() as db:
            db.execute(delete(tables.tray_versions) if change is None else change)
    values = dict(rows(table)[-1]) | {"version": 3, "at_ns": FRESH_NS}
    del values["id"]
    with table.ledger.engine.begin() as db:
        db.execute(insert(tables.tray_versions).values(**values))
    assert any("is not in the audit log" in one for one in problems(table))

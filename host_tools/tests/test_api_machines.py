"""The API's answers about machines: audit, replay, maintenance, reasons."""

import json

import pytest

from host_tools.tests.emulated import DEVICE
from host_tools.tests.served import Floor
from tabletools.api.machine_routes import REMEDIES
from tabletools.cli.main import run
from tabletools.evidence import maintenance
from tabletools.evidence.alarms import KINDS
from tabletools.table import frames
from tablewire.messages import (
    BOOT_REPORT,
    CONFIGURATION_CHANGED,
    PHASE_CLOSED,
)

FALLEN = (17, 17, None, 0)


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    """A table that booted, raised a fault and played four rounds."""
    place = str(tmp_path_factory.mktemp("machines") / "ledger")
    new_floor = Floor(place)
    new_floor.place = place
    new_floor.played.order(BOOT_REPORT, (1, 7, 7, 1), 0, PHASE_CLOSED)
    for pocket in FALLEN:
        new_floor.open()
        new_floor.shut()
        new_floor.fall(pocket)
    yield new_floor
    new_floor.close()


def test_the_audit_counts_what_fell(floor):
    """Three falls, two of them 17, and a void round, by hand."""
    response = floor.host.login("Amy").get(f"/v1/tables/{floor.table}/audit").json()
    assert (response["machine"], response["n"], response["voids"], response["minimum"]) == (
        "single",
        3,
        1,
        1000,
    )
    fell = {one["label"]: one["count"] for one in response["counts"] if one["count"]}
    assert fell == {"17": 2, "0": 1}
    assert response["verdict"] == "quiet"
    assert [one["test"] for one in response["tests"]][:2] == [
        "mixture of biases",
        "fullest field",
    ]
    # A year of daily audits gives at most one false alarm.
    assert response["alarm_level"] == pytest.approx(1 / 365)


def test_the_command_audits_the_ledger(floor, capsys):
    """`audit --db`: the same falls under the name of the table, as for a file."""
    for words in ([], ["--table", "R1"]):
        assert run(["audit", "--db", floor.place, "--json", *words]) == 0
        response = json.loads(capsys.readouterr().out)
        assert response.keys() >= {"p", "alarm_level", "tests", "not_tested", "step"}
        assert (response["wheel"], response["n"], response["verdict"]) == ("R1", 3, "quiet")
        # 2 and 1 of 37: 5 * 37 / 3 - 3, over 36 degrees of freedom
        assert response["chi_square"]["statistic"] == pytest.approx(58.6667, abs=1e-3)
        assert response["chi_square"]["df"] == 36
    assert run(["audit", "--db", floor.place, "--table", "R9"]) == 1
    assert "tables: R1" in capsys.readouterr().err


def test_the_audit_is_drawn(floor):
    """An SVG, and a table without a fall has none."""
    answer = floor.host.login("Dan").get(f"/v1/tables/{floor.table}/audit.svg")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert b"<svg" in answer.content
    assert floor.host.login("Dan").get("/v1/tables/99/audit.svg").status_code == 404


def test_a_round_without_a_trace_says_so(floor):
    """Nothing is claimed of it, and there is no picture."""
    amy = floor.host.login("Amy")
    assert amy.get("/v1/rounds/1/replay").json()["has_trace"] is False
    assert amy.get("/v1/rounds/1/replay.svg").json()["code"] == "no_picture"
    assert amy.get("/v1/rounds/99/replay").status_code == 404


def test_every_kind_of_alarm_has_cause_and_remedy(floor):
    """And so has every reason code."""
    response = floor.host.login("Dan").get("/v1/reasons").json()
    assert {one["kind"] for one in response["alarms"]} == set(KINDS) == set(REMEDIES)
    assert all(one["cause"] and one["remedy"] for one in response["alarms"] + response["reasons"])


def test_maintenance_lists_what_was_done(floor):
    """The boot with its words, and the counts of the device."""
    response = floor.host.login("Tim").get("/v1/maintenance").json()
    assert [row["type"] for row in response["rows"]] == ["boot_report"]
    assert response["rows"][0]["text"] == "reset_cause power, release 7, highest 7, use production"
    [device] = response["devices"]
    assert (device["boot"], device["rounds"], device["faults"]) == (1, 4, 0)


def test_what_fell_before_a_move_is_not_counted(floor):
    """After a change of configuration the audit starts over."""
    floor.played.order(CONFIGURATION_CHANGED, (1, 2, 1, 1, 2), 0, PHASE_CLOSED)
    floor.open()
    floor.shut()
    floor.fall(32)
    response = floor.host.login("Amy").get(f"/v1/tables/{floor.table}/audit").json()
    assert (response["n"], response["before"], response["moves"]) == (1, 3, 1)


def test_a_daily_check_is_kept_under_the_name_of_who_made_it(floor):
    """Level, magnet, ball, parts: newest first, in the audit log, and never half of it."""
    tim = floor.host.login("Tim")
    place = f"/v1/tables/{floor.table}/daily-checks"
    items = {"level": "bad", "magnet": "ok", "ball": "ok", "parts": "ok"}
    answer = tim.post(place, json={**items, "note": "levelled, 0.2 mm"})
    assert answer.status_code == 201
    assert tim.post(place, json={**items, "level": "ok"}).json()["note"] == ""
    response = floor.host.login("Dan").get("/v1/daily-checks").json()["checks"]
    assert [(one["by"], one["level"], one["note"]) for one in response] == [
        ("Tim", "ok", ""),
        ("Tim", "bad", "levelled, 0.2 mm"),
    ]
    assert response[1] == answer.json()
    half = tim.post(place, json={"level": "ok"})
    assert (half.status_code, half.json()["code"]) == (422, "field_invalid")
    gone = tim.post("/v1/tables/99/daily-checks", json=items)
    assert gone.json()["code"] == "no_such_table"
    log = floor.host.login("Amy").get("/v1/audit?action=maintenance_kept").json()["rows"]
    assert [row["who"] for row in log] == ["Tim", "Tim"]


def test_a_wheel_without_a_passed_walk_is_named(floor):
    """None recorded; one that passed; one that failed since. An emulated board needs none."""
    tim, ledger = floor.host.login("Tim"), floor.host.ledger

    def on_board(name):
        ledger.run(lambda db: frames.note_device(db, DEVICE, 1, role="roulette", board=name))

    on_board("rpi_pico2")

    def missing():
        return tim.get("/v1/daily-checks").json()["missing_walks"]

    none = {"device": DEVICE, "reason": "no walk round this wheel is recorded"}
    assert missing() == [none]
    who = maintenance.worker(ledger, "Tim")
    maintenance.keep_walk(ledger, who, DEVICE, {1: 1}, passed=True)
    assert missing() == []
    maintenance.keep_walk(ledger, who, DEVICE, {1: 1}, passed=False)
    assert missing() == [{"device": DEVICE, "reason": "the last walk round this wheel failed"}]
    on_board(maintenance.EMULATED)
    assert missing() == []

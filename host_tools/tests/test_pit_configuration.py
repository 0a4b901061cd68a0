"""A table whose controller is configured for other rules than its terms accepts no bets."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image

from host_tools.tests.emulated import Played
from host_tools.tests.overhead_camera import tray
from host_tools.tests.served import Floor, until
from tablespec.names import KEY_NAMES
from tabletools.dice.overhead.host_tray import file_of
from tabletools.errors import ToolError
from tabletools.link import Request
from tabletools.pit.assignments import place_of, verify_table
from tabletools.pit.settings import TableSettings
from tabletools.store import Store
from tablewire.messages import (
    CONFIGURATION_CHANGED,
    GET_CONFIGURATION,
    PHASE_CLOSED,
    SESSION_ENDED,
)

ROLE, WHEEL, POCKET_SENSOR, MIN_CIRCUITS = 1, 2, 5, 8
HEAD, BOTH = 2, 3


class Deaf(Played):
    """Answers no question for its configuration."""

    def _obey(self, frame):
        return b"" if frame.type == GET_CONFIGURATION else super()._obey(frame)


@pytest.fixture
def floor(tmp_path):
    """Makes a floor whose table has other values, by key number; closes it at the end."""
    floors = []

    def make(played=None, **more):
        played = played or Played()
        for key, value in more.items():
            played.configuration[KEY_NAMES.index(key) + 1] = value
        floors.append(Floor(str(tmp_path / "ledger"), played))
        return floors[-1]

    yield make
    for each in floors:
        each.close()


def alarms(floor):
    listed = floor.host.login("Sue").get("/v1/alarms").json()["alarms"]
    return [one["text"] for one in listed if one["kind"] == "configuration"]


def opening(floor, number):
    """A round opens; returns why its bets are or are not open."""
    floor.played.open(number)
    floor.wait(lambda facts: facts["round"] == number)
    return floor.host.pit.seat(floor.table).live.facts["cause"]


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"min_circuits": 1}, "min_circuits is 1, expected 7 to 20 (hc2023 2:1(2))"),
        ({"wheel": 2}, "wheel is 2, expected 1 (roulette french)"),
        ({"role": 4}, "role is shuffler, roulette is played on roulette"),
        ({"pocket_sensor": 2}, "pocket_sensor is 2, expected 1 or 3 (a reader head alone is for"),
        (
            {"min_circuits": 6, "wheel": 2},
            "expected 1 (roulette french); min_circuits is 6",
        ),
    ],
)
@pytest.mark.one_in(2)
def test_no_bets_and_an_alarm_that_names_the_key(floor, changed, text):
    """Key, value and what is expected; and no round opens its bets."""
    table = floor(**changed)
    until(lambda: alarms(table))
    [alarm] = alarms(table)
    assert text in alarm
    assert opening(table, 1) == "configuration"


def test_a_change_is_measured_before_the_next_round(floor):
    """To one circuit: no bets. Back to seven: bets with the next round."""
    table = floor()
    assert opening(table, 1) == "round_opened"
    table.played.close(1)
    table.played.end(1, 7)
    table.played.configuration[MIN_CIRCUITS] = 1
    table.played.order(CONFIGURATION_CHANGED, (8, 1, 7, 1, 2), 0, PHASE_CLOSED)
    assert opening(table, 2) == "configuration"
    assert len(alarms(table)) == 1
    table.played.end(2)
    table.played.configuration[MIN_CIRCUITS] = 7
    table.played.order(CONFIGURATION_CHANGED, (8, 7, 1, 1, 3), 0, PHASE_CLOSED)
    assert opening(table, 3) == "round_opened"


def bet(table, number):
    """A player's bet in a round; returns the answer."""
    ada = table.host.terminal(table.host.login("Sue"), table.table, f"ada {number}")
    words = {"bet": "red", "stake_cents": 1000}
    return ada.post("/v1/bets", json=words, headers={"Idempotency-Key": f"bet {number}"})


def test_the_array_switched_off_in_an_open_round_closes_its_bets(floor):
    """A head alone is left: an alarm, no bet in this round or the next; both again: bets."""
    table = floor(pocket_sensor=3)
    assert opening(table, 1) == "round_opened"
    assert bet(table, 1).status_code == 201
    table.played.configuration[POCKET_SENSOR] = HEAD
    values = POCKET_SENSOR, HEAD, BOTH, 1, 2
    table.played.order(CONFIGURATION_CHANGED, values, 0, table.played.phase)
    table.wait(lambda facts: facts["cause"] == "configuration")
    [alarm] = alarms(table)
    assert "a reader head alone is for displays, not for money" in alarm
    table.played.end(1)
    assert opening(table, 2) == "configuration"
    refused = bet(table, 2)
    problem = refused.json()
    assert (refused.status_code, problem["code"]) == (409, "configuration")
    assert "the controller of table R1 (device 7)" in problem["detail"]
    assert "the alarm names" in problem["step"]
    table.played.end(2)
    table.played.configuration[POCKET_SENSOR] = BOTH
    table.played.order(CONFIGURATION_CHANGED, (POCKET_SENSOR, BOTH, HEAD, 1, 3), 0, PHASE_CLOSED)
    assert opening(table, 3) == "round_opened"
    assert bet(table, 3).status_code == 201


def test_a_change_that_another_host_acknowledged_opens_no_bets(floor, monkeypatch):
    """A technician's host takes the table, sets one circuit, and keeps the record of that."""
    monkeypatch.setattr("tabletools.link.identification.TAKEN_PAUSE_S", 0.1)
    table = floor()
    assert opening(table, 1) == "round_opened"
    table.played.close(1)
    table.played.end(1, 7)
    until(lambda: not table.played.journal)
    table.played.configuration[MIN_CIRCUITS] = 1
    table.played.order(SESSION_ENDED, (b"a technician".ljust(16, b"\0"),), 0, PHASE_CLOSED)
    table.wait(lambda facts: "took the table" in (facts["trouble"] or ""))
    table.wait(lambda facts: facts["link"] == "online" and facts["trouble"] is None)
    assert opening(table, 2) == "configuration"


def test_a_table_that_answers_nothing_takes_no_bets(floor, monkeypatch):
    """Six questions without an answer: an alarm, and it is asked again."""
    monkeypatch.setattr("tabletools.pit.measuring.Request", partial(Request, again_s=0.02))
    table = floor(Deaf())
    until(lambda: alarms(table))
    assert "does not answer" in alarms(table)[0]
    table.played.open(1, is_read=False)
    table.wait(lambda facts: facts["round"] == 1)
    assert table.host.pit.seat(table.table).live.facts["cause"] == "configuration"


@pytest.mark.parametrize(
    ("expected", "what"),
    [
        ({"min_circuit": 7}, "no key 'min_circuit'"),
        ({"min_circuits": 21}, "min_circuits = 21 is not a value"),
        ({"min_circuits": "7"}, "min_circuits = '7' is not a value"),
        ({"tilt_fitted": True}, "tilt_fitted = True is not a value"),
        ({"pocket_sensor": 2}, "pocket_sensor is 2, expected 1 or 3 (a reader head alone"),
    ],
)
def test_expected_values_are_those_of_a_controller(expected, what):
    """In the host's file, with the nearest key or the limits."""
    settings = TableSettings(
        "R1",
        "socket://127.0.0.1:1",
        7,
        "roulette",
        "hc2023",
        "french",
        limits={"minimum": 500},
        configuration=expected,
    )
    with pytest.raises(ToolError) as error:
        verify_table(settings)
    assert what in str(error.value)


ALONE = {"dice_reading": "host"}


def dice_table(**more):
    """A table of Sic Bo with settings of its own."""
    known = {"limits": {"minimum": 500}, **more}
    game = known.pop("game", "sic_bo")
    return TableSettings("D1", "socket://127.0.0.1:1", 7, game, "hc2023", **known)


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"game": "big_wheel", "dice_reading": "host"}, "dice_reading is for dice, not for big_w"),
        ({"dice_reading": "Host"}, "dice_reading 'Host' is not known"),
        ({"dice_reading": " host"}, "dice_reading ' host' is not known"),
        ({"dice_reading": "both,host"}, "dice_reading 'both,host' is not known"),
        ({"dice_reading": "\x00"}, "dice_reading '\\x00' is not known"),
        ({"dice_reading": "host\n"}, "dice_reading 'host\\n' is not known"),
        ({"dice_reference": "nowhere.png"} | ALONE, "nowhere.png does not exist"),
        ({"dice_reference": "."} | ALONE, ". is a folder"),
        ({"dice_second_camera": "camera.json"}, "dice_second_source go together"),
        ({"dice_second_source": "0"}, "dice_second_source go together"),
        ({"dice_second_camera": "no.json", "dice_second_source": "0"} | ALONE, "cannot be read"),
        ({"dice_second_camera": ".", "dice_second_source": "0"} | ALONE, "cannot be read"),
        (
            {"dice_second_camera": "c.json", "dice_second_source": "0", "dice_reading": "device"},
            "for dice that the host reads",
        ),
        (
            {"dice_second_camera": "c.json", "dice_second_source": "0", "game": "big_wheel"},
            "for dice that the host reads",
        ),
        ({"dice_camera": "0"}, "dice_camera needs dice_reference"),
        ({"dice_camera": "0", "dice_reference": "nowhere.png"}, "cannot read nowhere.png"),
        ({"dice_camera": "0", "dice_reference": "."}, "cannot read ."),
        ({"dice_camera": "0", "game": "big_wheel"}, "dice_camera is for dice that the host reads"),
        ({"dice_camera": "0", "dice_reading": "device"}, "is for dice that the host reads"),
    ],
)
def test_settings_of_dice_that_fit_no_table_are_refused(more, what, tmp_path, monkeypatch):
    """Unknown words, files that are none, a camera without its file; nothing is guessed."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ToolError) as error:
        verify_table(dice_table(**more))
    assert what in str(error.value)


@pytest.mark.parametrize(
    ("size", "data", "what"),
    [
        ((320, 240), None, "is 320 x 240 px"),
        ((160, 119), None, "is 160 x 119 px"),
        ((120, 160), None, "is 120 x 160 px"),
        ((40, 30), None, "is 40 x 30 px"),
        (None, b"", "is not a picture"),
        (None, b"\x89PNG\r\n\x1a\n" + bytes(40), "cannot be read"),
        (None, b"P5 160 120 255\n" + bytes(100), "cannot be read"),
        (None, b"P5 99999 99999 255\n", "is too large"),
    ],
)
def test_a_picture_of_the_empty_tray_has_to_be_one(size, data, what, tmp_path):
    """Of the camera's size and whole; the file says what it is not."""
    path = tmp_path / "empty.png"
    if size:
        Image.new("L", size, 90).save(path)
    else:
        path.write_bytes(data)
    with pytest.raises(ToolError) as error:
        verify_table(dice_table(dice_reference=str(path), **ALONE))
    assert what in str(error.value)


def test_the_file_of_a_second_camera_is_read_once(tmp_path, monkeypatch):
    """What was verified is what is used, whatever the file holds a moment later."""
    camera = SimpleNamespace()
    files = []
    monkeypatch.setattr(
        "tabletools.dice.second_camera.read", lambda path: files.append(path) or camera
    )
    ledger = Store.open(str(tmp_path / "ledger"))
    settings = dice_table(dice_second_camera="camera.json", dice_second_source="0", **ALONE)
    place = place_of(ledger, settings)
    ledger.close()
    assert files == [Path("camera.json")]
    assert place.aids.second_view.camera is camera


def test_a_reference_without_calibration_is_none_of_a_camera(tmp_path):
    path = tmp_path / "empty.png"
    Image.new("L", (640, 480), 90).save(path)
    with pytest.raises(ToolError) as error:
        verify_table(dice_table(dice_camera="0", dice_reference=str(path)))
    assert error.value.what == "this is not the file of a calibrated tray"


def test_the_camera_of_a_host_has_its_calibrated_tray(tmp_path):
    path = tmp_path / "tray.png"
    path.write_bytes(file_of(tray()))
    settings = dice_table(dice_camera="rtsp://10.0.0.7/tray", dice_reference=str(path))
    camera = verify_table(settings).aids.camera
    assert (camera.source, camera.tray.floor) == ("rtsp://10.0.0.7/tray", tray().floor)


@pytest.mark.parametrize("policy", ["host", "device"])
def test_one_reader_alone_needs_no_camera_of_the_host(policy, tmp_path):
    """Where the terms say so, with the picture of the empty tray."""
    path = tmp_path / "empty.png"
    Image.new("L", (160, 120), 90).save(path)
    terms = verify_table(dice_table(dice_reading=policy, dice_reference=str(path))).terms
    assert terms.dice_reading == policy


@pytest.mark.parametrize("policy", ["", "both"])
def test_two_readers_need_a_camera_each(policy, tmp_path):
    """The host would read the table's own picture again: the same pixels, the same highlight."""
    with pytest.raises(ToolError) as error:
        verify_table(dice_table(dice_reading=policy))
    refusal = error.value
    assert refusal.what == 'dice_reading "both" without dice_camera: both would read one picture'
    assert (refusal.where, refusal.limit) == ("table D1", "two pictures of two cameras for money")
    assert "give dice_camera and dice_reference" in refusal.step
    assert 'dice_reading "device" or "host"' in refusal.step

    path = tmp_path / "tray.png"
    path.write_bytes(file_of(tray()))
    own = dice_table(dice_reading=policy, dice_camera="0", dice_reference=str(path))
    assert verify_table(own).terms.dice_reading == "both"


@pytest.mark.parametrize(
    ("apart", "what"),
    [
        (0.0, "the distance of this lens from that of the table's camera was not measured"),
        (0.5, "this lens is 0.5 edges of a die from that of the table's camera"),
    ],
)
def test_two_readers_have_lenses_that_are_apart(apart, what, tmp_path):
    """Lenses so near see one highlight as the same pip. The host alone needs no distance."""
    path = tmp_path / "tray.png"
    path.write_bytes(file_of(replace(tray(), apart=apart)))
    own = {"dice_camera": "0", "dice_reference": str(path)}
    with pytest.raises(ToolError) as error:
        verify_table(dice_table(dice_reading="both", **own))
    assert (error.value.what, error.value.where) == (what, f"table D1, {path}")
    assert error.value.limit == "1 edge at least where table and host read for money"
    assert verify_table(dice_table(dice_reading="host", **own)).terms.dice_reading == "host"


def test_a_second_camera_aside_is_no_second_reader(tmp_path):
    """It shows whether dice are flat, not what they show."""
    more = {"dice_second_camera": "c.json", "dice_second_source": "1"}
    with pytest.raises(ToolError) as error:
        verify_table(dice_table(dice_reading="both", **more))
    assert "without dice_camera" in error.value.what

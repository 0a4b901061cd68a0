"""A table whose controller is configured for other rules than its terms accepts no bets."""

from functools import partial

import pytest

from host_tools.tests.emulated import Played
from host_tools.tests.served import Floor, until
from tabletools.errors import ToolError
from tabletools.link import Request
from tabletools.pit.assignments import verify_table
from tabletools.pit.settings import TableSettings
from tablewire.messages import CONFIGURATION_CHANGED, GET_CONFIGURATION, PHASE_CLOSED
from tablewire.names import KEY_NAMES

ROLE, WHEEL, MIN_CIRCUITS = 1, 2, 8


class Deaf(Played):
    """Answers no question for its configuration."""

    def _obey(self, frame):
        return b"" if frame.type == GET_CONFIGURATION else super()._obey(frame)


@pytest.fixture
def floor(tmp_path):
    """Makes a floor whose table has other values, by key number; closes it at the end."""
    made = []

    def make(played=None, **more):
        played = played or Played()
        for key, value in more.items():
            played.configuration[KEY_NAMES.index(key) + 1] = value
        made.append(Floor(str(tmp_path / "ledger"), played))
        return made[-1]

    yield make
    for each in made:
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
        (
            {"min_circuits": 6, "wheel": 2},
            "expected 1 (roulette french); min_circuits is 6",
        ),
    ],
)
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
        ({"min_circuits": 21}, "min_circuits = 21 is no value"),
        ({"min_circuits": "7"}, "min_circuits = '7' is no value"),
        ({"tilt_fitted": True}, "tilt_fitted = True is no value"),
    ],
)
def test_expected_values_are_those_of_a_controller(expected, what):
    """In the host's file, with the nearest key or the limits."""
    settings = TableSettings(
        "R1", "socket://127.0.0.1:1", 7, "roulette", "hc2023", "french",
        limits={"minimum": 500}, configuration=expected,
    )  # fmt: skip
    with pytest.raises(ToolError) as error:
        verify_table(settings)
    assert what in str(error.value)

"""A wheel that no passed walk proves as it is configured accepts no bets."""

import pytest

from board_files import load
from host_tools.tests.emulated import DEVICE, Played
from host_tools.tests.served import Floor, until
from tablespec.names import KEY_NAMES
from tabletools.evidence import maintenance
from tablewire.messages import CONFIGURATION_CHANGED
from tablewire.roulette import INDEX_OFFSET, RIM_SENSORS

WALK = "`tabletool diag PORT --calibrate pockets --ledger DB --by NAME`"


class Mounted(Played):
    """A table on a board that somebody mounted."""

    board = b"rpi_pico"


@pytest.fixture
def floor(tmp_path):
    new_floor = Floor(str(tmp_path / "ledger"), Mounted())
    yield new_floor
    new_floor.close()


def walk(floor, *, passed=True):
    """Tim walks round the wheel with the configuration that the table has; its host reads it."""
    ledger, table = floor.host.ledger, floor.played
    values = {key: table.configuration[key] for key in maintenance.walked_keys("roulette")}
    maintenance.keep_walk(ledger, maintenance.worker(ledger, "Tim"), DEVICE, values, passed=passed)
    change(floor, INDEX_OFFSET, table.configuration[INDEX_OFFSET])


def change(floor, key, value):
    """The table reports a new value, and its host reads the configuration again."""
    floor.played.configuration[key] = value
    floor.played.order(CONFIGURATION_CHANGED, (key, value, value, 1, 2), 0, floor.played.phase)


def opening(floor, number):
    """A round opens and ends; returns why its bets were or were not open, and what a bet got."""
    floor.played.open(number)
    floor.wait(lambda facts: facts["round"] == number)
    ada = floor.host.terminal(floor.host.login("Sue"), floor.table, f"ada {number}")
    bet = {"bet": "red", "stake_cents": 1000}
    answer = ada.post("/v1/bets", json=bet, headers={"Idempotency-Key": f"bet {number}"})
    cause = floor.host.pit.seat(floor.table).live.facts["cause"]
    floor.played.end(number)
    floor.wait(lambda facts: any(each["number"] == number for each in facts["results"]))
    return cause, answer


def alarms(floor):
    listed = floor.host.login("Sue").get("/v1/alarms").json()["alarms"]
    return [one["text"] for one in listed if one["kind"] == "no_walk"]


def test_no_bets_without_a_passed_walk(floor):
    """None recorded, a failed one: refused with table and command. A passed one: accepted."""
    cause, refused = opening(floor, 1)
    assert cause == "no_walk"
    problem = refused.json()
    assert (refused.status_code, problem["code"]) == (409, "no_walk")
    assert "no passed walk proves that the wheel of table R1 (device 7)" in problem["detail"]
    assert WALK in problem["step"]
    [alarm] = alarms(floor)
    assert "no walk round this wheel is recorded" in alarm
    assert WALK in alarm
    walk(floor, passed=False)
    assert opening(floor, 2)[1].json()["code"] == "no_walk"
    walk(floor)
    cause, is_open = opening(floor, 3)
    assert (cause, is_open.status_code) == ("round_opened", 201)


def test_another_configuration_than_the_walked_one_closes_the_bets(floor):
    """Also those of a round that is open; with the walked value again the next round has bets."""
    until(lambda: alarms(floor))
    walk(floor)
    floor.played.open(1)
    floor.wait(lambda facts: facts["bets_open"])
    change(floor, INDEX_OFFSET, 5)
    floor.wait(lambda facts: facts["cause"] == "no_walk")
    floor.played.end(1)
    assert opening(floor, 2)[0] == "no_walk"
    [missing] = floor.host.login("Tim").get("/v1/daily-checks").json()["missing_walks"]
    assert missing["reason"] == "index_offset is 5 and was 0 in the last walk"
    change(floor, INDEX_OFFSET, 0)
    assert opening(floor, 3)[0] == "round_opened"


def test_a_walk_from_before_a_key_proves_its_factory_value(floor):
    """A wheel of two rim sensors walked before 1.1 stays proven; with a third it has to be walked.

    Its walk holds the six keys there were: rim_sensors and the places of sensors 3 and 4 were what
    they are from the factory.
    """
    ledger, table = floor.host.ledger, floor.played
    before = (
        "wheel",
        "reading_direction",
        "index_offset",
        "pocket_sensor",
        "head_angle_mdeg",
        "rim_angle_mdeg",
    )
    numbers = [KEY_NAMES.index(name) + 1 for name in before]
    values = {key: table.configuration[key] for key in numbers}
    maintenance.keep_walk(ledger, maintenance.worker(ledger, "Tim"), DEVICE, values, passed=True)
    change(floor, INDEX_OFFSET, table.configuration[INDEX_OFFSET])
    assert opening(floor, 1)[0] == "round_opened"
    change(floor, RIM_SENSORS, 3)
    assert opening(floor, 2)[0] == "no_walk"
    [missing] = floor.host.login("Tim").get("/v1/daily-checks").json()["missing_walks"]
    assert missing["reason"] == "rim_sensors is 3 and was 2 in the last walk"
    change(floor, RIM_SENSORS, 2)
    assert opening(floor, 3)[0] == "round_opened"


def test_firmware_of_wire_1_0_has_no_key_of_a_third_sensor(floor):
    """It refuses the three as unknown, with the 85 that it has, and bets open all the same."""
    until(lambda: alarms(floor))  # its first reading is over
    table, ledger = floor.played, floor.host.ledger
    del table.configuration[86:]
    walked = [key for key in maintenance.walked_keys("roulette") if key <= 85]
    values = {key: table.configuration[key] for key in walked}
    maintenance.keep_walk(ledger, maintenance.worker(ledger, "Tim"), DEVICE, values, passed=True)
    change(floor, INDEX_OFFSET, table.configuration[INDEX_OFFSET])
    assert opening(floor, 1)[0] == "round_opened"
    assert set(range(86, 89)) <= table.read_keys


def test_an_emulated_board_has_no_wheel_to_walk_round(tmp_path):
    """Its name is that of boards/emulated; the maintenance page does not list it either."""
    assert maintenance.EMULATED == load("emulated").data["BOARD"] == Played.board.decode()
    floor = Floor(str(tmp_path / "ledger"))
    try:
        assert opening(floor, 1)[1].status_code == 201
        assert floor.host.login("Tim").get("/v1/daily-checks").json()["missing_walks"] == []
    finally:
        floor.close()

"""`tabletool diag history`: codes since the last daily check, and trends of a wheel's results."""

import json
from fractions import Fraction

import pytest

from host_tools.tests.pit import DEVICE, VOID, Pit, result
from tablespec.names import KEY_NAMES
from tabletools.cli.main import run
from tabletools.errors import USER
from tabletools.evidence import health, maintenance
from tabletools.evidence.roulette_drops import DropZones, drop_zones
from tabletools.store import Actor
from tablewire.messages import CONFIGURATION_CHANGED, FAULT_RAISED
from tablewire.roulette import RIM_ANGLE_MDEG, WHEEL_RESULT

LAST_LAP, DROP_RIM, HEAD_OFF = 8, 11, 13  # places in a wheel_result


@pytest.fixture
def pit(tmp_path):
    """One table, and who works there."""
    new_pit = Pit(str(tmp_path / "pit.ledger"))
    yield new_pit
    new_pit.ledger.close()


def played(pit, number, last_lap_ms, drop_rim=1, head_off_centi=-128):
    """A round with this last lap, of a ball that runs counter-clockwise."""
    pit.open(number)
    pit.close(number)
    values = list(result(17))
    values[LAST_LAP] = last_lap_ms
    values[DROP_RIM], values[HEAD_OFF] = drop_rim, head_off_centi
    pit.say(WHEEL_RESULT, tuple(values), number)


def test_codes_count_from_the_daily_check_on(pit, tmp_path, capsys):
    """A void and a fault before it, two voids after it: the second is all that is shown."""
    pit.play(1)
    pit.say(FAULT_RAISED, (401, 8, 1, 0))
    items = dict.fromkeys(maintenance.ITEMS, "ok")
    maintenance.keep_daily(pit.ledger, Actor("Sue", pit.users[0]), DEVICE, items, "")
    pit.play(2)
    pit.play(3)
    with pit.ledger.read() as db:
        since = health.last_check_ns(db, DEVICE)
        assert health.happened_since(db, DEVICE, since) == [(VOID[0], 0, 2)]
        assert set(health.happened_since(db, DEVICE, 0)) == {(VOID[0], 0, 3), (401, 1, 0)}
    words = ["diag", "history", str(tmp_path / "pit.ledger"), "--device", str(DEVICE)]
    assert run(words) == 0
    output = capsys.readouterr().out
    assert "since the daily check of " in output
    assert "0 faults, 2 void rounds" in output


def test_a_device_that_the_ledger_does_not_know_is_an_error(pit, tmp_path, capsys):
    """Not "no fault and no void round" for a mistyped serial number."""
    pit.play(1)
    words = ["diag", "history", str(tmp_path / "pit.ledger"), "--device", "12345"]
    assert run(words) == USER
    error = capsys.readouterr().err
    assert "the ledger knows no device 12345" in error
    assert f"devices: {DEVICE}" in error


def test_a_trend_compares_two_hundreds(pit, tmp_path, capsys):
    """Twenty rounds of 1,000 ms, then a hundred of 900: 10 % less. With nineteen: no trend."""
    for number in range(1, 20):
        played(pit, number, 1000)
    for number in range(20, 120):
        played(pit, number, 900)
    with pit.ledger.read() as db:
        [lap] = [each for each in health.figures(db, DEVICE) if each.name == "last_lap_ms"]
        assert (lap.value, lap.results, lap.unit, lap.trend_percent) == (900, 100, "ms", None)
    played(pit, 120, 900)
    words = ["diag", "history", str(tmp_path / "pit.ledger"), "--device", str(DEVICE), "--json"]
    assert run(words) == 0
    figures = {one["name"]: one for one in json.loads(capsys.readouterr().out)["figures"]}
    lap = figures["last_lap_ms"]
    assert (lap["value"], lap["before"], lap["trend_percent"]) == (900, 1000, -10)
    assert lap["meaning"].startswith("last lap of the ball")


def test_where_the_ball_drops(pit, tmp_path, capsys):
    """25 of 100 over a quarter of the stator are chance; of 120, 45 are 15 more than expected.

    15^2 / 30 + 15^2 / 90 is 10 exactly; with 46 it is 256 / 22.5, beyond 10.83. Counter-clockwise
    the ball goes over the sector from sensor 1 clockwise to 2 after it passed 2.
    """
    played(pit, 1, 900, drop_rim=2)
    with pit.ledger.read() as db:
        assert drop_zones(db, DEVICE) is None  # the angle is not known
    pit.say(CONFIGURATION_CHANGED, (RIM_ANGLE_MDEG, 90_000, 60_000, 1, 2))
    for number in range(2, 21):
        played(pit, number, 900)
    with pit.ledger.read() as db:
        assert drop_zones(db, DEVICE) == (
            (0, 19),
            (90_000, 270_000),
            None,
        )  # too few
    for number in range(21, 121):
        played(pit, number, 900, drop_rim=2 if number <= 65 else 1)
    played(pit, 121, 900)
    with pit.ledger.read() as db:
        zones = drop_zones(db, DEVICE)
        assert (zones.drops, zones.chi_square, zones.is_biased) == ((45, 75), 10, False)
    played(pit, 122, 900, drop_rim=2)
    words = ["diag", "history", str(tmp_path / "pit.ledger"), "--device", str(DEVICE)]
    assert run([*words, "--json"]) == 0
    zones = json.loads(capsys.readouterr().out)["drop_zones"]
    assert zones["zones"] == [
        {"from_rim": 1, "to_rim": 2, "angle_mdeg": 90_000, "drops": 46},
        {"from_rim": 2, "to_rim": 1, "angle_mdeg": 270_000, "drops": 75},
    ]
    assert (zones["limit"], zones["is_biased"]) == (10.83, True)
    assert run(words) == 0
    output = capsys.readouterr().out
    assert "121 times since the wheel was moved: 46 (38.0 %) from rim sensor 1 clockwise" in output
    assert "; 75 (62.0 %) from rim sensor 2 clockwise to 1, 75.0 % of the stator; chi" in output
    assert "(10.83 is 1 in 1,000): level the wheel" in output


def configured(pit, **values):
    """The table reports that these keys have these values."""
    for name, value in values.items():
        pit.say(CONFIGURATION_CHANGED, (KEY_NAMES.index(name) + 1, value, 2, 1, 2))


def test_where_the_ball_drops_between_four_sensors(pit):
    """Of 80 drops 20 are expected in each quarter; 8, 20, 20, 32 are 2 x 144 / 20: 14.4, chance
    below 16.27; with 6 and 34 it is 19.6. Counter-clockwise the ball leaves over the sector before
    the sensor it passed: over that from 4 to 1 after it passed 1.
    """
    configured(
        pit,
        rim_angle_mdeg=90_000,
        rim_3_angle_mdeg=180_000,
        rim_4_angle_mdeg=270_000,
        rim_sensors=4,
    )
    after = [2] * 8 + [3] * 20 + [4] * 20 + [1] * 32
    for number, rim in enumerate(after, 1):
        played(pit, number, 900, drop_rim=rim)
    with pit.ledger.read() as db:
        zones = drop_zones(db, DEVICE)
        assert zones.angles_mdeg == (90_000,) * 4
        assert (zones.drops, zones.is_biased) == ((8, 20, 20, 32), False)
        assert zones.chi_square == Fraction(144, 10)
    assert DropZones((6, 20, 20, 34), zones.angles_mdeg, Fraction(196, 10)).is_biased


def test_where_the_ball_drops_between_three_sensors(pit):
    """90 drops, 30 expected in each third: 18, 30, 42 give 9.6, and 13.82 is the limit."""
    configured(pit, rim_sensors=3, rim_angle_mdeg=120_000, rim_3_angle_mdeg=240_000)
    for number, rim in enumerate([2] * 18 + [3] * 30 + [1] * 42, 1):
        played(pit, number, 900, drop_rim=rim)
    with pit.ledger.read() as db:
        zones = drop_zones(db, DEVICE)
    assert (zones.drops, zones.angles_mdeg) == ((18, 30, 42), (120_000,) * 3)
    assert (zones.chi_square, zones.limit) == (Fraction(96, 10), Fraction(1382, 100))


def test_a_drop_at_a_sensor_that_the_configuration_lacks_gives_no_zones(pit):
    """Its place is not known."""
    configured(pit, rim_angle_mdeg=90_000)
    played(pit, 1, 900, drop_rim=3)
    with pit.ledger.read() as db:
        assert drop_zones(db, DEVICE) is None


def test_a_head_offset_has_no_percent(pit):
    """Twenty results 2 hundredths off, then a hundred 16 off; without a head there is none."""
    played(pit, 1, 900)
    with pit.ledger.read() as db:
        assert not [each for each in health.figures(db, DEVICE) if each.name == "head_off_centi"]
    for number in range(2, 22):
        played(pit, number, 900, head_off_centi=-2)
    for number in range(22, 122):
        played(pit, number, 900, head_off_centi=16)
    with pit.ledger.read() as db:
        [off] = [each for each in health.figures(db, DEVICE) if each.name == "head_off_centi"]
        assert (off.value, off.before, off.trend_percent) == (16, -2, None)

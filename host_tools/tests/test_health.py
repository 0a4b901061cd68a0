"""`tabletool diag history`: codes since the last daily check, and trends of a wheel's results."""

import json

import pytest

from host_tools.tests.pit import DEVICE, VOID, Pit, result
from tabletools.cli.main import run
from tabletools.evidence import health, maintenance
from tabletools.store import Actor
from tablewire.messages import CONFIGURATION_CHANGED, FAULT_RAISED
from tablewire.roulette import RIM_ANGLE_MDEG, WHEEL_RESULT

LAST_LAP, DROP_RIM, HEAD_OFF = 8, 11, 13  # places in a wheel_result


@pytest.fixture
def pit(tmp_path):
    """One table, and who works there."""
    found = Pit(str(tmp_path / "pit.ledger"))
    yield found
    found.ledger.close()


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
    shown = capsys.readouterr().out
    assert "since the daily check of " in shown
    assert "0 faults, 2 void rounds" in shown


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
        assert health.drop_zones(db, DEVICE) is None  # the angle is not known
    pit.say(CONFIGURATION_CHANGED, (RIM_ANGLE_MDEG, 90_000, 60_000, 1, 2))
    for number in range(2, 21):
        played(pit, number, 900)
    with pit.ledger.read() as db:
        assert health.drop_zones(db, DEVICE) == (0, 19, 90_000, None)  # too few
    for number in range(21, 121):
        played(pit, number, 900, drop_rim=2 if number <= 65 else 1)
    played(pit, 121, 900)
    with pit.ledger.read() as db:
        zones = health.drop_zones(db, DEVICE)
        assert (zones.first, zones.second, zones.chi_square, zones.is_biased) == (
            45,
            75,
            10,
            False,
        )
    played(pit, 122, 900, drop_rim=2)
    words = ["diag", "history", str(tmp_path / "pit.ledger"), "--device", str(DEVICE)]
    assert run([*words, "--json"]) == 0
    zones = json.loads(capsys.readouterr().out)["drop_zones"]
    assert (zones["first"], zones["second"], zones["is_biased"]) == (46, 75, True)
    assert run(words) == 0
    assert (
        "46 of them (38.0 %) from rim sensor 1 clockwise to 2, 25.0 %" in capsys.readouterr().out
    )


def test_a_head_offset_has_no_percent(pit):
    """Twenty results 2 hundredths off, then a hundred 16 off; without a head there is none."""
    played(pit, 1, 900)
    with pit.ledger.read() as db:
        assert not [each for each in health.figures(db, DEVICE) if each.name == health.HEAD_OFF]
    for number in range(2, 22):
        played(pit, number, 900, head_off_centi=-2)
    for number in range(22, 122):
        played(pit, number, 900, head_off_centi=16)
    with pit.ledger.read() as db:
        [off] = [each for each in health.figures(db, DEVICE) if each.name == health.HEAD_OFF]
        assert (off.value, off.before, off.trend_percent) == (16, -2, None)

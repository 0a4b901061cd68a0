"""`tabletool diag history`: codes since the last daily check, and trends of a wheel's results."""

import json

import pytest

from host_tools.tests.pit import DEVICE, VOID, Pit, result
from tabletools.cli.main import run
from tabletools.evidence import health, maintenance
from tabletools.store import Actor
from tablewire.messages import FAULT_RAISED
from tablewire.roulette import WHEEL_RESULT

LAST_LAP = 8  # place of last_lap_ms in a wheel_result


@pytest.fixture
def pit(tmp_path):
    """One table, and who works there."""
    found = Pit(str(tmp_path / "pit.ledger"))
    yield found
    found.ledger.close()


def played(pit, number, last_lap_ms):
    """A round with this last lap."""
    pit.open(number)
    pit.close(number)
    values = list(result(17))
    values[LAST_LAP] = last_lap_ms
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

"""Every mounting fault of a roulette wheel: played by the physical model, and walked round.

The walk is the one of `tabletool diag --calibrate pockets`, against the firmware's self test.
Every other fault is played, with array and head, and one in four is walked; `make soak` plays and
walks all, and either sensor alone.
"""

from __future__ import annotations

import pytest

from hil_tests.mounted_wrong import NAMED, failures, played, walked
from hil_tests.physics.kinds import VOID, WRONG
from hil_tests.thinned import IS_SOAK, share, thinned
from tableemulator.machines.roulette.mounting_faults import BY_NAME, FAULTS, RIGHT
from tableemulator.machines.roulette.physical_wheel import ORDERS
from tabletools.diag.check import PASS
from tablewire.roulette import INDEX_LOST

ROUNDS = share(8, 8)
CASES = [
    (fault.name, sensor)
    for fault in FAULTS
    for sensor in (fault.sensors if IS_SOAK else fault.sensors[-1:])
]


@pytest.mark.parametrize("wheel", ORDERS)
@pytest.mark.parametrize(
    ("sensor", "rims"), [("array", 2), ("head", 2), ("both", 2), ("head", 3), ("array", 4)]
)
def test_a_right_wheel_passes(wheel: str, sensor: str, rims: int) -> None:
    """Each check: every pocket of the wheel, each rim sensor's line and its place."""
    checks = walked(RIGHT, sensor, wheel, rims)
    assert {check.verdict for check in checks} == {PASS}
    themselves = {c.name: c.value for c in checks if c.name.endswith("read as themselves")}
    pockets = {"array: pockets that read as themselves": len(ORDERS[wheel])}
    probes = {"head: pockets that read as themselves": 3}
    expected = {"array": pockets, "head": probes, "both": pockets | probes}
    assert themselves == expected[sensor]
    names = [check.name for check in checks if check.name.startswith("rim")]
    assert len([name for name in names if name.endswith("a finger")]) == rims
    assert len([name for name in names if name.endswith("angle")]) == rims - 1


@pytest.mark.parametrize(("name", "sensor"), thinned(CASES, 4))
@pytest.mark.one_in(2)
def test_the_walk_names_the_fault(name: str, sensor: str) -> None:
    """A failed check says which it is; no mounting fault passes the walk."""
    failed = failures(BY_NAME[name], sensor)
    assert any(NAMED[name] in text for text in failed), failed


@pytest.mark.parametrize("name", ["rim_1_misses", "ring_b_misses", "head_misses", "index_loose"])
def test_a_sensor_that_misses_now_and_then_passes_no_walk(name: str) -> None:
    """Whatever it misses: of 40 such walks none passed, here are some."""
    for seed in range(1, 1 + share(4, 2)):
        mounting = BY_NAME[name]
        assert {c.verdict for c in walked(mounting, mounting.sensors[-1], seed=seed)} != {PASS}


@pytest.mark.parametrize(("name", "sensor"), thinned(CASES, 2))
@pytest.mark.one_in(2)
def test_no_wrong_number(name: str, sensor: str) -> None:
    """Of healthy rounds: right, void by a code, or none in 98 s; else the walk has named it.

    What array or head alone cannot know is a void where both are fitted; which way the numbers are
    printed no sensor knows.
    """
    for number in range(ROUNDS):
        judged, _wheel = played(name, sensor, f"mounting/{name}/{number}")
        if judged.verdict == WRONG:
            assert sensor != "both" or name == "reading_direction", number
        assert judged.verdict != VOID or judged.code or "at_us=-1" in judged.text, number


@pytest.mark.parametrize("fault", ["index_half_on", "index_half_back", "index_third_on"])
def test_an_index_beside_its_place_gives_no_number_to_a_head(fault: str) -> None:
    """At a ring magnet it counts right one way, and one pocket beside the other way."""
    for number in range(share(10, 3)):
        judged, _wheel = played(fault, "head", f"beside/{fault}/{number}")
        assert (judged.verdict, judged.code) == (VOID, INDEX_LOST), judged.text

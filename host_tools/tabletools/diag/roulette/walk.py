"""The guided walk round a roulette wheel: what a technician does, step by step, and its checks.

Knows the steps and neither port nor terminal: `Table` looks at the sensors and says what to do.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from tabletools.decode.sensor_samples import SensorSample
from tabletools.diag.check import FAIL, SKIP, Check
from tabletools.diag.roulette import mounting_checks, moving
from tabletools.diag.roulette.mounting_checks import Wheel

# Time for hands: what counts of a rest is its end; of 40 s, six turns at 12 turns a minute are
# left to the slowest, and the table names a wrong count after four.
REST_MS = 15_000
FINGER_MS = 15_000
TURN_MS = 40_000
LOOK_MS = 300
LAY_S = 20.0
THROWS = 12
_DEAD_IN_A_ROW = 10  # more than a register: no further pocket is waited for


class Table(Protocol):
    """What the walk needs of a table and of the person at it."""

    def look(self, watch_ms: int) -> Sequence[SensorSample]:
        """The samples of a self-test that watched for this long."""

    def direction(self) -> str | None:
        """The direction of the rotor as the table reported it last."""

    def now_s(self) -> float:
        """The time."""

    def say(self, text: str) -> None:
        """Tell the technician."""


def walk(table: Table, wheel: Wheel) -> list[Check]:
    """Lead a technician round the wheel; the checks of it."""
    table.say(
        f"Take everything out of the wheel, stop the rotor, hands off: within {REST_MS // 1000} s."
    )
    rest = table.look(REST_MS)
    checks = mounting_checks.at_rest(rest, wheel)
    checks += _turn(table, rest, wheel)
    for number, rim in enumerate(wheel.rims, 1):
        place = ", at the angle of the index" if number == 1 else ""
        table.say(
            f"Stop the rotor. Pass a finger three times by rim sensor {number}{place},"
            f" within {FINGER_MS // 1000} s."
        )
        checks += moving.pass_checks(table.look(FINGER_MS), rim)
    checks += moving.thrown(_throws(table, wheel), wheel)
    lines_fail = any(check.verdict == FAIL and check.name[:5] != "array" for check in checks)
    if wheel.has_array:
        at_rest = mounting_checks.closed_switches(rest)
        checks += mounting_checks.array(_lay_round(table, wheel, at_rest), at_rest, wheel)
    if wheel.has_head and lines_fail:
        checks.append(Check("head", SKIP, note=mounting_checks.FIRST))
    elif wheel.has_head:
        checks += mounting_checks.head(_turn_with_ball(table, wheel), wheel)
    return checks


def _turn(table: Table, rest: Sequence[SensorSample], wheel: Wheel) -> list[Check]:
    # Both ways: what is half a pocket aside counts right one way.
    checks = _turn_once(table, rest, wheel, moving.CLOCKWISE)
    if any(check.verdict == FAIL for check in checks):
        return checks
    back = _turn_once(table, rest, wheel, moving.COUNTER_CLOCKWISE)
    return checks + [replace(check, name=f"{check.name}, counter-clockwise") for check in back]


def _turn_once(table: Table, rest: Sequence[SensorSample], wheel: Wheel, way: str) -> list[Check]:
    table.say(
        f"Turn the rotor {way.replace('_', '-')}, seen from above, 12 turns a minute or"
        f" more, for {TURN_MS // 1000} s."
    )
    turned = table.look(TURN_MS)
    return moving.turn_checks(rest, turned, table.direction(), wheel, way)


def _throws(table: Table, wheel: Wheel) -> list[Sequence[SensorSample]]:
    looks: list[Sequence[SensorSample]] = []
    while len(looks) < THROWS and not moving.suffices(looks, wheel):
        table.say(
            f"Throw the ball clockwise along the rim as in play, the rotor at rest, within"
            f" {TURN_MS // 1000} s: twelve laps or more."
        )
        looks.append(table.look(TURN_MS))
        if not any(mounting_checks.values_of(looks[-1], "pulses").get(rim) for rim in wheel.rims):
            break  # none of them works
    return looks


def _lay_round(table: Table, wheel: Wheel, at_rest: frozenset[int]) -> dict[str, frozenset[int]]:
    # By number, what closed when the ball came into it.
    table.say(
        "Place the ball in each pocket as it is named, clockwise from 0; leave it there"
        " until the next one is named."
    )
    reads: dict[str, frozenset[int]] = {}
    before: frozenset[int] = frozenset()
    silent = 0
    for number in wheel.numbers:
        table.say(f"Ball into {number}.")
        switches = frozenset() if silent == _DEAD_IN_A_ROW else _laid(table, at_rest, before)
        silent = 0 if switches else min(silent + 1, _DEAD_IN_A_ROW)
        reads[number] = before = switches
    return reads


def _laid(table: Table, at_rest: frozenset[int], before: frozenset[int]) -> frozenset[int]:
    # Which switches are closed by a ball that was moved: the same in two looks, and none between
    # it and the pocket before if they read alike. None: within LAY_S no switch closed.
    end_s = table.now_s() + LAY_S
    last: frozenset[int] | None = None
    while table.now_s() < end_s:
        switches = mounting_checks.closed_switches(table.look(LOOK_MS)) - at_rest
        if switches != before:
            before = frozenset()
        if switches and switches == last and switches != before:
            return switches
        last = switches
    return frozenset()


def _turn_with_ball(table: Table, wheel: Wheel) -> dict[str, Sequence[SensorSample]]:
    reads = {}
    for number in mounting_checks.probes(wheel):
        table.say(f"Ball into {number}, then turn the rotor as before, for {TURN_MS // 1000} s.")
        reads[number] = table.look(TURN_MS)
    return reads

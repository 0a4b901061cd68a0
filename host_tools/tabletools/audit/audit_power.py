"""The power of each test: how many results find which bias in 9 of 10 cases.

Normal approximations of the tests at their levels, all tests of the machine made.
"""

import math
from collections.abc import Callable

from tabletools.audit import sector_scan
from tabletools.audit.audit_machines import Machine
from tabletools.audit.chance import needed_spins
from tabletools.audit.error_budget import Test, levels
from tabletools.audit.tails import normal_limit

BIASES = (0.05, 0.10, 0.20, 0.30, 0.50)
POWER = 0.9
SECTOR = 5
"""Fields of the sector in the table."""
WINDOWS = 16
"""Windows in the table: a history of some 50,000 results."""
DICE = 2
Needed = Callable[[int, float, float], int]
"""Of fields, level and bias: the results."""


def needed(test: Test, machine: Machine, level: float, bias: float) -> int:
    """Return the results in which a test at this level finds a bias of this relative height."""
    return _ROWS[test][1](machine.fields, level, bias)


def power_table(machine: Machine, level: float) -> str:
    """Return as text the results that each test needs. level: what one audit may spend."""
    tests = [test for test in _ROWS if (test in _OF_DICE) is not machine.is_round]
    shares = levels(tests, level)
    lines = [
        f"{machine.name}: results that find a bias in {POWER:.0%} of cases, at the alarm level of"
        f" each test (together {level:.2g})"
    ]
    lines.append(f"{'test':<28}{'bias':<38}" + "".join(f"{bias:>12.0%}" for bias in BIASES))
    for test in tests:
        cells = "".join(f"{needed(test, machine, shares[test], bias):>12,}" for bias in BIASES)
        lines.append(f"{test.value:<28}{_ROWS[test][0]:<38}" + cells)
    lines.append("bias: how much more often than by chance, or the height of a sine")
    return "\n".join(lines)


def _field(fields: int, level: float, bias: float) -> int:
    return _share(1 / fields, level / fields, bias)


def _share(share: float, chance: float, bias: float) -> int:
    """Return the results in which a binomial test finds a share that is larger by `bias`."""
    deviations = (normal_limit(chance) + normal_limit(1 - POWER)) / bias
    return math.ceil(deviations**2 * (1 - share) / share)


def _sector(windows: int, groups: int = 1) -> Needed:
    def results(fields: int, level: float, bias: float) -> int:
        chance = sector_scan.sector_level(fields, windows, level / groups)
        return _share(SECTOR / fields, chance, bias)

    return results


def _sine(fields: int, level: float, bias: float) -> int:
    return needed_spins(2, level, bias)


def _fit(fields: int, level: float, bias: float) -> int:
    return needed_spins(fields - 1, level, bias)


def _one_face(fields: int, level: float, bias: float) -> int:
    # One face in `fields` has the noncentrality n b^2 (fields - 1) / fields^2, a sine n b^2 / 2.
    return needed_spins(fields - 1, level, bias * math.sqrt(2 * (fields - 1)) / fields)


def _half(fields: int, level: float, bias: float) -> int:
    return math.ceil(((normal_limit(level / 2) + normal_limit(1 - POWER)) / bias) ** 2)


def _turn(fields: int, level: float, bias: float) -> int:
    # A sine that turns to the other side halfway: the CUSUM is sqrt(n / 8) b high there.
    limit = math.sqrt(math.log(4 / level) / 2)
    return math.ceil(8 * ((limit + normal_limit(1 - POWER) / 2) / bias) ** 2)


def _repeat(parts: int) -> Needed:
    return lambda fields, level, bias: _share(1 / fields, level / parts, bias)


def _die(parts: int) -> Needed:
    return lambda fields, level, bias: _field(fields, level / parts, bias)


_ROWS: dict[Test, tuple[str, Needed]] = {
    Test.FULLEST: ("one field", _field),
    Test.SECTOR: (f"a sector of {SECTOR}", _sector(0)),
    Test.NEWEST: (f"a sector of {SECTOR}, since it began", _sector(WINDOWS)),
    Test.LEAN: ("a sine round the wheel", _sine),
    Test.FIT: ("a sine round the wheel", _fit),
    Test.STEPS: ("a sine of the steps", _sine),
    Test.RUNS: ("the same half again", _half),
    Test.DROP: ("a sine round the rim", _sine),
    Test.DRIFT: ("a sine that turns round halfway", _turn),
    Test.CROUPIER: (f"a sector of {SECTOR}, of one of 2", _sector(1, 2)),
    Test.BALL: (f"a sector of {SECTOR}, of one of 2", _sector(1, 2)),
    Test.DIRECTION: (f"a sector of {SECTOR}, of one of 2", _sector(1, 2)),
    Test.FACES: ("one face of all dice", _field),
    Test.DICE_FIT: ("one face of all dice", _one_face),
    Test.EACH_DIE: ("one face of one die, its throws", _die(DICE)),
    Test.PAIRS: ("two dice alike, throws", _repeat(2)),
    Test.IN_A_ROW: ("the face of the throw before", _repeat(1)),
    Test.THROWER: ("one face, of one of 2", _die(2)),
}
_OF_DICE = frozenset(
    (Test.FACES, Test.DICE_FIT, Test.EACH_DIE, Test.PAIRS, Test.IN_A_ROW, Test.THROWER)
)

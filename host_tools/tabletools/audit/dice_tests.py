"""The tests of dice: faces of all, each die, pairs of a throw, throws in a row, and throwers."""

from itertools import combinations
from typing import TYPE_CHECKING

from tabletools.audit import chance
from tabletools.audit.audit_machines import Machine
from tabletools.audit.chance import Fit
from tabletools.audit.error_budget import Test
from tabletools.audit.findings import GROUP_LEAST, Finding, Findings, Untested, groups, sort
from tabletools.audit.spins import Spins
from tabletools.audit.wheel_tests import NO_ORDER, fit_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

NOT_ALIKE = "which dice were thrown together is not known, or their number differs"
ONE_DIE = "throws have one die"


def dice_findings(
    spins: Spins, places: "Places", counts: "Places", machine: Machine, fit: Fit
) -> Findings:
    """Make each test that these throws allow."""
    most = chance.fullest(counts)
    named = f"{machine.labels[most.place]}: {most.count}, {most.expected:.1f} expected"
    throws = places.reshape(-1, spins.dice) if spins.dice else None
    answers: list[Finding | Untested] = [
        Finding(Test.FACES, most.p, named),
        Finding(Test.DICE_FIT, fit.p, fit_text(fit)),
    ]
    if throws is None:
        tests = (Test.EACH_DIE, Test.PAIRS, Test.IN_A_ROW, Test.THROWER)
        answers += [Untested(test, NOT_ALIKE) for test in tests]
        return sort(answers)
    answers += [
        _each_die(throws, machine),
        _pairs(throws, machine),
        _in_a_row(spins, throws, machine),
        _throwers(spins, throws, machine),
    ]
    return sort(answers)


def _each_die(throws: "Places", machine: Machine) -> Finding | Untested:
    """Test the faces of each die, by its place in the throw: p of the worst, times the dice."""
    import numpy as np

    dice = throws.shape[1]
    if dice < 2:
        return Untested(Test.EACH_DIE, ONE_DIE)
    found = []
    for die in range(dice):
        most = chance.fullest(np.bincount(throws[:, die], minlength=machine.fields))
        face = machine.labels[most.place]
        detail = f"die {die + 1}, face {face}: {most.count}, {most.expected:.1f} expected"
        found.append((most.p, detail))
    p, detail = min(found)
    return Finding(Test.EACH_DIE, min(1.0, p * dice), detail)


def _pairs(throws: "Places", machine: Machine) -> Finding | Untested:
    """Test each two dice of a throw: two alike, and the fullest of the pairs of faces."""
    import numpy as np

    n, dice = throws.shape
    if dice < 2:
        return Untested(Test.PAIRS, ONE_DIE)
    found, faces = [], machine.fields
    for one, other in combinations(range(dice), 2):
        alike = int((throws[:, one] == throws[:, other]).sum())
        same = chance.repeats(alike, n, faces)
        dice_text = f"dice {one + 1} and {other + 1}"
        found.append((same.p, f"{dice_text} alike: {alike} of {n}, {same.expected:.1f} expected"))
        coded = throws[:, one] * faces + throws[:, other]
        most = chance.fullest(np.bincount(coded, minlength=faces * faces))
        first, second = divmod(most.place, faces)
        pair = f"{machine.labels[first]} and {machine.labels[second]}"
        detail = f"{dice_text}, {pair}: {most.count}, {most.expected:.1f} expected"
        found.append((most.p, detail))
    p, detail = min(found)
    return Finding(Test.PAIRS, min(1.0, p * len(found)), detail)


def _in_a_row(spins: Spins, throws: "Places", machine: Machine) -> Finding | Untested:
    """Test how often a die shows the face of the throw before, all dice together."""
    if spins.round is None:
        return Untested(Test.IN_A_ROW, NO_ORDER)
    if len(throws) < 2:
        return Untested(Test.IN_A_ROW, "fewer than 2 throws")
    same = throws[1:] == throws[:-1]
    found = chance.repeats(int(same.sum()), same.size, machine.fields)
    detail = f"{found.count} of {found.n} faces repeat, {found.expected:.1f} expected"
    return Finding(Test.IN_A_ROW, found.p, detail)


def _throwers(spins: Spins, throws: "Places", machine: Machine) -> Finding | Untested:
    """Test the faces of each thrower who has enough, and repeats from throw to throw."""
    import numpy as np

    members = spins.groups.get("thrower")
    if not members:
        return Untested(Test.THROWER, "no thrower column")
    names, codes = groups(members)
    totals = np.bincount(codes) * throws.shape[1]
    large = [k for k, name in enumerate(names) if name and totals[k] >= GROUP_LEAST]
    if len(names) < 2 or not large:
        needed = f"needs 2, and one with {GROUP_LEAST} faces"
        return Untested(Test.THROWER, f"{len(names)} in the column thrower: {needed}")
    found = []
    for k in large:
        is_own = codes == k
        most = chance.fullest(np.bincount(throws[is_own].ravel(), minlength=machine.fields))
        face = machine.labels[most.place]
        detail = f"{names[k]}, face {face}: {most.count}, {most.expected:.1f} expected"
        found.append((most.p, detail))
        if spins.round is not None:
            same = (throws[1:] == throws[:-1])[is_own[1:] & is_own[:-1]]
            again = chance.repeats(int(same.sum()), same.size, machine.fields)
            detail = f"{names[k]}: {again.count} of {again.n} faces repeat"
            found.append((again.p, detail))
    p, detail = min(found)
    return Finding(Test.THROWER, min(1.0, p * len(found)), detail)

"""The tests of dice: faces of all, each die, pairs of a throw, throws in a row, and throwers.

A table reports the faces of a throw from low to high: there no die has a place of its own, and
whole combinations are tested instead.
"""

import math
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import TYPE_CHECKING

from tabletools.audit import chance, tails
from tabletools.audit.audit_machines import Machine
from tabletools.audit.chance import Fit
from tabletools.audit.error_budget import Test
from tabletools.audit.findings import (
    GROUP_LEAST,
    Answer,
    Finding,
    Findings,
    Untested,
    groups,
    is_sorted,
    sort,
    worst,
)
from tabletools.audit.spins import Spins
from tabletools.audit.wheel_tests import NO_ORDER, fit_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

FACES = 6
NOT_ALIKE = "which dice were thrown together is not known, or their number differs"
ONE_DIE = "throws have one die"
SORTED = "faces are from low to high: which die shows which is not known"


def dice_findings(
    spins: Spins, places: "Places", counts: "Places", machine: Machine, fit: Fit
) -> Findings:
    """Make each test that these throws allow."""
    import numpy as np

    most = chance.fullest(counts)
    named = f"{machine.labels[most.place]}: {most.count}, {most.expected:.1f} expected"
    answers: list[Finding | Untested] = [
        Finding(Test.FACES, most.p, named),
        Finding(Test.DICE_FIT, fit.p, fit_text(fit)),
    ]
    if not spins.dice:
        tests = (Test.EACH_DIE, Test.PAIRS, Test.IN_A_ROW, Test.THROWER)
        answers += [Untested(test, NOT_ALIKE) for test in tests]
        return sort(answers)
    throws = places.reshape(-1, spins.dice)
    if spins.dice == 1:
        answers += [Untested(test, ONE_DIE) for test in (Test.EACH_DIE, Test.PAIRS)]
        again = _dice_again
    elif is_sorted(places, np.full(len(throws), spins.dice)):
        answers += [Untested(Test.EACH_DIE, SORTED), worst(Test.PAIRS, _test_throws(throws))]
        again = _faces_again
    else:
        answers += [worst(Test.EACH_DIE, _each_die(throws)), worst(Test.PAIRS, _pairs(throws))]
        again = _dice_again
    after = np.arange(1, len(throws))
    if spins.round is None:
        answers.append(Untested(Test.IN_A_ROW, NO_ORDER))
    elif len(throws) < 2:
        answers.append(Untested(Test.IN_A_ROW, "fewer than 2 throws"))
    else:
        answers.append(worst(Test.IN_A_ROW, again(throws, after)))
    return sort([*answers, _throwers(spins, throws, again)])


def _each_die(throws: "Places") -> list[Answer]:
    """Test the faces of each die, by its place in the throw."""
    return [_fullest(f"die {die + 1}", throws[:, die]) for die in range(throws.shape[1])]


def _fullest(name: str, values: "Places") -> Answer:
    import numpy as np

    most = chance.fullest(np.bincount(values.ravel(), minlength=FACES))
    return most.p, f"{name}, face {most.place + 1}: {most.count}, {most.expected:.1f} expected"


def _pairs(throws: "Places") -> list[Answer]:
    """Test each two dice of a throw: two alike, and the fullest of the pairs of faces."""
    import numpy as np

    n, dice = throws.shape
    answers = []
    for one, other in combinations(range(dice), 2):
        alike = int((throws[:, one] == throws[:, other]).sum())
        same = chance.repeats(alike, n, FACES)
        name = f"dice {one + 1} and {other + 1}"
        answers.append((same.p, f"{name} alike: {alike} of {n}, {same.expected:.1f} expected"))
        coded = throws[:, one] * FACES + throws[:, other]
        most = chance.fullest(np.bincount(coded, minlength=FACES * FACES))
        first, second = divmod(most.place, FACES)
        pair = f"{first + 1} and {second + 1}: {most.count}, {most.expected:.1f} expected"
        answers.append((most.p, f"{name}, {pair}"))
    return answers


def _test_throws(throws: "Places") -> list[Answer]:
    """Test throws from low to high: two dice alike or more, and the fullest combination."""
    n, dice = throws.shape
    alike = int((throws[:, 1:] == throws[:, :-1]).any(axis=1).sum())
    share = 1 - math.perm(FACES, dice) / FACES**dice
    detail = f"throws with two dice alike: {alike} of {n}, {n * share:.1f} expected"
    answers = [(tails.binomial(alike, n, share), detail)]
    shares = _combinations(dice)
    counts = Counter(map(tuple, throws.tolist()))
    known = list(counts)
    ps = tails.binomials([*counts.values()], n, [shares[faces] for faces in known])
    place = int(ps.argmin())
    faces = " ".join(str(face + 1) for face in known[place])
    expected = f"{counts[known[place]]}, {n * shares[known[place]]:.1f} expected"
    return [*answers, (float(ps[place]) * len(shares), f"{faces}: {expected}")]


@lru_cache(maxsize=8)
def _combinations(dice: int) -> dict[tuple[int, ...], float]:
    """Return the chance of each combination of faces, from low to high."""
    return {
        faces: math.factorial(dice)
        / math.prod(map(math.factorial, Counter(faces).values()))
        / FACES**dice
        for faces in combinations_with_replacement(range(FACES), dice)
    }


def _dice_again(throws: "Places", after: "Places") -> list[Answer]:
    """Test how often a die shows the face of the throw before, all dice together.

    after: the throws that follow one that counts.
    """
    same = throws[after] == throws[after - 1]
    again = chance.repeats(int(same.sum()), same.size, FACES)
    return [
        (again.p, f"{again.count} of {again.n} faces repeat, {again.expected:.1f} expected"),
    ]


def _faces_again(throws: "Places", after: "Places") -> list[Answer]:
    """Test throws from low to high: the combination of the throw before, and any face of it.

    A die shows one of the k faces of the throw before with a chance of k / 6, whatever came
    earlier: the sum is nearly normal.
    """
    import numpy as np

    n, dice = len(after), throws.shape[1]
    same = int((throws[after] == throws[after - 1]).all(axis=1).sum())
    share = math.fsum(chance_**2 for chance_ in _combinations(dice).values())
    answers = [
        (
            tails.binomial(same, n, share),
            f"{same} of {n} throws repeat, {n * share:.1f} expected",
        )
    ]
    has_face = (throws[:, :, None] == np.arange(FACES)).any(axis=1)
    before = has_face[after - 1]
    faces = int(before[np.arange(n)[:, None], throws[after]].sum())
    shares = before.sum(axis=1) / FACES
    expected = float(shares.sum()) * dice
    spread = math.sqrt(float((shares * (1 - shares)).sum()) * dice)
    p = tails.normal((faces - 0.5 - expected) / spread) if spread else 1.0
    return [*answers, (p, f"{faces} faces of the throw before, {expected:.1f} expected")]


def _throwers(
    spins: Spins, throws: "Places", again: "Callable[[Places, Places], list[Answer]]"
) -> Finding | Untested:
    """Test the faces of each thrower who has enough, and repeats from throw to throw."""
    import numpy as np

    members = spins.groups.get("thrower")
    if not members:
        return Untested(Test.THROWER, "no throwers are named")
    names, codes = groups(members)
    totals = np.bincount(codes) * throws.shape[1]
    large = [k for k, name in enumerate(names) if name and totals[k] >= GROUP_LEAST]
    if len(names) < 2 or not large:
        needed = f"needs 2, and one with {GROUP_LEAST} faces"
        return Untested(Test.THROWER, f"{len(names)} in the column thrower: {needed}")
    answers = []
    for k in large:
        is_own = codes == k
        answers.append(_fullest(names[k], throws[is_own]))
        after = 1 + np.flatnonzero(is_own[1:] & is_own[:-1])
        if spins.round is not None and len(after):
            answers += [(p, f"{names[k]}: {detail}") for p, detail in again(throws, after)]
    return worst(Test.THROWER, answers)

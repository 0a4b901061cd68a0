"""The tests of ball draws: each ball, pairs of balls, places in the draw, and draws in a row.

A draw is without replacement and draws may differ in length: each count is a sum of independent
chances, and its p is exact. Pairs are compared with the binomial at their mean chance.
"""

import math
from collections import Counter
from typing import TYPE_CHECKING

from tabletools.audit import tails
from tabletools.audit.audit_machines import Machine
from tabletools.audit.chance import Fit
from tabletools.audit.error_budget import Test
from tabletools.audit.findings import Answer, Finding, Findings, Untested, is_sorted, sort, worst
from tabletools.audit.spins import Spins
from tabletools.audit.wheel_tests import NO_ORDER, fit_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

SORTED = "balls are from low to high: the order of the draw is not known"
ONE_BALL = "draws have one ball"


def draw_fit(counts: "Places", sizes: "Places") -> Fit:
    """Return the chi-square of the balls: of each draw, a ball comes once or not at all."""
    balls, n = len(counts), int(counts.sum())
    spread = float((sizes * (balls - sizes)).sum()) / (balls * (balls - 1))
    statistic = float(((counts - n / balls) ** 2).sum()) / spread * (balls - 1) / balls
    return Fit(statistic, balls - 1, tails.chi_square(statistic, balls - 1), "chi-square")


def draw_findings(
    spins: Spins, places: "Places", counts: "Places", machine: Machine, fit: Fit
) -> Findings:
    """Make each test that these draws allow."""
    import numpy as np

    sizes = np.asarray(spins.sizes, dtype=np.int64)
    has_pairs = int(sizes.max()) > 1
    has_places = has_pairs and not is_sorted(places, sizes)
    no_places = Untested(Test.BALL_PLACES, SORTED if has_pairs else ONE_BALL)
    answers: list[Finding | Untested] = [
        worst(Test.BALLS, _balls(counts, sizes, machine)),
        Finding(Test.BALLS_FIT, fit.p, fit_text(fit)),
        worst(Test.BALL_PAIRS, _pairs(places, sizes, machine))
        if has_pairs
        else Untested(Test.BALL_PAIRS, ONE_BALL),
        worst(Test.BALL_PLACES, _early(places, sizes, machine)) if has_places else no_places,
        _again(spins, places, sizes, machine),
    ]
    return sort(answers)


def _balls(counts: "Places", sizes: "Places", machine: Machine) -> list[Answer]:
    """Test the ball drawn most often and the one drawn least often: exact."""
    shares = Counter((sizes / machine.fields).tolist())
    parts = {tails.yes_or_no(share): times for share, times in shares.items()}
    expected = float(sizes.sum()) / machine.fields
    return _each(counts.tolist(), parts, [f"ball {label}" for label in machine.labels], expected)


def _each(
    counts: list[int], parts: dict[tuple[float, ...], int], names: list[str], expected: float
) -> list[Answer]:
    of_all = tails.sum_tails(counts, parts)
    return [
        (of_one.two_sided, f"{name}: {count}, {expected:.1f} expected")
        for name, count, of_one in zip(names, counts, of_all, strict=True)
    ]


def _pairs(places: "Places", sizes: "Places", machine: Machine) -> list[Answer]:
    """Test the two balls that were drawn together most often; their p is that of all pairs."""
    import numpy as np

    balls, draws = machine.fields, len(sizes)
    is_in = np.zeros((draws, balls), dtype=np.float32)
    is_in[np.repeat(np.arange(draws), sizes), places] = 1
    together = np.triu(is_in.T @ is_in, k=1)
    one, other = np.unravel_index(int(together.argmax()), together.shape)
    count = int(together[one, other])
    share = float((sizes * (sizes - 1)).mean()) / (balls * (balls - 1))
    p = math.comb(balls, 2) * tails.binomial(count, draws, share)
    names = f"balls {machine.labels[one]} and {machine.labels[other]} together"
    return [(min(1.0, p), f"{names}: {count}, {draws * share:.1f} expected")]


def _early(places: "Places", sizes: "Places", machine: Machine) -> list[Answer]:
    """Test for each ball how often it is in the first half of the draws that have it: exact."""
    import numpy as np

    places_in_draw = np.arange(len(places)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    halves, lengths = np.repeat(sizes // 2, sizes), np.repeat(sizes, sizes)
    is_early = places_in_draw < halves
    answers = []
    for ball, label in enumerate(machine.labels):
        is_own = places == ball
        shares = Counter((halves[is_own] / lengths[is_own]).tolist())
        parts = {tails.yes_or_no(share): times for share, times in shares.items()}
        count, n = int(is_early[is_own].sum()), int(is_own.sum())
        expected = math.fsum(share * times for share, times in shares.items())
        name = f"ball {label} in the first half of {n} draws"
        answers += _each([count], parts, [name], expected)
    return answers


def _again(
    spins: Spins, places: "Places", sizes: "Places", machine: Machine
) -> Finding | Untested:
    """Test how many balls of each draw were in the one before it: exact, hypergeometric."""
    import numpy as np

    if spins.round is None:
        return Untested(Test.BALLS_AGAIN, NO_ORDER)
    if len(sizes) < 2:
        return Untested(Test.BALLS_AGAIN, "fewer than 2 draws")
    draws = np.repeat(np.arange(len(sizes)), sizes)
    drawn = draws * machine.fields + places
    again = len(np.intersect1d(drawn, drawn + machine.fields))
    pairs = Counter(zip(sizes[:-1].tolist(), sizes[1:].tolist(), strict=True))
    parts: Counter[tuple[float, ...]] = Counter()
    for (before, size), times in pairs.items():
        parts[tails.hypergeometric(machine.fields, before, size)] += times
    expected = float((sizes[:-1] * sizes[1:]).sum()) / machine.fields
    [both] = tails.sum_tails([again], parts)
    detail = f"{again} balls were in the draw before, {expected:.1f} expected"
    return Finding(Test.BALLS_AGAIN, both.two_sided, detail)

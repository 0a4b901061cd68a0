"""Tail chances: by exact fractions, by hand, and by values that scipy 1.17 computed."""

import math
from fractions import Fraction

import pytest

from tabletools.audit import tails


@pytest.mark.parametrize("count", [0, 1, 3, 7, 8, 9, 20, 60, 61])
def test_a_binomial_tail_by_exact_fractions(count):
    """60 spins of 37 pockets, 8 of them marked: the sum of whole numbers."""
    n, marked, fields = 60, 8, 37
    ways = sum(
        math.comb(n, k) * marked**k * (fields - marked) ** (n - k) for k in range(count, n + 1)
    )
    exact = float(Fraction(ways, fields**n))
    assert tails.binomial(count, n, marked / fields) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(
    ("count", "n", "share", "p"),
    [
        (28_000, 1_000_000, 1 / 37, 1.2349402963e-09),
        (600, 20_000, 1 / 37, 5.6353123129e-03),
        (40, 2_000, 1 / 1296, 6.5180345567e-42),
    ],
)
def test_large_binomial_tails_are_those_of_scipy(count, n, share, p):
    """A million spins, and a chance of 1e-42, which no difference from 1 can have."""
    assert tails.binomial(count, n, share) == pytest.approx(p, rel=1e-7)


@pytest.mark.parametrize(
    ("statistic", "df", "p"),
    [
        (13.388, 5, 0.0200017956),
        (58.619, 36, 0.0100004892),
        (200, 37, 3.0014053384e-24),
        (3.5, 1, 0.0613688291),
        (0, 36, 1),
    ],
)
def test_chi_square_tails_are_those_of_scipy(statistic, df, p):
    """Odd and even degrees of freedom."""
    assert tails.chi_square(statistic, df) == pytest.approx(p, rel=1e-7)


def test_the_limits_and_noncentralities_are_those_of_scipy():
    """chdtri and chndtrinc; a chi-square of 1 % over 36 degrees that shows in 9 of 10."""
    assert tails.chi_square_limit(1e-4, 36) == pytest.approx(76.3649769, rel=1e-7)
    limit = tails.chi_square_limit(0.01, 36)
    assert tails.noncentrality(limit, 36, 0.9) == pytest.approx(41.7809611, rel=1e-6)


def test_a_deck_by_hand():
    """Both of two cards drawn from four with two marked: 1 of 6 ways; neither: 1 of 6."""
    assert tails.hypergeometric(4, 2, 2) == pytest.approx((1 / 6, 4 / 6, 1 / 6))


def test_a_sum_of_draws_by_hand():
    """Two coins and one of three: 2 x 3 x ... of 12 outcomes, 1 has three, 5 have two or more."""
    parts = {tails.yes_or_no(1 / 2): 2, tails.yes_or_no(1 / 3): 1}
    three, two, none = tails.sum_tails([3, 2, 0], parts)
    assert three.at_least == pytest.approx(1 / 12)
    assert two.at_least == pytest.approx(5 / 12)
    assert none.at_most == pytest.approx(2 / 12)
    assert none.at_least == pytest.approx(1)


def test_a_sum_of_many_draws_is_binomial():
    """20,000 draws with the same chance: the tail of the binomial."""
    [tail] = tails.sum_tails([5_300], {tails.yes_or_no(1 / 4): 20_000})
    assert tail.at_least == pytest.approx(tails.binomial(5_300, 20_000, 1 / 4), rel=1e-5)


def test_a_count_that_cannot_be_has_the_least_chance():
    """31 of 30: no chance at all, reported as less than 1e-13; 31 or fewer are certain."""
    [tail] = tails.sum_tails([3_000], {tails.yes_or_no(1 / 4): 30})
    assert tail.at_least < 1e-13
    assert tail.at_most == pytest.approx(1)

"""Facts by least squares and how certain they are, against a line fitted by hand."""

import numpy as np
import pytest

from tabletools.dice.least_squares import nearest, standard_errors

X, Y = np.array((0.0, 1.0, 2.0, 3.0)), np.array((1.0, 2.0, 4.0, 5.0))
STEPS = np.array((0.01, 0.01))


def off(facts):
    """What a line leaves of four points; a fifth row depends on no fact."""
    return np.append(facts[0] + facts[1] * X - Y, 0.0)


def test_a_line_by_hand():
    """Sum of squares about the middle of x: 5, of products: 7; so 0.9 + 1.4 x leaves 0.2 in all,
    0.1 for each of two degrees of freedom: errors sqrt(0.1 (1/4 + 1.5^2 / 5)), sqrt(0.1 / 5)."""
    line = nearest(off, np.array((0.0, 0.0)), np.array((100.0, 100.0)), STEPS)
    assert line == pytest.approx((0.9, 1.4), abs=1e-6)
    assert standard_errors(off, line, STEPS) == pytest.approx((0.0700**0.5, 0.02**0.5), rel=1e-5)

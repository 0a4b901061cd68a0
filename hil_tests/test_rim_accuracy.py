"""A rim is measured right on wheels of the physical model: bumps, tilt, lag, skid and bounce."""

import pytest

from hil_tests.rim_accuracy import measured
from hil_tests.thinned import soaked


@pytest.mark.parametrize("fitted", [1, *soaked([0])])
def test_the_rim_of_a_physical_wheel_is_measured(fitted):
    """The first wheel of a family at 5 %: `python -m hil_tests.rim_accuracy` measures many."""
    result = measured(0.05, fitted, 0)
    assert result.law.roughness.value == pytest.approx(0.05, abs=0.01)
    assert result.law.steady.value == pytest.approx(result.steady, abs=0.002)
    assert result.law.square.value == pytest.approx(result.square, abs=0.001)
    assert 60 <= int(result.outcome.removeprefix("key ")) <= 100


def test_a_wheel_too_rough_is_refused():
    """At 35 % two rim sensors have no room between healthy and forged."""
    assert measured(0.35, 0, 0).outcome.startswith("the rim is too rough")

"""The host's camera above rendered trays that were calibrated for it: none is read wrong."""

import pytest

from hil_tests.dice_overhead import calibrate, judged, rig_of

RIGS = (3, 4)
# Family, throws, and how many of them have to be read at least and at most.
FAMILIES = [
    ("plain", 6, (5, 6)),
    ("glare", 4, (0, 1)),
    ("stacked", 3, (0, 1)),
    ("foreign", 4, (0, 0)),
]


@pytest.fixture(scope="module")
def rigs():
    return {seed: calibrate(rig_of(seed)) for seed in RIGS}


@pytest.mark.parametrize(("family", "throws", "limits"), FAMILIES)
def test_a_family_of_throws(family, throws, limits, rigs):
    """`make dice BY=camera` throws more, on more rigs."""
    counts, _ = judged(family, rigs, 0, throws)
    assert counts["WRONG"] == 0
    assert limits[0] <= counts["read"] <= limits[1], counts
    assert counts.total() == throws

"""The host's camera above rendered trays that were calibrated for it: none is read wrong."""

from functools import cache

import pytest

from hil_tests.dice_overhead import calibrated_rig, judged
from hil_tests.dice_rigs import parts_of
from hil_tests.thinned import soaked

RIGS = (3, 4)
# Family, throws, and how many of them have to be read at least and at most.
FAMILIES = [
    ("plain", 6, (5, 6)),
    ("glare", 4, (0, 1)),
    ("stacked", 3, (0, 1)),
    ("foreign", 4, (0, 0)),
    ("paper", 4, (0, 0)),
    ("clear", 4, (3, 4)),
    *soaked([("two lamps", 8, (8, 8))]),
]


@pytest.fixture(scope="module")
def rigs():
    return cache(lambda kind: [calibrated_rig(seed, kind) for seed in RIGS])


@pytest.mark.parametrize(("family", "throws", "limits"), FAMILIES)
@pytest.mark.one_in(2)
def test_a_family_of_throws(family, throws, limits, rigs):
    """`make dice BY=camera` throws more, on more rigs."""
    kind, family = parts_of(family)
    counts, _ = judged(family, rigs(kind), 0, throws)
    assert counts["WRONG"] == 0
    assert limits[0] <= counts["read"] <= limits[1], counts
    assert counts.total() == throws

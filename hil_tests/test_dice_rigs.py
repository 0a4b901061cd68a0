"""The device's reader on trays that were commissioned for it, drawn by another renderer."""

import pytest

from hil_tests.dice_rigs import commission, judged, tray_of

RIGS = (0, 4)
# Family, throws, and how many of them have to be read at least and at most.
FAMILIES = [
    ("plain", 16, (14, 16)),
    ("glare", 8, (0, 2)),
    ("lean 20", 8, (0, 0)),
    ("stacked", 8, (0, 0)),
    ("touching", 8, (0, 0)),
    ("foreign", 8, (0, 0)),
]


@pytest.fixture(scope="module")
def rigs():
    return {seed: commission(tray_of(seed)) for seed in RIGS}


@pytest.mark.parametrize(("family", "throws", "limits"), FAMILIES)
def test_a_family_of_throws(family, throws, limits, rigs):
    """None is read wrong. `python -m hil_tests.dice_rigs` throws more, on more rigs."""
    counts = judged(family, rigs, 0, throws)
    assert counts["WRONG"] == 0
    assert limits[0] <= counts["read"] <= limits[1], counts
    assert counts.total() == throws

"""The device's reader on trays that were commissioned for it, drawn by another renderer."""

import math
from functools import cache

import pytest

from hil_tests.dice_rigs import (
    Die,
    commission,
    commissioned_rig,
    draw,
    exposed,
    judged,
    parts_of,
    tray_of,
)
from hil_tests.dice_two_lights import counted, mirror, plain, rigs_of
from tablelogic.tray_reader.reader import Reader
from tablelogic.tray_reader.rig import Rig
from tablelogic.tray_reader.stepwise import finish
from tablespec.roles.dice_tray import READING
from tabletools.errors import ToolError

RIGS = (0, 4)
DARK = 627  # dark dice of 42 px, 28 edges below the lens
# Family, throws, and how many of them have to be read at least and at most.
FAMILIES = [
    ("plain", 16, (14, 16)),
    ("glare", 8, (0, 2)),
    ("lean 20", 8, (0, 0)),
    ("stacked", 8, (0, 0)),
    ("touching", 8, (0, 0)),
    ("foreign", 8, (0, 0)),
    ("two lamps", 8, (7, 8)),
    ("clear", 8, (7, 8)),
]


@pytest.fixture(scope="module")
def rigs():
    return cache(lambda kind: [commissioned_rig(seed, kind) for seed in RIGS])


@pytest.mark.parametrize(("family", "throws", "limits"), FAMILIES)
@pytest.mark.one_in(2)
def test_a_family_of_throws(family, throws, limits, rigs):
    """None is read wrong. `python -m hil_tests.dice_rigs` throws more, on more rigs."""
    kind, family = parts_of(family)
    counts = judged(family, rigs(kind), 0, throws)
    assert counts["WRONG"] == 0
    assert limits[0] <= counts["read"] <= limits[1], counts
    assert counts.total() == throws


def test_a_lens_whose_height_no_side_shows_is_refused():
    """Light dice 22 px wide: the lens seemed 31 edges high and was 23, so leans were read."""
    with pytest.raises(ToolError, match="the height of the lens is known to 15 %"):
        commissioned_rig(11036, "two lamps")


def test_under_two_lights_no_highlight_is_a_pip():
    """That of one light, in the middle of a 2 or 4, is read by that light, not by both."""
    rigs = rigs_of(DARK)
    for apart in (1.0, 4.0):
        counts = counted([mirror(rigs, apart, number) for number in range(4)])
        assert counts["one wrong"] == counts["one"] == 4
        assert counts["both"] == 0
    counts = counted([plain(rigs, number) for number in range(6)])
    assert counts["both"] == counts["one"] >= 5
    assert counts["one wrong"] == 0


@pytest.mark.parametrize("way", [-90, 90])
def test_a_lean_that_moves_a_side_from_one_end_to_the_other_is_seen(way):
    """The outline of a dark die that shows a side towards the lens is that of one whose lean hides
    it and shows as much of the opposite one; its pips are elsewhere in it."""
    tray = tray_of(DARK)
    reader = Reader(Rig(commission(tray)))
    away = math.sin(math.radians(8)) / 2 * tray.above
    for degrees, expected in ((0, "read"), (8, "cocked")):
        lean = {"lean": math.radians(degrees), "lean_to": math.radians(way)}
        dice = [Die(away, 0.0, 5, 0.0, tray.dice, **lean)]
        frame = exposed(tray, draw(tray, dice), 1)
        assert dict(READING)[finish(reader.steps(frame.grey, 1))] == expected

"""A die that leans is not read from above: its outline and its pips contradict a flat one's."""

import math
from dataclasses import replace

import numpy as np
import pytest

from host_tools.tests.overhead_camera import CORNERS, EMPTY, STYLE, dice, exposed, grey, tray
from tableemulator.machines.dice_tray.rendering import Die
from tabletools.dice.overhead.calibration import CalibrationRefused, calibrated
from tabletools.dice.overhead.die_outline import DieOutline
from tabletools.dice.overhead.lens import Lens
from tabletools.dice.overhead.throw import read_greys

LEAN = math.radians(8)
# What lifts the middle of a cube that stands on an edge so far from flat, edges.
RAISED = (math.cos(LEAN) + math.sin(LEAN) - 1) / 2
DARK_EMPTY = replace(EMPTY, table=150, walls=replace(EMPTY.walls, edge=60))
DARK = replace(STYLE, body=30.0, pip=225.0)


def look(lying, scene=EMPTY, calibrated_tray=None):
    """What one look shows of dice."""
    picture = grey(lying, scene)
    greys = [exposed(picture, number) for number in range(3)]
    return read_greys(calibrated_tray or tray(), greys, len(lying)).verdict


def corners(scene, style=STYLE, share=1.0):
    """The empty tray, and dice so far towards its corners."""
    lying = [
        Die(share * x, share * y, value, 0.3 * value, style)
        for value, (x, y) in zip((1, 4, 5, 6), CORNERS, strict=True)
    ]
    return [exposed(grey((), scene), number) for number in range(3)], [
        exposed(grey(lying, scene), 7)
    ]


@pytest.fixture(scope="module")
def dark():
    """A light tray of dark dice, whose sides are as dark as their tops."""
    return calibrated(*corners(DARK_EMPTY, DARK)).tray


def test_the_lens_is_measured():
    """EMPTY is seen from 24 edges above its middle, an edge on the floor has 34 px."""
    lens = tray().lens
    assert (lens.x, lens.y) == pytest.approx((320, 240), abs=20)
    assert 1 / lens.near == pytest.approx(24, rel=0.08)
    assert lens.edge == pytest.approx(34, rel=0.02)


@pytest.mark.parametrize("values", [(1, 2, 3, 4), (5, 6, 1, 2)])
def test_flat_dice_are_read(values, dark):
    assert look(dice(*values)).reason == ""
    black = [replace(die, style=DARK) for die in dice(*values)]
    assert look(black, DARK_EMPTY, dark).reason == ""


@pytest.mark.parametrize("way", range(0, 360, 45))
@pytest.mark.one_in(3)
def test_a_die_that_leans_by_8_degrees_is_not_read(way, dark):
    """Each way, the side that it shows towards the lens and away from it."""
    first, *others = dice(6, 4)
    leaning = replace(first, tilt=LEAN, tilt_to=math.radians(way), lift=RAISED)
    assert look([leaning, *others]).reason == "cocked"
    leaning, *others = (replace(die, style=DARK) for die in [leaning, *others])
    assert look([leaning, *others], DARK_EMPTY, dark).reason == "cocked"


def outline(lens, x, right):
    """A die so far right of the lens and below it, px; its foot is so far right of a flat one's,
    edges. A top reaches 16 / (1 - near) px from its middle, a foot 16."""
    top, foot = 16 / (1 - lens.near), lens.near * -x
    reach = [
        max(top, 16 + foot + 32 * right),
        max(top, 16 + foot),
        max(top, 16 - foot - 32 * right),
        max(top, 16 - foot),
    ]
    rows = np.arange(-10.0, 11.0)
    return DieOutline(x, x, 0.0, 4, rows, np.repeat(np.array(reach)[:, None], 21, 1))


@pytest.mark.parametrize("x", [-64.0, 0.0, 64.0])
def test_a_die_is_nearer_to_a_flat_one_or_to_one_that_leans(x):
    """6 degrees put its foot 0.105 edges aside, 3 degrees 0.052."""
    lens = Lens(0.0, 0.0, 1 / 30, 32.0)
    assert np.abs(lens.off(outline(lens, x, 0.0))).max() == pytest.approx(0)
    assert lens.margin(outline(lens, x, 0.0)) > 0.03
    for right in (0.105, -0.105):
        assert lens.margin(outline(lens, x, right)) < -0.03
    assert lens.margin(outline(lens, x, 0.02)) > 0


def test_a_lean_that_the_top_hides_leaves_no_margin():
    """Below a lens 10 edges high a top reaches 0.056 edges farther than its foot to each side. So
    the foot of a die half an edge beside the lens may be 0.106 edges off, and nothing shows."""
    lens = Lens(0.0, 0.0, 1 / 10, 32.0)
    assert lens.margin(outline(lens, 16.0, 0.0)) < 0.005
    assert lens.margin(outline(lens, -64.0, 0.0)) > 0.03


def test_a_die_that_touches_another_is_not_read():
    """It could lean against that one, and its outline ends nowhere on that side."""
    first, *others = dice(6, 4)
    c, s = math.cos(first.turn), math.sin(first.turn)
    beside = replace(first, x=first.x + 1.02 * c, y=first.y + 1.02 * s)
    assert look([first, beside, *others]).reason in ("ambiguous", "cocked")
    apart = replace(first, x=first.x + 1.6 * c, y=first.y + 1.6 * s)
    assert look([first, apart, *others]).reason == ""


def test_a_lens_too_low_to_tell_is_refused():
    low = replace(EMPTY, above=9)
    with pytest.raises(CalibrationRefused) as refused:
        calibrated(*corners(low, share=0.7))
    assert refused.value.what.startswith("the lens is ")
    assert float(refused.value.what.split()[3]) == pytest.approx(9, rel=0.1)
    assert refused.value.limit == "14 at least"

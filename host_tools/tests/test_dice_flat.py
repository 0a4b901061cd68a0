"""A die that leans is not read from above: its outline and its pips contradict a flat one's."""

import math
from dataclasses import replace

import numpy as np
import pytest

from host_tools.tests.overhead_camera import CORNERS, EMPTY, STYLE, dice, exposed, grey, tray
from tableemulator.machines.dice_tray.rendering import Die
from tabletools.dice import thresholds
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
def test_a_die_that_leans_by_8_degrees_is_not_read(way, dark):
    """Each way, the side that it shows towards the lens and away from it."""
    first, *others = dice(6, 4)
    leaning = replace(first, tilt=LEAN, tilt_to=math.radians(way), lift=RAISED)
    assert look([leaning, *others]).reason == "cocked"
    leaning, *others = (replace(die, style=DARK) for die in [leaning, *others])
    assert look([leaning, *others], DARK_EMPTY, dark).reason == "cocked"


def test_a_lean_that_moves_a_side_from_one_end_to_the_other_counts_twice():
    """A foot that is 0.05 edges off takes 0.025 from one side and adds as much to the other."""
    lens = Lens(0.0, 0.0, 1 / 16, 32.0)
    rows = np.arange(-10.0, 11.0)
    flat = np.full((4, 21), 16 / (1 - 1 / 16))
    aside = np.array((0.8, 0.0, -0.8, 0.0))[:, None]
    die = DieOutline(0.0, 0.0, 0.0, 4, rows, flat + aside)
    assert np.abs(lens.off(die)).max() == pytest.approx(0.025)
    assert thresholds.MOST_OFF > 0.025
    assert lens.feet_off(die)[0] == pytest.approx(0.05)
    assert thresholds.MOST_FOOT_OFF < 0.05
    assert lens.feet_off(replace(die, reach=flat))[0] == pytest.approx(0)


def test_a_lean_that_the_top_may_hide_counts():
    """Below a lens 10 edges high a top reaches 0.056 edges farther than its foot to each side. So
    where no side shows, the foot of a die half an edge beside the lens both ways may be 0.106
    edges off each way."""
    lens = Lens(0.0, 0.0, 1 / 10, 32.0)
    rows = np.arange(-10.0, 11.0)
    flat = np.full((4, 21), 16 / (1 - 1 / 10))
    for x, off in ((0.0, 0.056), (16.0, 0.106)):
        die = DieOutline(x, x, 0.0, 4, rows, flat)
        assert lens.feet_off(die)[1] == pytest.approx(math.hypot(off, off), abs=0.002)
    assert math.hypot(0.056, 0.056) < thresholds.MOST_HIDDEN < math.hypot(0.106, 0.106)


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

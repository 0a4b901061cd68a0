"""A die that leans is not read from above: its outline and its pips contradict a flat one's."""

import math
from dataclasses import replace

import numpy as np
import pytest

from host_tools.tests.overhead_camera import CORNERS, EMPTY, STYLE, dice, exposed, grey, tray
from tableemulator.machines.dice_tray.rendering import Die
from tabletools.dice import thresholds
from tabletools.dice.overhead.calibration import CalibrationRefused, calibrated
from tabletools.dice.overhead.die_outline import DieOutline, outline_of
from tabletools.dice.overhead.flat_dice import verified
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
    assert (lens.x, lens.y) == pytest.approx((320, 240), abs=3)
    assert 1 / lens.near == pytest.approx(24, rel=0.02)
    assert lens.edge == pytest.approx(34, rel=0.005)


def test_the_light_on_sides_is_measured():
    """Scene.light is (0.3, -0.2, 0.93), and a face has 0.55 of its grey and 0.45 by that light: a
    top 0.969, a side in the shade 0.55, one that faces the light 0.712. Rims have 0.85 of that."""
    light = tray().light
    body, floor = STYLE.body, EMPTY.table
    for way, grey_there in ((math.atan2(-0.2, 0.3), 0.712), (math.atan2(0.2, -0.3), 0.55)):
        share = (body * grey_there - floor) / (body * 0.969 - floor)
        assert light.share(way) == pytest.approx(share, abs=0.05)


@pytest.mark.parametrize("x", [-1.8, -1.3, -0.7, 0.2, 1.1, 2.3])
def test_a_narrow_side_is_as_wide_as_it_is(x, dark):
    """Up to 3 px of the sides of dice near the lens are seen, beside the blur of their tops."""
    places = ((x, -2.0), (x, 0.4), (0.6 * x, 2.5))
    lying = [Die(*place, 5, 0.3 + abs(x), STYLE) for place in places]
    for scene, its_tray, style in ((EMPTY, tray(), STYLE), (DARK_EMPTY, dark, DARK)):
        for die in outlines([replace(die, style=style) for die in lying], scene, its_tray):
            assert np.abs(its_tray.lens.off(die)).max() < 0.015


def outlines(lying, scene, calibrated_tray):
    """What is measured of flat dice, each looked for where the scene puts it."""
    picture, middle = grey(lying, scene), (scene.width / 2, scene.height / 2)
    top = scene.scale * scene.above / (scene.above - 1)
    for die in lying:
        place = tuple(a + top * b for a, b in zip(middle, (die.x, die.y), strict=True))
        empty = grey((), scene).astype(np.float32)
        outline = outline_of(
            picture, empty, place, top, calibrated_tray.body, calibrated_tray.light
        )
        assert outline is not None
        turn = math.degrees(outline.turn - die.turn) % 90
        assert min(turn, 90 - turn) < 1
        yield outline


@pytest.mark.parametrize("values", [(1, 2, 3, 4), (5, 6, 1, 2)])
def test_flat_dice_are_read(values, dark):
    assert look(dice(*values)).reason == ""
    black = [replace(die, style=DARK) for die in dice(*values)]
    assert look(black, DARK_EMPTY, dark).reason == ""


def bodiless(lying):
    """Why dice are refused that the network takes for faces on paper."""
    picture = grey(lying, EMPTY)
    verdict = look(lying)
    assert verdict.reason == ""
    tops = tuple(replace(top, is_bodiless=True) for top in verdict.tops)
    return verified(replace(verdict, tops=tops), tray(), picture).reason


def test_what_looks_like_paper_is_a_die_by_its_shadow_or_its_side(monkeypatch):
    """Below the lens no side is seen. From 24 edges above, the inner side of a die that lies c
    edges out is (c - 0.5) / 24 edges wide: 0.045 from 1.6 on."""
    below = Die(0.3, 0.2, 5, 0.3, STYLE)
    assert bodiless([below]) == bodiless(dice(1, 2, 3)) == ""
    monkeypatch.setattr(thresholds, "LEAST_SHADE", 0.9)  # as if no shadow were dark enough
    assert bodiless([below]) == "unreadable"
    assert bodiless([replace(below, x=1.0)]) == "unreadable"
    assert bodiless([replace(below, x=3.0, turn=0.0)]) == ""
    assert bodiless([replace(below, x=3.0, turn=0.0), below]) == "unreadable"


@pytest.mark.parametrize(("share", "shade"), [(1.0, 0.0), (0.9, 0.1), (0.6, 0.4)])
def test_the_shade_beside_a_die_is_measured(share, shade):
    """A square of 34 px and its pip on a floor of 150, whose right has this share of its light."""
    picture = np.full((200, 200), 150.0, np.float32)
    picture[60:140, 117:160] *= share
    picture[83:117, 83:117] = 40
    picture[96:104, 96:104] = 220
    floor = np.full((200, 200), 150.0, np.float32)
    out = outline_of(np.rint(picture).astype(np.uint8), floor, (99.5, 99.5), 34.0, 40)
    assert out.shade == pytest.approx(shade, abs=0.01)


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
    rows = np.repeat(np.arange(-10.0, 11.0)[None], 4, 0)
    reach = np.repeat(np.array(reach)[:, None], 21, 1)
    return DieOutline(x, x, 0.0, 4, rows, reach, np.ones(4), np.ones(4), 0.1)


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

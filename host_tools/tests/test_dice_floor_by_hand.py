"""A floor set by hand: what calibration refuses is refused, and nothing else is changed by one."""

from dataclasses import replace
from itertools import pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from host_tools.tests.overhead_camera import dice, frames, grey, tray
from tabletools.dice.overhead.floor import MOST_CORNERS, verify_floor
from tabletools.dice.overhead.floor_checks import corrected
from tabletools.dice.overhead.host_tray import file_of, tray_of
from tabletools.dice.overhead.picture_facts import digest
from tabletools.dice.overhead.throw import read_throw
from tabletools.errors import ToolError

SIZE = 640, 480
INNER = ((60, 50), (580, 50), (580, 430), (60, 430))
STAR = ((320, 40), (438, 402), (130, 178), (510, 178), (202, 402))


def refusal(floor, of=None):
    with pytest.raises(ToolError) as caught:
        corrected(of or tray(), floor)
    assert caught.value.step
    return caught.value


def test_the_floor_as_found_is_accepted():
    assert corrected(tray(), tray().floor) == tray()


def test_a_corrected_tray_has_another_digest_and_the_rest_as_measured():
    """Its file is read back the same; only the floor differs."""
    changed = corrected(tray(), INNER)
    assert digest(file_of(changed)) != digest(file_of(tray()))
    again = tray_of(file_of(changed), "here")
    assert (again.floor, again.side_px, again.lens) == (INNER, tray().side_px, tray().lens)
    assert np.array_equal(again.empty, tray().empty)


def test_a_throw_is_read_on_a_corrected_floor():
    """Dice on it are read; with a floor that leaves one out, the throw is refused."""
    thrown = frames(grey(dice(2, 3, 6)))
    assert read_throw(corrected(tray(), INNER), thrown, 3).dice == [2, 3, 6]
    right = ((330, 30), (600, 30), (600, 450), (330, 450))
    assert read_throw(corrected(tray(), right), thrown, 3).dice == []


@pytest.mark.parametrize(
    "floor",
    [
        STAR,
        INNER[:2],
        (*INNER, INNER[0]),
        ((60, 50), (580, 430), (580, 50), (60, 430)),  # crosses itself
        (*INNER[:2], (300, 240), *INNER[2:]),  # bends inwards
        ((60, 50), (641, 50), (580, 430)),
        ((-1, 50), (580, 50), (580, 430)),
        ((2**70, 50), (580, 50), (580, 430)),
        tuple((320 + k, 240) for k in range(MOST_CORNERS + 1)),
        ((60, 50), (320, 50), (580, 50)),  # a line
    ],
)
def test_what_is_no_polygon_in_the_picture_is_refused(floor):
    error = refusal(floor)
    assert error.where == "floor"
    assert "no convex polygon" in error.what or "0 % of the picture" in error.what


def test_a_small_floor_is_refused():
    assert "1 % of the picture" in refusal(((300, 200), (360, 200), (360, 260), (300, 260))).what


# The floor is 22 to 31 px from the upper and lower edges of the picture, its walls are 24 px wide.
WITH_RIM = {
    "all around": (((4, 3), (636, 3), (636, 477), (4, 477)), 4),
    "on the left": (((8, 22), (614, 31), (608, 457), (4, 449)), 2),
    "on top": (((31, 6), (614, 12), (608, 457), (24, 449)), 2),
}


@pytest.mark.parametrize("name", WITH_RIM)
def test_a_floor_with_the_rim_in_it_is_refused(name):
    """The corners between which it is are named."""
    floor, _ = WITH_RIM[name]
    error = refusal(floor)
    assert "the rim of the tray is" in error.what
    left, right = map(int, error.where.split()[1:])
    assert right == left % len(floor) + 1
    assert f"between corners {left} and {right}" in error.what


def test_a_hand_may_be_some_pixels_off():
    near = tuple(
        (x + dx, y + dy)
        for (x, y), (dx, dy) in zip(
            tray().floor, ((-3, -3), (3, -3), (3, 3), (-3, 3)), strict=True
        )
    )
    assert corrected(tray(), near).floor == near


def test_a_line_printed_on_the_floor_is_no_rim():
    """It has the same grey on both sides."""
    empty = tray().empty.copy()
    empty[40:44, 40:600] = 200
    assert corrected(replace(tray(), empty=empty), tray().floor).floor == tray().floor


def test_glare_that_a_correction_lets_in_is_refused():
    empty = tray().empty.copy()
    empty[36:48, 40:60] = 255
    shining = replace(tray(), empty=empty)
    assert corrected(shining, INNER).floor == INNER
    assert refusal(tray().floor, shining).what == "240 pixels of the floor shine"


def test_a_corner_in_which_dice_are_too_small_is_refused():
    """The lens says how large a die is there: by 0.05 % a px, 250 px left of its middle, 12.5 %
    smaller: 27.1 px of 31."""
    lens = msgspec.structs.replace(tray().lens, right=0.0005, down=0.0)
    slanted = replace(tray(), lens=lens, side_px=31.0)
    middle = ((200, 50), (430, 50), (430, 430), (200, 430))
    assert corrected(slanted, middle).floor == middle
    error = refusal(INNER, slanted)
    assert error.what.startswith("in corner 1 of the floor a die is 27.")
    assert (error.limit, error.where) == ("28 px at least", "floor 1")


def test_a_slanted_camera_is_refused():
    lens = msgspec.structs.replace(tray().lens, right=0.0, down=0.0006)
    error = refusal(INNER, replace(tray(), lens=lens, side_px=60.0))
    assert error.limit == "1.2 times as many"


def test_a_corner_where_the_floor_is_as_bright_as_dice_is_refused():
    empty = tray().empty.copy()
    empty[:120, :120] = 200
    assert refusal(INNER, replace(tray(), empty=empty)).where == "floor 1"


# --- polygons ------------------------------------------------------------------------------------


def is_simple_convex(points):
    """Whether a polygon is convex and goes around once, in whole numbers: the model.

    All turns are one way, and along it x rises once and falls once.
    """
    ring = [*points, *points[:2]]
    turns = [
        (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
        for a, b, c in zip(ring, ring[1:], ring[2:], strict=False)
    ]
    if not (all(turn >= 0 for turn in turns) or all(turn <= 0 for turn in turns)):
        return False
    if not any(turns):
        return False
    straight = [
        (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1])
        for (a, b, c), turn in zip(zip(ring, ring[1:], ring[2:], strict=False), turns, strict=True)
        if turn == 0
    ]
    if any(product < 0 for product in straight):  # back the same way
        return False
    ways = [np.sign(b[0] - a[0]) for a, b in pairwise([*points, points[0]])]
    ways = [way for way in ways if way]
    return sum(a != b for a, b in pairwise([*ways, ways[0]])) == 2


def area(points):
    ring = [*points, points[0]]
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise(ring))) / 2


CORNER = st.tuples(st.integers(-5, 645), st.integers(-5, 485))


@settings(max_examples=400, deadline=None)
@given(st.lists(CORNER, min_size=0, max_size=7))
@example([*STAR])
@example([*INNER])
@example([(0, 0), (640, 0), (640, 480), (0, 480)])
def test_a_floor_is_accepted_exactly_if_it_is_convex_within_the_picture(points):
    floor = tuple(points)
    inside = all(0 <= x <= SIZE[0] and 0 <= y <= SIZE[1] for x, y in floor)
    fits = len(floor) >= 3 and len({*floor}) == len(floor) and inside
    fits = fits and is_simple_convex(floor) and area(floor) >= 0.15 * SIZE[0] * SIZE[1]
    try:
        verify_floor(floor, SIZE)
    except ToolError:
        assert not fits
    else:
        assert fits


@settings(max_examples=200, deadline=None)
@given(st.lists(CORNER, min_size=3, max_size=9), st.integers(0, 8), st.booleans())
def test_where_a_list_begins_and_its_direction_do_not_matter(points, first, reverse):
    turned = [*points[first:], *points[:first]]
    turned = turned[::-1] if reverse else turned

    def verdict(floor):
        try:
            verify_floor(tuple(floor), SIZE)
        except ToolError:
            return False
        return True

    assert verdict(points) == verdict(turned)


@settings(max_examples=100, deadline=None)
@given(st.lists(CORNER, min_size=0, max_size=12))
def test_any_list_is_a_tray_or_a_refusal(points):
    """Nothing else is raised, and what is accepted is read back."""
    try:
        changed = corrected(tray(), tuple(points))
    except ToolError as error:
        refused = error
    else:
        assert tray_of(file_of(changed), "here").floor == tuple(points)
        return
    assert refused.what
    assert refused.step
    assert refused.where.split()[0] == "floor"

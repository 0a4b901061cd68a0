"""Walls along the edges of a picture are painted over with floor, what may hide a die is not."""

import cv2
import numpy as np
import pytest

from tabletools.dice.maps import Top
from tabletools.dice.walls import floor_alone

WIDE, HIGH = 160, 120
CLOTH, WALL = 120, 60


def top(x, y, side=24):
    """A die that stands on the cloth."""
    return Top(x, y, side, 0.9, 0.9, np.ones(7, np.float32), 0.0, (0.0, 0.0))


def tray(seed=1):
    """Cloth with the noise of a camera."""
    noise = np.random.default_rng(seed).normal(0, 2, (HIGH, WIDE))
    return (CLOTH + noise).clip(0, 255).astype(np.uint8)


def walled(picture, deep, slant=0, rows=slice(None), turn=0):
    """A picture with a wall along a side, so deep in its middle; slant: degrees."""
    seen = np.rot90(picture, turn).copy()
    at = np.arange(seen.shape[0])[rows, None]
    foot = deep + np.tan(np.radians(slant)) * (at - (seen.shape[0] - 1) / 2)
    part = seen[rows]
    part[np.arange(seen.shape[1]) < foot] = WALL
    seen = cv2.GaussianBlur(seen, (0, 0), 0.7)
    return np.ascontiguousarray(np.rot90(seen, -turn))


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("slant", [-5, 0, 3])
def test_a_wall_is_painted_over(turn, slant):
    """Along each side, slanted or not: cloth alone is left, and the cloth is as it was."""
    picture = walled(tray(), 15, slant, turn=turn)
    floor = floor_alone(picture, [top(80, 60)])
    assert floor is not None
    assert floor.min() > (CLOTH + WALL) / 2
    inner = slice(30, -30), slice(30, -30)
    assert np.array_equal(floor[inner], picture[inner])


def test_walls_along_all_sides_are_painted_over():
    """Darker and lighter ones, each ending at the next."""
    picture = tray()
    for turn in range(4):
        picture = walled(picture, 12, turn=turn)
    floor = floor_alone(picture, [top(80, 60)])
    assert floor is not None
    assert floor.min() > (CLOTH + WALL) / 2


@pytest.mark.parametrize(("deep", "rows"), [
    (33, slice(None)),  # 1.4 sides: a die may lie below it
    (15, slice(0, 66)),  # a card: half as long as the side
    (0, slice(None)),  # nothing
])  # fmt: skip
def test_what_is_no_wall_is_left(deep, rows):
    """Too deep, too short, or nothing at all."""
    assert floor_alone(walled(tray(), deep, rows=rows), [top(80, 60)]) is None


def test_no_line_goes_through_a_die():
    """A die nearer to the edge than a line keeps it."""
    assert floor_alone(walled(tray(), 20), [top(30, 60)]) is None


def test_without_dice_nothing_is_painted_over():
    """Their size is what a wall is measured by."""
    assert floor_alone(walled(tray(), 15), []) is None

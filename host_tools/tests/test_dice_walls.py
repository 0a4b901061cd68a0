"""Walls along the edges of a picture are painted over with floor, what may hide a die is not."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tabletools.dice.maps import Top
from tabletools.dice.walls import floors

WIDE, HIGH = 160, 120
CLOTH, WALL = 120, 60


def top(x, y, side=24):
    """A die that stands on the cloth."""
    return Top(x, y, side, 0.9, 0.9, np.ones(7, np.float32), 0.0, (0.0, 0.0))


def tray(seed=1):
    """Cloth with the noise of a camera."""
    noise = np.random.default_rng(seed).normal(0, 2, (HIGH, WIDE))
    return (CLOTH + noise).clip(0, 255).astype(np.uint8)


def floor_alone(picture, tops):
    """The last picture without walls, None without any."""
    return [None, *floors(picture, tops)][-1]


def with_wall(picture, deep, slant=0, rows=slice(None), turn=0):
    """A picture with a wall along a side, so deep in its middle; slant: degrees."""
    view = np.rot90(picture, turn).copy()
    rows_of_wall = np.arange(view.shape[0])[rows, None]
    foot = deep + np.tan(np.radians(slant)) * (rows_of_wall - (view.shape[0] - 1) / 2)
    part = view[rows]
    part[np.arange(view.shape[1]) < foot] = WALL
    view = cv2.GaussianBlur(view, (0, 0), 0.7)
    return np.ascontiguousarray(np.rot90(view, -turn))


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("slant", [-5, 0, 3])
def test_a_wall_is_painted_over(turn, slant):
    """Along each side, slanted or not: cloth alone is left, and the cloth is as it was."""
    picture = with_wall(tray(), 15, slant, turn=turn)
    floor = floor_alone(picture, [top(80, 60)])
    assert floor is not None
    assert floor.min() > (CLOTH + WALL) / 2
    inner = slice(30, -30), slice(30, -30)
    assert np.array_equal(floor[inner], picture[inner])


def test_walls_along_all_sides_are_painted_over():
    """Darker and lighter ones, each ending at the next."""
    picture = tray()
    for turn in range(4):
        picture = with_wall(picture, 12, turn=turn)
    floor = floor_alone(picture, [top(80, 60)])
    assert floor is not None
    assert floor.min() > (CLOTH + WALL) / 2


def with_walls(*deep):
    """A picture with walls so deep along its left, top, right and bottom side."""
    picture = tray()
    for turn, depth in enumerate(deep):
        picture = with_wall(picture, depth, turn=turn)
    return picture


SMALL = top(80, 60, 14)  # deeper than 18 px a wall may hide one


def test_a_frame_of_deep_walls_is_painted_over():
    """There is a wall along each side, and each is as deep as that opposite."""
    floor = floor_alone(with_walls(24, 20, 24, 20), [SMALL])
    assert floor is not None
    assert floor.min() > (CLOTH + WALL) / 2


def test_the_corner_of_a_wall_that_passes_for_a_top_hides_no_frame():
    """It shows no face, and hardly a body; a die whose face is in doubt has a body."""
    picture = with_walls(24, 20, 24, 20)
    corner = replace(top(14, 12, 14), chances=np.full(7, 0.14, np.float32), body=0.5)
    floor = floor_alone(picture, [SMALL, corner])
    assert floor is not None
    assert floor.min() > (CLOTH + WALL) / 2
    assert floor_alone(picture, [SMALL, replace(corner, body=0.8)]) is None


@pytest.mark.parametrize("deep", [(36, 20, 24, 20), (24, 32, 24, 20), (24, 20, 24, 0)])
def test_what_hides_a_die_is_no_part_of_a_frame(deep):
    """Paper over a die is deeper than the wall opposite by most of a side; or a side has none."""
    assert floor_alone(with_walls(*deep), [SMALL]) is None


def test_the_floor_painted_is_no_streaks():
    """Neighbours of a row differ as those of the cloth do."""
    floor = floor_alone(with_wall(tray(), 15), [top(80, 60)])
    painted, cloth = floor[:, 1:14].astype(float), floor[:, 40:60].astype(float)
    assert abs(np.diff(painted, axis=1).std() / np.diff(cloth, axis=1).std() - 1) < 0.3


@pytest.mark.parametrize(
    ("deep", "rows"),
    [
        (33, slice(None)),  # 1.4 sides: a die may lie below it
        (15, slice(0, 66)),  # a card: half as long as the side
        (0, slice(None)),  # nothing
    ],
)
def test_what_is_no_wall_is_left(deep, rows):
    """Too deep, too short, or nothing at all."""
    assert floor_alone(with_wall(tray(), deep, rows=rows), [top(80, 60)]) is None


def test_no_line_goes_through_a_die():
    """A die nearer to the edge than a line keeps it."""
    assert floor_alone(with_wall(tray(), 20), [top(30, 60)]) is None


def test_without_dice_nothing_is_painted_over():
    """Their size is what a wall is measured by."""
    assert floor_alone(with_wall(tray(), 15), []) is None

"""A corner of a die at the edge of a picture: what stands out on both sides, and what does not."""

import numpy as np
import pytest

from tabletools.dice.at_edge import has_corner
from tabletools.dice.maps import CELL, Sight, Top

HIGH, WIDE, FLOOR = 120, 160, 90


def sight(cells, share=0.45):
    """One die in the middle, and cells (row, column) of which the network is half sure."""
    foreign = np.zeros((HIGH // CELL, WIDE // CELL), np.float32)
    for row, column in cells:
        foreign[row, column] = share
    die = Top(80.0, 60.0, 26.0, 0.9, 0.9, np.full(7, 1 / 7, np.float32), 0.0, (0.0, 0.0))
    return Sight([die], foreign, np.zeros_like(foreign))


def tray(*patches):
    """A floor with patches (top, left, bottom, right, grey)."""
    picture = np.full((HIGH, WIDE), FLOOR, np.uint8)
    for top, left, bottom, right, grey in patches:
        picture[top:bottom, left:right] = grey
    return picture


LEFT, RIGHT = [(10, 0), (11, 0)], [(10, 39), (11, 39)]
UPPER, LOWER = [(0, 5), (0, 6)], [(29, 5), (29, 6)]


@pytest.mark.parametrize(
    ("cells", "patch"),
    [
        (LEFT, (40, 0, 48, 3, 150)),
        (RIGHT, (40, 157, 48, 160, 30)),
        (UPPER, (0, 20, 3, 28, 150)),
        (LOWER, (117, 20, 120, 28, 30)),
    ],
)
def test_a_corner_stands_out(cells, patch):
    """At each side, lighter or darker than the floor; by less than is asked for it does not."""
    assert has_corner(tray(patch), sight(cells), 40)
    assert not has_corner(tray((*patch[:4], FLOOR + 30)), sight(cells), 40)
    assert not has_corner(tray(), sight(cells), 40)


@pytest.mark.parametrize(
    ("cells", "patch"),
    [
        (LEFT, (0, 0, HIGH, 6, 150)),  # a rim along the side
        (LEFT, (40, 0, HIGH, 6, 150)),  # a wall that goes on downwards
        ([(0, 0), (1, 0)], (0, 0, 8, 3, 150)),  # in a corner of the picture
        ([(row, 0) for row in range(8, 18)], (32, 0, 72, 3, 150)),  # longer than a die
        ([(15, 20), (15, 21)], (60, 80, 64, 88, 150)),  # within a die
    ],
)
def test_what_is_no_corner(cells, patch):
    """Walls, rims, and what is not at the edge."""
    assert not has_corner(tray(patch), sight(cells), 40)


def test_the_network_has_to_see_something():
    """Two cells of 0.3 are less than half sure."""
    assert not has_corner(tray((40, 0, 48, 3, 150)), sight(LEFT, 0.3), 40)


def test_a_picture_that_fills_its_last_cells_in_part():
    """Its edge is that of the picture, not of the cells."""
    picture = tray((40, 155, 48, 158, 150))[:, :158]
    assert has_corner(np.ascontiguousarray(picture), sight(RIGHT), 40)

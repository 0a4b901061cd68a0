"""The host's network: what it makes of patches, and where it finds dice in a scene."""

import numpy as np
import pytest

from hil_tests.emulators.dice_tray.rendering import Die, Scene, Style, render
from tablelogic.dice.cells import Cells
from tablelogic.dice.cloth import find_cloth
from tablelogic.dice.picture import Picture
from tablelogic.dice.steps import finish
from tabletools.dice.network import SIZE, Place, cut, read, scores
from tabletools.dice.places import find


def rendered(dice):
    """Dice of 26 px, the lens high above; (picture, cells)."""
    made = Scene(width=200, height=150, scale=26.0, above=30.0, shadow=0.1, noise=1.0)
    made.dice = [Die(x, y, value, turn, Style()) for x, y, value, turn in dice]
    grey = np.frombuffer(bytes(render(made, 4)), np.uint8).reshape(150, 200)
    cells = Cells(200, 150)
    finish(find_cloth(Picture(grey.tobytes(), 200, 150), cells))
    return grey, cells


def test_scores_are_logarithms_of_probabilities():
    """Of seven classes, whatever the patch."""
    found = scores(np.random.default_rng(1).integers(0, 255, (3, SIZE, SIZE)).astype(np.uint8))
    assert found.shape == (3, 7)
    assert np.exp(found).sum(1) == pytest.approx(1, abs=1e-5)


def test_a_patch_is_cut_at_its_place():
    """A bright pixel at (30, 20) is in the middle of the patch there, turned or not."""
    grey = np.zeros((60, 80), np.uint8)
    grey[20, 30] = 255
    for turn in (0.0, 1.0):
        patch = cut(grey, [Place(30.5, 20.5, 25.0, turn)])[0]
        rows, columns = np.nonzero(patch > 20)
        assert abs(rows.mean() - (SIZE - 1) / 2) < 0.6
        assert abs(columns.mean() - (SIZE - 1) / 2) < 0.6


def test_no_places_are_no_scores():
    """Nothing stands out: nothing is looked at."""
    grey, cells = rendered([])
    assert read(grey, []).shape == (0, 7)
    assert find(grey, cells) == []


@pytest.mark.parametrize("value", range(1, 7))
def test_a_die_is_found_where_it_lies(value):
    """Its middle to a tenth of its side, its face surely."""
    (found,) = find(*rendered([(1.2, -0.6, value, 0.5)]))
    assert found.value == value
    assert found.margin > 1.5
    assert np.hypot(found.place.x - 131.2, found.place.y - 59.4) < 5


def test_dice_that_touch_are_found_apart():
    """Side by side they are one body."""
    grey, cells = rendered([(-0.5, 0.0, 5, 0.0), (0.55, 0.0, 3, 0.0)])
    found = [each for each in find(grey, cells) if each.margin > 1.5]
    assert sorted(each.value for each in found) == [3, 5]

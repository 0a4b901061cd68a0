"""The host's verdict on scenes rendered here, with and without the empty tray."""

import numpy as np
import pytest

from hil_tests.emulators.dice_tray.rendering import Die, Scene, Style, render
from tabletools.dice import Frame
from tabletools.dice.host_reading import read_picture
from tabletools.dice.reference import Reference, pixels


def scene(dice=((-1.5, 0.2, 5), (1.4, -0.3, 2)), arm=False):
    """A throw on dark cloth, the lens high above: 160 x 120."""
    made = Scene(scale=26.0, above=30.0, shadow=0.1, noise=1.0, arm=arm)
    made.dice = [Die(x, y, value, 0.4, Style()) for x, y, value in dice]
    return made


def frame(made, seed=4):
    return Frame(made.width, made.height, bytes(render(made, seed)))


def turned(found, turn):
    rows = np.ascontiguousarray(np.rot90(pixels(found), turn))
    return Frame(rows.shape[1], rows.shape[0], rows.tobytes())


@pytest.mark.parametrize("turn", range(4))
def test_a_quarter_turn_changes_nothing(turn):
    """Of plain dice."""
    found = read_picture(turned(frame(scene()), turn))
    assert (found.accepted, found.dice, found.referred) == (True, [2, 5], False)


def test_the_count_of_the_table_is_compared():
    """Two dice are not three."""
    assert read_picture(frame(scene()), 3).reason == "count_wrong"
    assert read_picture(frame(scene()), 2).accepted


@pytest.mark.parametrize("arm", [False, True])
def test_with_a_reference_an_empty_tray_and_an_arm_are_seen(arm):
    """Nothing differs: no dice. An arm differs: no throw."""
    found = read_picture(frame(scene((), arm)), 0, Reference(pixels(frame(scene(()), 9))))
    assert found.reason == ("foreign_object" if arm else "no_dice")
    assert found.referred


def test_a_dark_picture_is_read_without_the_reference():
    """The light is off: that is the reason, not an empty tray."""
    dark = Frame(160, 120, bytes(160 * 120))
    found = read_picture(dark, 0, Reference(pixels(frame(scene(()), 9))))
    assert (found.reason, found.referred) == ("too_dark", False)


def test_paper_over_a_die_is_more_than_dice_on_the_empty_tray():
    """A sheet along a side looks like another ground, but the tray had none there."""
    empty = Reference(pixels(frame(scene(dice=()), 9)))
    seen = pixels(frame(scene())).copy()
    assert read_picture(frame(scene()), reference=empty).dice == [2, 5]
    seen[:, :62] = 150  # over the five
    found = read_picture(Frame(seen.shape[1], seen.shape[0], seen.tobytes()), reference=empty)
    assert (found.reason, found.referred) == ("foreign_object", True)


def test_a_picture_of_another_tray_is_refused():
    """It is read, but not accepted: the tray is known, and this is not it."""
    other = Reference(
        np.random.default_rng(1).integers(0, 255, pixels(frame(scene())).shape, np.uint8)
    )
    found = read_picture(frame(scene()), reference=other)
    assert (found.dice, found.reason, found.referred) == ([2, 5], "not_this_tray", False)

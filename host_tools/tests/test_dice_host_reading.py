"""The host's verdict on scenes rendered here, with and without the empty tray."""

import numpy as np
import pytest

from tableemulator.machines.dice_tray.rendering import Die, Scene, Style, render
from tabletools.dice import Frame
from tabletools.dice.host_reading import agreed, is_too_small, read_picture
from tabletools.dice.reading import Verdict
from tabletools.dice.reference import Reference, pixels


def scene(dice=((-1.5, 0.2, 5), (1.4, -0.3, 2)), arm=False):
    """A throw on dark cloth, the lens high above: 160 x 120."""
    picture_scene = Scene(scale=26.0, above=30.0, shadow=0.1, noise=1.0, arm=arm)
    picture_scene.dice = [Die(x, y, value, 0.4, Style()) for x, y, value in dice]
    return picture_scene


def frame(picture_scene, seed=4):
    return Frame(picture_scene.width, picture_scene.height, bytes(render(picture_scene, seed)))


def turned(picture, turn):
    rows = np.ascontiguousarray(np.rot90(pixels(picture), turn))
    return Frame(rows.shape[1], rows.shape[0], rows.tobytes())


@pytest.mark.parametrize("turn", range(4))
def test_a_quarter_turn_changes_nothing(turn):
    """Of plain dice."""
    reading = read_picture(turned(frame(scene()), turn))
    assert (reading.accepted, reading.dice, reading.referred) == (True, [2, 5], False)


def test_the_count_of_the_table_is_compared():
    """Two dice are not three."""
    assert read_picture(frame(scene()), 3).reason == "count_wrong"
    assert read_picture(frame(scene()), 2).accepted


@pytest.mark.parametrize(
    ("side_px", "reason", "small"),
    [
        (13.9, "", True),
        (14.0, "", False),
        (0.0, "no_dice", True),
        (0.0, "too_dark", False),
    ],
)
def test_small_dice_and_none_want_a_finer_picture(side_px, reason, small):
    """In the dark it would show no more."""
    assert is_too_small(Verdict([], reason, side_px=side_px)) == small


def test_the_side_of_dice_is_told():
    """26 px of an edge on the table, a thirtieth more on top."""
    assert read_picture(frame(scene())).side_px == pytest.approx(26.9, rel=0.1)


@pytest.mark.parametrize(
    ("coarse", "fine", "reason"),
    [
        (Verdict([2, 5], ""), Verdict([2, 5], ""), ""),
        (Verdict([2, 5], ""), Verdict([2, 2, 5], ""), "ambiguous"),  # a die was not seen
        (Verdict([2, 5], "unreadable"), Verdict([2, 2, 5], ""), ""),
        (Verdict([2, 5], ""), Verdict([2, 5], "cocked"), "cocked"),
    ],
)
def test_the_finer_picture_counts_but_may_not_show_other_faces(coarse, fine, reason):
    """Than those that were accepted."""
    reading = agreed(coarse, fine)
    assert (reading.dice, reading.reason) == (fine.dice, reason)


@pytest.mark.parametrize("arm", [False, True])
def test_with_a_reference_an_empty_tray_and_an_arm_are_seen(arm):
    """Nothing differs: no dice. An arm differs: no throw."""
    reading = read_picture(frame(scene((), arm)), 0, Reference(pixels(frame(scene(()), 9))))
    assert reading.reason == ("foreign_object" if arm else "no_dice")
    assert reading.referred


def test_a_dark_picture_is_read_without_the_reference():
    """The light is off: that is the reason, not an empty tray."""
    dark = Frame(160, 120, bytes(160 * 120))
    reading = read_picture(dark, 0, Reference(pixels(frame(scene(()), 9))))
    assert (reading.reason, reading.referred) == ("too_dark", False)


def test_paper_over_a_die_is_more_than_dice_on_the_empty_tray():
    """A sheet along a side looks like another ground, but the tray had none there."""
    empty = Reference(pixels(frame(scene(dice=()), 9)))
    pixel_values = pixels(frame(scene())).copy()
    assert read_picture(frame(scene()), reference=empty).dice == [2, 5]
    pixel_values[:, :62] = 150  # over the five
    reading = read_picture(
        Frame(pixel_values.shape[1], pixel_values.shape[0], pixel_values.tobytes()),
        reference=empty,
    )
    assert (reading.reason, reading.referred) == ("foreign_object", True)


def test_a_picture_of_another_tray_is_refused():
    """It is read, but not accepted: the tray is known, and this is not it."""
    other = Reference(
        np.random.default_rng(1).integers(0, 255, pixels(frame(scene())).shape, np.uint8)
    )
    reading = read_picture(frame(scene()), reference=other)
    assert (reading.dice, reading.reason, reading.referred) == ([2, 5], "not_this_tray", False)


def in_colour(red, blue, luminance):
    """A frame of these planes; green is what the luminance of ITU-R BT.601 leaves for it."""
    r, b, y = (pixels(each).astype(float) for each in (red, blue, luminance))
    green = (y - 0.299 * r - 0.114 * b) / 0.587
    assert green.min() > 0
    assert green.max() < 255
    planes = np.dstack([r, np.rint(green), b]).astype(np.uint8)
    return Frame(luminance.width, luminance.height, luminance.grey, planes.tobytes())


DULL = Style(body=160.0)
FEW, MORE = ((-1.5, 0.2, 5),), ((-1.5, 0.2, 5), (1.4, -0.3, 2))


def dull(dice, paper=False):
    """A throw of dull dice; paper: a strip across the tray."""
    view = scene(())
    view.dice = [Die(x, y, value, 0.4, DULL) for x, y, value in dice]
    pixel_values = pixels(frame(view)).copy()
    if paper:
        pixel_values[:, 100:125] = 150
    return Frame(view.width, view.height, pixel_values.tobytes())


@pytest.mark.parametrize("referred", [False, True])
@pytest.mark.parametrize(
    ("red", "blue"),
    [
        (dull(MORE), dull(FEW)),
        (dull(FEW), dull(MORE)),
        (dull(FEW, paper=True), dull(FEW)),
    ],
)
def test_what_has_the_luminance_of_its_ground_is_seen_in_a_colour(red, blue, referred):
    """A red die, or paper, on green: the other die alone was accepted."""
    empty = Reference.from_frame(in_colour(*3 * [dull(())])) if referred else None
    readings = in_colour(red, blue, dull(FEW))
    grey = Frame(readings.width, readings.height, readings.grey)
    assert (read_picture(grey, reference=empty).dice, read_picture(grey).accepted) == ([5], True)
    assert read_picture(readings, reference=empty).reason == "foreign_object"


def test_a_throw_in_colour_is_accepted():
    """Each plane shows the same two dice, more or less clearly."""
    view = dull(MORE)
    paler = Frame(view.width, view.height, (pixels(view) // 2 + 40).tobytes())
    assert read_picture(in_colour(view, paler, view)).dice == [2, 5]
    assert read_picture(in_colour(view, paler, view)).accepted

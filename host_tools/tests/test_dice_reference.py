"""The empty tray: the median of a rig's pictures, and pictures in which only a thing is left."""

import numpy as np
import pytest

from tabletools.dice import tray_rig as rig_module
from tabletools.dice.maps import Sight, Top
from tabletools.dice.pictures import Frame
from tabletools.dice.reference import Reference
from tabletools.dice.tray_rig import empty_trays

NONE = np.zeros((1, 1), np.float32)


def tray(shift=(0, 0)):
    """A cloth with a lit corner, a wall along its top and a printed line; 200 x 150."""
    y, x = np.mgrid[0:150, 0:200]
    x, y = x - shift[0], y - shift[1]
    grey = 120 + 0.1 * x + 0.05 * y
    grey = np.where(y < 20, 60, grey)
    return np.where(abs(x - 2 * y) < 3, 200, grey).astype(np.uint8)


def with_square(grey, x, y, level=20, side=20):
    """The same with something dark and square on it."""
    grey = grey.copy()
    grey[y : y + side, x : x + side] = level
    return grey


def tray_rig(count=9):
    """Pictures with one square each, at a different place."""
    places = [(20 * k + 10, 40 + 30 * (k % 3)) for k in range(count)]
    return [with_square(tray(), x, y) for x, y in places]


def empty_of(pictures):
    """The empty trays of pictures, in grey."""
    return empty_trays([Frame(*each.shape[::-1], each.tobytes()) for each in pictures])


def test_the_median_is_the_empty_tray():
    """Each square is at its place once, so none is left."""
    (reference,) = empty_of(tray_rig()).values()
    assert np.abs(reference.grey.astype(int) - tray()).max() <= 1


def test_the_empty_tray_has_colours_where_all_its_pictures_have():
    """Blue is darker by 40 everywhere, red is the grey."""
    frames = []
    for grey in tray_rig():
        rows = np.dstack([grey, grey, np.maximum(grey, 40) - 40])
        frames.append(Frame(200, 150, grey.tobytes(), rows.tobytes()))
    (reference,) = empty_trays(frames).values()
    red, _, blue = reference.colours
    assert np.abs(red.astype(int) - tray()).max() <= 1
    assert np.abs(blue.astype(int) - (tray().astype(int) - 40)).max() <= 1
    (grey,) = empty_trays([Frame(200, 150, frames[0].grey), *frames]).values()
    assert grey.colours == ()


def test_pictures_of_another_size_make_a_reference_of_their_own():
    """Fewer than five make none."""
    other = [each[:100] for each in tray_rig(5)] + [each[:90] for each in tray_rig(4)]
    assert set(empty_of(tray_rig() + other)) == {(150, 200), (100, 200)}


def test_a_die_that_covers_a_place_in_most_pictures_is_not_of_the_tray(monkeypatch):
    """Where dice are seen, a picture does not show the tray; the others do."""
    die = Top(110, 60, 20, 0.9, 0.9, np.ones(7, np.float32), 0.0, (0.0, 0.0))
    covered = [with_square(tray(), 100, 50) for _ in range(6)]
    monkeypatch.setattr(
        rig_module,
        "look",
        lambda picture: Sight([die] if picture[60, 110] < 30 else [], NONE, NONE),
    )
    (reference,) = empty_of([*covered, tray(), tray()]).values()
    assert np.abs(reference.grey.astype(int) - tray()).max() <= 1
    (reference,) = empty_of(covered).values()  # nobody has seen the tray there
    assert reference.grey[60, 110] == 20


def plain(picture, empty=None):
    difference = Reference(tray() if empty is None else empty).compared(picture)
    return None if difference is None else difference.plain


def test_the_empty_tray_becomes_plain_cloth():
    """Neither wall nor print nor the lit corner is left."""
    assert np.ptp(plain(tray()).astype(int)) <= 2


def test_a_thing_keeps_its_contrast_against_the_ground_below_it():
    """A square 50 darker than the cloth in a dim corner and in a lit one is 50 darker in both."""
    for x, y in ((5, 40), (170, 125)):
        ground = int(np.median(tray()[y : y + 20, x : x + 20]))
        difference = plain(with_square(tray(), x, y, ground - 50)).astype(int)
        cloth = int(np.median(difference))
        assert abs(int(np.median(difference[y + 2 : y + 18, x + 2 : x + 18])) - (cloth - 50)) <= 4
        difference[y - 1 : y + 21, x - 1 : x + 21] = cloth
        assert np.ptp(difference) <= 2


@pytest.mark.parametrize("change", ["shifted", "darker", "noisy"])
def test_small_changes_of_the_whole_picture_are_none(change):
    """Two pixels aside, a third less light, noise of sigma 3: the square stays, nothing comes."""
    picture = with_square(tray((2, 1)) if change == "shifted" else tray(), 90, 60)
    if change == "darker":
        picture = (picture * 0.67).astype(np.uint8)
    if change == "noisy":
        noise = np.random.default_rng(1).normal(0, 3, picture.shape)
        picture = np.clip(picture + noise, 0, 255).astype(np.uint8)
    difference = plain(picture).astype(int)
    dark = difference < np.median(difference) - 30
    assert dark[62:78, 92:108].mean() > 0.95
    dark[57:83, 87:113] = False
    assert not dark.any()


def test_a_thing_over_the_wall_is_not_hidden():
    """An arm from the border across wall and cloth stays one piece."""
    picture = tray()
    picture[0:90, 60:80] = 10
    difference = plain(picture).astype(int)
    assert (difference[2:88, 62:78] < np.median(difference) - 30).mean() > 0.95


def test_a_picture_of_another_rig_is_not_read_by_the_reference():
    """Another size, hardly a pixel alike, or the light off."""
    assert plain(tray()[:100]) is None
    assert plain(np.random.default_rng(2).integers(0, 255, (150, 200)).astype(np.uint8)) is None
    assert plain(tray() // 10) is None

"""The empty tray: the median of a rig's pictures, and what differs from it."""

import numpy as np
import pytest

from tabletools.dice.reference import Reference, of_pictures


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


def rig(count=9):
    """Pictures with a square at a place of its own each."""
    places = [(20 * k + 10, 40 + 30 * (k % 3)) for k in range(count)]
    return [with_square(tray(), x, y) for x, y in places]


def test_the_median_is_the_empty_tray():
    """Each square is at its place once, so none is left."""
    (reference,) = of_pictures(rig()).values()
    assert np.abs(reference.grey.astype(int) - tray()).max() <= 1


def test_pictures_of_another_size_make_a_reference_of_their_own():
    """Fewer than five make none."""
    other = [each[:100] for each in rig(5)] + [each[:90] for each in rig(4)]
    assert set(of_pictures(rig() + other)) == {(150, 200), (100, 200)}


def test_only_what_is_there_differs():
    """The square, to a pixel and a half; neither wall nor print."""
    found = Reference(tray()).difference(with_square(tray(), 90, 60))
    wanted = np.zeros((150, 200), bool)
    wanted[60:80, 90:110] = True
    assert (found.differs ^ wanted).sum() <= 80
    wanted[58:82, 88:112] = True
    assert not (found.differs & ~wanted).any()


@pytest.mark.parametrize("change", ["shifted", "darker", "noisy"])
def test_small_changes_of_the_whole_picture_are_none(change):
    """Two pixels aside, a third less light, noise of sigma 3."""
    picture = with_square(tray((2, 1)) if change == "shifted" else tray(), 90, 60)
    if change == "darker":
        picture = (picture * 0.67).astype(np.uint8)
    if change == "noisy":
        noise = np.random.default_rng(1).normal(0, 3, picture.shape)
        picture = np.clip(picture + noise, 0, 255).astype(np.uint8)
    found = Reference(tray()).difference(picture)
    outside = found.differs.copy()
    outside[56:84, 86:114] = False
    assert outside.mean() < 0.002
    assert found.differs[64:76, 94:106].mean() > 0.95


def test_a_picture_of_another_rig_has_no_difference():
    """Another size, or hardly a pixel alike."""
    assert Reference(tray()).difference(tray()[:100]) is None
    other = np.random.default_rng(2).integers(0, 255, (150, 200)).astype(np.uint8)
    assert Reference(tray()).difference(other) is None

"""The parts of a picture that the network looks at: all things, with plain ground around them."""

import numpy as np
import pytest

from host_tools.tests.test_dice_host_reading import frame, scene
from tabletools.dice.maps import look
from tabletools.dice.reference import Reference, pixels
from tabletools.dice.windows import windows

SHAPE = 240, 320


def things(*places):
    """Squares of 16 px whose upper left corners, row and column, are at places."""
    mask = np.zeros(SHAPE, np.bool_)
    for row, column in places:
        mask[row : row + 16, column : column + 16] = True
    return mask


def test_where_nothing_is_known_the_whole_picture_is_looked_at():
    assert windows(SHAPE, None) == [(slice(0, 240), slice(0, 320))]
    assert windows(SHAPE, things()) == []


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([(96, 160)], [(slice(64, 144), slice(128, 208))]),  # 32 px around it
        ([(99, 163)], [(slice(64, 152), slice(128, 216))]),  # to whole blocks of 8 px
        ([(0, 304)], [(slice(0, 48), slice(272, 320))]),  # as far as the picture goes
        (  # apart
            [(16, 16), (200, 280)],
            [(slice(0, 64), slice(0, 64)), (slice(168, 240), slice(248, 320))],
        ),
        ([(96, 32), (96, 96)], [(slice(64, 144), slice(0, 144))]),  # they meet
    ],
)
def test_a_window_has_a_thing_and_what_is_around_it(places, expected):
    assert windows(SHAPE, things(*places)) == expected


def test_windows_of_most_of_a_picture_are_the_whole():
    places = [(row, column) for row in (40, 180) for column in (32, 112, 192, 272)]
    assert windows(SHAPE, things(*places)) == [(slice(0, 240), slice(0, 320))]


def test_what_differs_is_seen_as_in_the_whole_picture():
    compared = Reference(pixels(frame(scene(()), 9))).compared(pixels(frame(scene())))
    whole = look(compared.plain)
    parts = look(compared.plain, things=compared.differs)
    assert len(whole.tops) == len(parts.tops) == 2
    for one, other in zip(whole.tops, parts.tops, strict=True):
        assert (one.x, one.y, one.side) == pytest.approx((other.x, other.y, other.side), abs=1)
        assert one.chances.argmax() == other.chances.argmax()
    assert parts.foreign.shape == whole.foreign.shape
    assert parts.die.max() == pytest.approx(whole.die.max(), abs=0.05)

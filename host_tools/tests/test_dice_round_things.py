"""Coins and chips: a circle beside the dice is one, whatever is printed on it."""

import cv2
import numpy as np
import pytest

from tabletools.dice.maps import Top
from tabletools.dice.round_things import has_round_thing

SIDE = 26
DIE = Top(40.0, 40.0, SIDE, 0.9, 0.9, np.zeros(7, np.float32), 0.0, (0.0, 0.0))


def tray(draw):
    """A grey tray with a die at (40, 40) and what is drawn, both smoothed as a lens does."""
    picture = np.full((160, 200), 90, np.uint8)
    cv2.rectangle(picture, (27, 27), (53, 53), 220, -1)
    draw(picture)
    return cv2.GaussianBlur(picture, (0, 0), 0.8)


def disc(radius, level, at=(130, 90)):
    """Draw a disc."""
    return lambda picture: cv2.circle(picture, at, radius, level, -1, cv2.LINE_AA)


@pytest.mark.parametrize("radius", [13, 17, 23, 32])
@pytest.mark.parametrize("level", [20, 170])
def test_a_disc_is_a_round_thing(radius, level):
    """From half a die's side to five quarters of it, darker or lighter than the tray."""
    assert has_round_thing(tray(disc(radius, level)), [DIE])


@pytest.mark.parametrize("draw", [
    lambda picture: picture,
    lambda picture: cv2.rectangle(picture, (110, 70), (150, 110), 20, -1),
    lambda picture: cv2.ellipse(picture, (130, 90), (24, 14), 30, 0, 360, 20, -1, cv2.LINE_AA),
    lambda picture: cv2.line(picture, (90, 0), (150, 159), 20, 3, cv2.LINE_AA),
    disc(3, 20),  # a pip
    disc(60, 20),  # a print on the cloth
    disc(15, 250, at=(42, 41)),  # the round edges of a die
])  # fmt: skip
def test_what_is_not_round_is_none(draw):
    """Nor is a circle that is far smaller or larger than a coin, or that belongs to a die."""
    assert not has_round_thing(tray(draw), [DIE])

"""Coins and chips: a circle beside the dice is one, whatever is printed on it."""

import cv2
import numpy as np
import pytest

from tabletools.dice.maps import Top
from tabletools.dice.round_things import has_round_thing

SIDE = 26


def top(x, y, value):
    """A flat die."""
    chances = np.zeros(7, np.float32)
    chances[value] = 1
    return Top(x, y, SIDE, 0.9, 0.9, chances, 0.0, (0.0, 0.0))


DIE = top(40.0, 40.0, 5)


def tray(draw):
    """A grey tray with a die at (40, 40) and what is drawn, both smoothed as a lens does."""
    picture = np.full((160, 200), 90, np.uint8)
    cv2.rectangle(picture, (27, 27), (53, 53), 220, -1)
    draw(picture)
    return cv2.GaussianBlur(picture, (0, 0), 0.8)


def disc(radius, level, centre=(130, 90)):
    """Draw a disc."""
    return lambda picture: cv2.circle(picture, centre, radius, level, -1, cv2.LINE_AA)


@pytest.mark.parametrize("radius", [13, 17, 23, 32])
@pytest.mark.parametrize("level", [20, 170])
def test_a_disc_is_a_round_thing(radius, level):
    """From half a die's side to five quarters of it, darker or lighter than the tray."""
    assert has_round_thing(tray(disc(radius, level)), [DIE])


@pytest.mark.parametrize(
    "draw",
    [
        lambda picture: picture,
        lambda picture: cv2.rectangle(picture, (110, 70), (150, 110), 20, -1),
        lambda picture: cv2.ellipse(picture, (130, 90), (24, 14), 30, 0, 360, 20, -1, cv2.LINE_AA),
        lambda picture: cv2.line(picture, (90, 0), (150, 159), 20, 3, cv2.LINE_AA),
        disc(3, 20),  # a pip
        disc(60, 20),  # a print on the cloth
        disc(15, 250, centre=(42, 41)),  # the round edges of a die
    ],
)
def test_what_is_not_round_is_none(draw):
    """Nor is a circle that is far smaller or larger than a coin, or that belongs to a die."""
    assert not has_round_thing(tray(draw), [DIE])


@pytest.mark.parametrize(("value", "is_coin"), [(1, True), (5, False)])
def test_a_coin_is_no_one(value, is_coin):
    """A perfect circle around what passes for a one; other faces have edges as round."""
    coin = tray(lambda picture: disc(4, 20)(disc(16, 170)(picture)))
    assert has_round_thing(coin, [DIE, top(130.0, 90.0, value)]) == is_coin

"""Turns of a money wheel that runs free, and of one in a hand: v^2 = v0^2 - 2 a x, in turns."""

import unittest

from tests.logic_wheel import law_of

from tablelogic.core.ticks import MASK
from tablelogic.money_wheel.turn_losses import Turns

START_US = MASK - 2000000  # runs cross the wrap of the clock


class Wheel:
    """energy: v^2 in turns^2/s^2; a free turn takes 0.1 of it."""

    def __init__(self, energy=1.2):
        self.turns = Turns(law_of())
        self.energy = energy
        self._now_s = 0.0
        self.quarters(1, 0.0)

    def quarters(self, count, loss=0.1, is_faster=False):
        """So many quarter turns, at the mean of the speeds at both ends; loss: of a turn."""
        for _ in range(count):
            before = self.energy**0.5
            self.energy -= loss / 4
            self._now_s += 0.5 / (before + self.energy**0.5)
            self.turns.quarter((START_US + int(self._now_s * 1000000)) & MASK, is_faster)
        return self.turns.was_touched


class TurnsTest(unittest.TestCase):
    def test_free_to_the_end(self):
        """From 1.2 at any energy at which it may pass its last quarter turn."""
        for hundredths in range(100, 125):
            wheel = Wheel(hundredths / 100)
            for _ in range(39):
                self.assertFalse(wheel.quarters(1), hundredths)

    def is_seen(self, loss):
        """Whether half a turn with this loss is odd to one of the turns that it is in."""
        wheel = Wheel()
        wheel.quarters(16)
        wheel.quarters(2, loss)
        return wheel.quarters(5)

    def test_braked(self):
        """Twice the loss in half a turn is half a turn's more."""
        self.assertTrue(self.is_seen(0.2))
        self.assertFalse(self.is_seen(0.11))

    def test_driven(self):
        self.assertTrue(self.is_seen(0.0))
        self.assertFalse(self.is_seen(0.09))

    def test_air(self):
        """It takes a third of the loss at first, by the square of the speed: no hand."""
        wheel = Wheel()
        for _ in range(28):
            self.assertFalse(wheel.quarters(1, 0.067 + 0.028 * wheel.energy))

    def test_a_push_begins_again(self):
        wheel = Wheel()
        wheel.quarters(16)
        wheel.turns.reset()
        wheel.quarters(2, -0.3)
        self.assertFalse(wheel.quarters(10))

    def test_a_hand_lets_go_slowly(self):
        """While it does not slow down the push has not ended; the two quarter turns after count
        for nothing."""
        wheel = Wheel()
        wheel.turns.reset()
        wheel.quarters(8, -0.02, is_faster=True)
        wheel.quarters(2, 0.03)
        for _ in range(24):
            self.assertFalse(wheel.quarters(1))


if __name__ == "__main__":
    unittest.main()

"""A slow money wheel by itself, and with a hand: energies by v^2 = v0^2 - 2 a x, in segments."""

import unittest

from tests.logic_wheel import law_of

from tablelogic.core.ticks import MASK
from tablelogic.money_wheel.coasting import Coasting
from tablewire import money_wheel as words

# Calibrated: 2 * 6.9 degrees/s^2 * 52 / 360 is 1.993 segments^2/s^2 a pin.
KEYS = (
    (words.FRICTION_DDEGSS, 69),
    (words.LAW_SLACK_PERCENT, 1),
    (words.TURN_LIMIT, 100),
    (words.SLOW_LIMIT, 60),
    (words.LAST_LIMIT, 30),
    (words.HOLD_LOW_PERCENT, 92),
    (words.HOLD_HIGH_PERCENT, 150),
)
START_US = MASK - 2000000  # runs cross the wrap of the clock


class Wheel:
    """A wheel that passes pins; each takes 2.0 segments^2/s^2 of the square of its speed."""

    def __init__(self, keys=KEYS):
        self.coasting = Coasting(law_of(keys))
        self.now_s = 0.0
        self.speed = 8.0
        self.first = 0.25  # of a segment, from the mark of a pin to the next edge

    def tell(self, past, after_s):
        self.now_s += after_s
        self.coasting.further(past, (START_US + int(self.now_s * 1000000)) & MASK, 0, 1)

    def came_back(self, after_s):
        self.now_s += after_s
        self.coasting.came_back((START_US + int(self.now_s * 1000000)) & MASK)

    def passes(self, *energies, longer_s=0.0):
        """Pass pins with these squares of speed left behind them; longer_s: held before each."""
        for energy in energies:
            speed = energy**0.5
            for past in (2, 3, 0):
                self.tell(past, (2 * (1 - self.first) / (self.speed + speed) + longer_s) / 3)
            self.tell(1, self.first / speed)
            self.speed = speed

    def rests(self, back=0):
        """Whether a hand was at it, so many quarters behind the furthest point."""
        coasting = self.coasting
        return coasting.was_touched(back) or coasting.stopped_hard() or coasting.law.is_broken()


def falling(start=61.0, end=1.0, step=2.0):
    """Energies from start to end."""
    times = []
    while start > end - 0.01:
        times.append(start)
        start -= step
    return times


class ByItselfTest(unittest.TestCase):
    def test_every_energy_at_which_it_may_rest(self):
        """Behind the last pin it has anything up to 2.9: not enough for one more."""
        for tenths in range(2, 30):
            for keys in (KEYS, ()):
                wheel = Wheel(keys)
                wheel.passes(*falling(61.0 + tenths / 10 - 1.0, tenths / 10))
                self.assertFalse(wheel.rests(), tenths)

    def test_pins_of_uneven_height(self):
        """A tenth higher and lower in turn."""
        wheel = Wheel()
        wheel.passes(*(energy + (-0.1, 0.1)[n & 1] for n, energy in enumerate(falling())))
        self.assertFalse(wheel.rests())

    def test_a_fast_wheel_is_not_judged(self):
        """A hand at 17 segments a second is the business of Run."""
        wheel = Wheel()
        wheel.passes(*falling(400.0, 300.0), 350.0, 250.0, *falling(248.0, 1.0))
        self.assertFalse(wheel.rests())

    def test_a_push(self):
        """Forgets what was before: a wheel that was pushed again begins again."""
        wheel = Wheel()
        wheel.passes(*falling(61.0, 5.0), 40.0)
        wheel.coasting.law.reset()
        wheel.coasting.reset()
        wheel.passes(*falling(41.0, 1.0))
        self.assertFalse(wheel.rests())


class NotCalibratedTest(unittest.TestCase):
    """By the mean loss of the run itself."""

    def test_pins_that_differ_by_a_fifth(self):
        """Of the loss: two sigma of the roughest wheel."""
        wheel = Wheel(())
        wheel.passes(*(energy + (-0.4, 0.4)[n & 1] for n, energy in enumerate(falling())))
        self.assertFalse(wheel.rests())

    def test_braked_at_three_times_the_friction(self):
        wheel = Wheel(())
        wheel.passes(*falling(61.0, 13.0), *falling(7.0, 1.0, 6.0))
        self.assertTrue(wheel.rests())

    def test_helped_over_three_pins(self):
        """Three took 0.2 where 2.0 are due: each 90 hundredths less a slack of 15."""
        wheel = Wheel(())
        wheel.passes(*falling(61.0, 5.0), 4.8, 4.6, 4.4)
        self.assertTrue(wheel.rests())

    def test_stopped_with_energy_left(self):
        """5.3 behind the last pin would have passed two more."""
        wheel = Wheel(())
        wheel.passes(*falling(61.3, 5.3))
        self.assertTrue(wheel.rests())


class LawTest(unittest.TestCase):
    """What no single pin shows."""

    def test_a_soft_drag(self):
        """Each pin takes a tenth more from 41 on: in ten pins that is one."""
        wheel = Wheel()
        wheel.passes(*falling(61.0, 43.0), *falling(40.8, 1.0, 2.2))
        self.assertTrue(wheel.rests())

    def test_a_soft_help(self):
        wheel = Wheel()
        wheel.passes(*falling(61.0, 43.0), *falling(41.2, 1.0, 1.8))
        self.assertTrue(wheel.rests())

    def test_a_heavy_side_is_no_hand(self):
        """It takes 30 % of the friction in one half of a turn and gives it in the other."""
        heavy = ((words.IMBALANCE_PERCENT, 30), (words.IMBALANCE_PIN, 13))
        for keys, touched in ((KEYS, True), (KEYS + heavy, False)):
            wheel = Wheel(keys)
            wheel.passes(*falling(61.0, 1.0, 2.6))
            self.assertEqual(wheel.rests(), touched)

    def test_the_first_quarter_is_as_long_as_a_turn_says(self):
        """0.2 of a segment, by two fast turns: speeds measured over it are right."""
        wheel = Wheel()
        wheel.first = 0.2
        wheel.passes(*[900.0] * 106, *falling(61.0, 1.0))
        self.assertFalse(wheel.rests())


class HandTest(unittest.TestCase):
    def test_helped_over_a_pin(self):
        """The pin took 1.2 where 2.0 are due: the hand gave the rest."""
        wheel = Wheel()
        wheel.passes(*falling(61.0, 3.0), 1.8)
        self.assertTrue(wheel.rests())

    def test_braked_at_twice_the_friction(self):
        """From 11 on each segment takes 4.0."""
        wheel = Wheel()
        wheel.passes(*falling(61.0, 11.0), *falling(7.0, 3.0, 4.0))
        self.assertTrue(wheel.rests())

    def test_stopped_with_energy_left(self):
        """3.2 behind the last pin would have passed one more."""
        wheel = Wheel()
        wheel.passes(*falling(61.2, 3.2))
        self.assertTrue(wheel.rests())

    def test_braked_over_the_last_two_pins(self):
        """With 5.3 it passes two more. One took a fifth too much, and 2.9 alone proves nothing."""
        wheel = Wheel()
        wheel.passes(*falling(61.3, 5.3), 2.9)
        self.assertTrue(wheel.rests())

    def test_moved_on_between_pins(self):
        """0.05 behind a pin does not carry it half a segment, where at least 0.1 is due."""
        for energy, touched in ((0.05, True), (0.3, False)):
            wheel = Wheel()
            wheel.passes(*falling(60.2, 2.2), energy)
            wheel.tell(2, 1.0)
            self.assertEqual(wheel.rests(), touched)

    def test_moved_after_it_had_rested(self):
        """Behind the last pin by itself it had 1.4; half a second later it is over another."""
        for speed in (0.6, 1.0, 2.0):
            wheel = Wheel()
            wheel.passes(*falling(61.4, 1.4))
            wheel.passes(speed * speed, longer_s=0.5)
            self.assertTrue(wheel.rests(), speed)

    def test_it_took_too_long(self):
        """Speeds as they should be, half a second too late: it was held in between."""
        wheel = Wheel()
        wheel.passes(*falling(61.0, 5.0))
        wheel.passes(3.0, longer_s=0.5)
        self.assertTrue(wheel.rests())

    def test_a_mark_that_comes_early(self):
        """The wheel, too weak for the pin, is over its mark: thrown back it was not touched."""
        for back, touched in ((0, True), (1, False)):
            wheel = Wheel()
            wheel.passes(*falling(61.4, 1.4))
            for past in (2, 3, 0):
                wheel.tell(past, 0.33)
            self.assertEqual(wheel.rests(back), touched)

    def test_moved_over_a_pin_before_which_it_had_rested(self):
        """No wheel takes 0.7 s for the quarter before a pin and gets over it."""
        for waits_s, touched in ((0.5, False), (0.7, True)):
            wheel = Wheel()
            wheel.passes(*falling(61.9, 1.9))
            for past, after_s in ((2, 0.2), (3, 0.2), (0, waits_s)):
                wheel.tell(past, after_s)
            self.assertEqual(wheel.rests(), touched)


class BackTest(unittest.TestCase):
    def test_over_a_pin_it_had_passed(self):
        """From 0.6 behind a pin, quarter 2, two quarters reach the pin and a third is over it."""
        wheel = Wheel()
        wheel.passes(*falling())
        wheel.tell(2, 0.3)
        self.assertEqual([wheel.coasting.has_turned_back(n) for n in (2, 3)], [False, True])

    def test_thrown_back_from_the_pin(self):
        """From behind its mark, no further than to the pin behind: one segment."""
        wheel = Wheel()
        wheel.passes(*falling())
        wheel.tell(0, 0.3)
        self.assertEqual([wheel.coasting.has_turned_back(n) for n in (4, 5)], [False, True])

    def test_turned_back_over_a_pin_behind_which_it_had_rested(self):
        """The flapper throws it back over the pin's mark at once: 0.5 s, and not 0.7 s."""
        for after_s, touched in ((0.5, False), (0.7, True)):
            wheel = Wheel()
            wheel.passes(*falling(61.9, 1.9))
            for past in (2, 3, 0):
                wheel.tell(past, 0.2)
            wheel.came_back(after_s)
            self.assertEqual(wheel.rests(back=1), touched)

    def test_thrown_back_and_moved_to_the_pin_again(self):
        """Thrown back after 0.1 s, it is at the mark again a second later."""
        wheel = Wheel()
        wheel.passes(*falling(61.9, 1.9))
        for past in (2, 3, 0):
            wheel.tell(past, 0.2)
        wheel.came_back(0.1)
        self.assertFalse(wheel.rests(back=1))
        wheel.came_back(1.0)
        self.assertTrue(wheel.rests())

    def test_back_between_pins(self):
        """A wheel that the flapper threw back rolls out later than that."""
        wheel = Wheel()
        wheel.passes(*falling())
        wheel.tell(2, 0.3)
        wheel.came_back(0.9)
        self.assertFalse(wheel.rests(back=1))


if __name__ == "__main__":
    unittest.main()

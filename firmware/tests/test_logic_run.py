"""A run of the money wheel, by steps of a quarter segment at hand-made speeds; 52 pins.

A quarter turn is 52 steps. At 5 ms a step it takes 260 ms: 900000000 / 260000 = 3461 in 0.1 deg/s.
With a friction of 150 a segment takes 2 * 150 * 3600 / 52 = 20769 from the square of the speed.
"""

import unittest

from tests.logic_wheel import law_of

from tablelogic.core.ticks import MASK
from tablelogic.money_wheel.wheel_run import Run

START_US = MASK - 500000  # across the wrap of the clock
FRICTION = 150


class Turned:
    def __init__(self):
        self.run = Run(52, FRICTION, law_of())
        self._now_us = START_US

    def steps(self, count, step_us, way=1):
        for _ in range(count):
            self._now_us = (self._now_us + step_us) & MASK
            self.run.step(way, self._now_us)
        return self.run


class DistanceTest(unittest.TestCase):
    def test_a_nudge_is_no_run(self):
        """Seven quarters forth and back: at rest. The eighth begins a run."""
        turned = Turned()
        turned.steps(7, 5000)
        self.assertEqual(turned.steps(7, 5000, -1).direction, 0)
        self.assertEqual(turned.steps(8, 5000).direction, 1)
        self.assertEqual(Turned().steps(8, 5000, -1).direction, -1)

    def test_revolutions(self):
        """8 quarters make it a run; 208 more are a turn, less one step is 99 hundredths."""
        turned = Turned()
        self.assertEqual(turned.steps(8 + 207, 5000).revolutions_centi(), 99)
        self.assertEqual(turned.steps(1, 5000).revolutions_centi(), 100)

    def test_back_and_forth_counts_once(self):
        turned = Turned()
        turned.steps(8 + 208, 5000)
        self.assertEqual(turned.steps(4, 5000, -1).back, 4)
        self.assertEqual(turned.steps(4, 5000).revolutions_centi(), 100)
        self.assertEqual(turned.run.back, 0)


class SpeedTest(unittest.TestCase):
    def test_speed_of_the_last_quarter_turn(self):
        self.assertEqual(Turned().steps(8 + 104, 5000).speed_ddegs(), 3461)

    def test_a_second_push(self):
        """Twice as fast is one more push, however long the hand is at it."""
        turned = Turned()
        turned.steps(8 + 156, 5000)
        self.assertEqual(turned.run.pushes, 1)
        turned.steps(52, 2500)
        self.assertEqual(turned.run.pushes, 2)
        self.assertEqual(turned.steps(52, 2000).pushes, 2)
        self.assertEqual(turned.run.pushed_centi(), 0)
        self.assertEqual(turned.steps(104, 2000).pushed_centi(), 50)

    def test_turns_count_from_the_end_of_doubt(self):
        """While no quarter turn is sure since the start, the hand may still be at it.

        The first two and the one of the doubt end at 156 quarters; 52 of 208 are 25 hundredths.
        """
        turned = Turned()
        turned.steps(8 + 52, 20000)
        turned.run.doubt()
        self.assertEqual(turned.steps(104, 5000).pushed_centi(), 0)
        self.assertEqual(turned.steps(52, 5000).pushed_centi(), 25)

    def test_a_push_in_doubt_shows_afterwards(self):
        """A wheel four times as fast as when it was last sure was pushed in between."""
        turned = Turned()
        turned.steps(8 + 156, 20000)
        turned.run.doubt()
        self.assertEqual(turned.steps(104, 5000).pushes, 1)
        self.assertEqual(turned.steps(52, 5000).pushes, 2)
        self.assertEqual(turned.run.pushed_centi(), 0)
        self.assertEqual(turned.steps(104, 5000).pushed_centi(), 50)

    def test_braked_by_a_hand(self):
        """3461 to 2884 in 286 ms is 577; friction may take 3 * 150 * 0.286 + 3 % = 231."""
        turned = Turned()
        turned.steps(8 + 156, 5000)
        self.assertFalse(turned.steps(52, 5200).braked)
        self.assertTrue(turned.steps(52, 6240).braked)

    def test_a_hand_may_let_go_in_doubt(self):
        """No faster in doubt, then twice as fast: that is another push, not more of the first."""
        turned = Turned()
        turned.steps(8 + 52, 5000)
        turned.run.doubt()
        turned.steps(104, 5100)
        self.assertEqual(turned.run.pushes, 1)
        turned.steps(104, 2500)
        self.assertEqual(turned.run.pushes, 2)

    def test_a_hand_that_is_at_it_all_through_the_doubt_pushes_once(self):
        turned = Turned()
        turned.steps(8 + 52, 5000)
        turned.run.doubt()
        for step_us in (4300, 3700, 3200):
            turned.steps(52, step_us)
        self.assertEqual(turned.run.pushes, 1)

    def test_a_doubtful_quarter_turn_is_not_judged(self):
        turned = Turned()
        turned.steps(8 + 156, 5000)
        turned.run.doubt()
        self.assertFalse(turned.steps(52, 6240).braked)
        self.assertFalse(turned.steps(52, 5000).braked)

    def test_braked_in_doubt(self):
        """Two pins of 13 may be missing; 3461 to 2307 is more than that and friction."""
        turned = Turned()
        turned.steps(8 + 156, 5000)
        turned.run.doubt()
        self.assertTrue(turned.steps(52, 7500).braked)

    def test_braked_when_slow(self):
        """Segments of 200 ms, 346 in 0.1 deg/s, then one of 400 ms, 173.

        346^2 - 173^2 = 89787; friction and uneven pins may take 4 * 20769 + 346^2 / 4 = 113005.
        One of 1000 ms: 346^2 - 69^2 = 114955.
        """
        turned = Turned()
        turned.steps(8 + 108, 50000)
        self.assertFalse(turned.steps(4, 100000).braked)
        turned = Turned()
        turned.steps(8 + 108, 50000)
        self.assertTrue(turned.steps(4, 250000).braked)

    def test_stopped_hard(self):
        """After a segment of 240 ms (288) friction may stop it, after one of 236 ms (293) not.

        288^2 = 82944 is below 4 * 20769 = 83076, 293^2 = 85849 is above.
        """
        self.assertFalse(Turned().steps(8 + 4, 60000).stopped_hard())
        self.assertTrue(Turned().steps(8 + 4, 59000).stopped_hard())


class FrictionTest(unittest.TestCase):
    def test_mean_of_a_free_run(self):
        """From 3461 (at the end of the second quarter turn) to the last segment's speed.

        156 steps of 5 ms, then 104 of 6 ms: the last segment took 24 ms, 69230769 / 24000 = 2884;
        the way from the second quarter turn on is 156 quarters = 2700 in 0.1 degree.
        (3461^2 - 2884^2) / (2 * 2700) = 677.
        """
        turned = Turned()
        turned.steps(8 + 156, 5000)
        turned.steps(104, 6000)
        self.assertEqual(turned.run.friction_ddegss(), 677)

    def test_too_short_a_way(self):
        self.assertEqual(Turned().steps(8 + 120, 5000).friction_ddegss(), 0)


if __name__ == "__main__":
    unittest.main()

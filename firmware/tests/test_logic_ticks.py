"""Differences on wrapping clocks, and the millisecond clock kept from microseconds."""

import unittest

from tablelogic.core.ticks import MASK, MillisClock, diff, recent

WRAP = 1 << 30


class DiffTest(unittest.TestCase):
    def test_before_and_after(self):
        """Plain differences have their sign."""
        self.assertEqual(diff(5, 3), 2)
        self.assertEqual(diff(3, 5), -2)
        self.assertEqual(diff(7, 7), 0)

    def test_across_the_wrap(self):
        """Three before the wrap to two after it are five."""
        self.assertEqual(diff(2, WRAP - 3), 5)
        self.assertEqual(diff(WRAP - 3, 2), -5)

    def test_the_longest_distances(self):
        """-2^29..2^29-1: half the clock is already the past."""
        self.assertEqual(diff((1 << 29) - 1, 0), (1 << 29) - 1)
        self.assertEqual(diff(1 << 29, 0), -(1 << 29))
        self.assertEqual(diff(0, (1 << 29) - 1), 1 - (1 << 29))


class RecentTest(unittest.TestCase):
    def test_a_recent_moment_stays(self):
        """600 ago is within 1000; so is 200 across the wrap."""
        self.assertEqual(recent(1000, 400, 1000), 400)
        self.assertEqual(recent(100, WRAP - 100, 500), WRAP - 100)
        self.assertEqual(recent(700, 700, 500), 700)

    def test_an_older_moment_follows(self):
        """It is never further away than the longest."""
        self.assertEqual(recent(1000, 400, 500), 500)
        self.assertEqual(recent(100, WRAP - 100, 150), WRAP - 50)

    def test_it_stays_behind_for_ever(self):
        """Moved every quarter turn of the clock, a moment never comes to lie in the future."""
        now, then = 0, 0
        for _ in range(12):
            now = (now + (1 << 28)) & MASK
            then = recent(now, then, 0x0FFFFFFF)
            self.assertTrue(0 <= diff(now, then) <= 0x0FFFFFFF)


class MillsTest(unittest.TestCase):
    def test_the_first_call_sets_the_start(self):
        """Wherever the microseconds stand, the milliseconds begin at 0."""
        self.assertEqual(MillisClock().advance(123456), 0)
        self.assertEqual(MillisClock().advance(0), 0)

    def test_rests_are_kept(self):
        """A thousand steps of 999 us are 999 ms, not 0."""
        clock = MillisClock()
        for step in range(1001):
            clock.advance(step * 999)
        self.assertEqual(clock.now_ms, 999)

    def test_across_the_wrap_of_the_microseconds(self):
        """1 ms before the wrap to 2.5 ms after it: 3.5 ms, then 0.5 ms more make 4."""
        clock = MillisClock()
        clock.advance(WRAP - 1000)
        self.assertEqual(clock.advance(2500), 3)
        self.assertEqual(clock.advance(3000), 4)

    def test_across_the_wrap_of_the_milliseconds(self):
        """After 2^30 - 1 comes 0."""
        clock = MillisClock()
        clock.advance(0)
        clock.now_ms = MASK
        self.assertEqual(clock.advance(1000), 0)


if __name__ == "__main__":
    unittest.main()

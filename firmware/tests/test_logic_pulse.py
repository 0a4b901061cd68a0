"""Genuine pulses out of edges with bounce, glitches and gaps."""

import unittest

from tablelogic.roulette.pulses import Pulse

WRAP = 1 << 30


def pulses(edges, start=1000000):
    """Play (t_us, level) edges with a tick every millisecond; when each pulse taken began.

    Times are relative to `start` on the clock.
    """
    pulse = Pulse()
    waiting = [(start + t_us, level) for t_us, level in edges]
    end = waiting[-1][0] + 10000
    widths = []
    now = start
    while now <= end:
        while waiting and waiting[0][0] <= now:
            t_us, level = waiting.pop(0)
            pulse.edge(level, t_us % WRAP)
        if pulse.take(now % WRAP):
            widths.append((pulse.rose_us - start) % WRAP)
        now += 1000
    return widths


class PulseTest(unittest.TestCase):
    def test_a_clean_pulse_counts_once(self):
        """5 ms long, taken with the time it began."""
        self.assertEqual(pulses([(0, 1), (5000, 0)]), [0])

    def test_the_shortest_pulse(self):
        """A pulse of 2 ms counts, one of 1.999 ms does not."""
        self.assertEqual(pulses([(0, 1), (2000, 0)]), [0])
        self.assertEqual(pulses([(0, 1), (1999, 0)]), [])

    def test_it_is_taken_while_it_lasts(self):
        """A sensor that stays covered has given its pulse after 2 ms, not before, not twice."""
        pulse = Pulse()
        pulse.edge(1, 50000)
        self.assertFalse(pulse.take(51999))
        self.assertTrue(pulse.take(52000))
        self.assertFalse(pulse.take(60000))

    def test_bounce_after_the_rise(self):
        """Falls 0.2 and 0.9 ms after the rise are part of the pulse."""
        edges = [(0, 1), (200, 0), (350, 1), (900, 0), (1300, 1), (5000, 0)]
        self.assertEqual(pulses(edges), [0])

    def test_bounce_after_the_fall(self):
        """Rises up to 2 ms after the fall are no second pulse."""
        edges = [(0, 1), (5000, 0), (5300, 1), (5600, 0), (6900, 1), (7000, 0)]
        self.assertEqual(pulses(edges), [0])

    def test_a_glitch_is_nothing(self):
        """0.3 ms on a line at rest does not count, nor does it hide the pulse after it."""
        self.assertEqual(pulses([(0, 1), (300, 0)]), [])
        self.assertEqual(pulses([(0, 1), (300, 0), (20000, 1), (25000, 0)]), [20000])

    def test_a_gap_divides_pulses_from_three_milliseconds_on(self):
        """2.999 ms of rest are one pulse with a hole, 3 ms are two pulses."""
        self.assertEqual(pulses([(0, 1), (5000, 0), (7999, 1), (12000, 0)]), [0])
        self.assertEqual(pulses([(0, 1), (5000, 0), (8000, 1), (13000, 0)]), [0, 8000])

    def test_across_the_wrap(self):
        """Rise before, bounce at and fall after the wrap are one pulse; then one more."""
        edges = [(0, 1), (900, 0), (1100, 1), (5000, 0), (5500, 1), (5600, 0), (9000, 1)]
        self.assertEqual(pulses(edges, start=WRAP - 1000), [0, 9000])

    def test_what_an_edge_answers(self):
        """Whether one more pulse waits: not for a fall, a bounce, or one in place of a glitch."""
        pulse = Pulse()
        expected = (
            (50000, 1, True),
            (50300, 0, False),
            (50500, 1, False),
            (55000, 0, False),
            (60000, 1, False),
        )
        for t_us, level, more in expected:
            self.assertEqual(pulse.edge(level, t_us), more, t_us)
        self.assertTrue(pulse.take(62000))
        pulse.edge(0, 65000)
        self.assertTrue(pulse.edge(1, 70000))


if __name__ == "__main__":
    unittest.main()

"""The exit gate of a draw machine by hand-made edges, across the wrap of the clock.

A ball of 40 mm at 1 m/s covers a beam for 40 ms; the beams are 15 mm apart.
"""

import unittest

from tablelogic.core.ticks import MASK
from tablelogic.draw_machine import exit_gate
from tablelogic.draw_machine.beam import Beam
from tablelogic.draw_machine.exit_gate import ExitGate

BALL_US, STUCK_US = 40000, 1500000


class Mouth:
    """A gate and the time. reported: what passed."""

    def __init__(self, percent=0):
        self.reported = []
        self.gate = ExitGate(BALL_US, STUCK_US, percent)
        self.t_us = MASK - 30000

    def settle(self):
        while True:
            what = self.gate.settle(self.t_us)
            if not what:
                return
            self.reported.append(what)

    def play(self, *steps):
        """Steps: (ms to wait, "i" or "o", level); then ten milliseconds of nothing."""
        for ms, beam, level in steps:
            self.t_us = (self.t_us + ms * 1000) & MASK
            beam_us = self.gate.inner if beam == "i" else self.gate.outer
            self.settle()
            beam_us.edge(level, self.t_us)
        return self.wait(10)

    def wait(self, ms):
        self.t_us = (self.t_us + ms * 1000) & MASK
        self.settle()
        self.gate.tick(self.t_us)
        reported, self.reported = self.reported, []
        return reported


ONE = ((20, "i", 1), (15, "o", 1), (25, "i", 0), (15, "o", 0))


class ExitGateTest(unittest.TestCase):
    def test_a_ball_comes_out(self):
        mouth = Mouth()
        for _ in range(5):
            self.assertEqual(mouth.play(*ONE), [exit_gate.OUT])
        self.assertEqual(mouth.gate.inner.last_us, 40000)
        self.assertEqual(mouth.gate.place, exit_gate.FREE)

    def test_a_ball_goes_in(self):
        way = ((20, "o", 1), (15, "i", 1), (25, "o", 0), (15, "i", 0))
        self.assertEqual(Mouth().play(*way), [exit_gate.IN])

    def test_a_ball_that_only_comes_near(self):
        """At the inner beam alone: nothing passed."""
        mouth = Mouth()
        self.assertEqual(mouth.play((20, "i", 1), (30, "i", 0)), [])
        self.assertEqual(mouth.play(*ONE), [exit_gate.OUT])

    def test_a_ball_that_goes_back_from_both(self):
        way = ((20, "i", 1), (15, "o", 1), (40, "o", 0), (15, "i", 0))
        self.assertEqual(Mouth().play(*way), [exit_gate.BACK])

    def test_a_ball_that_hesitates(self):
        """Back to the inner beam, then out after all; so do two that part at the outer beam."""
        way = ((20, "i", 1), (15, "o", 1), (10, "o", 0), (10, "o", 1), (10, "i", 0), (15, "o", 0))
        self.assertEqual(Mouth().play(*way), [exit_gate.DOUBLE])

    def test_two_that_touch(self):
        """80 ms in the inner beam; up to 64 it is one slow ball."""
        for ms, reported in ((64, exit_gate.OUT), (65, exit_gate.DOUBLE), (80, exit_gate.DOUBLE)):
            way = ((20, "i", 1), (15, "o", 1), (ms - 15, "i", 0), (15, "o", 0))
            self.assertEqual(Mouth().play(*way), [reported])

    def test_two_that_touch_in_stronger_air(self):
        """As long in each beam as one, and 80 mm at the speed between the beams, not 40.

        One of 40 mm is 267 % of the 15 mm between the beams; a third more is two.
        """
        one = (20, "i", 1), (15, "o", 1), (25, "i", 0), (15, "o", 0)
        two = (20, "i", 1), (8, "o", 1), (33, "i", 0), (7, "o", 0)
        self.assertEqual(Mouth().play(*two), [exit_gate.OUT])
        for way, reported in ((one, exit_gate.OUT), (two, exit_gate.DOUBLE)):
            self.assertEqual(Mouth(267).play(*way), [reported])

    def test_one_at_any_speed(self):
        """Also one that is half as fast when it leaves the gate as when it came, or twice."""
        ways = ((15, 25, 15), (7, 12, 8), (22, 37, 23), (10, 24, 20), (20, 24, 10))
        for inner, outer, last in ways:
            way = (20, "i", 1), (inner, "o", 1), (outer, "i", 0), (last, "o", 0)
            self.assertEqual(Mouth(267).play(*way), [exit_gate.OUT])

    def test_the_longest_times_stay_small(self):
        """At ball_ms 200 and the largest share of it, in numbers below 2**30."""
        way = (20, "i", 1), (300, "o", 1), (15, "i", 0), (1400, "o", 0)
        mouth = Mouth(1500)
        mouth.gate = ExitGate(200000, STUCK_US, 1500)
        self.assertEqual(mouth.play(*way), [exit_gate.OUT])

    def test_one_close_behind(self):
        """The second is at the inner beam before the first has left the outer one."""
        way = ((20, "i", 1), (15, "o", 1), (25, "i", 0), (6, "i", 1), (9, "o", 0), (31, "i", 0))
        self.assertEqual(Mouth().play(*way), [exit_gate.DOUBLE])

    def test_the_outer_beam_alone(self):
        """No ball does that: the inner beam is dead, or something fell into the tube."""
        self.assertEqual(Mouth().play((20, "o", 1), (40, "o", 0)), [exit_gate.ODD])

    def test_flicker_is_nothing(self):
        """One millisecond is no ball, and no gap in one."""
        mouth = Mouth()
        short = 1
        self.assertEqual(mouth.play((20, "i", 1), (short, "i", 0), (5, "o", 1), (1, "o", 0)), [])
        way = ((20, "i", 1), (15, "o", 1), (5, "i", 0), (1, "i", 1), (19, "i", 0), (15, "o", 0))
        self.assertEqual(mouth.play(*way), [exit_gate.OUT])

    def test_a_ball_that_stands(self):
        mouth = Mouth()
        mouth.play((20, "i", 1))
        mouth.wait(1400)
        self.assertFalse(mouth.gate.inner.stuck)
        mouth.wait(200)
        self.assertTrue(mouth.gate.inner.stuck)
        mouth.play((20, "i", 0))
        self.assertFalse(mouth.gate.inner.stuck)


class BeamTest(unittest.TestCase):
    def test_the_gap_before(self):
        """Free for longer than stuck_us counts as for ever."""
        beam = Beam(STUCK_US)
        at_us = 1000
        for level, after_us in ((1, 0), (0, 40000), (1, 30000), (0, 40000)):
            at_us += after_us
            if beam.is_due(at_us):
                beam.change()
            beam.edge(level, at_us)
        self.assertEqual(beam.gap_us, 30000)
        beam.change()
        beam.tick(at_us + STUCK_US + 1)
        beam.edge(1, at_us + STUCK_US + 5000)
        beam.change()
        self.assertTrue(beam.gap_us > STUCK_US)

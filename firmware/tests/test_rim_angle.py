"""The angle between two rim sensors, from the passes of a ball that slows down evenly."""

import unittest

from tabledev.app.rim_angle import RimAngle

WRAP = 1 << 30
RIM_1, RIM_2 = 4, 5


def passes(turns, angle_mdeg, first_us, longer_us):
    """Rising edges: sensor and time. Each thousandth of a turn takes longer than the one before.

    angle_mdeg: of sensor 2, in the direction of the ball.
    """
    passes, t_us = [], WRAP - 900000
    part_us = first_us
    for _turn in range(turns):
        for part in range(1000):
            if part == 0:
                passes.append((RIM_1, t_us % WRAP))
            if part == angle_mdeg // 360:
                passes.append((RIM_2, t_us % WRAP))
            t_us += part_us // 1000
            part_us += longer_us
    return passes


class RimAngleTest(unittest.TestCase):
    def run_past(self, edges):
        rim = RimAngle()
        for sensor, t_us in edges:
            rim.edge(sensor, 1, t_us)
            rim.edge(sensor, 1, (t_us + 300) % WRAP)  # it bounces
            rim.edge(sensor, 0, (t_us + 12000) % WRAP)
        return rim

    def test_the_angle_of_a_ball_that_slows_down(self):
        """To a quarter of a degree, from 6 turns that grow from 0.5 to 0.75 s."""
        for angle_mdeg in (36000, 90000, 135000):
            rim = self.run_past(passes(6, angle_mdeg, 500000, 45))
            self.assertEqual(rim.count, 9)
            self.assertTrue(abs(rim.mdeg() - angle_mdeg) < 250, rim.mdeg())

    def test_the_other_way_round_it_is_the_same(self):
        """Counter-clockwise, sensor 2 is 270 degrees on; the shorter way counts."""
        rim = self.run_past(passes(6, 270000, 500000, 45))
        self.assertTrue(abs(rim.mdeg() - 90000) < 250, rim.mdeg())

    def test_slow_turns_and_fingers_do_not_count(self):
        """A tilt shifts a slow ball by degrees; a finger passes one sensor alone."""
        self.assertEqual(self.run_past(passes(6, 90000, 1300000, 45)).count, 0)
        fingers = [(RIM_1, 900000 * k) for k in range(9)]
        rim = self.run_past(fingers)
        self.assertEqual(rim.count, 0)

    def test_every_missed_pass_is_counted(self):
        """Of six turns sensor 2 misses two in a row, and sensor 1 another one."""
        edges = passes(6, 90000, 500000, 45)
        rim = self.run_past([edges[n] for n in range(12) if n not in (3, 5, 8)])
        self.assertEqual((rim.missed_1, rim.missed), (1, 2))

    def test_a_throw_after_another_is_no_miss(self):
        """Seconds between two passes of a sensor."""
        edges = passes(6, 90000, 500000, 45)[:3]
        again = [(sensor, (t_us + 5000000) % WRAP) for sensor, t_us in edges]
        rim = self.run_past(edges + again)
        self.assertEqual((rim.missed_1, rim.missed), (0, 0))

    def test_the_way_the_ball_ran_is_known(self):
        """Counter-clockwise, a sensor at 90 degrees is passed 270 degrees after the first one."""
        rim = self.run_past(passes(6, 270000, 500000, 45))
        self.assertTrue(abs(rim.arc_mdeg() - 270000) < 250, rim.arc_mdeg())

    def test_a_missed_pass_is_counted_and_begins_anew(self):
        """Two passes of one sensor in a row: the other one missed it; the four after it count."""
        edges = passes(6, 90000, 500000, 45)
        del edges[5]
        rim = self.run_past(edges)
        self.assertEqual((rim.missed_1, rim.missed), (0, 1))
        self.assertTrue(0 < rim.count < 9)
        self.assertTrue(abs(rim.mdeg() - 90000) < 250, rim.mdeg())


if __name__ == "__main__":
    unittest.main()

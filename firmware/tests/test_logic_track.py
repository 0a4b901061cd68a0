"""Circuits, direction, laps and odd passes of the ball on the rim."""

import unittest

from tablelogic.roulette.track import Track
from tablewire import roulette

WRAP = 1 << 30
START = WRAP - 3000000  # the ball runs across the wrap of the clock
# Ten laps of a real spin, slowing from 2.0 rev/s: their times in ms.
LAPS_MS = (500, 550, 620, 700, 800, 920, 1060, 1240, 1500, 1800)


def run(laps_ms, direction=1, quarter=4):
    """(t_ms, sensor) of a ball released just before sensor 1, sensor 2 a quarter on clockwise.

    Counter-clockwise sensor 2 comes after three quarters of the lap. A last pass of sensor 1 ends
    the last lap.
    """
    found = []
    t_ms = 0
    for lap_ms in laps_ms:
        found.append((t_ms, 0))
        part = lap_ms // quarter
        found.append((t_ms + (part if direction > 0 else lap_ms - part), 1))
        t_ms += lap_ms
    found.append((t_ms, 0))
    return found


def track(passes, rim_angle_mdeg=90000):
    """A track that saw these passes."""
    made = Track(rim_angle_mdeg)
    for t_ms, sensor in passes:
        made.ball_pass(sensor, (START + t_ms * 1000) % WRAP)
    return made


def steady(laps, lap_ms=600, direction=1):
    """A ball that keeps its speed."""
    return run([lap_ms] * laps, direction)


class CircuitTest(unittest.TestCase):
    def test_ten_laps(self):
        """Both ways: ten circuits, 21 passes, the laps as they were, nothing odd."""
        for direction in (1, -1):
            made = track(run(LAPS_MS, direction))
            self.assertEqual(made.circuits_centi(), 1000)
            self.assertEqual(made.direction(), direction)
            self.assertEqual((made.passes, made.odd), (21, 0))
            self.assertEqual((made.first_lap_us, made.lap_us), (500000, 1800000))

    def test_three_laps_must_tell_the_direction(self):
        """They end at the third, fourth and fifth pass; until then circuits count as clockwise."""
        for direction in (1, -1):
            passes = run(LAPS_MS, direction)
            self.assertEqual(track(passes[:4]).direction(), 0)
            self.assertEqual(track(passes[:5]).direction(), direction)
            self.assertEqual(track(passes[:2]).circuits_centi(), 25)

    def test_it_ends_at_the_second_sensor(self):
        """Without the last pass: nine circuits and a quarter, counter-clockwise three quarters."""
        self.assertEqual(track(run(LAPS_MS)[:-1]).circuits_centi(), 925)
        self.assertEqual(track(run(LAPS_MS, -1)[:-1]).circuits_centi(), 975)

    def test_sensors_at_other_angles(self):
        """60 degrees are a sixth of a circuit, 120 a third: 170 and 341 of 1024, rounded down."""
        self.assertEqual(track(run(LAPS_MS, quarter=6)[:-1], 60000).circuits_centi(), 916)
        self.assertEqual(track(run(LAPS_MS, quarter=3)[:-1], 120000).circuits_centi(), 933)

    def test_no_ball(self):
        """Nothing counted, and nothing after a reset."""
        made = track(run(LAPS_MS))
        made.reset()
        self.assertEqual((made.circuits_centi(), made.passes, made.active), (0, 0, False))
        self.assertEqual((made.direction(), made.lap_us, made.silent_sensor()), (0, 0, -1))


class MissedPassTest(unittest.TestCase):
    def test_one_missed_pass_never_adds(self):
        """Whichever is missed, the circuits are the true ten or less, and nothing is odd."""
        for direction in (1, -1):
            for missed in range(21):
                passes = run(LAPS_MS, direction)
                del passes[missed]
                made = track(passes)
                with self.subTest(direction=direction, missed=missed):
                    self.assertTrue(900 <= made.circuits_centi() <= 1000)
                    self.assertEqual((made.odd, made.direction()), (0, direction))

    def test_the_last_lap_is_known_in_spite_of_a_missed_pass(self):
        """Sensor 2 misses the last one: 1800 ms by sensor 1. Sensor 1 misses the last but one:

        from sensor 2 to itself, three quarters of 1500 ms and a quarter of 1800 ms.
        """
        for missed, lap_us in ((19, 1800000), (18, 1575000)):
            passes = run(LAPS_MS)
            del passes[missed]
            self.assertEqual(track(passes).lap_us, lap_us)

    def test_two_missed_passes_never_add(self):
        """A whole lap unseen is one circuit less, both ways; nothing is odd once laps are known.

        The first lap is known from the third pass, or fourth, on.
        """
        for direction in (1, -1):
            for missed in range(19):
                passes = run(LAPS_MS, direction)
                del passes[missed : missed + 2]
                made = track(passes)
                with self.subTest(direction=direction, missed=missed):
                    self.assertTrue(made.circuits_centi() <= 900)
                    self.assertEqual(made.direction(), direction)
                    if missed > 3:
                        self.assertEqual((made.circuits_centi(), made.odd), (900, 0))

    def test_a_missed_pass_in_steady_laps(self):
        """Between passes of one sensor lies one circuit: the ten are still ten."""
        passes = steady(10)
        del passes[7]
        self.assertEqual(track(passes).circuits_centi(), 1000)


class OddPassTest(unittest.TestCase):
    def test_one_pass_too_many(self):
        """On sensor 2 just before its turn, or on 1 just after: counted as odd, never as way."""
        for extra in ((1350, 1), (1850, 0), (1960, 1)):
            passes = sorted(steady(10) + [extra])
            made = track(passes)
            with self.subTest(extra=extra):
                self.assertTrue(made.odd >= 1)
                self.assertTrue(made.circuits_centi() <= 1000)

    def test_one_odd_pass_is_one(self):
        """Laps of 600 ms: another pass within 360 ms of the same sensor is odd and not counted."""
        for extra in ((1800 + 359, 0), (1850, 0), (1950 + 359, 1)):
            made = track(sorted(steady(10) + [extra]))
            self.assertEqual((made.odd, made.passes, made.circuits_centi()), (1, 21, 1000))

    def test_no_ball_makes_four_laps_a_second(self):
        """The second pass of a sensor within 250 ms is odd whatever the lap is, at 250 ms not."""
        for t_ms, odd in ((249, 1), (250, 0)):
            made = track([(0, 0), (t_ms, 0)])
            self.assertEqual((made.odd, made.passes), (odd, 2 - odd))

    def test_a_chip_against_the_ball(self):
        """A second body the other way, 0.9 s a lap: more than one odd pass."""
        chip = [(t_ms + 1730, sensor) for t_ms, sensor in steady(2, 900, -1)]
        made = track(sorted(steady(10) + chip))
        self.assertTrue(made.odd >= 2)

    def test_a_ball_never_gains_speed(self):
        """A lap below four fifths of the one before, by the other sensor, is odd.

        That one is 450 + 452 / 4 = 563 and 450 + 448 / 4 = 562: four fifths are 450.4 and 449.6.
        """
        self.assertEqual(track(run((600, 600, 600, 452))).odd, 0)
        self.assertEqual(track(run((600, 600, 600, 448))).odd, 1)

    def test_a_ball_that_brakes(self):
        """Laps three times as long, again and again, are believed: it crawls."""
        made = track(run((600, 600, 600, 1900, 2000, 2100)))
        self.assertEqual((made.lap_us, made.odd), (2100000, 0))


class GoneTest(unittest.TestCase):
    def gone_after_ms(self, made, drop_lap_us=1100000):
        """How long after the last pass the ball counts as gone, to 10 ms."""
        waited = 0
        while made.left_us((made.last_us + waited * 1000) % WRAP, drop_lap_us) >= 0:
            waited += 10
        return waited

    def test_a_slow_ball(self):
        """One and a half laps and 0.1 s: 1.8 s give 2.8 s."""
        self.assertEqual(self.gone_after_ms(track(run(LAPS_MS))), 2810)

    def test_a_fast_ball_may_crawl(self):
        """0.6 s a lap cannot drop: four and a half seconds."""
        self.assertEqual(self.gone_after_ms(track(steady(8))), 4510)

    def test_a_ball_seen_once(self):
        """No lap is known: four and a half seconds as well."""
        self.assertEqual(self.gone_after_ms(track([(0, 0)])), 4510)


class FirstStepTest(unittest.TestCase):
    def test_what_the_first_step_implies(self):
        """0.3 s from 1 to 2: a quarter of 1.2 s clockwise, three quarters of 0.4 s else."""
        made = track([(0, 0), (300, 1)])
        self.assertTrue(1190000 < made.first_step_lap_us(1) <= 1200000)
        self.assertTrue(396000 < made.first_step_lap_us(-1) <= 400000)

    def test_from_the_second_sensor_to_the_first(self):
        """0.3 s from 2 to 1: three quarters clockwise, a quarter counter-clockwise."""
        made = track([(0, 1), (300, 0)])
        self.assertTrue(396000 < made.first_step_lap_us(1) <= 400000)
        self.assertTrue(1190000 < made.first_step_lap_us(-1) <= 1200000)

    def test_one_pass_implies_nothing(self):
        """Unknown is 0."""
        self.assertEqual(track([(0, 0)]).first_step_lap_us(1), 0)


class SilentTest(unittest.TestCase):
    def test_three_laps_of_the_other(self):
        """It names the silent one; two laps are not enough."""
        for sensor, silent in ((0, roulette.INPUT_RIM_2), (1, roulette.INPUT_RIM_1)):
            laps = [(600 * lap, sensor) for lap in range(4)]
            self.assertEqual(track(laps[:3]).silent_sensor(), -1)
            self.assertEqual(track(laps).silent_sensor(), silent)

    def test_it_answers_again(self):
        """One pass of the sensor that was silent ends it."""
        laps = [(600 * lap, 0) for lap in range(4)]
        self.assertEqual(track(laps + [(1950, 1)]).silent_sensor(), -1)


if __name__ == "__main__":
    unittest.main()

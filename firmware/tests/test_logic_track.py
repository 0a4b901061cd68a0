"""The witness at the rim: whose passes make a chain, how far it turned, what is beside it."""

import unittest

from tablelogic.roulette.track import Track
from tablewire import roulette

WRAP = 1 << 30
START = WRAP - 3000000  # the ball runs across the wrap of the clock
# A ball of 2.0 rev/s that loses 0.12 rev/s in a second; it covers 3 degrees.
SPEED, SLOWING, ARC = 2.0, 0.12, 3 / 360


def at(turns, speed=SPEED, slowing=SLOWING):
    """When a ball has run so many turns, by x = v t - a t^2 / 2, and how long a pass there is."""
    root = (speed * speed - 2 * slowing * turns) ** 0.5
    return (speed - root) / slowing, ARC / root


def run(turns, way=1, angle=0.25, start=0.9, **ball):
    """(t_us, sensor, width_us) of a ball released at `start` that runs so many turns.

    Sensor 1 (0) is at 0, sensor 2 (1) at `angle`, clockwise.
    """
    found = []
    for sensor, place in ((0, 0.0), (1, angle)):
        ahead = ((place - start) * way) % 1.0
        while ahead < turns:
            t_s, width_s = at(ahead, **ball)
            found.append((int(t_s * 1000000), sensor, int(width_s * 1000000)))
            ahead += 1.0
    return sorted(found)


def track(passes, rim_angle_mdeg=90000):
    """A track that saw these passes."""
    made = Track(rim_angle_mdeg)
    for t_us, sensor, width_us in passes:
        made.seen((START + t_us) % WRAP)
        made.ball_pass(sensor, (START + t_us) % WRAP, width_us)
    return made


class CircuitTest(unittest.TestCase):
    def test_ten_laps(self):
        """Released 0.1 turn before sensor 1, gone after 10.2: ten circuits, both ways."""
        for way, start in ((1, 0.9), (-1, 0.1)):
            made = track(run(10.2, way, start=start))
            self.assertEqual((made.circuits_centi(), made.direction()), (1000, way))
            self.assertEqual((made.passes, made.odd, made.late), (21, 0, 0))

    def test_every_angle_and_place(self):
        """Never more than were run, and at most the way to the first sensor and after the last

        less: from 30 to 150 degrees between the sensors, wherever the ball is released.
        """
        for degrees in (30, 61, 90, 119, 150):
            for start in (0.0, 0.2, 0.45, 0.7, 0.95):
                for way in (1, -1):
                    passes = run(10.5, way, degrees / 360, start)
                    made = track(passes, degrees * 1000)
                    with self.subTest(degrees=degrees, start=start, way=way):
                        self.assertEqual(made.direction(), way)
                        widest = max(degrees, 360 - degrees) / 360
                        self.assertTrue(1050 - 200 * widest - 1 <= made.circuits_centi() <= 1050)

    def test_direction_needs_four_passes(self):
        """Three may be a hand's."""
        passes = run(10.2)
        self.assertEqual(track(passes[:3]).direction(), 0)
        self.assertEqual(track(passes[:4]).direction(), 1)

    def test_laps(self):
        """The first took as long as 1.1 turns less 0.1, the last as long as 10.1 less 9.1."""
        made = track(run(10.2))
        first, last = at(1.1)[0] - at(0.1)[0], at(10.1)[0] - at(9.1)[0]
        self.assertTrue(abs(made.first_lap_us - first * 1000000) < 100)
        self.assertTrue(abs(made.lap_us - last * 1000000) < 100)

    def test_friction_and_last_rim(self):
        """0.12 turns/s2 are 432 tenths of a degree; the last of 21 passes is at sensor 1.

        A lap is known to a millisecond and its growth to 1/1024, 1 in 80 of it.
        """
        made = track(run(10.2))
        self.assertTrue(426 <= made.friction_ddegss() <= 433)
        self.assertEqual(made.last_rim(), 1)
        self.assertEqual(track(run(10.4)).last_rim(), 2)
        self.assertEqual(track(run(10.2)[:4]).friction_ddegss(), 65535)

    def test_no_ball(self):
        """Nothing counted, and nothing after a reset."""
        made = track(run(10.2))
        made.reset()
        self.assertEqual((made.circuits_centi(), made.passes, made.active), (0, 0, False))
        self.assertEqual((made.direction(), made.lap_us, made.silent_sensor()), (0, 0, -1))

    def test_a_ball_that_skids(self):
        """It loses 1.0 rev/s in a second at first: circuits count, at most a lap less."""
        skids = [one for one in run(1.4, speed=2.4, slowing=1.0) if one[1] == 0 or one[0]]
        end_s, _ = at(1.4, 2.4, 1.0)
        rolls = run(9.0, start=0.3, speed=2.4 - 1.0 * end_s)
        later = [(t + int(end_s * 1000000), s, w) for t, s, w in rolls]
        made = track(skids + later)
        self.assertEqual((made.odd, made.late), (0, 0))
        self.assertTrue(900 <= made.circuits_centi() <= 1040)


class OtherHandsTest(unittest.TestCase):
    """What is not the ball adds nothing: 6.6 turns from sensor 1, 6.25 at most by it."""

    def setUp(self):
        self.passes = run(6.6, start=0.99)
        self.counted = track(self.passes).circuits_centi()
        self.assertTrue(600 <= self.counted <= 660)

    def check(self, extra):
        """Never more circuits with the extra passes, wherever they come."""
        made = track(sorted(self.passes + extra))
        self.assertTrue(made.circuits_centi() <= self.counted, (extra, made.circuits_centi()))
        return made

    def test_a_finger_before(self):
        """As narrow as a ball, up to 2.5 s before, at either sensor: one in fifty is believed."""
        believed = 0
        for ms in range(20, 2500, 10):
            for sensor in (0, 1):
                extra = (-ms * 1000, sensor, 4000)
                passes = [(t + 3000000, s, w) for t, s, w in [extra] + self.passes]
                believed += track(passes).circuits_centi() > self.counted
        self.assertTrue(believed <= 10, believed)

    def test_a_finger_after(self):
        """Up to 2.5 s after the last pass: it counts only where the ball would have been due."""
        end = self.passes[-1][0]
        believed = 0
        for ms in range(20, 2500, 10):
            for sensor in (0, 1):
                made = track(self.passes + [(end + ms * 1000, sensor, 9000)])
                believed += made.circuits_centi() > self.counted
        self.assertTrue(believed <= 25, believed)

    def test_interference(self):
        """One pulse of 4 ms at any moment of the run."""
        for ms in range(600, self.passes[-1][0] // 1000, 37):
            for sensor in (0, 1):
                self.check([(ms * 1000 + 11, sensor, 4000)])

    def test_a_sleeve_is_no_pass(self):
        """0.2 s wide: ignored before, within and after the run."""
        made = Track(90000)
        self.assertFalse(made.ball_pass(0, START, 200000))
        self.assertEqual(made.passes, 0)
        end_us = self.passes[-1][0]
        for us in (100000, 500000, 2500000):
            made = track(self.passes)
            self.assertFalse(made.ball_pass(1, (START + end_us + us) % WRAP, 200000))
            self.assertEqual((made.odd, made.late), (0, 0))

    def test_a_chip_is_beside_the_chain(self):
        """60 ms wide, four times the ball: an object while the ball is due, later a finger."""
        end_us = self.passes[-1][0]
        for us, odd in ((500000, 1), (2500000, 0)):
            made = track(self.passes)
            self.assertFalse(made.ball_pass(1, (START + end_us + us) % WRAP, 60000))
            self.assertEqual((made.odd, made.late), (odd, 0))


class CaughtTest(unittest.TestCase):
    def test_thrown_again_sooner(self):
        """Four laps, caught, thrown again at 2.0 rev/s: passes beside the chain."""
        first = run(4.2)
        again = [(t + first[-1][0] + 300000, s, w) for t, s, w in run(5.0)]
        self.assertTrue(track(first + again).odd >= 2)

    def test_thrown_again_later(self):
        """The same 2 s later: passes too late for a ball that slows by itself, and too narrow."""
        first = run(4.2)
        again = [(t + first[-1][0] + 2000000, s, w) for t, s, w in run(5.0)]
        made = track(first + again)
        self.assertTrue(made.odd >= 2)
        self.assertTrue(made.circuits_centi() <= 410)

    def thrown_again(self, skips, speed, late):
        """Four laps, then a ball thrown again for six, slower than the first one.

        Its first pass is as late as that of the old ball `skips` passes further on, times `late`.
        """
        first = run(4.2)
        sensor = first[-1][1] if skips == 2 else 1 - first[-1][1]
        again = run(6.2, start=0.15 if sensor else 0.9, speed=speed, slowing=0.06)
        later_us = int(run(6.2)[len(first) + skips - 1][0] * late) - again[0][0]
        return first + [(t + later_us, s, w) for t, s, w in again]

    def test_thrown_again_when_it_was_due(self):
        """Both runs are one chain by their times, with a pass missed or none: the last counts."""
        for skips in (1, 2):
            for speed in (1.2, 1.3, 1.4):
                for late in (1.0, 1.02, 1.04):
                    made = track(self.thrown_again(skips, speed, late))
                    with self.subTest(skips=skips, speed=speed, late=late):
                        is_void = made.odd >= 2 or made.late >= 2
                        self.assertTrue(is_void or made.circuits_centi() <= 620)

    def test_two_passes_of_a_run_that_was_caught(self):
        """A ball seen twice, then another run: two passes beside the chain of that."""
        first = run(10.2)[:2]
        again = [(t + 2000000, s, w) for t, s, w in run(9.0, -1, start=0.1)]
        self.assertEqual(track(first + again).odd, 2)

    def test_a_ball_never_gains_speed(self):
        """A lap by 4 % shorter than the one before, by the same sensor, is no ball's."""
        laps = [0, 600, 1200, 1800, 2400, 2976]
        passes = []
        for before, after in zip(laps, laps[1:]):
            passes.append((before * 1000, 0, 5000))
            passes.append((before * 1000 + (after - before) * 250, 1, 5000))
        passes.append((laps[-1] * 1000, 0, 5000))
        self.assertTrue(track(passes).odd >= 2)

    def test_a_crawling_ball(self):
        """From 1 rev/s it falls to 0.3: passes that come late, and none is odd."""
        fast = run(6.2)
        slow_us = int(1000000 / 0.3)
        end = fast[-1][0]
        crawl = [(end + k * slow_us, fast[-1][1], int(ARC * slow_us)) for k in (1, 2, 3)]
        made = track(fast + crawl)
        self.assertEqual((made.odd, made.late), (0, 3))


class MissedPassTest(unittest.TestCase):
    def test_one_missed_pass_never_adds(self):
        """Whichever is missed, the circuits are the true ten or less, and nothing is beside.

        Of the first five the way to it is lost too: no deceleration is known yet. Of the last
        three the way from the pass before: nothing comes that confirms it.
        """
        for way, start in ((1, 0.9), (-1, 0.1)):
            for missed in range(21):
                passes = run(10.2, way, start=start)
                del passes[missed]
                made = track(passes)
                with self.subTest(way=way, missed=missed):
                    least = (725, 1000, 800)[(missed > 4) + (missed > 17)]
                    self.assertTrue(least <= made.circuits_centi() <= 1000)
                    self.assertEqual((made.odd, made.late, made.direction()), (0, 0, way))


class WindowTest(unittest.TestCase):
    def test_until_when_the_ball_may_be_on_the_rim(self):
        """After the last pass of sensor 1 the next is sensor 2, a quarter on: not before it, and

        not later than half as long again.
        """
        made = track(run(10.2))
        due_us = (at(10.35)[0] - at(10.1)[0]) * 1000000
        self.assertTrue(due_us <= made.next_us <= due_us * 3 // 2)

    def gone_after_ms(self, made, drop_lap_us=1100000):
        """How long after the last pass the ball counts as gone, to 10 ms."""
        waited = 0
        while made.left_us((made.last_us + waited * 1000) % WRAP, drop_lap_us) >= 0:
            waited += 10
        return waited

    def test_a_slow_ball_is_gone(self):
        """One and a half laps and 0.1 s."""
        made = track(run(15.2))
        expected = made.lap_us * 3 // 2000 + 100
        self.assertTrue(0 <= self.gone_after_ms(made) - expected <= 20)

    def test_a_fast_ball_may_crawl(self):
        """Laps of less than 1.1 s cannot drop: four and a half seconds."""
        self.assertEqual(self.gone_after_ms(track(run(5.2))), 4510)


class SilentTest(unittest.TestCase):
    def test_three_laps_of_the_other(self):
        """It names the silent one; two laps are not enough."""
        for sensor, silent in ((0, roulette.INPUT_RIM_2), (1, roulette.INPUT_RIM_1)):
            laps = [(600000 * lap, sensor, 5000) for lap in range(4)]
            self.assertEqual(track(laps[:3]).silent_sensor(), -1)
            self.assertEqual(track(laps).silent_sensor(), silent)

    def test_it_answers_again(self):
        """One pass of the sensor that was silent ends it."""
        laps = [(600000 * lap, 0, 5000) for lap in range(4)]
        self.assertEqual(track(laps + [(1950000, 1, 5000)]).silent_sensor(), -1)


if __name__ == "__main__":
    unittest.main()

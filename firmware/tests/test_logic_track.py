"""The witness at the rim: whose passes make a chain, how far it turned, what is beside it."""

import unittest

from tablelogic.roulette.lap_law import LapLaw
from tablelogic.roulette.track import Track
from tablewire import roulette, settings

WRAP = 1 << 30
START = WRAP - 3000000  # the ball runs across the wrap of the clock
# A ball of 2.0 rev/s that loses 0.12 rev/s in a second; it covers 3 degrees.
SPEED, SLOWING, ARC = 2.0, 0.12, 3 / 360


def pass_at(turns, speed=SPEED, slowing=SLOWING):
    """When a ball has run so many turns, by x = v t - a t^2 / 2, and how long a pass there is."""
    root = (speed * speed - 2 * slowing * turns) ** 0.5
    return (speed - root) / slowing, ARC / root


def run(turns, way=1, angle=0.25, start=0.9, **ball):
    """(t_us, sensor, width_us) of a ball released at `start` that runs so many turns.

    Sensor 1 (0) is at 0, sensor 2 (1) at `angle`, clockwise.
    """
    return run_by((0.0, angle), turns, way, start, **ball)


def run_by(places, turns, way=1, start=0.9, **ball):
    """The same by any number of sensors."""
    passes = []
    for sensor, place in enumerate(places):
        ahead = ((place - start) * way) % 1.0
        while ahead < turns:
            t_s, width_s = pass_at(ahead, **ball)
            passes.append((int(t_s * 1000000), sensor, int(width_s * 1000000)))
            ahead += 1.0
    return sorted(passes)


def law(roughness=20, steady=0, square=0):
    """The law of a rim: as smooth as can be configured, and of an unknown ball."""
    cfg = list(settings.factory())
    cfg[roulette.RIM_ROUGHNESS] = roughness
    cfg[roulette.LAP_STEADY], cfg[roulette.LAP_SQUARE] = steady, square
    return LapLaw(cfg)


def track(passes, *angles_mdeg):
    """A track that saw these passes. angles_mdeg: of the sensors after the first one."""
    ball = Track([0] + list(angles_mdeg or (90000,)), law())
    for t_us, sensor, width_us in passes:
        ball.activate((START + t_us) % WRAP)
        ball.ball_pass(sensor, (START + t_us) % WRAP, width_us)
    return ball


class CircuitTest(unittest.TestCase):
    def test_ten_laps(self):
        """Released 0.1 turn before sensor 1, gone after 10.2: ten circuits, both ways."""
        for way, start in ((1, 0.9), (-1, 0.1)):
            ball = track(run(10.2, way, start=start))
            self.assertEqual((ball.circuits_centi(), ball.direction()), (1000, way))
            self.assertEqual((ball.passes, ball.odd, ball.late), (21, 0, 0))

    def test_every_angle_and_place(self):
        """Never more than were run, and at most the way to the first sensor and after the last

        less: from 30 to 150 degrees between the sensors, wherever the ball is released.
        """
        for degrees in (30, 61, 90, 119, 150):
            for start in (0.0, 0.2, 0.45, 0.7, 0.95):
                for way in (1, -1):
                    passes = run(10.5, way, degrees / 360, start)
                    ball = track(passes, degrees * 1000)
                    with self.subTest(degrees=degrees, start=start, way=way):
                        self.assertEqual(ball.direction(), way)
                        widest = max(degrees, 360 - degrees) / 360
                        self.assertTrue(1050 - 200 * widest - 1 <= ball.circuits_centi() <= 1050)

    def test_direction_needs_four_passes(self):
        """Three may be a hand's."""
        passes = run(10.2)
        self.assertEqual(track(passes[:3]).direction(), 0)
        self.assertEqual(track(passes[:4]).direction(), 1)

    def test_laps(self):
        """The first took as long as 1.1 turns less 0.1, the last as long as 10.1 less 9.1."""
        ball = track(run(10.2))
        first, last = pass_at(1.1)[0] - pass_at(0.1)[0], pass_at(10.1)[0] - pass_at(9.1)[0]
        self.assertTrue(abs(ball.first_lap_us - first * 1000000) < 100)
        self.assertTrue(abs(ball.lap_us - last * 1000000) < 100)

    def test_friction_and_last_rim(self):
        """0.12 turns/s2 are 432 tenths of a degree; the last of 21 passes is at sensor 1.

        A lap is known to a millisecond and its growth to 1/1024, 1 in 80 of it.
        """
        ball = track(run(10.2))
        self.assertTrue(426 <= ball.friction_ddegss() <= 433)
        self.assertEqual(ball.last_rim(), 1)
        self.assertEqual(track(run(10.4)).last_rim(), 2)
        self.assertEqual(track(run(10.2)[:4]).friction_ddegss(), 65535)

    def test_no_ball(self):
        """Nothing counted, and nothing after a reset."""
        ball = track(run(10.2))
        ball.reset()
        self.assertEqual((ball.circuits_centi(), ball.passes, ball.active), (0, 0, False))
        self.assertEqual((ball.direction(), ball.lap_us, ball.silent_sensor()), (0, 0, -1))

    def test_a_ball_that_skids(self):
        """It loses 1.0 rev/s in a second at first: circuits count, at most a lap less."""
        skids = [one for one in run(1.4, speed=2.4, slowing=1.0) if one[1] == 0 or one[0]]
        end_s, _ = pass_at(1.4, 2.4, 1.0)
        rolls = run(9.0, start=0.3, speed=2.4 - 1.0 * end_s)
        later = [(t + int(end_s * 1000000), s, w) for t, s, w in rolls]
        ball = track(skids + later)
        self.assertEqual((ball.odd, ball.late), (0, 0))
        self.assertTrue(900 <= ball.circuits_centi() <= 1040)


class OtherHandsTest(unittest.TestCase):
    """What is not the ball adds nothing: 6.6 turns from sensor 1, 6.25 at most by it."""

    def setUp(self):
        self.passes = run(6.6, start=0.99)
        self.counted = track(self.passes).circuits_centi()
        self.assertTrue(600 <= self.counted <= 660)

    def check(self, extra):
        """Never more circuits with the extra passes, wherever they come."""
        ball = track(sorted(self.passes + extra))
        self.assertTrue(ball.circuits_centi() <= self.counted, (extra, ball.circuits_centi()))
        return ball

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
                ball = track(self.passes + [(end + ms * 1000, sensor, 9000)])
                believed += ball.circuits_centi() > self.counted
        self.assertTrue(believed <= 25, believed)

    def test_a_finger_where_the_ball_would_have_been(self):
        """A tenth of a turn before the release, at sensor 1, it is known by its width: the ball

        covers the sensor for 4.3 ms a lap later, and would have for 4.2.
        """
        early_s = -pass_at(-0.1)[0]
        for angles, places in (((90000,), (0.0, 0.25)), (FOUR[1], FOUR[0])):
            passes = run_by(places, 6.6, start=0.1)  # sensor 1 was a tenth of a turn before
            passes = [(t + int(early_s * 1000000), s, w) for t, s, w in passes]
            counted = track(passes, *angles).circuits_centi()
            for width_us, is_believed in ((4200, True), (6000, False), (2200, False)):
                ball = track([(0, 0, width_us)] + passes, *angles)
                with self.subTest(angles=angles, width_us=width_us):
                    self.assertEqual(ball.circuits_centi() > counted, is_believed)

    def test_interference(self):
        """One pulse of 4 ms at any moment of the run."""
        for ms in range(600, self.passes[-1][0] // 1000, 37):
            for sensor in (0, 1):
                self.check([(ms * 1000 + 11, sensor, 4000)])

    def test_a_sleeve_is_no_pass(self):
        """0.2 s wide: ignored before, within and after the run."""
        ball = Track([0, 90000], law())
        self.assertFalse(ball.ball_pass(0, START, 200000))
        self.assertEqual(ball.passes, 0)
        end_us = self.passes[-1][0]
        for us in (100000, 500000, 2500000):
            ball = track(self.passes)
            self.assertFalse(ball.ball_pass(1, (START + end_us + us) % WRAP, 200000))
            self.assertEqual((ball.odd, ball.late), (0, 0))

    def test_a_chip_is_beside_the_chain(self):
        """60 ms wide, four times the ball: an object while the ball is due, later a finger."""
        end_us = self.passes[-1][0]
        for us, odd in ((500000, 1), (2500000, 0)):
            ball = track(self.passes)
            self.assertFalse(ball.ball_pass(1, (START + end_us + us) % WRAP, 60000))
            self.assertEqual((ball.odd, ball.late), (odd, 0))


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
        ball = track(first + again)
        self.assertTrue(ball.odd >= 2)
        self.assertTrue(ball.circuits_centi() <= 410)

    def thrown_again(self, skips, speed, late=1.0, laps=4.2, again_laps=6.2):
        """Four laps, then a ball thrown again for six, slower than the first one.

        Its first pass is as late as that of the old ball `skips` passes further on, times `late`.
        """
        first = run(laps)
        sensor = first[-1][1] if skips == 2 else 1 - first[-1][1]
        again = run(again_laps, start=0.15 if sensor else 0.9, speed=speed, slowing=0.06)
        later_us = int(run(laps + 2)[len(first) + skips - 1][0] * late) - again[0][0]
        return first + [(t + later_us, s, w) for t, s, w in again]

    def test_thrown_again_when_it_was_due(self):
        """Both runs are one chain by their times, with a pass missed or none: the last counts."""
        for skips in (1, 2):
            for speed in (1.2, 1.3, 1.4):
                for late in (1.0, 1.02, 1.04):
                    ball = track(self.thrown_again(skips, speed, late))
                    with self.subTest(skips=skips, speed=speed, late=late):
                        is_void = ball.odd >= 2 or ball.late >= 2
                        self.assertTrue(is_void or ball.circuits_centi() <= 620)

    def test_thrown_again_where_it_would_have_been(self):
        """Each lap grows like a ball's, but not by the drag of those before: the last run counts.

        By a twentieth of a lap more, from the lap in which it was thrown.
        """
        for skips, speed in ((1, 1.68), (1, 1.7), (2, 1.66)):
            with self.subTest(skips=skips, speed=speed):
                ball = track(self.thrown_again(skips, speed))
                self.assertTrue(ball.circuits_centi() <= 625)

    def test_thrown_again_after_enough_circuits(self):
        """Eight laps, caught, thrown again for three: those before the last throw do not count."""
        for speed in (1.4, 1.44, 1.46, 1.48):
            with self.subTest(speed=speed):
                ball = track(self.thrown_again(1, speed, laps=8.2, again_laps=3.2))
                self.assertTrue(ball.circuits_centi() < 700)

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
        ball = track(fast + crawl)
        self.assertEqual((ball.odd, ball.late), (0, 3))


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
                ball = track(passes)
                with self.subTest(way=way, missed=missed):
                    least = (725, 1000, 800)[(missed > 4) + (missed > 17)]
                    self.assertTrue(least <= ball.circuits_centi() <= 1000)
                    self.assertEqual((ball.odd, ball.late, ball.direction()), (0, 0, way))


class WindowTest(unittest.TestCase):
    def test_until_when_the_ball_may_be_on_the_rim(self):
        """After the last pass of sensor 1 the next is sensor 2, a quarter on: not before it, and

        not later than half as long again.
        """
        ball = track(run(10.2))
        due_us = (pass_at(10.35)[0] - pass_at(10.1)[0]) * 1000000
        self.assertTrue(due_us <= ball.next_us <= due_us * 3 // 2)

    def gone_after_ms(self, ball, drop_lap_us=1100000):
        """How long after the last pass the ball counts as gone, to 10 ms."""
        waited = 0
        while ball.unseen_us((ball.last_us + waited * 1000) % WRAP, drop_lap_us) >= 0:
            waited += 10
        return waited

    def test_a_slow_ball_is_gone(self):
        """One and a half laps and 0.1 s."""
        ball = track(run(15.2))
        expected = ball.lap_us * 3 // 2000 + 100
        self.assertTrue(0 <= self.gone_after_ms(ball) - expected <= 20)

    def test_a_fast_ball_may_crawl(self):
        """Laps of less than 1.1 s cannot drop: four and a half seconds."""
        self.assertEqual(self.gone_after_ms(track(run(5.2))), 4510)


class LapLawTest(unittest.TestCase):
    """What growth a lap may have, by hand; its slack is three standard deviations."""

    def test_a_law_that_is_known(self):
        """0.06 turns/s2 and 0.05 per turn: a lap of 1 s after one of 0.9 s grows by both parts.

        0.06 x 1.0 x 1.0 is 61 of 1024; 0.05 x 1.0 / 0.9 is 57.
        """
        wheel = law(steady=600, square=500)
        slack = wheel.expect(0, 0, 114, 1000000, True, False)
        self.assertTrue(abs(wheel.least + slack - 118) <= 2)
        self.assertEqual(wheel.most - slack - slack // 4, wheel.least + slack)

    def test_the_slack_is_of_the_roughness(self):
        """A share of 0.2 over laps of 1 s: 3 x 0.2 x sqrt(0.22) is 28 % of the growth.

        4 of 1024 and 3 ms of a lap are beside it on any rim: 7.
        """
        for lap_us, root in ((600000, 0.606), (1000000, 0.469), (2000000, 0.332)):
            slack = law(200).expect(100, 100, 0, lap_us, True, False)
            expected = 100 * 3 * 0.2 * root + 4 + 3000000 / lap_us
            with self.subTest(lap_us=lap_us):
                self.assertTrue(abs(slack - expected) <= expected / 8, (slack, expected))

    def test_a_law_that_is_not_known(self):
        """Steady drag makes the growth of a lap 10 % longer 21 % more, drag by the square none."""
        wheel = law()
        slack = wheel.expect(100, 100, 102, 1000000, True, False)
        self.assertEqual(wheel.least + slack, 100)
        self.assertTrue(119 <= wheel.most - slack - slack // 4 <= 121)

    def test_a_ball_that_skids_never_grows_more(self):
        """600 of 1024 in laps of 1 s are 0.59 turns/s2: no ball that rolls."""
        wheel = law()
        slack = wheel.expect(600, 600, 500, 1000000, False, False)
        self.assertEqual(wheel.most - slack - slack // 4, 600)

    def test_a_missed_pass_leaves_a_quarter(self):
        """On a rough rim; on a smooth one 4 of 1024 are left."""
        self.assertEqual(
            law(200).expect(300, 300, 0, 1000000, True, True),
            law(200).expect(300, 300, 0, 1000000, True, False) // 4,
        )
        self.assertEqual(law(20).expect(30, 30, 0, 1000000, True, True), 4)


class RoughTest(unittest.TestCase):
    """A rim whose drag is by turns 30 % more and less than the mean, for a third of a lap each."""

    def passes(self, turns, first):
        passes, x, v, t = [], 0.0, SPEED, 0.0
        while x < turns:
            part = int(x * 3) % 2 == first
            v -= SLOWING * (1.3 if part else 0.7) * 0.0005
            before, x, t = x, x + v * 0.0005, t + 0.0005
            for sensor, place in enumerate((0.1, 0.35)):
                if int(x - place + 1) > int(before - place + 1):
                    passes.append((int(t * 1000000), sensor, int(ARC / v * 1000000)))
        return passes

    def test_a_rough_rim_counts(self):
        """Ten circuits and nothing beside them, as configured by default."""
        for first in (0, 1):
            ball = Track([0, 90000], law(200))
            for t_us, sensor, width_us in self.passes(10.2, first):
                ball.ball_pass(sensor, t_us, width_us)
            self.assertEqual((ball.odd, ball.late), (0, 0))
            self.assertTrue(1000 <= ball.circuits_centi() <= 1000)


class DirtyPulseTest(unittest.TestCase):
    def test_one_dirty_pulse(self):
        """Whichever pulse is 8 ms late, circuits count: the other sensor's laps obey.

        Of the last ones a lap less: nothing comes that confirms them.
        """
        passes = run(10.2)
        for number in range(8, len(passes)):
            t_us, sensor, width_us = passes[number]
            dirty = passes[:number] + [(t_us + 8000, sensor, width_us)] + passes[number + 1 :]
            ball = track(dirty)
            with self.subTest(number=number):
                self.assertEqual((ball.odd, ball.late), (0, 0))
                self.assertTrue(900 <= ball.circuits_centi() <= 1000, ball.circuits_centi())

    def test_all_pulses_later_are_no_dirt(self):
        """The ball was held for 60 ms after the tenth pass: circuits count from there."""
        passes = run(10.2)
        held = passes[:10] + [(t + 60000, s, w) for t, s, w in passes[10:]]
        self.assertTrue(track(held).circuits_centi() <= 525)


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

# Places of the sensors in turns, and their angles after the first one in mdeg.
THREE = (0.0, 1 / 3, 2 / 3), (120000, 240000)
FOUR = (0.0, 0.25, 0.5, 0.75), (90000, 180000, 270000)


class MoreSensorsTest(unittest.TestCase):
    def test_circuits_are_counted_to_a_part(self):
        """Of 10.5 turns by three or four sensors at most two parts are lost, whichever way."""
        for places, angles in (THREE, FOUR):
            part = 100 // len(places) + 1
            for start in (0.02, 0.2, 0.45, 0.7, 0.95):
                for way in (1, -1):
                    ball = track(run_by(places, 10.5, way, start), *angles)
                    with self.subTest(sensors=len(places), start=start, way=way):
                        self.assertEqual((ball.direction(), ball.odd, ball.late), (way, 0, 0))
                        self.assertTrue(1050 - 2 * part <= ball.circuits_centi() <= 1050)

    def test_direction_needs_two_passes_of_each(self):
        """Eight of four sensors, six of three."""
        for places, angles in (THREE, FOUR):
            passes, firm = run_by(places, 10.5), 2 * len(places)
            self.assertEqual(track(passes[: firm - 1], *angles).direction(), 0)
            self.assertEqual(track(passes[:firm], *angles).direction(), 1)

    def test_the_sensor_passed_last(self):
        """Released 0.1 turn before sensor 1: after 10.4 it is sensor 2, after 10.9 sensor 4."""
        self.assertEqual(track(run_by(FOUR[0], 10.4), *FOUR[1]).last_rim(), 2)
        self.assertEqual(track(run_by(FOUR[0], 10.9), *FOUR[1]).last_rim(), 4)

    def test_one_missed_pass_never_adds(self):
        """Whichever of 41 is missed: no more than the true ten; one less but at the ends.

        Of the first nine all before it may be lost: no deceleration is known yet. One in the last
        turn leaves that in doubt: the laps before have it in them, as the last ones.
        """
        for missed in range(41):
            passes = run_by(FOUR[0], 10.2)
            del passes[missed]
            ball = track(passes, *FOUR[1])
            with self.subTest(missed=missed):
                least = 750 if missed < 9 else 950 if missed < 36 else 875
                self.assertTrue(least <= ball.circuits_centi() <= 1000, ball.circuits_centi())
                self.assertEqual((ball.odd, ball.late, ball.direction()), (0, 0, 1))

    def test_caught_and_thrown_again_where_it_would_have_been(self):
        """4.9 circuits after 2.7: each lap with the pause in it has grown as the one before it.

        The first lap without the pause has not; a model's round (ms, sensor, width in 0.1 ms).
        """
        passes = (
            (0, 1, 70), (106, 0, 74), (207, 3, 71), (368, 2, 79), (490, 1, 77), (610, 0, 79),
            (723, 3, 78), (902, 2, 86), (1039, 1, 90), (1172, 0, 89), (1299, 3, 92), (1498, 2, 96),
            (1653, 1, 100), (1801, 0, 101), (1943, 3, 105), (2363, 1, 121), (2542, 0, 125),
            (2711, 3, 127), (2981, 2, 130), (3190, 1, 132), (3392, 0, 131), (3584, 3, 142),
            (3889, 2, 148), (4126, 1, 155), (4355, 0, 158), (4573, 3, 163), (4921, 2, 168),
            (5190, 1, 175), (5452, 0, 179), (5701, 3, 190), (6100, 2, 197), (6410, 1, 203),
            (6711, 0, 208), (6999, 3, 210), (7461, 2, 220),
        )  # fmt: skip
        ball = track(
            [(ms * 1000, sensor, width * 100) for ms, sensor, width in passes],
            81553,
            168186,
            284359,
        )
        self.assertLess(ball.circuits_centi(), 500)

    def test_opposite_sensors_alone_are_no_ball(self):
        """Half a turn apart either way round: the direction cannot be known."""
        passes = [one for one in run_by(FOUR[0], 10.2) if one[1] in (0, 2)]
        self.assertEqual(track(passes, *FOUR[1]).passes, 0)

    def test_a_silent_sensor(self):
        """Each of three and of four, after three laps of the others; not before."""
        inputs = (4, 5, 14, 15)  # PROTOCOL.md, inputs of a roulette wheel
        for places, angles in (THREE, FOUR):
            for silent in range(len(places)):
                passes = [one for one in run_by(places, 10.2) if one[1] != silent]
                others = len(places) - 1
                with self.subTest(sensors=len(places), silent=silent):
                    silent_sensor = track(passes[: 3 * others], *angles).silent_sensor()
                    self.assertEqual(silent_sensor, -1)
                    silent_sensor = track(passes[: 5 * others], *angles).silent_sensor()
                    self.assertEqual(silent_sensor, inputs[silent])

    def test_a_stranger_beside_the_way(self):
        """A finger at the sensor after next, as no ball comes to it: beside the chain."""
        passes = run_by(FOUR[0], 10.2)
        end_us, last, width_us = passes[-1]
        early = end_us + 300000  # a lap takes 1.3 s: half of it later than this
        ball = track(passes + [(early + 200000, (last + 2) % 4, width_us)], *FOUR[1])
        self.assertEqual((ball.odd, ball.circuits_centi()), (1, 1000))

    def test_it_has_left_half_a_lap_after_the_last_pass(self):
        """A quarter until the next sensor is overdue, and a quarter of a lap more."""
        ball = track(run_by(FOUR[0], 10.2), *FOUR[1])
        due_us = (pass_at(10.35)[0] - pass_at(10.1)[0]) * 1000000
        self.assertTrue(due_us <= ball.next_us <= due_us * 3 // 2)
        self.assertEqual(ball.left_us - ball.next_us, ball.lap_us // 4)
        ball = track(run(10.2))
        self.assertEqual(ball.left_us, ball.next_us)

"""Faults that stand, the pause between rounds, and sensors that stay silent."""

import unittest

from tests.logic_fakes import Orders, Sink, factory

from tablelogic.core.faults import ActiveFaults
from tablelogic.core.round import RoundInterval
from tablelogic.roulette.pulses import Pulse, SensorWatch
from tablelogic.roulette.track import RIMS
from tablewire import codes, roulette
from tablewire import messages as m

WRAP = 1 << 30


class ActiveFaultsTest(unittest.TestCase):
    def setUp(self):
        self.sink = Sink()
        self.active_faults = ActiveFaults(self.sink)

    def test_raised_once_cleared_once(self):
        """With sensor, value and limit; cleared with the time it was active, across the wrap."""
        faults = self.active_faults
        self.assertTrue(faults.activate(codes.TILT, m.INPUT_TILT, 1, 0, WRAP - 1000))
        self.assertFalse(faults.activate(codes.TILT, m.INPUT_TILT, 1, 0, WRAP - 500))
        self.assertEqual((faults.count, faults.is_active(codes.TILT)), (1, True))
        self.assertEqual(faults.sensor(codes.TILT), m.INPUT_TILT)
        faults.clear(codes.TILT, 2000)
        faults.clear(codes.TILT, 2500)
        self.assertEqual((faults.count, faults.is_active(codes.TILT)), (0, False))
        raised = ("fault_raised", [401, m.INPUT_TILT, 1, 0])
        self.assertEqual(
            self.sink.reported, [raised, ("fault_cleared", [401, m.INPUT_TILT, 3000])]
        )

    def test_every_fault_code(self):
        """All seven at once; each is reported and cleared for itself."""
        numbers = (301, 302, 401, 402, 501, 502, 503)
        for code in numbers:
            self.active_faults.activate(code, 255, 0, 0, 0)
        self.assertEqual(self.active_faults.count, 7)
        for code in numbers:
            self.active_faults.clear(code, 40)
        self.assertEqual(self.active_faults.count, 0)
        cleared = [values[0] for name, values in self.sink.reported if name == "fault_cleared"]
        self.assertEqual(cleared, list(numbers))

    def test_raised_again(self):
        """With its new sensor and its new time."""
        self.active_faults.activate(codes.SENSOR_STUCK, roulette.INPUT_RIM_1, 0, 1, 1000)
        self.active_faults.clear(codes.SENSOR_STUCK, 2000)
        self.active_faults.activate(codes.SENSOR_STUCK, roulette.INPUT_RIM_2, 0, 1, 9000)
        self.active_faults.clear(codes.SENSOR_STUCK, 9500)
        self.assertEqual(
            self.sink.reported[-1], ("fault_cleared", [301, roulette.INPUT_RIM_2, 500])
        )

    def test_it_stands_for_longer_than_the_clock_measures(self):
        """Twenty days are reported as 268,435,455 ms, three days, and never as a negative time."""
        self.active_faults.activate(codes.TILT, m.INPUT_TILT, 1, 0, 0)
        now_ms = 0
        for _ in range(20 * 24):
            now_ms = (now_ms + 3600000) % WRAP
            for _ in range(60):  # some of the ticks of that hour
                self.active_faults.tick(now_ms)
        self.active_faults.clear(codes.TILT, now_ms)
        self.assertEqual(self.sink.reported[-1], ("fault_cleared", [401, m.INPUT_TILT, 268435455]))


class FirstOwnTest(unittest.TestCase):
    def test_the_first_of_the_roles_own(self):
        """In the order of the role's codes; codes of every role do not count."""
        faults = ActiveFaults(Sink(), (950, 940))
        self.assertEqual(faults.first_own(), 0)
        faults.activate(codes.TILT, m.INPUT_TILT, 1, 0, 0)
        self.assertEqual(faults.first_own(), 0)
        faults.activate(940, 1, 1, 0, 0)
        self.assertEqual(faults.first_own(), 940)
        faults.activate(950, 1, 1, 0, 0)
        self.assertEqual(faults.first_own(), 950)
        faults.clear(950, 0)
        self.assertEqual(faults.first_own(), 940)


class PauseTest(unittest.TestCase):
    def test_quiet_after_six_seconds(self):
        """Since boot, then since the last pass."""
        pause = RoundInterval(factory())
        pause.tick(5960)
        self.assertFalse(pause.quiet)
        pause.tick(6000)
        self.assertTrue(pause.quiet)
        pause.ball_passed(7000)
        pause.tick(12960)
        self.assertFalse(pause.quiet)
        pause.tick(13000)
        self.assertTrue(pause.quiet)

    def test_held_for_the_configured_time(self):
        """5.5 s after a result or void; with 0 at once."""
        pause = RoundInterval(factory())
        pause.round_ended(WRAP - 1000)
        pause.tick(4480)
        self.assertFalse(pause.held)
        pause.tick(4500)
        self.assertTrue(pause.held)
        pause = RoundInterval(factory(result_hold_ms=0))
        pause.round_ended(1000)
        pause.tick(1000)
        self.assertTrue(pause.held)

    def test_a_long_rest(self):
        """A table may rest for weeks; both stay true through every wrap of the clock."""
        pause = RoundInterval(factory())
        now_ms = 0
        for _ in range(40 * 24):
            now_ms = (now_ms + 3600000) % WRAP
            pause.tick(now_ms)
            self.assertTrue(pause.quiet and pause.held)


class Part:
    """Stands for ring or track: what silent_sensor answers, whether a ball runs, its last pass."""

    silent = -1
    at_rest = False
    passes = last_us = 0

    def silent_sensor(self):
        return self.silent


class Watched(Orders):
    """A round with what the watch looks at."""

    def __init__(self, phase):
        super().__init__(phase)
        self.ring = Part()
        self.track = Part()
        self.faults = ActiveFaults(Sink())
        self.rims = {sensor: Pulse() for sensor in RIMS}
        rims = [self.rims[sensor] for sensor in RIMS]
        self.watch = SensorWatch(self, self.ring, self.track, rims)

    def clear_fault(self, code):
        self.faults.clear(code, 0)

    def cover(self, sensor, from_us, until_us):
        """Hold a sensor; what the watch asked, ticked every 40 ms, but the first of each."""
        self.rims[sensor].edge(1, from_us % WRAP)
        for t_us in range(from_us, until_us + 1, 40000):
            self.watch.tick(t_us % WRAP)
        return sorted({(order[0], order[1], order[2]) for order in self.take()})


class SilentTest(unittest.TestCase):
    def test_a_silent_ring_sensor(self):
        """In any phase, the table at rest included."""
        for phase in (m.PHASE_CLOSED, m.PHASE_BETS_OPEN):
            for sensor in (roulette.INPUT_ROTOR_A, roulette.INPUT_ROTOR_B):
                table = Watched(phase)
                table.ring.silent = sensor
                table.watch.tick(1000)
                self.assertEqual(table.take(), [("raise", 301, sensor, 0, 1)])

    def test_a_silent_rim_sensor(self):
        """Only in a round: between rounds the track of the last one is history."""
        table = Watched(roulette.PHASE_BALL_IN_RIM)
        table.track.silent = roulette.INPUT_RIM_2
        table.watch.tick(1000)
        self.assertEqual(table.take(), [("raise", 301, roulette.INPUT_RIM_2, 0, 1)])
        table.phase = m.PHASE_CLOSED
        table.watch.tick(1040)
        self.assertEqual(table.take(), [])

    def test_it_clears_when_the_sensor_switches(self):
        """A ring sensor by rising, a rim sensor by falling, and by no other sensor."""
        for sensor, level in ((roulette.INPUT_ROTOR_A, 1), (roulette.INPUT_RIM_1, 0)):
            table = Watched(m.PHASE_CLOSED)
            table.faults.activate(301, sensor, 0, 1, 0)
            table.watch.edge(sensor, 1 - level)
            table.watch.edge(roulette.INPUT_INDEX, level)
            self.assertEqual(table.faults.count, 1)
            table.watch.edge(sensor, level)
            self.assertEqual(table.faults.count, 0)


class HeldTest(unittest.TestCase):
    START = WRAP - 700000

    def test_a_ball_parked_at_the_rim(self):
        """Before its launch a hand may hold it there for ten seconds."""
        table = Watched(m.PHASE_BETS_OPEN)
        self.assertEqual(table.cover(roulette.INPUT_RIM_1, self.START, self.START + 10000000), [])
        asked = table.cover(roulette.INPUT_RIM_1, self.START, self.START + 10080000)
        self.assertEqual(asked, [("raise", 301, roulette.INPUT_RIM_1)])

    def test_a_hand_that_closed_the_bets(self):
        """It was seen, no ball yet: it may hold the ball there just as long."""
        table = Watched(roulette.PHASE_BALL_IN_RIM)
        table.track.last_us = self.START
        self.assertEqual(table.cover(roulette.INPUT_RIM_1, self.START, self.START + 10000000), [])
        asked = table.cover(roulette.INPUT_RIM_1, self.START, self.START + 10080000)
        self.assertEqual(asked, [("raise", 301, roulette.INPUT_RIM_1)])

    def test_a_ball_that_stops_on_a_sensor(self):
        """The last pass is this pulse: after 2.5 s the ball is stuck, at 1 s it still may roll."""
        table = Watched(roulette.PHASE_BALL_IN_RIM)
        table.track.passes = 9
        table.track.last_us = self.START
        self.assertEqual(table.cover(roulette.INPUT_RIM_2, self.START, self.START + 2480000), [])
        asked = table.cover(roulette.INPUT_RIM_2, self.START, self.START + 2560000)
        self.assertEqual(asked, [("void", roulette.BALL_STUCK, roulette.INPUT_RIM_2)])

    def test_a_level_held_while_the_ball_runs_on(self):
        """Passes after the pulse began: more than 1 s is a stuck sensor."""
        table = Watched(roulette.PHASE_BALL_IN_RIM)
        table.track.passes = 9
        table.track.last_us = (self.START + 300000) % WRAP
        self.assertEqual(table.cover(roulette.INPUT_RIM_1, self.START, self.START + 1000000), [])
        asked = table.cover(roulette.INPUT_RIM_1, self.START, self.START + 1080000)
        self.assertEqual(asked, [("raise", 301, roulette.INPUT_RIM_1)])


if __name__ == "__main__":
    unittest.main()

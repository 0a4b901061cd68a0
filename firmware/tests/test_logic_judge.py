"""The house rules of a spin, one piece of evidence at a time."""

import unittest

from tests.logic_spin import SECOND_US, Spin

from tablelogic.roulette import judge as phases
from tablewire import messages as m
from tablewire import roulette


class OnTheRimTest(unittest.TestCase):
    def check(self, code, **evidence):
        """Void with the code; without the evidence nothing."""
        spin = Spin()
        self.assertEqual(spin.reason(), 0)
        for name, value in evidence.items():
            setattr(spin.track, name, value)
        self.assertEqual(spin.reason(), code)

    def test_slow_launch(self):
        """A first lap of more than a second; of just a second is in order."""
        self.check(roulette.SLOW_LAUNCH, first_lap_us=1000001)
        self.check(0, first_lap_us=1000000)

    def test_ball_stuck(self):
        """A lap of more than 2.6 s, or a minute on the rim."""
        self.check(roulette.BALL_STUCK, lap_us=2600001)
        self.check(0, lap_us=2600000)
        self.check(0, lap_us=2600001, is_due=False)
        self.check(roulette.BALL_STUCK, late=2)
        self.check(0, late=1)
        spin = Spin()
        self.assertEqual(spin.reason(60 * SECOND_US), 0)
        self.assertEqual(spin.reason(60 * SECOND_US + 1), roulette.BALL_STUCK)

    def test_ball_with_rotor(self):
        """The rotor turns counter-clockwise; so may the ball not. Unknown is not yet wrong."""
        self.check(roulette.BALL_WITH_ROTOR, way=-1)
        self.check(0, way=0)

    def test_foreign_object(self):
        """Two odd passes, still there a tick later: a burst would be reported as such by then."""
        spin = Spin()
        spin.track.odd = 1
        self.assertEqual(spin.reason(), 0)
        spin.track.odd = 2
        self.assertEqual(spin.reason(), 0)
        self.assertEqual(spin.reason(), roulette.FOREIGN_OBJECT)

    def test_foreign_magnet(self):
        """Two passes of the ball while something lies in a pocket."""
        spin = Spin()
        spin.pocket.lies = True
        spin.judge.ball_pass(0, 0, 5000)
        self.assertEqual(spin.reason(), 0)
        spin.judge.ball_pass(1, 100000, 5000)
        self.assertEqual(spin.reason(), roulette.FOREIGN_MAGNET)


class RotorTest(unittest.TestCase):
    """What the rotor may not do from the first pass on."""

    def test_lost_or_out_of_limits(self):
        """The cause is named: with a lost index the speed is not known either."""
        for fault, speed, code in ((205, 0, 205), (0, 203, 203), (206, 202, 206)):
            spin = Spin()
            spin.rotor.fault, spin.rotor.speed = fault, speed
            self.assertEqual(spin.reason(), code)

    def test_stopped(self):
        """It comes before all others: a rotor at rest has no speed and no index either."""
        spin = Spin()
        spin.rotor.stopped = True
        spin.rotor.fault, spin.rotor.speed = roulette.INDEX_LOST, roulette.ROTOR_SLOW
        self.assertEqual(spin.reason(), roulette.ROTOR_STOPPED)

    def test_reversed(self):
        """While the direction is unknown nothing is said; the other one is a reversal."""
        spin = Spin()
        spin.rotor.direction = 0
        self.assertEqual(spin.reason(), 0)
        spin.rotor.direction = 1
        self.assertEqual(spin.reason(), roulette.ROTOR_REVERSED)

    def test_a_direction_unknown_at_the_launch_is_learned(self):
        """From the first ticks that agree; from then on it must stay."""
        spin = Spin()
        spin.judge.rotor_way = spin.rotor.direction = spin.rotor.settled = 0
        self.assertEqual(spin.reason(), 0)
        spin.rotor.direction = spin.rotor.settled = -1
        self.assertEqual((spin.reason(), spin.judge.rotor_way), (0, -1))
        spin.rotor.direction = spin.rotor.settled = 1
        self.assertEqual(spin.reason(), roulette.ROTOR_REVERSED)


class NoChainTest(unittest.TestCase):
    def spin(self):
        """Something came over a rim sensor at 0, and no ball since."""
        spin = Spin()
        spin.track.passes = []
        spin.track.way = 0
        return spin

    def test_a_hand_waits_for_the_ball(self):
        """Twenty seconds; then the launch failed."""
        spin = self.spin()
        self.assertEqual(spin.reason(20 * SECOND_US), 0)
        self.assertEqual(spin.reason(20 * SECOND_US + 1), roulette.LAUNCH_FAILED)

    def test_a_ball_in_a_pocket(self):
        """It never ran on the rim."""
        spin = self.spin()
        spin.pocket.new = True
        self.assertEqual(spin.reason(), roulette.BALL_NOT_SENSED)


class DropTest(unittest.TestCase):
    def dropped(self, **evidence):
        """(code, spin) after the ball left the rim in a last lap of 1.8 s by default."""
        spin = Spin()
        spin.track.gone = True
        spin.track.lap_us = 1800000
        for name, value in evidence.items():
            setattr(spin.track, name, value)
        return spin.reason(), spin

    def test_a_valid_run(self):
        """No void, the phase is dropped, the bets are closed at the latest now."""
        code, spin = self.dropped()
        self.assertEqual((code, spin.round.phase), (0, roulette.PHASE_DROPPED))
        closed = ("bets_closed", [m.CLOSE_CAUSE_LAP_TIME, 0])
        self.assertEqual(spin.sink.reported[0], closed)

    def test_seven_circuits(self):
        """6.99 are a short spin, 7.00 are none; configured otherwise it is another limit."""
        self.assertEqual(self.dropped(centi=699)[0], roulette.SHORT_SPIN)
        self.assertEqual(self.dropped(centi=700)[0], 0)
        for circuits, code in ((4, 0), (5, roulette.SHORT_SPIN)):
            spin = Spin(min_circuits=circuits)
            spin.track.gone, spin.track.centi, spin.track.lap_us = True, 450, 1800000
            self.assertEqual(spin.reason(), code)

    def test_launch_failed_or_slow(self):
        """Gone within two circuits: by its first lap it was fast or slow."""
        self.assertEqual(self.dropped(centi=199)[0], roulette.LAUNCH_FAILED)
        slow = self.dropped(centi=199, way=0, first_lap_us=1000001)[0]
        self.assertEqual(slow, roulette.SLOW_LAUNCH)
        self.assertEqual(self.dropped(centi=200)[0], roulette.SHORT_SPIN)

    def test_ball_removed(self):
        """Gone after laps of less than 1.1 s."""
        self.assertEqual(self.dropped(lap_us=1099999)[0], roulette.BALL_REMOVED)
        self.assertEqual(self.dropped(lap_us=1100000)[0], 0)

    def test_not_while_a_rim_sensor_is_covered(self):
        """A ball that rests on a sensor has not dropped."""
        spin = Spin()
        spin.track.gone = True
        spin.track.lap_us = 1800000
        spin.rims[1].covered = True
        self.assertEqual((spin.reason(), spin.round.phase), (0, m.PHASE_NO_MORE_BETS))

    def test_no_direction_no_number(self):
        """Of the ball: a pass pattern without sense; of the rotor: ticks without sense."""
        self.assertEqual(self.dropped(way=0)[0], roulette.FOREIGN_OBJECT)
        spin = Spin()
        spin.track.gone, spin.track.lap_us = True, 1800000
        spin.rotor.settled = spin.judge.rotor_way = 0
        self.assertEqual(spin.reason(), roulette.TICK_LOST)


class DroppedTest(unittest.TestCase):
    def spin(self, since_ms=0):
        """A spin whose ball left the rim at 0 ms; now it is `since_ms`."""
        spin = Spin(roulette.PHASE_DROPPED)
        spin.round.now_ms = since_ms
        return spin

    def test_a_number(self):
        """Reported as soon as the pocket sensors agree; not while a fault stands."""
        spin = self.spin()
        self.assertEqual(spin.judge.tick(SECOND_US), -1)
        spin.pocket.number = 17
        spin.round.faults.count = 1
        self.assertEqual(spin.judge.tick(SECOND_US), -1)
        spin.round.faults.count = 0
        self.assertEqual(spin.judge.tick(SECOND_US), 17)
        spin.pocket.number = 0
        self.assertEqual(spin.judge.tick(SECOND_US), 0)
        self.assertEqual(spin.sink.reported, [])

    def test_no_pocket(self):
        """After more than the settle time of 45 s."""
        self.assertEqual(self.spin(45000).reason(), 0)
        self.assertEqual(self.spin(45001).reason(), roulette.NO_POCKET)

    def test_second_ball(self):
        """Before any number."""
        spin = self.spin()
        spin.pocket.number = 17
        spin.pocket.two = True
        self.assertEqual(spin.reason(), roulette.SECOND_BALL)

    def test_a_ball_on_the_rim_again(self):
        """Two passes after the drop: the ball had not dropped, or it is another one.

        One is a finger's, and a sleeve is none.
        """
        spin = self.spin()
        spin.judge.ball_pass(0, 0, 5000)
        spin.track.wide = True
        spin.judge.ball_pass(0, 0, 300000)
        self.assertEqual(spin.reason(), 0)
        spin.track.wide = False
        spin.judge.ball_pass(0, 0, 5000)
        self.assertEqual(spin.reason(), roulette.BALL_STUCK)

    def test_the_rotor_counts_until_the_number(self):
        """A hand stops it before the number is read."""
        spin = self.spin()
        spin.pocket.number = 17
        spin.rotor.stopped = True
        self.assertEqual(spin.reason(), roulette.ROTOR_STOPPED)


class WaitingTest(unittest.TestCase):
    def spin(self, phase=m.PHASE_BETS_OPEN, now_ms=0):
        """A round without a ball so far, open since 0 ms."""
        spin = Spin(phase)
        spin.track.active = False
        spin.round.now_ms = now_ms
        return spin

    def test_ball_not_sensed(self):
        """A ball in a pocket that never passed the rim."""
        spin = self.spin()
        spin.pocket.new = True
        self.assertEqual(spin.reason(), roulette.BALL_NOT_SENSED)

    def test_no_ball_after_the_bets_closed(self):
        """60 s in the phase no more bets are a launch that failed."""
        for now_ms, code in ((59999, 0), (60000, roulette.LAUNCH_FAILED)):
            spin = self.spin(m.PHASE_NO_MORE_BETS, now_ms)
            spin.round.betting = False
            self.assertEqual(spin.reason(), code)


class FirstPassTest(unittest.TestCase):
    def launched(self, **changed):
        """A round at its first ball pass."""
        spin = Spin(m.PHASE_BETS_OPEN, **changed)
        spin.track.active = False
        spin.track.passes = 0
        spin.round.now_ms = 2000
        spin.judge.ball_seen(77)
        return spin

    def test_evidence_of_a_ball_closes_the_bets(self):
        """At once, then the phase moves, the track is notified, the head forgets the old ball."""
        spin = self.launched()
        closed = ("bets_closed", [roulette.CLOSE_CAUSE_BALL_DETECTED, 2000])
        moved = ("state", [roulette.PHASE_BALL_IN_RIM, m.PHASE_BETS_OPEN])
        self.assertEqual(spin.sink.reported, [closed, moved])
        self.assertEqual((spin.track.active, spin.pocket.forgotten), (True, 1))

    def test_a_hand_came_before_it_took_the_old_ball_out(self):
        """While no ball runs, each pulse at the rim forgets what the head read before it."""
        spin = self.launched()
        spin.judge.ball_seen(88)
        self.assertEqual(spin.pocket.forgotten, 2)
        spin.track.passes = 3
        spin.judge.ball_seen(99)
        self.assertEqual(spin.pocket.forgotten, 2)

    def test_unless_configured_otherwise(self):
        """Then a lap of more than a second closes them."""
        spin = self.launched(close_on_ball=0)
        self.assertEqual(spin.sink.names(), [])
        spin.track.lap_us = 1000000
        spin.judge.tick(SECOND_US)
        self.assertEqual(spin.sink.names(), [])
        spin.track.lap_us = 1000001
        spin.judge.tick(SECOND_US)
        self.assertEqual(spin.sink.values("bets_closed"), [m.CLOSE_CAUSE_LAP_TIME, 2000])
        self.assertEqual(spin.round.phase, m.PHASE_NO_MORE_BETS)

    def test_between_rounds_a_pass_is_nothing(self):
        """No track, no phase, no void."""
        spin = Spin(m.PHASE_CLOSED)
        spin.track.active = False
        spin.judge.ball_seen(0)
        spin.judge.ball_pass(0, 0, 5000)
        spin.judge.tick(SECOND_US)
        self.assertEqual((spin.track.active, spin.track.passes), (False, [()]))
        self.assertEqual(spin.sink.reported, [])

    def test_after_the_bets_were_closed(self):
        """The phase stays no more bets, and drop and end lead on from there."""
        spin = Spin(m.PHASE_NO_MORE_BETS)
        spin.track.active = False
        spin.judge.ball_seen(0)
        self.assertEqual(spin.round.phase, m.PHASE_NO_MORE_BETS)
        self.assertTrue(spin.round.move(phases.DROP))


if __name__ == "__main__":
    unittest.main()

"""Array and head together: a number only when every fitted sensor says the same."""

import unittest

from tests.logic_fakes import factory

from tablelogic.roulette.pocket import NONE, Pocket
from tablewire import roulette

TURN_US = 3700000


class FakeRotor:
    """What the head needs of a rotor; answer: the pocket under the head."""

    pockets = 37
    period_us = 100000
    answer = NONE

    @property
    def ring(self):
        return self

    def place_at(self, t_us, angle_64):
        return NONE if self.answer < 0 else self.answer * 64 + 32

    def turn_us(self):
        return TURN_US


class Watched:
    """A round watched from time 0 with the sensors of a configuration."""

    def __init__(self, sensor):
        self.rotor = FakeRotor()
        self.pocket = Pocket(factory(pocket_sensor=sensor), self.rotor)
        self.pocket.watch(0, 0)

    def head_reads(self, pocket, turns, from_ms=0):
        self.rotor.answer = pocket
        for turn in range(turns):
            self.pocket.head.pulse(from_ms * 1000 + (turn + 1) * TURN_US, 44000)

    def array_reads(self, pocket, from_ms, until_ms):
        bits = bytearray(5)
        if pocket != NONE:
            bits[pocket >> 3] = 1 << (pocket & 7)
        for now_ms in range(from_ms, until_ms + 1, 80):
            self.pocket.array.read(bits, now_ms)


class FittedTest(unittest.TestCase):
    def test_what_is_asked(self):
        """The configuration names the sensors."""
        for sensor, array, head in (
            (roulette.POCKET_SENSOR_ARRAY, True, False),
            (roulette.POCKET_SENSOR_HEAD, False, True),
            (roulette.POCKET_SENSOR_BOTH, True, True),
        ):
            pocket = Watched(sensor).pocket
            self.assertEqual((pocket.uses_array, pocket.head is not None), (array, head))

    def test_the_array_alone(self):
        """2.5 s of one switch; one agreement; there is no head."""
        watched = Watched(roulette.POCKET_SENSOR_ARRAY)
        watched.array_reads(8, 0, 6000)
        self.assertIsNone(watched.pocket.head)
        self.assertEqual((watched.pocket.index(6000), watched.pocket.agreements()), (8, 1))

    def test_the_head_alone(self):
        """Three readings; three agreements; the array is not asked."""
        watched = Watched(roulette.POCKET_SENSOR_HEAD)
        watched.array_reads(8, 0, 12000)
        watched.head_reads(9, 3)
        self.assertEqual((watched.pocket.index(12000), watched.pocket.agreements()), (9, 3))


class BothTest(unittest.TestCase):
    def test_they_agree(self):
        """The number, with the readings of the head."""
        watched = Watched(roulette.POCKET_SENSOR_BOTH)
        watched.array_reads(8, 0, 12000)
        watched.head_reads(8, 3)
        self.assertEqual((watched.pocket.index(12000), watched.pocket.agreements()), (8, 3))

    def test_they_differ(self):
        """Neither is believed, not even for neighbours."""
        watched = Watched(roulette.POCKET_SENSOR_BOTH)
        watched.array_reads(8, 0, 12000)
        watched.head_reads(9, 3)
        self.assertEqual(watched.pocket.index(12000), NONE)

    def test_the_head_has_to_read_the_ball_at_rest(self):
        """Read in pocket 8 at 3.7 s, while it bounced; the array shows 8 from 5 s on.

        An array that is wired a pocket off shows a ball of 7 as 8: only a reading of the time in
        which the array shows its pocket is a witness.
        """
        watched = Watched(roulette.POCKET_SENSOR_BOTH)
        watched.head_reads(8, 1)
        watched.array_reads(8, 5000, 7600)
        watched.pocket.head.tick(7600000)
        self.assertEqual(watched.pocket.index(7600), NONE)
        watched.head_reads(8, 1, from_ms=3700)
        watched.array_reads(8, 7680, 8000)
        watched.pocket.head.tick(8000000)
        self.assertEqual(watched.pocket.index(8000), 8)

    def test_one_is_silent(self):
        """A dead head or a dead array gives no number."""
        watched = Watched(roulette.POCKET_SENSOR_BOTH)
        watched.array_reads(8, 0, 12000)
        self.assertEqual(watched.pocket.index(12000), NONE)
        watched = Watched(roulette.POCKET_SENSOR_BOTH)
        watched.array_reads(NONE, 0, 12000)
        watched.head_reads(8, 3)
        self.assertEqual(watched.pocket.index(12000), NONE)

    def test_the_head_has_a_turn_from_when_the_array_shows_the_ball_at_rest(self):
        """A ball that bounces until 9 s after the rim passes the head by 13.2 s, 4.16 s later."""
        for now_ms, code in ((13100, 0), (13240, roulette.NO_POCKET)):
            watched = Watched(roulette.POCKET_SENSOR_BOTH)
            watched.pocket.left_rim(0, 500)
            for from_ms in (2000, 5000, 8000):
                watched.array_reads(5, from_ms, from_ms)
                watched.array_reads(NONE, from_ms + 80, from_ms + 80)
            watched.array_reads(8, 9000, now_ms)
            watched.pocket.head.tick(now_ms * 1000)
            self.assertEqual(watched.pocket.reason(now_ms), code)

    def test_many_agreements_fit_the_field(self):
        """A byte: 255 at most."""
        watched = Watched(roulette.POCKET_SENSOR_BOTH)
        watched.head_reads(8, 300)
        self.assertEqual(watched.pocket.agreements(), 255)


class LandingTest(unittest.TestCase):
    """A ball that passed the rim last at 10.0 s and had left it at 10.5 s; times in ms."""

    def after(self, *contacts):
        """The watched pockets after contacts of (pocket, from_ms, until_ms)."""
        watched = Watched(roulette.POCKET_SENSOR_ARRAY)
        watched.pocket.left_rim(10000, 10500)
        for pocket, from_ms, until_ms in contacts:
            watched.array_reads(pocket, from_ms, until_ms)
            watched.array_reads(NONE, until_ms + 80, until_ms + 160)
        return watched.pocket

    def test_a_ball_that_lands(self):
        """Bounces at 12 s and rests from 13 s on: a number 2.5 s later."""
        for until_ms, pocket in ((15400, NONE), (15560, 8)):
            watched = Watched(roulette.POCKET_SENSOR_ARRAY)
            watched.pocket.left_rim(10000, 10500)
            watched.array_reads(5, 12000, 12080)
            watched.array_reads(NONE, 12160, 12960)
            watched.array_reads(8, 13000, until_ms)
            self.assertEqual(watched.pocket.reason(until_ms), 0)
            self.assertEqual(watched.pocket.index(until_ms), pocket)

    def test_no_number_before_every_ball_has_landed(self):
        """A pocket closed soon after the last pass may be an object's: it waits for the ball."""
        watched = Watched(roulette.POCKET_SENSOR_ARRAY)
        watched.pocket.left_rim(10000, 10500)
        watched.array_reads(8, 10400, 15600)
        self.assertEqual([watched.pocket.index(ms) for ms in (15400, 15500)], [NONE, 8])

    def test_closed_before_a_ball_can_be_there(self):
        """Less than 0.3 s after the last pass, for two reads: a magnet or a stuck switch."""
        pocket = self.after((8, 10240, 10400))
        self.assertEqual(pocket.reason(10600), roulette.FOREIGN_MAGNET)
        pocket = self.after((8, 10300, 10380))
        self.assertEqual(pocket.reason(10600), 0)

    def test_nothing_lands(self):
        """5 s after the ball left the rim none is coming."""
        pocket = self.after()
        self.assertEqual([pocket.reason(ms) for ms in (15500, 15501)], [0, roulette.NO_POCKET])

    def test_a_first_contact_too_late(self):
        """5.1 s after the ball left the rim it is laid back; dead in one pocket, 2.8 s after."""
        pocket = self.after((8, 15600, 15680))
        self.assertEqual(pocket.reason(15800), roulette.BALL_LEFT)
        watched = Watched(roulette.POCKET_SENSOR_ARRAY)
        watched.pocket.left_rim(10000, 10500)
        watched.array_reads(8, 13300, 15880)
        self.assertEqual(watched.pocket.reason(15880), roulette.BALL_LEFT)

    def test_moved_after_it_lay(self):
        """A second in one pocket is no bounce: in another one it was laid by a hand.

        After 0.4 s it may still bounce to the next pocket, within 0.35 s. The array is read every
        80 ms.
        """
        for lay_ms, moved_to, code in (
            (880, 9, 0),
            (1040, 9, roulette.BALL_LEFT),
            (1040, 8, 0),
            (880, 10, roulette.BALL_LEFT),
            (240, 11, 0),
        ):
            watched = Watched(roulette.POCKET_SENSOR_ARRAY)
            watched.pocket.left_rim(10000, 10500)
            watched.array_reads(5, 12000, 12080)
            watched.array_reads(NONE, 12160, 12160)
            watched.array_reads(8, 12240, 12240 + lay_ms)
            watched.array_reads(NONE, 12320 + lay_ms, 12480 + lay_ms)
            watched.array_reads(moved_to, 12560 + lay_ms, 16080 + lay_ms)
            self.assertEqual(watched.pocket.reason(16080 + lay_ms), code)
            self.assertEqual(watched.pocket.index(16080 + lay_ms), moved_to)

    def test_where_the_ball_of_the_round_before_lay(self):
        """It is forgotten when a round opens, and when the ball runs."""
        for forgets in (
            lambda pocket: pocket.watch(0, 5000),
            lambda pocket: pocket.on_rim(5000),
        ):
            watched = Watched(roulette.POCKET_SENSOR_ARRAY)
            watched.array_reads(5, 0, 4000)
            watched.array_reads(NONE, 4080, 4960)
            forgets(watched.pocket)
            watched.pocket.left_rim(10000, 10500)
            watched.array_reads(9, 12000, 12080)
            watched.array_reads(NONE, 12160, 12160)
            watched.array_reads(8, 12240, 15600)
            self.assertEqual(watched.pocket.reason(15600), 0)
            self.assertEqual(watched.pocket.index(15600), 8)

    def test_gone_between_two_pockets(self):
        """3.5 s without any contact: the ball is out, even if it is laid back."""
        pocket = self.after((8, 12000, 12080))
        self.assertEqual([pocket.reason(ms) for ms in (15580, 15581)], [0, roulette.BALL_LEFT])


class EvidenceTest(unittest.TestCase):
    def test_a_second_ball_seen_by_either(self):
        """Two switches in three reads, or a second pocket under the head in three turns."""
        for sensor in (roulette.POCKET_SENSOR_ARRAY, roulette.POCKET_SENSOR_BOTH):
            watched = Watched(sensor)
            for now_ms in (80, 160, 240):
                self.assertFalse(watched.pocket.second_ball())
                watched.pocket.array.read(bytearray((1, 1, 0, 0, 0)), now_ms)
            self.assertTrue(watched.pocket.second_ball())
        for sensor in (roulette.POCKET_SENSOR_HEAD, roulette.POCKET_SENSOR_BOTH):
            watched = Watched(sensor)
            for turn in range(4):
                watched.head_reads(8, 1, from_ms=turn * 3700)
                watched.head_reads(9, 1, from_ms=turn * 3700 + 300)
            self.assertTrue(watched.pocket.second_ball())

    def test_something_lies_in_a_pocket(self):
        """Longer than 0.3 s on a switch, or a reading of the head: noise under it is none."""
        watched = Watched(roulette.POCKET_SENSOR_ARRAY)
        watched.array_reads(3, 80, 320)
        self.assertFalse(watched.pocket.on_rim(380))
        self.assertTrue(watched.pocket.on_rim(400))
        watched = Watched(roulette.POCKET_SENSOR_HEAD)
        self.assertFalse(watched.pocket.on_rim(400))
        watched.head_reads(NONE, 1)
        self.assertFalse(watched.pocket.on_rim(400))
        watched.head_reads(8, 1, from_ms=4000)
        self.assertTrue(watched.pocket.on_rim(400))

    def test_a_ball_appeared(self):
        """After emptiness: 2.5 s on a switch, or two readings of the head."""
        watched = Watched(roulette.POCKET_SENSOR_ARRAY)
        watched.array_reads(NONE, 80, 4000)
        watched.array_reads(3, 4080, 6600)
        self.assertTrue(watched.pocket.appeared(6600))
        watched = Watched(roulette.POCKET_SENSOR_HEAD)
        watched.pocket.head.tick(TURN_US * 2)
        watched.head_reads(3, 1, from_ms=7400)
        self.assertFalse(watched.pocket.appeared(0))
        watched.head_reads(3, 1, from_ms=11100)
        self.assertTrue(watched.pocket.appeared(0))


if __name__ == "__main__":
    unittest.main()

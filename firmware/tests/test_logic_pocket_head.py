"""The pocket by the reader head: the same pocket in turns that follow each other."""

import unittest

from tablelogic.roulette.pocket_head import NONE, PocketHead
from tablewire import roulette

WRAP = 1 << 30
TURN_US = 3700000
PITCH_US = 100000
RESTED_MS = 60000  # the ball has been at rest for many turns
WIDE_US = 44000  # of a pulse: a ball in a pocket covers the head for 0.44 of one


class FakeRotor:
    """pockets; answer, off: the pocket under the head, and how far off in 1/64 pocket.

    The angle it was asked for is kept.
    """

    def __init__(self, pockets=37):
        self.pockets = pockets
        self.turn = TURN_US
        self.ring = self
        self.period_us = PITCH_US
        self.answer = NONE
        self.off = 0
        self.angle_64 = None

    def place_at(self, t_us, angle_64):
        self.angle_64 = angle_64 - 32
        return NONE if self.answer < 0 else self.answer * 64 + 32 + self.off

    def turn_us(self):
        return self.turn


class Head:
    """A head over a rotor; balls pass in turns of 3.7 s across the wrap of the clock."""

    def __init__(self, offset=0, turns=2, angle_mdeg=180000, pockets=37):
        self.rotor = FakeRotor(pockets)
        self.head = PocketHead(self.rotor, angle_mdeg, offset, turns)
        self.base_us = WRAP - 5000000
        self.head.watch(self.base_us)

    def turn(self, *pockets):
        """One turn in which the head sees these pockets, each in its place (NONE: unsure)."""
        for pocket in pockets:
            at_us = self.base_us + (pocket if pocket > 0 else 0) * PITCH_US
            self.rotor.answer = pocket
            self.head.tick(at_us % WRAP)
            self.head.pulse(at_us % WRAP, WIDE_US)
        self.base_us += TURN_US
        return self.head


class AngleTest(unittest.TestCase):
    def test_units(self):
        """180 degrees are 18.5 pockets of 37 (1184/64) and 19 of 38; 90 degrees 9.25 (592/64)."""
        for angle_mdeg, pockets, expected in (
            (0, 37, 0),
            (90000, 37, 592),
            (180000, 37, 1184),
            (180000, 38, 1216),
            (359999, 38, 2431),
        ):
            head = Head(angle_mdeg=angle_mdeg, pockets=pockets)
            head.turn(1)
            self.assertEqual(head.rotor.angle_64, expected)

    def test_the_index_magnet_at_another_pocket(self):
        """Counted from pocket 30: what counts as 4 is 34, what counts as 10 is 3."""
        for counted, pocket in ((4, 34), (10, 3)):
            head = Head(offset=30)
            head.turn(counted)
            head.turn(counted)
            self.assertEqual(head.turn(counted).pocket(RESTED_MS), pocket)


class ReadingTest(unittest.TestCase):
    def test_two_whole_turns_agree(self):
        """Three readings lie two turns apart: the third is the number, a fourth confirms."""
        head = Head()
        self.assertEqual(head.turn(12).pocket(RESTED_MS), NONE)
        self.assertEqual(head.turn(12).pocket(RESTED_MS), NONE)
        self.assertEqual(head.turn(12).pocket(RESTED_MS), 12)
        self.assertEqual(head.turn(12).readings(), 4)

    def test_as_many_turns_as_configured(self):
        """Four turns: five readings."""
        head = Head(turns=4)
        for _ in range(4):
            self.assertEqual(head.turn(12).pocket(RESTED_MS), NONE)
        self.assertEqual(head.turn(12).pocket(RESTED_MS), 12)

    def test_another_pocket_begins_anew(self):
        """The ball moved: the old pocket counts no more, the new one needs its turns."""
        head = Head()
        head.turn(12)
        head.turn(12)
        head.turn(14)
        self.assertEqual((head.head.readings(), head.head.pocket(RESTED_MS)), (1, NONE))
        self.assertEqual(head.turn(14).pocket(RESTED_MS), NONE)
        self.assertEqual(head.turn(14).pocket(RESTED_MS), 14)

    def test_an_unsure_reading_is_no_reading(self):
        """Near a boundary or in a dirty turn: nothing is counted, nothing is lost."""
        head = Head()
        head.turn(12)
        head.turn(NONE)
        self.assertEqual((head.head.last(60000), head.head.readings()), (12, 1))
        self.assertEqual(head.head.pulses, 2)

    def test_a_turn_between_begins_anew(self):
        """Read in turns 1 and 3 but not in 2: the first reading does not count."""
        head = Head()
        head.turn(12)
        head.turn(NONE)
        self.assertEqual(head.turn(12).readings(), 1)

    def test_a_pulse_twice_in_a_turn_counts_once(self):
        """The same pocket again a tenth of a turn later is the same passage."""
        head = Head()
        head.turn(12)
        head.rotor.answer = 12
        head.head.pulse((head.base_us - TURN_US + 16 * PITCH_US) % WRAP, WIDE_US)
        self.assertEqual(head.head.readings(), 1)

    def test_without_pulses_it_is_empty(self):
        """One and a half turns of nothing forget what was read."""
        head = Head()
        for _ in range(3):
            head.turn(12)
        last_us = head.base_us - TURN_US + 12 * PITCH_US
        head.head.tick((last_us + TURN_US * 3 // 2) % WRAP)
        self.assertEqual((head.head.pocket(RESTED_MS), head.head.empty), (12, False))
        head.head.tick((last_us + TURN_US * 3 // 2 + 1) % WRAP)
        self.assertEqual((head.head.pocket(RESTED_MS), head.head.empty), (NONE, True))

    def test_an_unknown_speed_forgets_nothing(self):
        """Before the rotor has turned no turn is known."""
        head = Head()
        head.rotor.turn = 0
        head.head.tick(head.base_us + 100000000)
        self.assertFalse(head.head.empty)

    def test_the_first_pocket_and_the_last(self):
        """Zero is a pocket like all others."""
        for pocket in (0, 36):
            head = Head()
            head.turn(pocket)
            head.turn(pocket)
            self.assertEqual(head.turn(pocket).pocket(RESTED_MS), pocket)


class SecondBallTest(unittest.TestCase):
    def test_a_second_pocket_in_three_turns(self):
        """Each turn shows 5 and 20: after the second a second ball, and never a number."""
        head = Head()
        self.assertFalse(head.turn(5, 20).second_ball())
        self.assertTrue(head.turn(5, 20).second_ball())
        self.assertEqual(head.head.pocket(RESTED_MS), NONE)

    def test_noise_once_is_no_second_ball(self):
        """A stray pulse delays the number until a whole turn shows nothing else."""
        head = Head()
        head.turn(5)
        head.turn(5)
        head.turn(5, 20)
        self.assertEqual(head.head.pocket(RESTED_MS), NONE)
        head.turn(5)
        self.assertEqual(head.turn(5).pocket(RESTED_MS), 5)
        self.assertFalse(head.head.second_ball())

    def test_a_ball_that_jumps_is_no_second_ball(self):
        """Under the head in 22, soon after in 25, in 9 before the turn is over; it rests in 30."""
        head = Head()
        head.turn(22, 25)
        self.assertFalse(head.turn(9).second_ball())
        head.turn(30)
        head.turn(30)
        self.assertEqual((head.turn(30).pocket(RESTED_MS), head.head.second_ball()), (30, False))

    def test_a_ball_that_jumps_to_the_pocket_beside_is_no_second_ball(self):
        """Read in 29, just after in 30, where it rests: the second comes back, not the first.

        A turn is taken for 4.2 s from a magnet out of place, so 3.8 s after 29 looks too early.
        """
        head = Head()
        head.rotor.turn = 4200000
        head.turn(29, 30)
        for pocket in (NONE, 30, 30, 30):
            self.assertEqual(head.turn(30).pocket(RESTED_MS), pocket)
            self.assertFalse(head.head.second_ball())

    def test_a_second_pulse_in_a_turn_is_one(self):
        """The second ball's magnet seen twice in its passage counts once."""
        head = Head()
        head.turn(5, 20)
        head.rotor.answer = 20
        head.head.pulse((head.base_us - TURN_US + 21 * PITCH_US) % WRAP, WIDE_US)
        self.assertFalse(head.head.second_ball())
        self.assertTrue(head.turn(5, 20).second_ball())

    def test_neighbours(self):
        """Two balls in neighbouring pockets are distinguished."""
        head = Head()
        for _ in range(3):
            head.turn(5, 6)
        self.assertEqual((head.head.second_ball(), head.head.pocket(RESTED_MS)), (True, NONE))

    def test_forget(self):
        """After the launch all counts begin anew."""
        head = Head()
        for _ in range(3):
            head.turn(5, 6)
        head.head.forget()
        self.assertEqual((head.head.second_ball(), head.head.pulses), (False, 0))
        for pocket in (NONE, NONE, 5):
            self.assertEqual(head.turn(5).pocket(RESTED_MS), pocket)


class PlaceTest(unittest.TestCase):
    def beside(self, off, *, turns=2, width_us=WIDE_US):
        """A head after so many turns with the ball in 12, `off` 1/64 pocket beside its middle."""
        head = Head()
        head.rotor.off = off
        for _ in range(turns):
            head.base_us += TURN_US
            head.rotor.answer = 12
            head.head.tick(head.base_us % WRAP)
            head.head.pulse(head.base_us % WRAP, width_us)
        return head.head

    def test_within_a_third_of_a_pocket(self):
        """Five sixteenths either way are read, and how far it is off is known; more is not."""
        for off in (-20, 0, 20):
            head = self.beside(off)
            self.assertEqual(
                (head.readings(), head.off, head.reason(0) == roulette.BRACKET_MOVED),
                (2, off, False),
            )
        for off in (-21, 21, -32, 31):
            head = self.beside(off)
            self.assertEqual(
                (head.readings(), head.reason(0) == roulette.BRACKET_MOVED), (0, True)
            )

    def test_once_is_no_bracket(self):
        """A ball on its way over the rotor may be anywhere, once."""
        self.assertFalse(self.beside(30, turns=1).reason(0))

    def test_too_short_or_too_long(self):
        """Less than an eighth of a pocket, or more than seven: no ball in a pocket."""
        for width_us, readings in ((12500, 0), (12501, 2), (87499, 2), (87500, 0)):
            self.assertEqual(self.beside(0, width_us=width_us).readings(), readings)


class LandingTest(unittest.TestCase):
    """Turns of 3.7 s, so a pulse is due within 4.16 s of the time at which the ball rests."""

    def test_no_pulse(self):
        """None by 4.16 s: no pocket. None any more: the ball left."""
        other_head = Head()
        other_head.head.tick((other_head.base_us + 4200000) % WRAP)
        for rests_ms, code in ((4100, 0), (4200, roulette.NO_POCKET)):
            self.assertEqual(other_head.head.reason(rests_ms), code)
        other_head = Head()
        head = other_head.turn(12)
        head.tick((other_head.base_us - TURN_US + 12 * PITCH_US + 4200000) % WRAP)
        self.assertEqual(head.reason(4200), roulette.BALL_LEFT)

    def test_no_number_before_a_turn_at_rest(self):
        """A turn of 3.7 s and a sixteenth: 3.93 s."""
        head = Head(turns=1)
        head.turn(12)
        head.turn(12)
        self.assertEqual(head.head.pocket(3931), NONE)
        self.assertEqual(head.head.pocket(3932), 12)

    def test_an_object_read_twice_before_the_ball_came_to_rest(self):
        """It is in 12 from 4.0 s on, the ball in 30 from 6.0 s on: no number, then two balls."""
        head = Head(turns=1)
        head.turn(12)
        head.turn(12)
        self.assertEqual(head.head.pocket(2500), NONE)
        head.turn(12, 30)
        self.assertEqual(head.head.pocket(5500), NONE)
        head.turn(12, 30)
        self.assertTrue(head.head.second_ball())


class AppearedTest(unittest.TestCase):
    def test_the_old_ball_is_no_new_one(self):
        """It is read on and on after the round opened."""
        head = Head()
        head.turn(12)
        head.turn(12)
        head.head.watch(head.base_us % WRAP)
        for _ in range(4):
            self.assertFalse(head.turn(12).appeared())

    def test_a_ball_in_another_pocket(self):
        """Two readings of a pocket that was not the old one."""
        head = Head()
        head.turn(12)
        head.head.watch(head.base_us % WRAP)
        self.assertFalse(head.turn(13).appeared())
        self.assertTrue(head.turn(13).appeared())

    def test_a_ball_after_emptiness(self):
        """Even in the old pocket, once it was empty for one and a half turns."""
        head = Head()
        head.turn(12)
        head.head.watch(head.base_us % WRAP)
        head.base_us += 2 * TURN_US
        self.assertFalse(head.turn(12).appeared())
        self.assertTrue(head.turn(12).appeared())


if __name__ == "__main__":
    unittest.main()

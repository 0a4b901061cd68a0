"""The law of a money wheel of 52 pins: what is due, and the evidence of what a hand adds.

At 18 degrees/s^2 a pin takes 2 * 18 * 52 / 360 = 5.2 segments^2/s^2, of 65536 to one 340787. A
turn takes 0.1 turns^2/s^2; one turn a second is 2^28 / 15625 = 17180, of the square 295150000.
"""

import unittest

from tests.logic_wheel import law_of

from tablewire import money_wheel as words

PIN = 340787
TURN = 295150000
KEYS = (
    (words.FRICTION_DDEGSS, 180),
    (words.LAW_SLACK_PERCENT, 2),
    (words.TURN_LIMIT, 300),
    (words.SLOW_LIMIT, 100),
    (words.LAST_LIMIT, 50),
)


class DueTest(unittest.TestCase):
    def test_what_a_pin_takes(self):
        self.assertTrue(abs(law_of(KEYS).loss - PIN) <= PIN // 500)

    def test_air(self):
        """512 is half as much more at one turn a second, an eighth at half a turn."""
        law = law_of(KEYS + ((words.AIR_1024, 512),))
        for segments, due in ((0, 100), (26, 112), (13, 103)):
            self.assertEqual(law.due(segments * segments * 65536, 0, 1), due)

    def test_a_heavy_side(self):
        """From pin 10 on it gives to a wheel that turns counter-clockwise: most 13 pins later."""
        law = law_of(KEYS + ((words.IMBALANCE_PERCENT, 40), (words.IMBALANCE_PIN, 10)))
        for pin, due in ((10, 100), (23, 60), (36, 100), (49, 140), (51, 139)):
            self.assertTrue(abs(law.due(0, pin, 1) - due) <= 1)
            self.assertTrue(abs(law.due(0, pin, -1) - (200 - due)) <= 1)


class EvidenceTest(unittest.TestCase):
    def turned(self, times, turns):
        """The law after so many turns with this share of the friction, from 0.8 on."""
        law, square = law_of(KEYS), 0.8 * TURN
        for _ in range(4 * turns):
            after = square - times * 0.1 * TURN / 4
            law.turn(int(square), int(after))
            square = after
        return law

    def test_a_tenth_in_turns(self):
        """A tenth less 2 %, of 52 pins, is 4.2 in a turn: one may be within 3, two are not."""
        for times in (1.1, 0.9):
            self.assertTrue(abs(self.turned(times, 1).turns.peak - 416) <= 8)
            self.assertTrue(self.turned(times, 2).is_broken())
        self.assertFalse(self.turned(1.0, 8).is_broken())
        self.assertFalse(self.turned(1.02, 8).is_broken())

    def test_slow_pins_add_up(self):
        """Ten that take 12 % more come to 1.0 less the slack of 10 times 2 %."""
        law = law_of(KEYS)
        for pin in range(13, 23):
            law.pin((60 - pin) * PIN, int((60 - pin - 1.12) * PIN), 100, PIN)
        self.assertTrue(abs(law.slow.much - 100) <= 12)
        self.assertEqual(law.last.peak, 0)

    def test_the_last_pins_by_themselves(self):
        law = law_of(KEYS)
        law.pin(5 * PIN, int(3.4 * PIN), 100, PIN)
        self.assertTrue(abs(law.last.peak - 58) <= 2)
        self.assertTrue(law.is_broken())

    def test_what_comes_back_does_not_hide_a_hand(self):
        """The highest of a sum counts, not its end."""
        law = law_of(KEYS)
        for times in (0.4, 1.7):
            law.pin(5 * PIN, int((5 - times) * PIN), 100, PIN)
        self.assertTrue(law.is_broken())

    def test_a_push_begins_again(self):
        law = self.turned(1.5, 2)
        law.reset()
        self.assertFalse(law.is_broken())

    def test_a_wheel_that_was_not_calibrated_has_no_law(self):
        law = law_of()
        law.turn(TURN, TURN // 2)
        law.pin(5 * PIN, 3 * PIN, 100, PIN)
        self.assertFalse(law.is_broken())


if __name__ == "__main__":
    unittest.main()

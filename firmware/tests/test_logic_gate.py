"""A card gate by hand-made edges: cards of 80 ms, 100 ms apart, across the wrap of the clock."""

import unittest

from tablelogic.core.ticks import MASK
from tablelogic.shuffler.gate import CARD, DOUBLE, FOREIGN, Gate

CARD_US, GAP_US, JAM_US = 80000, 100000, 1500000


class Beam:
    """A gate and the time. reported: what left it."""

    def __init__(self):
        self.gate = Gate(CARD_US, JAM_US)
        self.t_us = MASK - 300000
        self.reported = []

    def edge(self, level, after_us):
        self.t_us = (self.t_us + after_us) & MASK
        self._note(self.gate.edge(level, self.t_us))

    def wait(self, us):
        self.t_us = (self.t_us + us) & MASK
        self._note(self.gate.tick(self.t_us))

    def _note(self, reported):
        if reported:
            self.reported.append(reported)

    def card(self, us=CARD_US, gap_us=GAP_US):
        self.edge(1, gap_us)
        self.edge(0, us)

    def take(self):
        self.wait(3000)
        reported, self.reported = self.reported, []
        return reported


class GateTest(unittest.TestCase):
    def setUp(self):
        self.beam = Beam()

    def test_a_deck(self):
        for _ in range(52):
            self.beam.card()
        self.assertEqual(self.beam.take(), [CARD] * 52)
        self.assertEqual(self.beam.gate.median_us(), CARD_US)
        self.assertTrue(self.beam.gate.margin >= 97)

    def test_lengths(self):
        """Of 80 ms: 60 % and 140 % are cards still, a millisecond beyond is none."""
        for us, reported in ((48000, CARD), (112000, CARD), (47000, FOREIGN), (113000, DOUBLE)):
            beam = Beam()
            beam.card(us)
            self.assertEqual(beam.take(), [reported])

    def test_the_median_follows_worn_rollers(self):
        """Each card takes 2 % longer: 160 ms in the end, and no card is a double."""
        us = CARD_US
        for _ in range(36):
            self.beam.card(us)
            us = us * 51 // 50
        self.assertEqual(self.beam.take(), [CARD] * 36)

    def test_a_double_does_not_move_the_median(self):
        for _ in range(7):
            self.beam.card(150000)
        self.assertEqual(self.beam.take(), [DOUBLE] * 7)
        self.assertEqual(self.beam.gate.median_us(), CARD_US)
        self.assertEqual((self.beam.gate.last_us, self.beam.gate.longest_us()), (150000, 112000))

    def test_too_close_behind(self):
        """Five milliseconds are a sixteenth of a card: 4.9 are no gap between two."""
        self.beam.card()
        self.beam.card(gap_us=4900)
        self.assertEqual(self.beam.take(), [CARD, FOREIGN, CARD])
        self.beam.card(gap_us=5000)
        self.assertEqual(self.beam.take(), [CARD])

    def test_flicker_is_no_card_and_costs_margin(self):
        """1.9 ms of dark in the light, of light in the dark: nothing passed; 2 ms did."""
        self.beam.edge(1, GAP_US)
        self.beam.edge(0, 1900)
        self.assertEqual(self.beam.take(), [])
        self.beam.edge(1, GAP_US)
        self.beam.edge(0, 40000)
        self.beam.edge(1, 1900)
        self.beam.edge(0, 38100)
        self.assertEqual(self.beam.take(), [CARD])
        self.assertTrue(90 < self.beam.gate.margin < 97)
        self.beam.edge(1, GAP_US)
        self.beam.edge(0, 2000)
        self.assertEqual(self.beam.take(), [FOREIGN])

    def test_margin_falls_and_is_lifted(self):
        """One flicker for each edge: half of the edges are clean; a lift forgets that."""
        for _ in range(60):
            for level in (1, 0):
                self.beam.edge(level, 40000)
                self.beam.wait(5000)
                self.beam.edge(1 - level, 5000)
                self.beam.edge(level, 500)
        self.assertTrue(44 <= self.beam.gate.margin <= 56, self.beam.gate.margin)
        self.beam.gate.lift(80)
        self.assertEqual(self.beam.gate.margin, 80)
        self.beam.gate.lift(50)
        self.assertEqual(self.beam.gate.margin, 80)
        self.beam.gate.reset()
        self.assertEqual(self.beam.gate.margin, 100)

    def test_jam(self):
        """A card that stays for more than 1.5 s; it counts when taken out, ten minutes on."""
        self.beam.edge(1, GAP_US)
        for _ in range(37):
            self.beam.wait(40000)
        self.assertFalse(self.beam.gate.jammed)
        for _ in range(15000):
            self.beam.wait(40000)
        self.assertTrue(self.beam.gate.jammed and self.beam.gate.covered)
        self.beam.edge(0, 1)
        self.assertEqual(self.beam.take(), [CARD])
        self.assertFalse(self.beam.gate.jammed or self.beam.gate.covered)
        self.assertEqual(self.beam.gate.median_us(), CARD_US)

    def test_a_card_after_a_long_rest(self):
        """Twelve minutes, more than the clock can tell apart from a moment ago."""
        self.beam.card()
        for _ in range(18000):
            self.beam.wait(40000)
        self.beam.card()
        self.assertEqual(self.beam.take(), [CARD, CARD])


if __name__ == "__main__":
    unittest.main()

"""One card gate of a shuffler and the spread of a pass, by hand-made times."""

import unittest

from tablelogic.shuffler.gate import CARD, DOUBLE, FOREIGN, Gate
from tablelogic.shuffler.pass_spread import PassSpread

CARD_US, GAP_US = 80000, 50000
START_US = (1 << 30) - 300000  # the clock wraps at the fourth card
MASK = (1 << 30) - 1


class Passing:
    """A gate with a spread; cards pass it one by one."""

    def __init__(self, spread):
        self.gate = Gate(CARD_US, 1500000, spread)
        self.t_us = START_US

    def edge(self, level, after_us):
        self.t_us = (self.t_us + after_us) & MASK
        return self.gate.edge(level, self.t_us)

    def card(self, us):
        """What the gate says of a card that covers it for so long."""
        self.edge(1, GAP_US)
        self.edge(0, us)
        return self.gate.tick((self.t_us + 3000) & MASK)

    def cards(self, count, us):
        return [self.card(us) for _ in range(count)]


class GateTest(unittest.TestCase):
    def test_five_sigmas(self):
        """Of 2 %: 10 % more or less is a card, 11 % is none; a spread of 8 % allows 40."""
        for spread, us, expected in (
            (20, 88000, CARD),
            (20, 88800, DOUBLE),
            (20, 72000, CARD),
            (20, 71200, FOREIGN),
            (80, 112000, CARD),
            (80, 112800, DOUBLE),
            (80, 48000, CARD),
            (80, 47200, FOREIGN),
        ):
            passing = Passing(spread)
            self.assertEqual(passing.cards(7, CARD_US), [CARD] * 7)
            self.assertEqual(passing.card(us), expected)

    def test_rollers_that_have_worn_since_the_calibration(self):
        """All cards take a fifth longer: one card; a tenth beyond that none."""
        passing = Passing(10)
        self.assertEqual(passing.cards(20, 96000), [CARD] * 20)
        self.assertEqual(passing.card(105600), DOUBLE)

    def test_two_among_the_first_seven(self):
        """They are judged once the seventh has shown what a card takes."""
        passing = Passing(20)
        cards = passing.cards(3, 96000) + [passing.card(110400)] + passing.cards(3, 96000)
        self.assertEqual(cards, [CARD] * 6 + [DOUBLE])
        self.assertEqual(passing.gate.last_us, 110400)

    def test_an_edge_that_flickers_came_when_it_began_to(self):
        """For 3 ms at either edge: the card takes as long as the others."""
        passing = Passing(5)
        passing.cards(7, CARD_US)
        for level, after_us in ((1, GAP_US), (0, 900), (1, 900), (0, 600), (1, 600)):
            passing.edge(level, after_us)
        for level, after_us in ((0, CARD_US - 3000), (1, 900), (0, 900)):
            passing.edge(level, after_us)
        self.assertEqual(passing.gate.tick((passing.t_us + 3000) & MASK), CARD)
        self.assertEqual(passing.gate.last_us, CARD_US)

    def test_one_that_differs_from_all_others(self):
        """Nothing was calibrated: 12 % longer or shorter than 51 others, which differ by 1 %."""
        for us, expected in ((89600, DOUBLE), (70400, FOREIGN), (81600, 0)):
            passing = Passing(80)
            for card in range(51):
                self.assertEqual(passing.card(CARD_US + 800 * (card % 3 - 1)), CARD)
            self.assertEqual(passing.card(us), CARD)
            self.assertEqual(passing.gate.odd(0), expected)
            self.assertEqual(passing.gate.odd(0), 0)  # of the next pass


class PassSpreadTest(unittest.TestCase):
    def test_the_farthest_is_no_part_of_its_limit(self):
        """20 cards of 10 permille and one of 70: 200 / 20 * 50 / 8 = 62."""
        spread = PassSpread()
        for _ in range(20):
            spread.add(10)
        spread.add(70)
        self.assertEqual((spread.limit(), spread.odd()), (62, 70))

    def test_few_cards_say_nothing(self):
        """19 of them, one far off."""
        spread = PassSpread()
        for _ in range(18):
            spread.add(-5)
        spread.add(-300)
        self.assertEqual(spread.odd(), 0)
        spread.add(5)
        self.assertEqual(spread.odd(), -300)
        self.assertEqual((spread.longest, spread.shortest), (5, 300))

    def test_what_is_little_at_each_gate_is_enough_at_both(self):
        """51 cards of 10 permille, one of 50 (limit 62): 5 mean differences, 9.375 for both."""
        for cards, first, second, expected in (
            (51, 50, 45, 1),
            (51, 50, 43, 0),
            (51, -50, -45, -1),
            (51, 50, -45, 0),
            (18, 50, 45, 0),
            (103, 50, 45, 1),
            (415, 50, 45, 0),
            (415, 54, 52, 1),
        ):
            spreads = [PassSpread(), PassSpread()]
            for spread, off in zip(spreads, (first, second)):
                for _ in range(cards):
                    spread.add(10)
                spread.add(off)
            self.assertEqual(spreads[0].odd_at_both(spreads[1]), expected)
            self.assertEqual([spread.odd() for spread in spreads], [0, 0])


if __name__ == "__main__":
    unittest.main()

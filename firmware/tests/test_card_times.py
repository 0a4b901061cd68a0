"""What a self-test measures of cards, by hand."""

import unittest

from tabledev.app.card_times import Values


class ValuesTest(unittest.TestCase):
    def test_a_spread(self):
        """20 values from 910 to 1100, ten apart: the inner ones span 930 to 1080, median 1010.

        150 / 2.563 = 58 of 1010: 57 permille. The farthest are 90 and 100 away: 99.
        """
        values = Values()
        for place in range(20):
            values.add(1100 - 10 * place)
        self.assertEqual(values.median(), 1010)
        self.assertEqual((values.spread(), values.farthest()), (57, 99))

    def test_a_large_deck(self):
        """120 are kept."""
        values = Values()
        for value in range(1, 200):
            values.add(value)
        self.assertEqual((values.count, values.sorted()[-1]), (120, 120))


if __name__ == "__main__":
    unittest.main()

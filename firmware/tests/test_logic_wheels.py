"""The printed orders, against the rulebook's words and not its rows."""

import unittest

from tablelogic.roulette import wheels


def clockwise_of(wheel, number, reading):
    """What lies next clockwise of a number on the rotor."""
    pockets = len(wheels.order(wheel))
    for index in range(pockets):
        if wheels.number(wheel, index, reading) == number:
            return wheels.number(wheel, (index + 1) % pockets, reading)
    return None


class OrderTest(unittest.TestCase):
    def test_every_number_once(self):
        """0..36, on the double-zero wheel 37 for the double zero as well."""
        self.assertEqual(sorted(wheels.SINGLE), list(range(37)))
        self.assertEqual(sorted(wheels.DOUBLE), list(range(38)))

    def test_they_begin_at_zero(self):
        """Pocket index 0 is the pocket of 0."""
        self.assertEqual((wheels.order(1)[0], wheels.order(2)[0]), (0, 0))

    def test_double_zero_facts(self):
        """Rulebook 3.1: 0 lies opposite 00, and every odd n opposite n + 1."""
        order = list(wheels.DOUBLE)
        self.assertEqual(order[19], wheels.DOUBLE_ZERO)
        for odd in range(1, 36, 2):
            self.assertEqual(order[(order.index(odd) + 19) % 38], odd + 1)

    def test_colours_alternate(self):
        """Rulebook 3.1: red and black take turns; only the zeros are neither."""
        red = (1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36)
        for order in (wheels.SINGLE, wheels.DOUBLE):
            row = ["-" if n in (0, 37) else "r" if n in red else "b" for n in order]
            for place in range(len(row)):
                self.assertTrue(row[place] == "-" or row[place] != row[place - 1])

    def test_neighbours_on_the_single_wheel(self):
        """Neighbours every croupier knows: 26-0-32, 5-24-16, 11-30-8, 10-5."""
        for number, after in ((26, 0), (0, 32), (5, 24), (24, 16), (11, 30), (30, 8), (10, 5)):
            self.assertEqual(clockwise_of(1, number, 0), after)

    def test_neighbours_on_the_double_wheel(self):
        """Of the row in the rulebook: 28-0-2, 27-00-1, 14-35-23, 9-28."""
        pairs = ((28, 0), (0, 2), (27, 37), (37, 1), (14, 35), (35, 23), (9, 28))
        for number, after in pairs:
            self.assertEqual(clockwise_of(2, number, 0), after)


class ReadingTest(unittest.TestCase):
    def test_the_other_way_round(self):
        """Laid counter-clockwise, 26 follows 0 clockwise, and 28 on the double-zero wheel."""
        self.assertEqual(clockwise_of(1, 0, 1), 26)
        self.assertEqual(clockwise_of(1, 32, 1), 0)
        self.assertEqual(clockwise_of(2, 0, 1), 28)
        self.assertEqual(clockwise_of(2, 2, 1), 0)

    def test_zero_stays_and_all_are_there(self):
        """Whatever the direction, index 0 is 0 and every number has a place."""
        for wheel, pockets in ((1, 37), (2, 38)):
            for reading in (0, 1):
                numbers = [wheels.number(wheel, index, reading) for index in range(pockets)]
                self.assertEqual(numbers[0], 0)
                self.assertEqual(sorted(numbers), list(range(pockets)))


if __name__ == "__main__":
    unittest.main()

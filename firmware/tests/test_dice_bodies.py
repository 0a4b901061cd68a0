"""Bodies of dice: where they lie and how large they are, by hand; on both interpreters."""

import unittest
from array import array

from tablelogic.dice.bodies import bodies
from tablelogic.dice.cell_grid import Cells
from tablelogic.dice.cloth import find_cloth
from tablelogic.dice.picture import Picture
from tablelogic.dice.stepwise import finish
from tablelogic.dice.things import things

from .dice_pictures import HEIGHT, WIDTH, cloth, draw


def bodies_in(frame):
    """The bodies in a picture."""
    picture = Picture(frame, WIDTH, HEIGHT)
    cells = Cells(WIDTH, HEIGHT)
    finish(find_cloth(picture, cells))
    return finish(bodies(picture, cells))


def has(places, x, y, side):
    """Whether one of the places is there, to a pixel, and of that side, to two."""
    return any(
        abs(a - 16 * x) <= 16 and abs(b - 16 * y) <= 16 and abs(c - 16 * side) <= 32
        for a, b, c in places
    )


class Bodies(unittest.TestCase):
    """Drawn dice are 25 px wide: 12 on either side of their middle."""

    def test_a_die(self):
        for value in (1, 6):
            with self.subTest(value=value):
                self.assertTrue(has(bodies_in(draw(cloth(), 48, 36, value)), 48, 36, 25))

    def test_a_turned_die(self):
        frame = draw(cloth(), 46, 34, 5, body=25, pip=220, turned=True)
        self.assertTrue(has(bodies_in(frame), 46, 34, 25))

    def test_a_light_die_beside_a_dark_one(self):
        """They touch, and are two."""
        frame = draw(draw(cloth(), 30, 36, 4), 55, 36, 2, body=10, pip=220)
        places = bodies_in(frame)
        self.assertTrue(has(places, 30, 36, 25))
        self.assertTrue(has(places, 55, 36, 25))

    def test_a_die_without_pips(self):
        """A body is one all the same; what lies on it is not asked here."""
        self.assertTrue(has(bodies_in(draw(cloth(), 48, 36, 3, pip=230)), 48, 36, 25))

    def test_a_strip(self):
        """Sixty px by ten are no die."""
        frame = cloth()
        for row in range(30, 40):
            for column in range(20, 80):
                frame[row * WIDTH + column] = 220
        self.assertEqual(bodies_in(frame), [])

    def test_an_empty_tray(self):
        self.assertEqual(bodies_in(cloth()), [])


class Things(unittest.TestCase):
    """Squares of bytes in a box of 40 by 20."""

    def setUp(self):
        self.box = bytearray(40 * 20)
        self.stack = array("H", bytes(2 * 1200))

    def square(self, left, top, side, level):
        for row in range(top, top + side):
            for column in range(left, left + side):
                self.box[row * 40 + column] = level

    def test_middle_and_side(self):
        """Columns 3 to 12, rows 4 to 13: the middle is 7.5, 8.5; a side of 10 px."""
        self.square(3, 4, 10, 50)
        self.assertEqual(finish(things(self.box, 40, 50, self.stack)), [(120, 136, 160)])

    def test_again_at_another_level(self):
        """What was walked over is found again; what is lower is not."""
        self.square(3, 4, 10, 50)
        self.square(20, 4, 12, 90)
        self.assertEqual(len(finish(things(self.box, 40, 40, self.stack))), 2)
        self.assertEqual(finish(things(self.box, 40, 60, self.stack)), [(408, 152, 192)])

    def test_a_pip_is_filled(self):
        """What lies between the ends of a row belongs to the thing."""
        self.square(3, 4, 10, 50)
        self.square(7, 8, 2, 0)
        self.assertEqual(finish(things(self.box, 40, 50, self.stack)), [(120, 136, 160)])

    def test_too_small(self):
        """Eight px each way are 64; 81 are needed."""
        self.square(3, 4, 8, 50)
        self.assertEqual(finish(things(self.box, 40, 50, self.stack)), [])


if __name__ == "__main__":
    unittest.main()

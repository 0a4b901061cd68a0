"""What a table finds in frames whose faces the host reads; drawn by hand, 160 x 120 px."""

import unittest

from tests.logic_fakes import factory

from tablelogic.dice.stepwise import finish
from tablelogic.dice_tray.eye import Eye
from tablewire import dice_tray as w

WIDTH, HEIGHT = 160, 120
WALL, LINE, MARK = 6, 36, 80  # rows and a column, as configured in the factory
CLOTH, BOARD, PATCH, DIE = 90, 150, 220, 230
SIDE = 22  # px of a die


def frame(*dice, noise=0):
    """Wall, mark, cloth, and even dice with their upper left corners at (column, row)."""
    greys = bytearray([CLOTH] * (WIDTH * HEIGHT))
    for row in range(WALL):
        greys[row * WIDTH : (row + 1) * WIDTH] = bytes([BOARD] * MARK + [PATCH] * (WIDTH - MARK))
    for column, row in dice:
        for y in range(row, row + SIDE):
            greys[y * WIDTH + column : y * WIDTH + column + SIDE] = bytes([DIE] * SIDE)
    greys[-1] = noise  # a pixel, so that no frame is that before: a camera has noise
    return greys


class ReadByTheHost(unittest.TestCase):
    def setUp(self):
        self.eye = Eye(factory(role=3, dice=2))

    def look(self, *dice, **more):
        """The reading of a second frame, after one with the same dice."""
        self.eye.look(frame(*dice))
        return self.then(*dice, **more)

    def then(self, *dice, noise=9):
        greys = frame(*dice, noise=noise)
        self.eye.look(greys)
        finish(self.eye.steps(greys))
        return self.eye.fields

    def test_dice_at_rest_are_not_read(self):
        fields = self.look((30, 60), (90, 70))
        self.assertEqual(fields[:7], [w.READING_NOT_READ, 0, 0, 0, 0, 0, 0])
        self.assertEqual((fields[7], fields[10]), (0, 0))

    def test_dice_that_moved_are_not_at_rest(self):
        self.eye.look(frame((30, 60), (90, 70)))
        self.assertEqual(self.then((30, 60), (98, 70))[0], w.READING_MOVING)
        self.assertEqual(self.then((30, 60), (98, 70), noise=8)[0], w.READING_NOT_READ)

    def test_an_empty_tray(self):
        self.assertEqual(self.look()[0], w.READING_NO_DICE)

    def test_a_die_before_the_line(self):
        self.assertEqual(self.look((30, 10), (90, 70))[0], w.READING_LINE_NOT_PASSED)

    def test_a_die_on_the_line(self):
        self.assertEqual(self.look((30, LINE - 11), (90, 70))[0], w.READING_LINE_NOT_PASSED)

    def test_the_camera_is_judged_as_ever(self):
        self.assertEqual(self.look((30, 60), noise=0)[0], w.READING_FROZEN)
        self.eye.look(bytes([90] * WIDTH * HEIGHT))
        self.assertEqual(self.eye.fields[0], w.READING_COVERED)
        self.eye.look(bytes([4] * WIDTH * HEIGHT))
        self.assertEqual(self.eye.fields[0], w.READING_TOO_DARK)
        moved = frame((30, 60))[2 * WIDTH :] + bytes([CLOTH] * 2 * WIDTH)
        moved = moved[WIDTH:] + bytes([CLOTH] * WIDTH)
        self.eye.look(moved)
        self.eye.look(moved[:-1] + b"\x07")
        self.assertEqual(self.eye.fields[0], w.READING_MOVED)


if __name__ == "__main__":
    unittest.main()

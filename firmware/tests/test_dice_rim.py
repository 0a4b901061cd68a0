"""The border of a picture: rims of trays, dice that lie against them or reach out of it."""

import unittest

from tests.dice_pictures import HEIGHT, WIDTH, cloth, draw

from tablelogic.dice.cell_grid import Cells
from tablelogic.dice.picture_reader import Reader
from tablelogic.dice.read_codes import CUT_OFF, FOREIGN, READ
from tablelogic.dice.stepwise import finish
from tablelogic.dice.tray_rim import RIM, bulges, mark_rim


def cells_with_rim(places, lower=False):
    """Cells of 24 x 18, of which those are marked as a rim."""
    cells = Cells(96, 72, lower)
    for i, (column, row) in enumerate(places):
        cells.stack[i] = row * cells.columns + column
    finish(mark_rim(cells, len(places)))
    return cells


def box(columns, rows):
    return [(column, row) for row in rows for column in columns]


class RimTest(unittest.TestCase):
    def test_cells_are_counted_by_their_way_from_the_border(self):
        cells = cells_with_rim(box(range(2), range(18)))
        self.assertEqual(list(cells.depths[:3]), [18 + 1 + 1, 16, 0])
        self.assertEqual(cells.mean[0], RIM)

    def test_an_even_rim_does_not_bulge(self):
        self.assertFalse(bulges(cells_with_rim(box(range(3), range(18))), 20))

    def test_a_die_against_it_does(self):
        """Six cells on, a die of 24 px."""
        places = box(range(1), range(18)) + box(range(1, 7), range(6, 12))
        self.assertTrue(bulges(cells_with_rim(places), 24))

    def test_the_top_of_a_lower_part_is_no_border(self):
        cells = cells_with_rim([(10, 0)], lower=True)
        self.assertEqual((cells.depths[0], cells.depths[10]), (0, 1))
        self.assertEqual(cells_with_rim([(10, 0)]).depths[0], 1)


class BorderTest(unittest.TestCase):
    def setUp(self):
        self.reader = Reader(WIDTH, HEIGHT)

    def rim_of(self, x, y, wide=4):
        """A dark rim along the left; a dark die at (x, y), a light one further in."""
        frame = draw(draw(cloth(), 68, 30, 3), x, y, 5, body=30, pip=220)
        for row in range(HEIGHT):
            for column in range(wide):
                frame[row * WIDTH + column] = 30
        return frame

    def test_a_die_beside_the_rim_is_read(self):
        self.assertEqual(self.reader.read(self.rim_of(30, 40)), (READ, [3, 5]))

    def test_a_die_against_the_rim_is_not_taken_for_a_part_of_it(self):
        for y in (20, 36, 50):
            reason, values = self.reader.read(self.rim_of(15, y))
            self.assertTrue(reason != READ or values == [3, 5], (y, reason, values))

    def test_a_thin_piece_of_a_rim_is_no_die(self):
        """Longer than a die, and so thin that of a die it could not be so long."""
        frame = draw(cloth(), 40, 40, 3)
        for column in range(44, 84):
            for row in range(3):
                frame[row * WIDTH + column] = 200
        self.assertEqual(self.reader.read(frame), (READ, [3]))

    def test_a_rim_too_small_to_be_marked_is_not_judged_by_the_one_before(self):
        """A line of 16 cells, after a picture in which a die lay against the rim."""
        frame = draw(cloth(), 40, 40, 3, side=14)
        for column in range(8, 72):
            frame[column] = 200
        for depth in range(1, 8):
            self.reader.cells.depths[depth] = 4
        self.assertEqual(self.reader.read(frame), (READ, [3]))

    def test_a_die_of_which_a_pip_is_left_is_cut_off(self):
        """It is no 1 with that pip, however near to the middle of what is seen."""
        for x in (WIDTH + 2, WIDTH):
            frame = draw(draw(cloth(), 30, 36, 3), x, 36, 4, turned=True)
            self.assertEqual(self.reader.read(frame)[0], CUT_OFF, x)

    def test_the_edge_of_an_arm_along_the_top_of_a_lower_part(self):
        """Three greys fainter than a shadow, and in pieces: it was taken for a tray's rim."""
        frame = draw(cloth(), 20, 40, 3)
        for column in range(36, WIDTH):
            if column // 4 % 9:
                for row in range(4, 8):
                    frame[row * WIDTH + column] -= 15
        self.assertEqual(Reader(WIDTH, HEIGHT, True, True).read(frame)[0], FOREIGN)


if __name__ == "__main__":
    unittest.main()

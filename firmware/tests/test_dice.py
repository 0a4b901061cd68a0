"""The dice reader on drawn pictures: each face, each reason, on both interpreters."""

import unittest
from array import array

from tablelogic.dice import read_codes
from tablelogic.dice.picture_reader import Reader
from tablelogic.dice.scan import scan
from tablelogic.dice.smoothing import NOISY
from tablelogic.dice.stepwise import finish

from .dice_pictures import HEIGHT, WIDTH, cloth, draw


class Faces(unittest.TestCase):
    """A face is what its pips say, whatever the colours and the turn."""

    def setUp(self):
        self.reader = Reader(WIDTH, HEIGHT)

    def test_dark_pips(self):
        for value in range(1, 7):
            with self.subTest(value=value):
                frame = draw(cloth(), 48, 36, value)
                self.assertEqual(self.reader.read(frame), (read_codes.READ, [value]))

    def test_light_pips_on_a_turned_die(self):
        for value in range(1, 7):
            with self.subTest(value=value):
                frame = draw(cloth(), 46, 34, value, body=25, pip=220, turned=True)
                self.assertEqual(self.reader.read(frame), (read_codes.READ, [value]))

    def test_two_dice_sorted(self):
        frame = draw(draw(cloth(), 24, 36, 6), 70, 34, 2, turned=True)
        self.assertEqual(self.reader.read(frame, 2), (read_codes.READ, [2, 6]))


class Steps(unittest.TestCase):
    """A reading in steps comes to the same, whatever happens between them."""

    def setUp(self):
        self.five = draw(cloth(), 48, 36, 5)

    def test_two_readings_by_turns(self):
        first = Reader(WIDTH, HEIGHT).steps(self.five)
        second = Reader(WIDTH, HEIGHT).steps(draw(cloth(), 30, 30, 2))
        for _ in range(60):
            next(first)
            next(second)
        self.assertEqual(finish(first), (read_codes.READ, [5]))
        self.assertEqual(finish(second), (read_codes.READ, [2]))

    def test_one_that_was_abandoned(self):
        """The same reader reads the next picture right, wherever it stopped."""
        reader = Reader(WIDTH, HEIGHT)
        for stop in (1, 10, 40):
            steps = reader.steps(draw(cloth(), 30, 30, 2))
            for _ in range(stop):
                next(steps)
            self.assertEqual(reader.read(self.five), (read_codes.READ, [5]))


def noisy(frame, most):
    """The frame with up to so many greys more or less on each pixel, evenly drawn."""
    number = 1
    for pixel in range(len(frame)):
        number = number * 1103515245 + 12345 & 0x7FFFFFFF
        frame[pixel] = max(0, min(255, frame[pixel] + (number >> 16) % (2 * most + 1) - most))
    return frame


class Noise(unittest.TestCase):
    """A noisy frame is read smoothed, if there is room for that."""

    def setUp(self):
        self.reader = Reader(WIDTH, HEIGHT)
        self.frame = noisy(draw(draw(cloth(), 24, 36, 6), 70, 34, 2, turned=True), 20)

    def test_faces_are_read_and_the_frame_stays(self):
        before = bytes(self.frame)
        self.assertEqual(self.reader.read(self.frame), (read_codes.READ, [2, 6]))
        self.assertTrue(self.reader.cells.noise < 2 * NOISY)
        self.assertEqual(self.frame, before)
        self.assertEqual(self.reader.read(draw(cloth(), 48, 36, 4)), (read_codes.READ, [4]))

    def test_a_reader_that_smooths_nothing(self):
        reader = Reader(WIDTH, HEIGHT, False)
        reader.read(self.frame)
        self.assertTrue(reader.cells.noise > 3 * NOISY)

    def test_without_room_it_is_read_as_it_is(self):
        self.reader._has_room = lambda: False
        self.assertTrue(self.reader.read(self.frame)[1] in ([2, 6], [2], [6], []))
        self.assertTrue(self.reader.cells.noise > 3 * NOISY)


class Reasons(unittest.TestCase):
    """What cannot be read for sure is refused, by its reason."""

    def setUp(self):
        self.reader = Reader(WIDTH, HEIGHT)

    def test_an_empty_tray(self):
        self.assertEqual(self.reader.read(cloth()), (read_codes.NO_DICE, []))

    def test_no_light(self):
        dark = bytearray(WIDTH * HEIGHT)
        self.assertEqual(self.reader.read(dark), (read_codes.TOO_DARK, []))

    def test_one_die_where_two_belong(self):
        frame = draw(cloth(), 48, 36, 4)
        self.assertEqual(self.reader.read(frame, 2), (read_codes.COUNT_WRONG, [4]))

    def test_a_die_cut_by_the_edge(self):
        frame = draw(draw(cloth(), 30, 36, 3), WIDTH - 4, 36, 5)
        self.assertEqual(self.reader.read(frame)[0], read_codes.CUT_OFF)

    def test_an_arm(self):
        frame = draw(cloth(), 20, 20, 3)
        for row in range(30, 52):
            for column in range(40, WIDTH):
                frame[row * WIDTH + column] = 180
        self.assertEqual(self.reader.read(frame)[0], read_codes.FOREIGN)

    def test_an_arm_of_the_cloths_own_grey(self):
        """Only its edges are a little darker; dice beside it are read, and not believed."""
        frame = draw(cloth(), 20, 20, 3)
        for row in range(28, 65):
            for column in range(40, WIDTH):
                frame[row * WIDTH + column] += 14 - (row - 46) * (row - 46) // 11
        self.assertEqual(self.reader.read(frame), (read_codes.FOREIGN, [3]))

    def test_a_die_without_pips(self):
        frame = draw(draw(cloth(), 24, 36, 6), 70, 34, 2, pip=230)
        self.assertEqual(self.reader.read(frame)[0], read_codes.UNREADABLE)

    def test_a_pip_that_is_half_gone(self):
        """Five with a faint middle is neither four nor five."""
        frame = draw(cloth(), 48, 36, 4)
        for row in (35, 36, 37):
            for column in (47, 48, 49):
                frame[row * WIDTH + column] = 130
        self.assertNotEqual(self.reader.read(frame)[0], read_codes.READ)

    def test_a_domino(self):
        """Two faces in line on one body are no two dice, whatever the count says."""
        frame = draw(draw(cloth(), 36, 36, 4, turned=True), 56, 51, 3, turned=True)
        self.assertNotEqual(self.reader.read(frame, 2)[0], read_codes.READ)

    def test_a_card(self):
        """A pattern in the middle of a body that is no square."""
        frame = cloth()
        for row in range(10, 63):
            for column in range(30, 67):
                frame[row * WIDTH + column] = 230
        self.assertNotEqual(self.reader.read(draw(frame, 48, 36, 5))[0], read_codes.READ)

    def test_a_pip_too_many(self):
        """A stain of a pip's size on a two."""
        frame = draw(cloth(), 48, 36, 2)
        for row in range(40, 44):
            for column in range(41, 45):
                frame[row * WIDTH + column] = 30
        self.assertNotEqual(self.reader.read(frame)[0], read_codes.READ)


class Scan(unittest.TestCase):
    """The loop over the pixels, against places set by hand."""

    def test_what_stands_out(self):
        frame = bytearray([100] * (16 * 16))
        frame[5 * 16 + 6] = 140
        frame[10 * 16 + 9] = 70
        pixels = array("h", bytes(60))
        self.assertEqual(scan(frame, (16, 16), (2, 1, 20), pixels), 2)
        self.assertEqual(list(pixels[:6]), [5, 6, 40, 10, 9, -30])

    def test_an_edge_does_not(self):
        frame = bytes([50] * 8 + [200] * 8) * 16
        pixels = array("h", bytes(60))
        self.assertEqual(scan(frame, (16, 16), (3, 1, 8), pixels), 0)

    def test_no_more_than_fit(self):
        frame = bytearray([100] * (16 * 16))
        for column in (4, 8, 12):
            frame[8 * 16 + column] = 200
        pixels = array("h", bytes(12))
        self.assertEqual(scan(frame, (16, 16), (2, 1, 8), pixels), 2)


if __name__ == "__main__":
    unittest.main()

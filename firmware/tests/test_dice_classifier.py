"""The classifier: its layers by hand, its patch, its word on drawn dice; on both interpreters."""

import unittest

from tablelogic.dice.classifier import CLASSES, Classifier
from tablelogic.dice.face import Face
from tablelogic.dice.layers import layer, pool
from tablelogic.dice.patch import SIZE, cut
from tablelogic.dice.picture import Picture

from .dice_pictures import HEIGHT, WIDTH, cloth, draw


def face(side=24):
    """A face in the middle of the drawn die."""
    die = Face(48 * 16, 36 * 16, -1, 3)
    die.side = side
    return die


def ahead(scores, value):
    """How far a value is ahead of every other class."""
    return scores[value] - max(scores[:value] + scores[value + 1 :])


class Layers(unittest.TestCase):
    """Sums worked out by hand."""

    def test_a_window_of_two_by_two(self):
        """Weights 1, 0, 0, 2 over 1..9: 1 + 2*5, 2 + 2*6, 4 + 2*8, 5 + 2*9."""
        out = bytearray(4)
        layer(bytearray(range(1, 10)), (3, 1, 2, 1, 1, 0), bytes((129, 128, 128, 130)), (0,), out)
        self.assertEqual(list(out), [11, 14, 20, 23])

    def test_every_second_place(self):
        """Windows of one, two apart: the corners, plus the bias."""
        out = bytearray(4)
        layer(bytearray(range(1, 10)), (3, 1, 1, 2, 1, 0), b"\x81", (10,), out)
        self.assertEqual(list(out), [11, 13, 17, 19])

    def test_two_channels_to_two(self):
        """One place of (3, 5): 3 - 5 + 9 shifted by one, and 2*3 + 5."""
        out = bytearray(2)
        layer(bytearray((3, 5)), (1, 2, 1, 1, 2, 1), bytes((129, 127, 130, 129)), (9, 0), out)
        self.assertEqual(list(out), [3, 5])

    def test_held_to_a_byte(self):
        """127 * 200 is more, -128 * 200 is less than a byte holds."""
        out = bytearray(2)
        layer(bytearray((200,)), (1, 1, 1, 1, 2, 0), bytes((255, 0)), (0, 0), out)
        self.assertEqual(list(out), [255, 0])

    def test_the_largest_of_four(self):
        """Two channels apart; a row and a column left over are dropped."""
        data = bytearray((1, 10, 2, 20, 0, 0, 3, 30, 4, 5, 0, 0, 9, 9, 9, 9, 9, 9))
        out = bytearray(2)
        pool(data, 3, 2, out)
        self.assertEqual(list(out), [4, 30])


class Patch(unittest.TestCase):
    """What the network is shown."""

    def test_an_even_cloth(self):
        """Nothing to stretch: every place is the mean."""
        out = bytearray(SIZE * SIZE)
        cut(Picture(bytes([77] * 64 * 64), 64, 64), (512, 512, 320, 0), out)
        self.assertEqual(set(out), {128})

    def test_darker_to_the_left(self):
        """A step through the middle: the left below 128, the right above, by as much."""
        frame = bytes([50] * 32 + [150] * 32) * 64
        for side in (320, 640):
            out = bytearray(SIZE * SIZE)
            cut(Picture(frame, 64, 64), (31 * 16 + 8, 512, side, 0), out)
            self.assertEqual((out[16 * SIZE + 4], out[16 * SIZE + 27]), (88, 168))

    def test_a_quarter_turn(self):
        """Direction 8: what lay to the right lies above."""
        frame = bytes([50] * 32 + [150] * 32) * 64
        out = bytearray(SIZE * SIZE)
        cut(Picture(frame, 64, 64), (31 * 16 + 8, 512, 320, 8), out)
        self.assertTrue(out[4 * SIZE + 16] > 128 > out[27 * SIZE + 16])


class Words(unittest.TestCase):
    """What it says of drawn dice."""

    def setUp(self):
        self.classifier = Classifier()

    def test_every_face(self):
        """The value drawn is ahead of every other class."""
        for value in range(1, 7):
            for turned in (False, True):
                with self.subTest(value=value, turned=turned):
                    frame = draw(cloth(), 48, 36, value, turned=turned)
                    picture = Picture(frame, WIDTH, HEIGHT)
                    scores = self.classifier.look(picture, face(), 1)
                    self.assertTrue(ahead(scores, value) > 0)

    def test_another_face_than_is_there(self):
        """It contradicts."""
        picture = Picture(draw(cloth(), 48, 36, 5), WIDTH, HEIGHT)
        self.assertTrue(ahead(self.classifier.look(picture, face(), 2), 4) < 0)

    def test_a_die_without_pips(self):
        """Nothing that can be read."""
        picture = Picture(draw(cloth(), 48, 36, 4, pip=230), WIDTH, HEIGHT)
        scores = self.classifier.look(picture, face(), 1)
        for value in range(1, CLASSES):
            self.assertTrue(ahead(scores, value) < 0)


if __name__ == "__main__":
    unittest.main()

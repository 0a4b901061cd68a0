"""Greys expected are reckoned by hand."""

import unittest

from tablelogic.dice.picture import Picture
from tablelogic.dice.smoothing import smooth
from tablelogic.dice.stepwise import finish

SIZE = 16


def smooth_frame(frame: bytes) -> bytearray:
    out = bytearray(SIZE * SIZE)
    finish(smooth(Picture(frame, SIZE, SIZE), out))
    return out


class TestSmooth(unittest.TestCase):
    def test_a_point_is_spread_by_one_two_one_both_ways(self):
        frame = bytearray(SIZE * SIZE)
        frame[5 * SIZE + 7] = 160
        out = smooth_frame(frame)
        around = [list(out[row * SIZE + 6 : row * SIZE + 9]) for row in (4, 5, 6)]
        self.assertEqual(around, [[10, 20, 10], [20, 40, 20], [10, 20, 10]])
        self.assertEqual(sum(out), 160)

    def test_at_the_border_the_last_pixel_stands_for_those_beyond(self):
        frame = bytearray(SIZE * SIZE)
        frame[0] = frame[-1] = 160
        out = smooth_frame(frame)
        self.assertEqual([out[0], out[1], out[SIZE], out[SIZE + 1]], [90, 30, 30, 10])
        self.assertEqual([out[-1], out[-2], out[-SIZE - 1]], [90, 30, 30])

    def test_what_is_of_one_grey_stays(self):
        for grey in (0, 1, 254, 255):
            frame = bytes([grey]) * (SIZE * SIZE)
            self.assertEqual(smooth_frame(frame), frame)


if __name__ == "__main__":
    unittest.main()

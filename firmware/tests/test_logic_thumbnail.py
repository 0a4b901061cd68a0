"""The thumbnail of a frame, held against greys laid out by hand."""

import unittest

from tablelogic.dice_tray.thumbnail import greys


def painted(side, grey_of):
    """A frame of 32 x 24 even cells."""
    frame = bytearray(32 * side * 24 * side)
    for y in range(24 * side):
        for x in range(32 * side):
            frame[y * 32 * side + x] = grey_of(x // side, y // side)
    return frame


class ThumbnailTest(unittest.TestCase):
    def test_each_cell_stands_in_its_place(self):
        """Columns 0 to 31 as greys of 0 to 248 by 8: two columns to a step of 16, either size."""
        for side in (5, 10):
            frame = painted(side, lambda column, row: 8 * column)
            row = bytes([0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                         0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF])  # fmt: skip
            for part in (0, 1):
                self.assertEqual(bytes(greys(frame, 32 * side, part)), row * 12)

    def test_rows_of_either_half(self):
        """Rows 0 to 11 are the first half, 12 to 23 the second; the left cell is the high one."""
        frame = painted(5, lambda column, row: 16 * (row % 12) if column % 2 else 255 - row // 12)
        half = b"".join(bytes([0xF0 + row]) * 16 for row in range(12))
        self.assertEqual(bytes(greys(frame, 160, 0)), half)
        self.assertEqual(bytes(greys(frame, 160, 1)), half)
        frame[59 * 160 : 65 * 160] = bytes(6 * 160)  # the last line of row 11, row 12 whole
        self.assertEqual(bytes(greys(frame, 160, 1)), bytes(16) + half[16:])

    def test_a_cell_is_the_mean_of_nine_pixels(self):
        """Nine pixels 0, 2 and 4 across and down: 255 in five of them are 141.7, that is 8."""
        frame = bytearray(160 * 120)
        for x, y in ((0, 0), (4, 0), (2, 2), (0, 4), (4, 4)):
            frame[(115 + y) * 160 + 155 + x] = 255
        cells = greys(frame, 160, 1)
        self.assertEqual(bytes(cells[:-1]), bytes(191))
        self.assertEqual(cells[-1], 0x08)


if __name__ == "__main__":
    unittest.main()

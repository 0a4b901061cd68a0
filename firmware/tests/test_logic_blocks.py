"""What moved in a picture, and what is known of the last result after the power was off."""

import unittest

from tablelogic.dice_tray.blocks import Blocks

WIDTH, HEIGHT = 64, 32  # 8 x 4 blocks
UNKNOWN = 65535


def frame(*bright):
    """A grey picture with bright blocks at (column, row)."""
    greys = bytearray(bytes([100]) * (WIDTH * HEIGHT))
    for column, row in bright:
        for y in range(8 * row, 8 * row + 8):
            pixel = y * WIDTH + 8 * column
            greys[pixel : pixel + 8] = bytes([200]) * 8
    return greys


def result_of(*bright):
    """What is stored of a result that looked so."""
    blocks = Blocks(WIDTH, HEIGHT)
    blocks.measure(frame(*bright))
    blocks.keep()
    return blocks.stored()


class TestKept(unittest.TestCase):
    def setUp(self):
        self.blocks = Blocks(WIDTH, HEIGHT)

    def since(self, *bright):
        self.blocks.measure(frame(*bright))
        return self.blocks.since_kept()

    def test_nothing_is_kept_at_first(self):
        self.assertEqual(self.since((1, 1)), UNKNOWN)

    def test_the_last_result_is_known_again(self):
        self.blocks.restore(result_of((1, 1)))
        self.assertEqual(self.since((1, 1)), 0)
        self.assertEqual(self.since((2, 1)), 2)  # gone from one block, come into another

    def test_what_is_torn_damaged_or_of_another_size_is_left_alone(self):
        data = result_of((1, 1))
        flipped = bytearray(data)
        flipped[5] ^= 1
        for bad in (None, b"", data[:-1], data + b"0", bytes(flipped), bytes(len(data))):
            self.blocks.restore(bad)
            self.assertEqual(self.since((1, 1)), UNKNOWN)


if __name__ == "__main__":
    unittest.main()

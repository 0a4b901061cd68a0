"""The pocket by the switch array: one bit, stable, no second one."""

import unittest

from tablelogic.roulette.pocket_array import FRET, NONE, TWO, PocketArray, occupied

STABLE_MS = 2500
READ_MS = 80


def bits(*pockets):
    """Shift registers with the switches of these pockets closed: bit k & 7 of byte k >> 3."""
    registers = bytearray(5)
    for pocket in pockets:
        registers[pocket >> 3] |= 1 << (pocket & 7)
    return registers


class OccupiedTest(unittest.TestCase):
    def test_layout(self):
        """Hand-written bytes: bit 0 of byte 0 is pocket 0, bit 4 of byte 4 pocket 36."""
        self.assertEqual(occupied(b"\x01\x00\x00\x00\x00", 37), 0)
        self.assertEqual(occupied(b"\x80\x00\x00\x00\x00", 37), 7)
        self.assertEqual(occupied(b"\x00\x01\x00\x00\x00", 37), 8)
        self.assertEqual(occupied(b"\x00\x00\x00\x00\x10", 37), 36)
        self.assertEqual(occupied(b"\x00\x00\x00\x00\x20", 38), 37)

    def test_every_pocket(self):
        """Each of 38 alone is itself."""
        for pocket in range(38):
            self.assertEqual(occupied(bits(pocket), 38), pocket)

    def test_none_and_two(self):
        """Two in one byte, two far apart, all of them."""
        self.assertEqual(occupied(bits(), 37), NONE)
        self.assertEqual(occupied(bits(3, 5), 37), TWO)
        self.assertEqual(occupied(bits(0, 36), 38), TWO)
        self.assertEqual(occupied(bits(3, 4, 5), 37), TWO)
        self.assertEqual(occupied(b"\xff\xff\xff\xff\xff", 37), TWO)

    def test_on_the_fret(self):
        """Two neighbours, in one byte, over two, and the last beside the first."""
        self.assertEqual(occupied(bits(3, 4), 37), FRET)
        self.assertEqual(occupied(bits(7, 8), 37), FRET)
        self.assertEqual(occupied(bits(0, 36), 37), FRET)

    def test_a_bit_beyond_the_last_pocket(self):
        """A wheel of 37 has no pocket 37: never a number."""
        self.assertEqual(occupied(bits(37), 37), TWO)
        self.assertEqual(occupied(bits(39), 38), TWO)


class Reads:
    """An array read every 80 ms of what lies in it."""

    def __init__(self, start_ms=0x3FFFFF00):
        self.array = PocketArray(37, STABLE_MS)
        self.now_ms = start_ms
        self.array.watch(start_ms)

    def read(self, count, *pockets):
        for _ in range(count):
            self.now_ms = (self.now_ms + READ_MS) & 0x3FFFFFFF
            self.array.read(bits(*pockets), self.now_ms)
        return self.array

    def pocket(self):
        return self.array.pocket(self.now_ms)


class StableTest(unittest.TestCase):
    def test_it_must_stand_for_the_stable_time(self):
        """First read at 0 ms, 31 reads later it is 2480 ms, 32 reads later 2560 ms."""
        reads = Reads()
        reads.read(10)
        reads.read(32, 17)
        self.assertEqual(reads.pocket(), NONE)
        reads.read(1, 17)
        self.assertEqual(reads.pocket(), 17)

    def test_a_ball_that_rattles_begins_anew(self):
        """One read without it, or of the next pocket, and the time starts again."""
        for between in ((), (18,), (17, 18)):
            reads = Reads()
            reads.read(30, 17)
            reads.read(1, *between)
            reads.read(32, 17)
            self.assertEqual(reads.pocket(), NONE)
            reads.read(1, 17)
            self.assertEqual(reads.pocket(), 17)

    def test_two_are_no_pocket(self):
        """However long they lie."""
        reads = Reads()
        reads.read(100, 3, 30)
        self.assertEqual(reads.pocket(), NONE)

    def test_the_first_pocket_and_the_last(self):
        """Zero is a pocket like all others; there too a ball can appear."""
        for pocket in (0, 36):
            reads = Reads()
            reads.read(30)
            reads.read(33, pocket)
            self.assertEqual(reads.pocket(), pocket)
            self.assertTrue(reads.array.appeared(reads.now_ms))

    def test_how_long_it_shows(self):
        """Ten more reads are 800 ms."""
        reads = Reads()
        reads.read(11, 5)
        self.assertEqual(reads.array.for_ms(reads.now_ms), 800)


class SecondBallTest(unittest.TestCase):
    def test_three_reads_of_two(self):
        """A ball that bounces may close two switches twice, not three times."""
        reads = Reads()
        self.assertFalse(reads.read(2, 3, 9).second_ball())
        self.assertTrue(reads.read(1, 3, 9).second_ball())

    def test_a_ball_on_the_fret_falls(self):
        """It closes both switches beside it for 2.4 s at most; two balls there stay."""
        reads = Reads()
        self.assertFalse(reads.read(31, 3, 4).second_ball())
        self.assertTrue(reads.read(2, 3, 4).second_ball())

    def test_a_new_round_forgets(self):
        """What was seen before does not count."""
        reads = Reads()
        reads.read(5, 3, 9)
        reads.array.watch(reads.now_ms)
        self.assertFalse(reads.array.second_ball())


class AppearedTest(unittest.TestCase):
    def test_a_ball_where_all_was_empty(self):
        """Empty for more than two seconds, then a ball that stays."""
        reads = Reads()
        reads.read(30)
        self.assertFalse(reads.read(32, 9).appeared(reads.now_ms))
        self.assertTrue(reads.read(1, 9).appeared(reads.now_ms))

    def test_the_old_ball_is_no_new_one(self):
        """It lay there when the round opened."""
        reads = Reads()
        reads.read(5, 9)
        reads.array.watch(reads.now_ms)
        self.assertFalse(reads.read(60, 9).appeared(reads.now_ms))

    def test_a_short_lift_is_no_new_ball(self):
        """The croupier lifts the old ball for a second and lays it down again."""
        reads = Reads()
        reads.read(5, 9)
        reads.array.watch(reads.now_ms)
        reads.read(12)
        self.assertFalse(reads.read(60, 9).appeared(reads.now_ms))


if __name__ == "__main__":
    unittest.main()

"""Records in two copies: torn, swapped and foreign copies. CPython and VM."""

import unittest

from tablespec.provisioning import configuration
from tablewire.slots import CONFIGURATION, COUNTERS, newest, pack_slot, unpack_slot


class Slots(unittest.TestCase):
    # "TW", kind 2, count 2, sequence 5, 3, -1; CRC-32 by crcmod
    BYTES = b"TW\x02\x02\x05\0\0\0\x03\0\0\0\xff\xff\xff\xff\x68\x05\xee\xac"

    def test_layout(self):
        self.assertEqual(pack_slot(COUNTERS, 5, [3, -1]), self.BYTES)
        self.assertEqual(unpack_slot(COUNTERS, self.BYTES), (5, [3, -1]))

    def test_every_torn_length_is_damaged(self):
        for length in range(len(self.BYTES)):
            self.assertEqual(unpack_slot(COUNTERS, self.BYTES[:length]), None)

    def test_every_flipped_bit_is_damaged(self):
        for place in range(len(self.BYTES)):
            for bit in range(8):
                data = bytearray(self.BYTES)
                data[place] ^= 1 << bit
                self.assertEqual(unpack_slot(COUNTERS, bytes(data)), None)

    def test_kinds_are_not_mixed_up(self):
        self.assertEqual(unpack_slot(CONFIGURATION, self.BYTES), None)

    def test_newer_valid_copy_counts(self):
        old, new = pack_slot(COUNTERS, 6, [1]), pack_slot(COUNTERS, 7, [2])
        self.assertEqual(newest(COUNTERS, (old, new)), (7, [2]))
        self.assertEqual(newest(COUNTERS, (new, old)), (7, [2]))
        self.assertEqual(newest(COUNTERS, (old, new[:-1])), (6, [1]))
        self.assertEqual(newest(COUNTERS, (None, new)), (7, [2]))
        self.assertEqual(newest(COUNTERS, (None, None)), None)

    def test_configuration_checks_names_and_ranges(self):
        self.assertEqual(unpack_slot(CONFIGURATION, configuration(wheel=2))[1][1], 2)
        with self.assertRaises(ValueError):
            configuration(wheel=3)
        with self.assertRaises(ValueError):
            configuration(weel=2)


if __name__ == "__main__":
    unittest.main()

"""Head and seal of a trace, byte for byte."""

import unittest

from tablewire.trace_file import HEAD_BYTES, seal


class Seal(unittest.TestCase):
    def test_head_and_sum_by_hand(self):
        """Magic, format, version, device, boot, round, schema; behind it all zlib's sum."""
        buf = bytearray(HEAD_BYTES + 1 + 4)
        buf[HEAD_BYTES] = 0xFE
        self.assertEqual(
            seal(buf, HEAD_BYTES + 1, (1, 2, 3), (4711, 5, 0x01020304, 0x0A0B0C0D)), len(buf)
        )
        written = b"TWTR\x01\x01\x02\x03\x67\x12\0\0\x05\0\0\0\x04\x03\x02\x01"
        self.assertEqual(bytes(buf[:20]), written)
        self.assertEqual(bytes(buf[20:24]), b"\x0d\x0c\x0b\x0a")
        self.assertEqual(buf[HEAD_BYTES], 0xFE)
        # The sum of data that ends in its own sum, whatever the data (CRC-32's residue).
        from binascii import crc32

        self.assertEqual(crc32(bytes(buf)), 0x2144DF1C)


if __name__ == "__main__":
    unittest.main()

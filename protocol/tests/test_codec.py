"""Codec and framing: range checks of every field, CRC, stuffing. CPython and VM."""

import unittest

from tablewire import messages
from tablewire.cobs import stuff, unstuff
from tablewire.codec import FrameError
from tablewire.crc import crc32, seal
from tablewire.framing import Receiver
from tablewire.sender import Sender


def lowest(ident):
    """Values at the low end of every field of a message."""
    values = []
    for field in messages.MESSAGES[ident][2]:
        values.append(b"" if field[1][-1] == "s" else field[2])
    return values


class Crc(unittest.TestCase):
    def test_check_value(self):
        # CRC-32/ISO-HDLC, catalogue of parametrised CRC algorithms
        self.assertEqual(crc32(b"123456789", 0), 0xCBF43926)

    def test_seal_writes_the_same_sum(self):
        for seed in (0, 1, 0xEB150795, 0xFFFFFFFF):
            buf = bytearray(b"\0" + b"123456789" + bytes(4))
            seal(buf, 9, seed & 0xFFFF, seed >> 16)
            found = buf[10] | buf[11] << 8 | buf[12] << 16 | buf[13] << 24
            self.assertEqual(found, crc32(b"123456789", seed))


class Cobs(unittest.TestCase):
    # Cheshire and Baker's examples
    PAIRS = (
        (b"\0", b"\x01\x01\0"),
        (b"\0\0", b"\x01\x01\x01\0"),
        (b"\x11\x22\0\x33", b"\x03\x11\x22\x02\x33\0"),
        (b"\x11\x22\x33\x44", b"\x05\x11\x22\x33\x44\0"),
        (b"\x11\0\0\0", b"\x02\x11\x01\x01\x01\0"),
    )

    def test_examples(self):
        for plain, stuffed in self.PAIRS:
            buf = bytearray(b"\0" + plain + b"\xaa\xaa")
            self.assertEqual(bytes(buf[: stuff(buf, len(plain))]), stuffed)
            self.assertEqual(bytes(unstuff(stuffed[:-1])), plain)

    def test_longest_body(self):
        for filler in (0, 1, 255):
            plain = bytes([filler] * 254)
            buf = bytearray(b"\0" + plain + b"\0")
            length = stuff(buf, 254)
            self.assertEqual(length, 256)
            self.assertEqual(bytes(unstuff(bytes(buf[:255]))), plain)

    def test_code_beyond_the_end(self):
        self.assertEqual(unstuff(b"\x05\x01\x02"), None)


class Ranges(unittest.TestCase):
    def test_lowest_values_pass(self):
        for ident in messages.MESSAGES:
            sender = Sender(1, 1)
            (frame,) = Receiver().feed(sender.build(ident, lowest(ident)))
            self.assertEqual(frame.type, ident)

    def test_unknown_value_passes(self):
        for ident, entry in messages.MESSAGES.items():
            values = lowest(ident)
            for place, field in enumerate(entry[2]):
                if field[4] is not None:
                    values[place] = field[4]
            (frame,) = Receiver().feed(Sender(1, 1).build(ident, values))
            for place, field in enumerate(entry[2]):
                if field[4] is not None:
                    self.assertEqual(frame.values[place], field[4])

    def test_value_outside_is_refused(self):
        for ident, entry in messages.MESSAGES.items():
            for place, field in enumerate(entry[2]):
                if field[1][-1] == "s":
                    continue
                for wrong in (field[2] - 1, field[3] + 1):
                    if wrong == field[4]:
                        continue
                    values = lowest(ident)
                    values[place] = wrong
                    with self.assertRaises(FrameError):
                        Sender(1, 1).build(ident, values)

    def test_gap_in_an_enumeration_is_refused(self):
        for wrong in (0, 112, 199, 207, 400, 500):
            with self.assertRaises(FrameError):
                Sender(1, 1).build(messages.VOID_ROUND, [wrong])


class Uptime(unittest.TestCase):
    def test_wraps_at_32_bits(self):
        sender = Sender(1, 1)
        sender.uptime_low = 0xFFFF
        sender.uptime_high = 0xFFFF
        (frame,) = Receiver().feed(sender.build(messages.OPEN_BETS))
        self.assertEqual(frame.uptime_ms, 0xFFFFFFFF)
        sender.advance(500)
        (frame,) = Receiver().feed(sender.build(messages.OPEN_BETS))
        self.assertEqual(frame.uptime_ms, 499)


class Stream(unittest.TestCase):
    def test_rest_is_reported(self):
        receiver = Receiver()
        frame = Sender(1, 1).build(messages.OPEN_BETS)
        self.assertEqual(receiver.feed(frame[:-1]), [])
        (skip,) = receiver.finish()
        self.assertEqual((skip.reason, skip.offset, skip.length), ("truncated", 0, len(frame) - 1))
        self.assertEqual(receiver.finish(), [])

    def test_idle_zeros_belong_to_nothing(self):
        frame = Sender(1, 1).build(messages.OPEN_BETS)
        (found,) = Receiver().feed(b"\0\0\0" + frame + b"\0\0")
        self.assertEqual((found.offset, found.length), (3, len(frame)))

    def test_merged_frames_cost_each_other_only(self):
        sender = Sender(1, 1)
        first, second, third = [sender.build(messages.OPEN_BETS) for _ in range(3)]
        skip, found = Receiver().feed(first[:-1] + second + third)
        self.assertEqual(skip.length, len(first) + len(second) - 1)
        self.assertEqual(found.counter, 3)


if __name__ == "__main__":
    unittest.main()

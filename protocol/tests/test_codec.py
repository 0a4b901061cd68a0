"""Codec and framing: range checks of every field, CRC, stuffing. CPython and VM."""

import struct
import unittest

from tablewire import messages, roulette
from tablewire import messages as m
from tablewire.cobs import stuff, unstuff
from tablewire.codec import _KNOWN, QUICKER, FrameError, UnreadFrame, parse
from tablewire.crc import crc32, seal
from tablewire.framing import Receiver
from tablewire.layouts import APPENDED, LAYOUTS
from tablewire.sender import Sender

# A message, values at the low end of every field, values that are not known (255, 0 or 65535).
LOWEST = (
    (messages.HEARTBEAT, [1, 0, 0, -1, 0, 0, 0, 0, 0, 0]),
    (messages.STATE, [1, 1]),
    (messages.ROUND_OPENED, [1, 1, 0]),
    (messages.BETS_CLOSED, [1, 0]),
    (roulette.WHEEL_RESULT, [0, 0, 1, 1, 0, -1, -1, 0, 0, 0, 0, 1, 0, -50]),
    (messages.ROUND_VOID, [101, 1, 1, 0, -1, -1, 0, 0]),
    (messages.HEARTBEAT, [1, 0, 255, 0, 65535, 0, 0, 0, 0xFFFFFFFF, 0xFFFFFFFF]),
    (messages.ROUND_VOID, [101, 1, 255, 65535, 0, 0, 65535, 65535]),
    (messages.FAULT_CLEARED, [301, 255, 0xFFFFFFFF]),
)
# A message, place of a field, a value just outside what is allowed there.
OUTSIDE = (
    (0, 0, 0), (0, 0, 200), (0, 1, 33), (0, 2, 251), (0, 2, 254), (0, 3, 2), (0, 3, -2),
    (0, 4, 20001), (0, 4, -1), (0, 6, 65536), (0, 8, -1), (0, 8, 0x100000000), (2, 0, 0),
    (2, 0, 200), (2, 1, 0), (2, 1, 21), (2, 2, 0x20000000), (3, 0, 200), (4, 0, 38), (4, 3, 0),
    (4, 3, 256), (4, 5, 2), (4, 11, 0), (4, 11, 5), (4, 13, 51), (4, 13, -51),
    (5, 0, 100), (5, 0, 119), (5, 0, 199), (5, 0, 207), (5, 0, 599),
    (5, 2, 0), (5, 2, 64), (5, 2, 200), (5, 3, 60001),
)  # fmt: skip


class Crc(unittest.TestCase):
    def test_check_value(self):
        # CRC-32/ISO-HDLC, catalogue of parametrised CRC algorithms
        self.assertEqual(crc32(b"123456789", 0), 0xCBF43926)

    def test_seal_writes_the_same_sum(self):
        for seed in (0, 1, 0xEB150795, 0xFFFFFFFF):
            buf = bytearray(b"\0" + b"123456789" + bytes(4))
            seal(buf, 9, seed & 0xFFFF, seed >> 16)
            crc = buf[10] | buf[11] << 8 | buf[12] << 16 | buf[13] << 24
            self.assertEqual(crc, crc32(b"123456789", seed))


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
    def test_limits_and_unknown_values_pass(self):
        for ident, values in LOWEST:
            (frame,) = Receiver().feed(Sender(1, 1).build(ident, values))
            self.assertEqual((frame.type, frame.values), (ident, tuple(values)))

    def test_value_outside_is_not_sent(self):
        for which, place, wrong in OUTSIDE:
            ident, values = LOWEST[which]
            values = values[:place] + [wrong] + values[place + 1 :]
            with self.assertRaises(FrameError):
                Sender(1, 1).build(ident, values)

    def test_refusal_names_message_and_field(self):
        try:
            Sender(1, 1).build(messages.ROUND_OPENED, [1, 21, 0])
        except FrameError as error:
            self.assertEqual(str(error), "range: message 0x10 field 2 is 21: see PROTOCOL.md")

    def test_wrong_number_of_values_is_refused(self):
        for values in ([1], [1, 1, 1]):
            with self.assertRaises(ValueError):
                Sender(1, 1).build(messages.STATE, values)


class Grown(unittest.TestCase):
    """Payloads that another minor version wrote."""

    PHASES = [m.PHASE_BETS_OPEN, m.PHASE_CLOSED]

    def setUp(self):
        self.layout = LAYOUTS[m.STATE]
        self.quicker = QUICKER.pop(m.STATE, None)
        _KNOWN.clear()

    def tearDown(self):
        LAYOUTS[m.STATE] = self.layout
        APPENDED.clear()
        if self.quicker is not None:
            QUICKER[m.STATE] = self.quicker
        _KNOWN.clear()

    def grow(self):
        """A later minor version: state gets a number and two bytes."""
        LAYOUTS[m.STATE] = (b"BBH2s", self.layout[1], self.layout[2], (0, 9, 65535, 65535), ())
        APPENDED[m.STATE] = (2, 65535, bytes(2))
        _KNOWN.clear()

    def test_an_older_end_ignores_what_was_appended(self):
        body = self.body(b"\x02\x01\x07\x00ab")
        self.assertEqual(parse(body).values, (2, 1))

    def test_a_newer_end_fills_in_what_is_missing(self):
        self.grow()
        for payload, values in (
            (b"\x02\x01\x07\x00ab", (2, 1, 7, b"ab")),
            (b"\x02\x01\x07\x00", (2, 1, 7, bytes(2))),
            (b"\x02\x01", (2, 1, 65535, bytes(2))),
        ):
            self.assertEqual(parse(self.body(payload)).values, values)

    def test_a_payload_that_ends_inside_a_field_is_unread(self):
        self.grow()
        for payload in (b"\x02", b"\x02\x01\x07", b"\x02\x01\x07\x00a"):
            with self.assertRaises(FrameError) as caught:
                parse(self.body(payload))
            self.assertEqual(caught.exception.reason, "length")
            self.assertEqual(caught.exception.frame.values, ())

    def test_what_is_not_understood_keeps_its_header(self):
        """Unknown type, unknown value: authentic, so what could be read is reported."""
        for ident, payload, reason in ((0x3E, b"", "type"), (m.STATE, b"\x63\x01", "range")):
            with self.assertRaises(FrameError) as caught:
                parse(self.body(payload, ident), verify=lambda frame, body: None)
            frame = caught.exception.frame
            self.assertTrue(isinstance(frame, UnreadFrame))
            self.assertEqual((caught.exception.reason, frame.type), (reason, ident))
            self.assertEqual((frame.device, frame.boot, frame.counter, frame.round), (7, 3, 1, 5))
            self.assertTrue(frame.problem.startswith(reason))

    def test_a_refused_frame_is_not_called_unread(self):
        """The receiver's own check comes first: nobody forges what is kept raw."""

        def refuse(frame, body):
            raise FrameError("tag", "")

        with self.assertRaises(FrameError) as caught:
            parse(self.body(b"", 0x3E), verify=refuse)
        self.assertEqual(caught.exception.reason, "tag")
        self.assertFalse(isinstance(caught.exception.frame, UnreadFrame))

    @staticmethod
    def body(payload, ident=m.STATE):
        head = struct.pack("<BBBBBIIIIIIH", 1, ident, 2, 1, 1, 7, 3, 1, 0, 5, 0, 65535)
        body = head + payload
        return body + struct.pack("<I", crc32(body, m.SEED))


class Echo(unittest.TestCase):
    def test_it_ages_with_the_clock_and_stays_at_the_top(self):
        sender = Sender(1, 1)
        for elapsed, expected in ((None, 65535), (0, 0), (999, 999), (65535, 65535), (9, 65535)):
            if elapsed is None:
                pass
            elif elapsed:
                sender.advance(elapsed)
            else:
                sender.set_echo(m.LAST_TOKEN)
            (frame,) = Receiver().feed(sender.build(m.OPEN_BETS))
            self.assertEqual(frame.echo_ms, expected)
        self.assertEqual(frame.echo, 1073741823)


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
        (item,) = Receiver().feed(b"\0\0\0" + frame + b"\0\0")
        self.assertEqual((item.offset, item.length), (3, len(frame)))

    def test_merged_frames_cost_each_other_only(self):
        sender = Sender(1, 1)
        first, second, third = [sender.build(messages.OPEN_BETS) for _ in range(3)]
        skip, item = Receiver().feed(first[:-1] + second + third)
        self.assertEqual(skip.length, len(first) + len(second) - 1)
        self.assertEqual(item.counter, 3)


if __name__ == "__main__":
    unittest.main()

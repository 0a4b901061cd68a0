"""Durable records until they are acknowledged."""

import unittest

from tabledev.app.outbox import SLOTS, Outbox
from tablelogic.ticks import MASK

BOOT = 7


def record(number, length=10):
    """A send buffer holding version, type, flags durable, then the number."""
    buf = bytearray(128)
    for index in range(length):
        buf[1 + index] = (number + index) & 0xFF
    buf[3] = 2
    return buf


class OutboxTest(unittest.TestCase):
    def setUp(self):
        self.outbox = Outbox(BOOT)
        self.buf = bytearray(128)

    def put(self, *numbers):
        for number in numbers:
            self.assertTrue(self.outbox.put(record(number), 10, number))

    def send_all(self, now_ms):
        """Send what is due now; returns (first byte, flags) of each."""
        sent = []
        slot = self.outbox.due(now_ms)
        while slot >= 0:
            length = self.outbox.load(slot, self.buf, now_ms)
            self.assertEqual(length, 10)
            sent.append((self.buf[1], self.buf[3]))
            slot = self.outbox.due(now_ms)
        return sent

    def test_records_are_sent_once_in_order(self):
        """First in, first out; nothing is due again before two seconds."""
        self.put(1, 2, 3)
        self.assertEqual(self.outbox.unsent, 3)
        self.assertEqual(self.send_all(0), [(1, 2), (2, 2), (3, 2)])
        self.assertEqual(self.outbox.unsent, 0)
        self.assertEqual(self.send_all(1999), [])
        self.assertEqual(self.outbox.waiting, 3)

    def test_a_record_is_repeated_with_the_flag(self):
        """Every two seconds, with `retransmitted` (8) beside `durable` (2), across the wrap."""
        start = MASK - 500
        self.put(1, 2)
        self.send_all(start)
        self.assertEqual(self.send_all((start + 1999) & MASK), [])
        self.assertEqual(self.send_all((start + 2000) & MASK), [(1, 10), (2, 10)])
        self.assertEqual(self.send_all((start + 3999) & MASK), [])
        self.assertEqual(self.send_all((start + 4000) & MASK), [(1, 10), (2, 10)])

    def test_new_records_go_before_repeats(self):
        """The order of first sending is that of the counters."""
        self.put(1)
        self.send_all(0)
        self.put(2)
        self.assertEqual(self.send_all(5000), [(2, 2), (1, 10)])

    def test_an_acknowledged_record_is_not_repeated(self):
        """By boot and counter; any other name changes nothing."""
        self.put(1, 2, 3)
        self.send_all(0)
        self.assertFalse(self.outbox.acknowledge(BOOT - 1, 2))
        self.assertFalse(self.outbox.acknowledge(BOOT, 4))
        self.assertTrue(self.outbox.acknowledge(BOOT, 2))
        self.assertFalse(self.outbox.acknowledge(BOOT, 2))
        self.assertEqual(self.outbox.waiting, 2)
        self.assertEqual(self.send_all(2000), [(1, 10), (3, 10)])

    def test_a_full_outbox_refuses_and_keeps(self):
        """Nothing is overwritten; room comes with the acknowledgement of the oldest."""
        self.put(*range(SLOTS))
        self.assertEqual(self.outbox.room(), 0)
        self.assertFalse(self.outbox.put(record(99), 10, 99))
        self.assertEqual(self.outbox.waiting, SLOTS)
        self.assertEqual([first for first, _ in self.send_all(0)], list(range(SLOTS)))
        self.assertTrue(self.outbox.acknowledge(BOOT, 1))
        self.assertEqual(self.outbox.room(), 0)
        self.assertTrue(self.outbox.acknowledge(BOOT, 0))
        self.assertEqual(self.outbox.room(), 2)

    def test_the_ring_goes_round(self):
        """A thousand records, at most five waiting, each sent in its turn."""
        sent = []
        for number in range(1000):
            self.put(number)
            if number % 5 == 4:
                sent += [first for first, _ in self.send_all(number)]
                for counter in range(number - 4, number + 1):
                    self.assertTrue(self.outbox.acknowledge(BOOT, counter))
        self.assertEqual(sent, [number & 0xFF for number in range(1000)])
        self.assertEqual((self.outbox.waiting, self.outbox.room()), (0, SLOTS))

    def test_a_record_acknowledged_before_it_was_sent_is_not_sent(self):
        """It cannot happen to an honest host, and must not confuse the count."""
        self.put(1, 2)
        self.assertTrue(self.outbox.acknowledge(BOOT, 1))
        self.assertEqual(self.outbox.unsent, 1)
        self.assertEqual(self.send_all(0), [(2, 2)])
        self.assertEqual(self.outbox.unsent, 0)

    def test_the_longest_record_fits_and_a_longer_one_is_refused(self):
        """64 bytes: header and payload of the longest durable message are 43."""
        self.assertTrue(self.outbox.put(record(1, 64), 64, 1))
        self.assertFalse(self.outbox.put(record(2, 65), 65, 2))
        self.assertEqual(self.outbox.load(self.outbox.due(0), self.buf, 0), 64)
        self.assertEqual(self.buf[1:65], record(1, 64)[1:65])


if __name__ == "__main__":
    unittest.main()

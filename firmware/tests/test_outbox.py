"""Durable records until they are acknowledged."""

import binascii
import struct
import unittest

from tests.fakes import Flash, PowerCut

from tabledev.app.outbox import SLOT_BYTES, SLOTS, Journal, Outbox
from tablelogic.core.ticks import MASK
from tablewire import messages as m
from tablewire import roulette
from tablewire.layouts import LAYOUTS

BOOT = 7


LENGTH = 33


def record(number, length=LENGTH, boot=BOOT, ident=m.BETS_CLOSED, round=1):
    """A send buffer holding a header, filled up with the number."""
    buf = bytearray(128)
    values = (1, ident, m.FLAG_DURABLE, 0, 1, 4711, boot, number, 0, round, 0, 65535)
    buf[1:32] = struct.pack("<BBBBBIIIIIIH", *values)
    for index in range(32, 1 + length):
        buf[index] = number & 0xFF
    return buf


class OutboxTest(unittest.TestCase):
    def setUp(self):
        self.flash = Flash()
        self.outbox = Outbox(Journal(self.flash))
        self.buf = bytearray(128)

    def put(self, *numbers):
        for number in numbers:
            self.assertTrue(self.outbox.put(record(number), LENGTH))

    def send_all(self, now_ms):
        """Send what is due now; returns (counter, flags) of each."""
        sent = []
        slot = self.outbox.due(now_ms)
        while slot >= 0:
            length = self.outbox.load(slot, self.buf, now_ms)
            self.assertEqual(length, LENGTH)
            sent.append((self.buf[14], self.buf[3]))
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
        self.assertFalse(self.outbox.put(record(99), LENGTH))
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
        """56 bytes: header and payload of the longest durable message are 52."""
        longest = max(struct.calcsize(b"<" + e[0]) for i, e in LAYOUTS.items() if 0x10 <= i < 0x40)
        self.assertTrue(31 + longest <= SLOT_BYTES)
        self.assertTrue(self.outbox.put(record(1, 56), 56))
        self.assertFalse(self.outbox.put(record(2, 57), 57))
        self.assertEqual(self.outbox.load(self.outbox.due(0), self.buf, 0), 56)
        self.assertEqual(self.buf[1:57], record(1, 56)[1:57])


class RestoreTest(unittest.TestCase):
    def setUp(self):
        self.flash = Flash()
        self.outbox = Outbox(Journal(self.flash))
        self.buf = bytearray(128)

    def put(self, *numbers, **header):
        for number in numbers:
            self.assertTrue(self.outbox.put(record(number, **header), LENGTH))

    def restart(self):
        """The outbox after a power cut; returns its journal."""
        journal = Journal(self.flash)
        self.outbox = Outbox(journal)
        self.outbox.restore()
        return journal

    def next_sent(self):
        """(boot, counter, flags) of what is sent next at time 0, None for nothing."""
        slot = self.outbox.due(0)
        if slot < 0:
            return None
        self.outbox.load(slot, self.buf, 0)
        boot, counter = struct.unpack_from("<II", self.buf, 10)
        return boot, counter, self.buf[3]

    def test_a_record_is_on_flash_before_it_is_due(self):
        """Header and payload, then the CRC-32 of both; binascii is the reference."""
        self.put(5)
        body = bytes(record(5)[1 : 1 + LENGTH])
        crc = struct.pack("<I", binascii.crc32(body) & 0xFFFFFFFF)
        self.assertEqual(self.flash.files, {"record.0": body + crc})

    def test_what_was_not_acknowledged_is_sent_again_in_order(self):
        """Under its own boot and counter, flagged (8), before anything new."""
        self.put(1, 2, 3)
        self.outbox.acknowledge(BOOT, 2)
        self.outbox.sweep()
        self.assertEqual(self.restart().torn, [])
        self.put(1, boot=BOOT + 1)
        self.assertEqual(self.outbox.waiting, 3)
        frames = [self.next_sent() for _ in range(4)]
        expected = [(BOOT, 1, 10), (BOOT, 3, 10), (BOOT + 1, 1, 2), None]
        self.assertEqual(frames, expected)
        self.assertTrue(self.outbox.acknowledge(BOOT, 3))
        self.assertTrue(self.outbox.acknowledge(BOOT + 1, 1))
        self.assertEqual(self.outbox.unsent, 0)

    def test_the_order_survives_the_turn_of_the_ring(self):
        """Records in the last slots and the first: the oldest is the head."""
        for number in range(1, SLOTS - 1):
            self.put(number)
            self.outbox.acknowledge(BOOT, number)
            self.outbox.sweep()
        self.put(100, 101, 102, 103)
        self.assertTrue(self.flash.files["record.31"])
        self.assertTrue(self.flash.files["record.1"])
        self.restart()
        self.assertEqual([self.next_sent()[1] for _ in range(4)], [100, 101, 102, 103])
        self.assertEqual(self.outbox.room(), SLOTS - 4)

    def test_a_full_journal_is_full_after_the_boot_too(self):
        """Nothing is overwritten."""
        self.put(*range(SLOTS))
        self.restart()
        self.assertEqual((self.outbox.room(), self.outbox.waiting), (0, SLOTS))
        self.assertFalse(self.outbox.put(record(99), LENGTH))

    def test_a_slot_is_written_only_while_it_is_free(self):
        """A thousand records with late acknowledgements: no file of a waiting one changes."""
        waiting = {}
        for number in range(1000):
            if self.outbox.room():
                before = {name: self.flash.files[name] for name in waiting.values()}
                self.put(number)
                for name, data in before.items():
                    self.assertEqual(self.flash.files[name], data)
                for name, data in self.flash.files.items():
                    if data and name not in waiting.values() and data[11] == number & 0xFF:
                        waiting[number] = name
            if number % 3 == 2:
                for oldest in sorted(waiting)[:5]:
                    self.assertTrue(self.outbox.acknowledge(BOOT, oldest))
                    del waiting[oldest]

    def test_a_torn_record_was_never_sent_and_is_freed(self):
        """Cut at each byte: it is there wholly or not at all, and the others are."""
        for byte in range(LENGTH + 5):
            self.flash = Flash()
            self.outbox = Outbox(Journal(self.flash))
            self.put(1)
            self.flash.cut = (1, byte)
            with self.assertRaises(PowerCut):
                self.put(2)
            self.flash.cut = None
            torn = len(self.restart().torn)
            self.assertEqual(torn, 0 if byte in (0, LENGTH + 4) else 1)
            self.assertEqual(self.outbox.waiting, 2 if byte == LENGTH + 4 else 1)
            self.outbox.sweep()
            self.assertEqual(self.restart().torn, [])

    def test_a_record_may_be_saved_after_it_was_sent(self):
        """It is sent as any other; cut at each byte it is there wholly or not at all."""
        for byte in range(LENGTH + 5):
            self.flash = Flash()
            self.outbox = Outbox(Journal(self.flash))
            self.put(1)
            self.assertTrue(self.outbox.put(record(2), LENGTH, is_saved=False))
            self.assertEqual([self.next_sent() for _ in range(2)], [(BOOT, 1, 2), (BOOT, 2, 2)])
            self.assertEqual(self.flash.writes, 1)
            self.flash.cut = (1, byte)
            with self.assertRaises(PowerCut):
                self.outbox.save(self.buf)
            self.flash.cut = None
            self.restart()
            self.assertEqual(self.next_sent(), (BOOT, 1, 10))
            expected = (BOOT, 2, 10) if byte == LENGTH + 4 else None
            self.assertEqual(self.next_sent(), expected)

    def test_the_newest_record_of_a_round_is_known(self):
        """Its number and whether the round is over; faults do not count."""
        self.restart()
        self.assertEqual(self.outbox.last_round(), None)
        for ident, over in (
            (m.ROUND_OPENED, False),
            (m.BETS_CLOSED, False),
            (roulette.WHEEL_RESULT, True),
            (m.ROUND_VOID, True),
        ):
            self.put(ident, ident=ident, round=70000 + ident)
            self.put(ident + 100, ident=m.FAULT_RAISED, round=9)
            self.restart()
            self.assertEqual(self.outbox.last_round(), (70000 + ident, over))


if __name__ == "__main__":
    unittest.main()

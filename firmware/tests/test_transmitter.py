"""Frames on their way out: never cut, first sendings in the order of their counters."""

import unittest

from tests.fakes import Clock, Flash, Link

from tabledev.app.outbox import SLOTS, Journal, Outbox
from tabledev.app.transmitter import Transmitter
from tablewire import messages as m
from tablewire.sender import Sender

STATE = [2, 1]
CLOSED = [1, 500]


class PostTest(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()
        self.link = Link()
        self.transmitter = Transmitter(
            Sender(1, 7), Outbox(Journal(Flash())), self.link, self.clock
        )

    def counters(self):
        """(counter, flags) of what was sent; anything that is no frame fails the test."""
        return [(frame.counter, frame.flags) for frame in self.link.frames()]

    def test_frames_leave_at_once(self):
        """A free line takes them in the order of the calls."""
        self.transmitter.send_durable(m.BETS_CLOSED, CLOSED)
        self.transmitter.send_volatile(m.STATE, STATE)
        self.transmitter.send_durable(m.BETS_CLOSED, CLOSED)
        self.assertEqual(self.counters(), [(1, 2), (2, 0), (3, 2)])

    def test_the_clock_of_the_frames_runs_on(self):
        """Uptime counts from the start, across the wrap of the ticks."""
        for wait in (0, 700, 700, 65535):
            self.clock.ms += wait
            self.transmitter.send_volatile(m.STATE, STATE)
        uptimes = [frame.uptime_ms for frame in self.link.frames()]
        self.assertEqual(uptimes, [0, 700, 1400, 66935])

    def test_a_frame_is_never_cut(self):
        """A line that takes one byte at a time delivers whole frames all the same."""
        self.link.room = 0
        self.transmitter.send_durable(m.BETS_CLOSED, CLOSED)
        self.transmitter.send_durable(m.BETS_CLOSED, CLOSED)
        for _ in range(200):
            self.link.room = 1
            self.transmitter.pump()
        self.assertEqual(self.counters(), [(1, 2), (2, 2)])

    def test_volatile_frames_are_dropped_when_the_line_is_full(self):
        """They are counted, and the gap in the counters shows it; durable ones wait."""
        self.link.room = 10
        self.transmitter.send_durable(m.BETS_CLOSED, CLOSED)
        self.transmitter.send_volatile(m.STATE, STATE)
        self.transmitter.send_durable(m.BETS_CLOSED, CLOSED)
        self.transmitter.send_volatile(m.STATE, STATE)
        self.assertEqual(self.transmitter.dropped, 2)
        self.link.room = None
        self.assertTrue(self.transmitter.pump())
        self.transmitter.send_volatile(m.STATE, STATE)
        self.assertEqual(self.counters(), [(1, 2), (3, 2), (5, 0)])

    def test_first_sendings_rise(self):
        """However the line stutters, a frame not sent before has a higher counter."""
        sent = []
        for step in range(400):
            self.link.room = (7, 0, 31, 64)[step % 4]
            self.clock.ms += 40
            if step % 3 == 0:
                self.transmitter.send_durable(m.BETS_CLOSED, CLOSED)
            self.transmitter.send_volatile(m.STATE, STATE)
            self.transmitter.pump()
            for counter, flags in self.counters():
                if not flags & m.FLAG_RETRANSMITTED:
                    sent.append(counter)
                if flags & m.FLAG_DURABLE:
                    self.transmitter.outbox.acknowledge(7, counter)
        self.assertTrue(len(sent) > 60)
        self.assertEqual(sent, sorted(set(sent)))

    def test_a_volatile_frame_never_overtakes_a_record(self):
        """Six records waited; four leave with one call, so the frame after them is dropped."""
        self.link.room = 0
        for _ in range(6):
            self.transmitter.send_durable(m.BETS_CLOSED, CLOSED)
        self.link.room = None
        self.transmitter.send_volatile(m.STATE, STATE)
        self.transmitter.send_volatile(m.STATE, STATE)
        self.assertEqual([counter for counter, _ in self.counters()], [1, 2, 3, 4, 5, 6, 8])

    def test_repeats_do_not_flood_the_line(self):
        """Four a call: 32 records are repeated over eight calls."""
        for _ in range(SLOTS):
            self.assertTrue(self.transmitter.send_durable(m.BETS_CLOSED, CLOSED))
        self.assertFalse(self.transmitter.send_durable(m.BETS_CLOSED, CLOSED))
        self.link.frames()
        self.clock.ms += 2000
        for call in range(8):
            self.transmitter.pump()
            expected = [(call * 4 + n, 10) for n in range(1, 5)]
            self.assertEqual(self.counters(), expected)
        self.transmitter.pump()
        self.assertEqual(self.counters(), [])

    def test_heartbeats_go_between_repeats(self):
        """An absent host does not silence the table."""
        for _ in range(SLOTS):
            self.transmitter.send_durable(m.BETS_CLOSED, CLOSED)
        self.clock.ms += 2000
        self.link.frames()
        self.transmitter.send_volatile(m.STATE, STATE)
        self.assertEqual(self.counters()[-1][1], 0)
        self.assertEqual(self.transmitter.dropped, 0)

    def test_a_record_keeps_its_round_and_time(self):
        """The repeat is the record as it was, but for the flag."""
        self.transmitter.sender.round = 17
        self.transmitter.send_durable(m.BETS_CLOSED, CLOSED)
        first = self.link.frames()[0]
        self.transmitter.sender.round = 18
        self.clock.ms += 2500
        self.transmitter.pump()
        repeat = self.link.frames()[0]
        for name in ("device", "boot", "counter", "uptime_ms", "round", "values"):
            self.assertEqual(getattr(repeat, name), getattr(first, name))
        self.assertEqual((first.flags, repeat.flags), (2, 10))


if __name__ == "__main__":
    unittest.main()

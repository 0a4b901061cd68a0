"""What the host knows of active faults."""

import unittest

from tests.fakes import SERIAL, Clock, Flash, Link

from tabledev.app.fault_log import RESERVE, Faults
from tabledev.app.outbox import SLOTS, Journal, Outbox
from tabledev.app.store import Store
from tabledev.app.transmitter import Transmitter
from tablewire import codes
from tablewire import messages as m
from tablewire.sender import Sender

TILT = [codes.TILT, m.INPUT_TILT, 1, 0]
TILT_OVER = [codes.TILT, m.INPUT_TILT, 4000]
DOME = [codes.DOME_OPEN, m.INPUT_DOME, 1, 0]


class FaultsTest(unittest.TestCase):
    def setUp(self):
        self.link = Link()
        self.flash = Flash()
        self.transmitter = Transmitter(
            Sender(1, 7), Outbox(Journal(self.flash)), self.link, Clock()
        )
        self.faults = Faults(self.transmitter, Store(self.flash, SERIAL, None))

    def half_minute(self):
        """Half a minute of heartbeats."""
        for _ in range(60):
            self.faults.beat()

    def reported(self):
        return [(frame.type, frame.values) for frame in self.link.frames()]

    def fill(self, room):
        """Leave this much room in the outbox."""
        while self.transmitter.outbox.room() > room:
            self.transmitter.send_durable(m.BETS_CLOSED, [1, 0])
        self.link.frames()

    def test_a_fault_is_reported_when_it_comes_and_goes(self):
        """With the values of the role."""
        self.faults.raised(TILT)
        self.faults.cleared(TILT_OVER)
        expected = [(m.FAULT_RAISED, tuple(TILT)), (m.FAULT_CLEARED, tuple(TILT_OVER))]
        self.assertEqual(self.reported(), expected)

    def test_the_last_places_are_the_rounds(self):
        """A chattering contact leaves room for the records of the open round."""
        for _ in range(SLOTS):
            self.faults.raised(TILT)
            self.faults.cleared(TILT_OVER)
            self.half_minute()
        self.assertEqual(self.transmitter.outbox.room(), RESERVE)

    def test_a_chattering_contact_wears_no_flash(self):
        """Sixteen clearings at once, then two a minute: 136 in an hour; it stands in between."""
        writes, cleared = self.flash.writes, 0
        for _ in range(60):
            for _ in range(120):
                self.faults.raised(TILT)
                self.faults.cleared(TILT_OVER)
                self.faults.beat()
            for frame in self.link.frames():
                cleared += frame.type == m.FAULT_CLEARED
                if frame.flags == m.FLAG_DURABLE:
                    self.transmitter.outbox.acknowledge(frame.boot, frame.counter)
            self.transmitter.outbox.sweep()
            self.transmitter.outbox.sweep()
        self.assertTrue(130 <= cleared <= 136, cleared)
        self.assertTrue(self.flash.writes - writes <= 8 * 136)

    def test_a_fault_that_came_too_often_stands_until_its_turn(self):
        """The host hears of no clearing, the table opens no round; later it is gone."""
        for _ in range(16):
            self.faults.raised(TILT)
            self.faults.cleared(TILT_OVER)
            for frame in self.link.frames():
                self.transmitter.outbox.acknowledge(frame.boot, frame.counter)
        self.faults.raised(TILT)
        self.reported()
        self.faults.cleared(TILT_OVER)
        self.assertEqual((self.reported(), self.faults.late), ([], 1))
        self.assertEqual(self.faults.is_active(codes.TILT), 1)
        self.faults.raised(TILT)
        self.assertEqual((self.reported(), self.faults.late), ([], 0))
        self.half_minute()
        self.assertEqual((self.reported(), self.faults.is_active(codes.TILT)), ([], 1))
        self.faults.cleared(TILT_OVER)
        self.assertEqual(self.reported(), [(m.FAULT_CLEARED, tuple(TILT_OVER))])
        self.faults.raised(TILT)
        self.faults.cleared(TILT_OVER)
        self.reported()
        self.half_minute()
        self.assertEqual(self.reported(), [(m.FAULT_CLEARED, tuple(TILT_OVER))])
        self.assertEqual(self.faults.late, 0)

    def test_what_found_no_room_is_reported_when_there_is_some(self):
        """The state counts, not each coming and going."""
        self.fill(RESERVE)
        self.faults.raised(TILT)
        self.faults.raised(DOME)
        self.faults.cleared(TILT_OVER)
        self.assertEqual(self.reported(), [])
        for counter in (1, 2, 3):
            self.transmitter.outbox.acknowledge(7, counter)
        self.faults.report()
        self.assertEqual(self.reported(), [(m.FAULT_RAISED, tuple(DOME))])

    def test_a_fault_reported_and_gone_unheard_is_reported_gone(self):
        """No fault stays raised at the host for ever."""
        self.faults.raised(TILT)
        self.fill(RESERVE)
        self.faults.cleared(TILT_OVER)
        self.assertEqual(self.reported(), [])
        self.transmitter.outbox.acknowledge(7, 1)
        self.faults.report()
        self.assertEqual(self.reported(), [(m.FAULT_CLEARED, tuple(TILT_OVER))])

    def test_a_new_role_is_not_reported_twice(self):
        """What still stands is not repeated, what does not is cleared with an unknown time."""
        self.faults.raised(TILT)
        self.faults.raised(DOME)
        self.link.frames()
        self.faults.restart()
        self.faults.raised(DOME)
        self.faults.report()
        expected = [(m.FAULT_CLEARED, (codes.TILT, m.INPUT_TILT, 0xFFFFFFFF))]
        self.assertEqual(self.reported(), expected)


if __name__ == "__main__":
    unittest.main()

"""What the host knows of standing faults."""

import unittest

from tests.fakes import SERIAL, Clock, Flash, Link

from tabledev.app.faults import RESERVE, Faults
from tabledev.app.journal import Journal
from tabledev.app.outbox import SLOTS, Outbox
from tabledev.app.post import Post
from tabledev.app.store import Store
from tablewire import codes
from tablewire import messages as m
from tablewire.sender import Sender

TILT = [codes.TILT, m.SENSOR_TILT, 1, 0]
TILT_OVER = [codes.TILT, m.SENSOR_TILT, 4000]
DOME = [codes.DOME_OPEN, m.SENSOR_DOME, 1, 0]


class FaultsTest(unittest.TestCase):
    def setUp(self):
        self.link = Link()
        self.post = Post(Sender(1, 7), Outbox(Journal(Flash())), self.link, Clock())
        self.faults = Faults(self.post, Store(Flash(), SERIAL, None))

    def told(self):
        return [(frame.type, frame.values) for frame in self.link.frames()]

    def fill(self, room):
        """Leave this much room in the outbox."""
        while self.post.outbox.room() > room:
            self.post.durable(m.BETS_CLOSED, [1, 0])
        self.link.frames()

    def test_a_fault_is_told_when_it_comes_and_goes(self):
        """With the values of the role."""
        self.faults.raised(TILT)
        self.faults.cleared(TILT_OVER)
        expected = [(m.FAULT_RAISED, tuple(TILT)), (m.FAULT_CLEARED, tuple(TILT_OVER))]
        self.assertEqual(self.told(), expected)

    def test_the_last_places_are_the_rounds(self):
        """A chattering contact leaves room for the records of the open round."""
        for _ in range(SLOTS):
            self.faults.raised(TILT)
            self.faults.cleared(TILT_OVER)
        self.assertEqual(self.post.outbox.room(), RESERVE)

    def test_what_found_no_room_is_told_when_there_is_some(self):
        """The state counts, not each coming and going."""
        self.fill(RESERVE)
        self.faults.raised(TILT)
        self.faults.raised(DOME)
        self.faults.cleared(TILT_OVER)
        self.assertEqual(self.told(), [])
        for counter in (1, 2, 3):
            self.post.outbox.acknowledge(7, counter)
        self.faults.tell()
        self.assertEqual(self.told(), [(m.FAULT_RAISED, tuple(DOME))])

    def test_a_fault_told_and_gone_unheard_is_told_gone(self):
        """No fault stays raised at the host for ever."""
        self.faults.raised(TILT)
        self.fill(RESERVE)
        self.faults.cleared(TILT_OVER)
        self.assertEqual(self.told(), [])
        self.post.outbox.acknowledge(7, 1)
        self.faults.tell()
        self.assertEqual(self.told(), [(m.FAULT_CLEARED, tuple(TILT_OVER))])

    def test_a_new_role_is_not_told_twice(self):
        """What still stands is not repeated, what does not is cleared with an unknown time."""
        self.faults.raised(TILT)
        self.faults.raised(DOME)
        self.link.frames()
        self.faults.restart()
        self.faults.raised(DOME)
        self.faults.tell()
        expected = [(m.FAULT_CLEARED, (codes.TILT, m.SENSOR_TILT, 0xFFFFFFFF))]
        self.assertEqual(self.told(), expected)


if __name__ == "__main__":
    unittest.main()

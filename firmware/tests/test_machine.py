"""A machine with a line of its own: opened with its driver, heard, reported or not, let go."""

import unittest

from tests.fakes import command, make_hal

from tabledev.app.roles import make_role
from tabledev.app.table import Table
from tablewire import card_shoe, config
from tablewire import messages as m


class Line:
    """A line that says the same at every poll."""

    def __init__(self, driver):
        self.driver = driver
        self.asked = []
        self.is_open = True

    def poll(self, report):
        self.asked.append(report[0])
        report[1], report[2] = card_shoe.READER_STATE_ALIVE, 7
        return True

    def close(self):
        self.is_open = False


class MachineTest(unittest.TestCase):
    def setUp(self):
        self.lines = []
        self.hal = make_hal()
        self.hal.open_machine = self.open
        self.table = Table(self.hal, make_role)
        self.table.start()
        self.hal.link.frames()

    def open(self, driver):
        self.lines.append(Line(driver))
        return self.lines[-1]

    def set_role(self, role):
        self.hal.link.incoming = command(m.SET_CONFIGURATION, [config.ROLE, role])
        self.table.exchange()
        return [frame.type for frame in self.hal.link.frames()]

    def test_a_reader_is_heard_and_not_reported(self):
        """Asked to drop at first, then to hold; no frame carries what it said."""
        types = self.set_role(m.ROLE_CARD_SHOE)
        line = self.lines[0]
        self.assertEqual(line.driver, "card_reader")
        self.table.exchange()
        types += [frame.type for frame in self.hal.link.frames()]
        drop, hold = card_shoe.READER_ASK_DROP, card_shoe.READER_ASK_HOLD
        self.assertEqual(line.asked, [drop, hold])
        self.assertTrue(self.table.role.report_message not in types)
        self.assertEqual(self.table.role.reader.error, 0)

    def test_it_is_let_go_with_its_role(self):
        """Another role closes the line; one without a machine opens none."""
        self.set_role(m.ROLE_CARD_SHOE)
        self.set_role(m.ROLE_ROULETTE)
        self.assertFalse(self.lines[0].is_open)
        self.assertEqual(len(self.lines), 1)
        self.table.exchange()
        self.assertEqual(len(self.lines[0].asked), 1)


if __name__ == "__main__":
    unittest.main()

"""A table under the commands of its host: what the tests of commands begin with."""

import unittest

from tests.fakes import Role, command, make_hal

from tabledev.app.table import Table


class Commanded(unittest.TestCase):
    """files: what is on the flash at the start, None for what provisioning leaves."""

    files = None

    def setUp(self):
        self.hal = make_hal(self.files)
        self.table = Table(self.hal, Role)
        self.table.start()
        self.role = self.table.role
        self.hal.link.frames()

    def send(self, ident, values=(), **header):
        """Send a command; returns the frames that answer it."""
        self.hal.link.incoming = command(ident, values, **header)
        self.table.exchange()
        return self.hal.link.frames()

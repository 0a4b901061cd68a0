"""What is reported of a spin: every field in its place and within its range."""

import unittest

from tests.logic_fakes import Sink, factory

from tablelogic.roulette.roulette import Roulette
from tablewire import messages as m
from tablewire import roulette
from tablewire.sender import Sender


class Spin:
    """Stands for track and pocket of a spin with known values. fields: the role that has them."""

    def __init__(self):
        self.active = True
        self.centi = 1534
        self.lap_us = 1899999
        self.first_us = (1 << 30) - 5000000
        self.last_us = 10000000
        self.way = 1
        self.sensor = roulette.POCKET_SENSOR_BOTH
        self.fields = Roulette(factory(wheel=2), Sink())
        self.fields.rotor = Ring()
        self.fields.track = self.fields.pocket = self

    def direction(self):
        return self.way

    def circuits_centi(self):
        return self.centi

    def agreements(self):
        return 4

    def last_rim(self):
        return 2

    def friction_ddegss(self):
        return 431

    def head_off_centi(self):
        return -12


class Ring:
    """Counter-clockwise at 12.3 rpm, as rotor and as its ring."""

    direction = -1

    def __init__(self):
        self.ring = self

    def drpm(self):
        return 123


class ResultTest(unittest.TestCase):
    def test_every_field(self):
        """Index 19 of the double-zero wheel is 00, sent as 37. The track ran 15 s, over the wrap.

        1899999 us are 1899 whole ms.
        """
        values = [37, 19, roulette.POCKET_SENSOR_BOTH, 4, 1534, 1, -1, 123, 1899, 15000, 3000]
        values += [2, 431, -12]
        self.assertEqual(Spin().fields.of_result(19, 3000), values)

    def test_the_wire_takes_it(self):
        """Every value is within the range of its field, whatever the spin was like."""
        sender = Sender(1, 1)
        sender.build(roulette.WHEEL_RESULT, Spin().fields.of_result(37, 0))
        spin = Spin()
        spin.active, spin.lap_us, spin.way = False, 0, 0
        sender.build(m.ROUND_VOID, [404, 1, 255] + spin.fields.motion())
        spin = Spin()
        spin.centi, spin.lap_us = 600000, 610000000
        sender.build(m.ROUND_VOID, [108, 5, 255] + spin.fields.motion())


class VoidTest(unittest.TestCase):
    def test_every_field(self):
        """The spin so far, behind reason, phase and sensor."""
        self.assertEqual(Spin().fields.motion(), [1534, 1, -1, 123, 1899])

    def test_no_ball_seen(self):
        """Circuits and lap are unknown, not 0."""
        spin = Spin()
        spin.active, spin.lap_us, spin.way = False, 0, 0
        self.assertEqual(spin.fields.motion(), [65535, 0, -1, 123, 65535])

    def test_more_than_the_fields_hold(self):
        """600 circuits and a lap of a minute are the most that is reported."""
        spin = Spin()
        spin.centi, spin.lap_us = 60001, 61000000
        self.assertEqual(spin.fields.motion(), [60000, 1, -1, 123, 60000])


if __name__ == "__main__":
    unittest.main()

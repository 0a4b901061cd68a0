"""The flapper: rest at 1000, on top of a pin 3000, and the other way round."""

import unittest

from tablelogic.money_wheel.flapper import Flapper


class BendTest(unittest.TestCase):
    def test_percent(self):
        for rest, top, raw in ((1000, 3000, 2200), (3000, 1000, 1800)):
            flapper = Flapper(rest, top)
            flapper.read(raw)
            self.assertEqual(flapper.percent, 60)

    def test_broken_wire(self):
        """Five readings at the end of the range, not four; one good one mends it."""
        for raw in (0, 4095):
            flapper = Flapper(1000, 3000)
            for _ in range(4):
                flapper.read(raw)
            self.assertFalse(flapper.is_broken())
            flapper.read(raw)
            self.assertTrue(flapper.is_broken())
            flapper.read(1500)
            self.assertFalse(flapper.is_broken())

    def test_it_snaps_behind_a_pin(self):
        """From 60 percent or more to 20 or less between two readings; thrown back it is slower."""
        for raws, has_snapped in (
            ((1000, 2200, 1400), True),
            ((1000, 3000, 1000), True),
            ((1000, 2190, 1000), False),
            ((1000, 3000, 2190, 1410, 1000), False),
        ):
            flapper = Flapper(1000, 3000)
            for raw in raws:
                flapper.read(raw)
            self.assertEqual(flapper.has_snapped, has_snapped, raws)
            flapper.forget()
            self.assertFalse(flapper.has_snapped)

    def test_stiff(self):
        """Less than a quarter of 2000 between the extremes is no flapper that pins bend."""
        flapper = Flapper(1000, 3000)
        for raw in (1000, 1499):
            flapper.read(raw)
        self.assertTrue(flapper.is_stiff())
        flapper.read(1500)
        self.assertFalse(flapper.is_stiff())
        flapper.forget()
        flapper.read(1000)
        self.assertTrue(flapper.is_stiff())


if __name__ == "__main__":
    unittest.main()

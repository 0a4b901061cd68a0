"""Values that may stand together, by hand."""

import unittest

from tablespec.provisioning import configuration
from tablewire import config, roulette
from tablewire.settings import clash, entry, factory, is_valid, leeway


def with_(**changed):
    values = factory()
    for name, value in changed.items():
        number = getattr(roulette, name.upper(), None) or getattr(config, name.upper())
        values[number] = value
    return values


class SettingsTest(unittest.TestCase):
    def test_the_factory_values_may_stand(self):
        """Each in its range, none against another, for either wheel."""
        self.assertTrue(is_valid(factory()))
        self.assertTrue(is_valid(with_(wheel=2, index_offset=37)))

    def test_contradictions(self):
        """The two keys and the gap between them; one step less may stand."""
        cases = (
            (with_(index_offset=37), (4, 2, -35), with_(index_offset=36)),
            (with_(rotor_min_drpm=300), (18, 19, 1), with_(rotor_min_drpm=299)),
            (with_(nmb_lap_ms=1101), (11, 13, 0), with_(nmb_lap_ms=1100)),
            (with_(launch_lap_max_ms=1101), (12, 13, 0), with_(launch_lap_max_ms=1100)),
            (with_(drop_lap_ms=2600), (13, 14, 1), with_(drop_lap_ms=2599)),
            (
                with_(array_stable_ms=5000, settle_ms=5000),
                (16, 15, 1),
                with_(array_stable_ms=4999, settle_ms=5000),
            ),
            (
                with_(rim_angle_mdeg=90000, rim_3_angle_mdeg=119999),
                (7, 87, 30000),
                with_(rim_angle_mdeg=90000, rim_3_angle_mdeg=120000),
            ),
            (
                with_(rim_3_angle_mdeg=240001),
                (87, 88, 30000),
                with_(rim_3_angle_mdeg=240000),
            ),
        )
        for bad, order, good in cases:
            self.assertEqual(clash(bad), order)
            self.assertFalse(is_valid(bad))
            self.assertEqual(clash(good), None)
            self.assertTrue(is_valid(good))

    def test_leeway(self):
        """What the other values leave: between two neighbours, or the whole range."""
        self.assertEqual(leeway(factory(), roulette.DROP_LAP_MS), (1000, 2599))
        self.assertEqual(leeway(factory(), roulette.INDEX_OFFSET), (0, 36))
        self.assertEqual(leeway(with_(index_offset=37, wheel=2), roulette.WHEEL), (2, 2))
        self.assertEqual(leeway(factory(), roulette.MIN_CIRCUITS), (1, 20))

    def test_too_few_too_many_or_out_of_range(self):
        """None of these is a configuration."""
        for values in (factory()[:-1], factory() + [0], with_(min_circuits=21)):
            self.assertFalse(is_valid(values))

    def test_entries(self):
        """By the number on the wire."""
        self.assertEqual(entry(8), (1, 20, 7))
        self.assertEqual([entry(number)[2] for number in (86, 87, 88)], [2, 180000, 270000])
        self.assertEqual((entry(0), entry(255)), (None, None))

    def test_provisioning_refuses_a_contradiction(self):
        """A copy nobody could use is not made."""
        with self.assertRaises(ValueError):
            configuration(index_offset=37)


if __name__ == "__main__":
    unittest.main()

"""What outlives the power, with the power cut at every byte of every write."""

import unittest

from tests.fakes import SERIAL, Flash, PowerCut, provisioned

from tabledev.app.store import Store
from tablewire import config
from tablewire.slots import CONFIGURATION, COUNTERS, configuration, pack_slot, unpack_slot


def copies(flash, name, kind):
    """Both copies of a record as (sequence, values) or None."""
    return [unpack_slot(kind, flash.files.get(name + end, b"")) for end in (".0", ".1")]


def counters(sequence, boot, round_number, is_open, serial=0):
    return pack_slot(COUNTERS, sequence, [boot, round_number, is_open, serial])


class CountersTest(unittest.TestCase):
    def test_every_boot_is_counted(self):
        """From 1 on a new controller, and both copies hold it."""
        flash = Flash(provisioned())
        for boot in (1, 2, 3):
            self.assertEqual(Store(flash, SERIAL).boot, boot)
            for copy in copies(flash, "counters", COUNTERS):
                self.assertEqual(copy[1], [boot, 0, 0, 0])

    def test_rounds_go_on_counting(self):
        """The number is on flash before it is used, and the next boot goes on from it."""
        flash = Flash(provisioned())
        store = Store(flash, SERIAL)
        for number in (1, 2, 3):
            self.assertEqual(store.open_round(), number)
            store.close_round()
        store = Store(flash, SERIAL)
        self.assertEqual((store.round, store.left_open), (3, 0))
        self.assertEqual(store.open_round(), 4)

    def test_a_round_left_open_is_known_once(self):
        """After it is marked over, the next boot knows of none."""
        flash = Flash(provisioned())
        Store(flash, SERIAL).open_round()
        store = Store(flash, SERIAL)
        self.assertEqual(store.left_open, 1)
        store.close_round()
        self.assertEqual(Store(flash, SERIAL).left_open, 0)

    def test_writes_alternate(self):
        """The copy written is never the newest one."""
        flash = Flash(provisioned())
        store = Store(flash, SERIAL)
        for _ in range(6):
            before = copies(flash, "counters", COUNTERS)
            store.open_round()
            after = copies(flash, "counters", COUNTERS)
            changed = [i for i in (0, 1) if before[i] != after[i]]
            self.assertEqual(len(changed), 1)
            self.assertTrue(before[changed[0]][0] <= before[1 - changed[0]][0])

    def test_the_serial_of_provisioning_counts(self):
        """As 32 unsigned bits; without one the chip's serial is used."""
        files = provisioned()
        files["counters.0"] = counters(1, 5, 9, 0, -2)
        self.assertEqual(Store(Flash(files), SERIAL).serial, 0xFFFFFFFE)
        self.assertEqual(Store(Flash(provisioned()), SERIAL).serial, SERIAL)

    def test_one_good_copy_repairs_the_other(self):
        """Whichever is damaged, missing or empty."""
        good = counters(8, 5, 9, 1)
        for bad in (None, b"", good[:-1], bytes([good[0] ^ 1]) + good[1:], counters(9, 0, 9, 1)):
            for place in (0, 1):
                files = provisioned()
                files["counters.%d" % place] = good
                if bad is not None:
                    files["counters.%d" % (1 - place)] = bad
                flash = Flash(files)
                store = Store(flash, SERIAL)
                self.assertEqual((store.boot, store.round, store.left_open), (6, 9, 9))
                for copy in copies(flash, "counters", COUNTERS):
                    self.assertEqual(copy[1], [6, 9, 1, 0])

    def test_the_newer_copy_counts(self):
        """By its sequence number, wherever it stands."""
        for place in (0, 1):
            files = provisioned()
            files["counters.%d" % place] = counters(8, 5, 10, 0)
            files["counters.%d" % (1 - place)] = counters(7, 5, 9, 1)
            store = Store(Flash(files), SERIAL)
            self.assertEqual((store.round, store.left_open), (10, 0))


class PowerCutTest(unittest.TestCase):
    def cut_everywhere(self, files, action, check):
        """Tear each write of action(store, told) at every byte, boot twice, check(told, both)."""
        flash = Flash(files)
        action(Store(flash, SERIAL), [])
        self.assertTrue(flash.writes > 0)
        for write in range(flash.writes):
            for byte in range(110):  # a configuration copy has 104 bytes
                flash = Flash(files)
                flash.cut = (write, byte)
                told = []
                try:
                    action(Store(flash, SERIAL), told)
                except PowerCut:
                    pass
                flash.cut = None
                store = Store(flash, SERIAL)
                store.flash = Flash(flash.files)
                check(told, store, Store(flash, SERIAL))

    def test_counters_never_go_back(self):
        """A boot number is used once; a round told is either open or over, never forgotten."""
        files = provisioned()
        files["counters.0"] = counters(4, 10, 20, 0)
        files["counters.1"] = counters(3, 10, 20, 1)

        def action(store, told):
            told.append(("boot", store.boot))
            told.append(("round", store.open_round()))
            store.close_round()
            told.append(("over", 21))

        def check(told, store, later):
            used = ("boot", 11) in told
            self.assertTrue(store.boot == 12 or (store.boot == 11 and not used))
            self.assertEqual(later.boot, store.boot + 1)
            if ("over", 21) in told:
                self.assertEqual((store.round, store.left_open), (21, 0))
            elif ("round", 21) in told:
                self.assertEqual(store.round, 21)
            else:
                self.assertTrue(store.round in (20, 21))
            self.assertTrue(store.left_open in (0, store.round))

        self.cut_everywhere(files, action, check)

    def test_a_round_is_open_until_its_end_is_safe(self):
        """Cut while the end is being marked: the round still counts as open, or as over."""
        flash = Flash(provisioned())
        store = Store(flash, SERIAL)
        store.open_round()
        before = dict(flash.files)
        for byte in range(29):
            flash = Flash(before)
            store = Store(flash, SERIAL)
            flash.cut = (flash.writes, byte)
            with self.assertRaises(PowerCut):
                store.close_round()
            flash.cut = None
            # 28 bytes are the whole copy.
            self.assertEqual(Store(flash, SERIAL).left_open, 1 if byte < 28 else 0)

    def test_a_configuration_is_the_old_or_the_new_one(self):
        """Never a mixture, never none, and both copies are equal after the next boot."""
        files = provisioned(wheel=2, min_circuits=4)

        def action(store, told):
            store.set(config.MIN_CIRCUITS, 9)
            told.append(9)

        def check(told, store, later):
            self.assertEqual(store.flash.files["config.0"], store.flash.files["config.1"])
            self.assertTrue(store.configured)
            self.assertEqual(store.config[config.WHEEL], 2)
            self.assertTrue(store.config[config.MIN_CIRCUITS] in (told or (4, 9)))
            self.assertEqual(store.config, later.config)

        self.cut_everywhere(files, action, check)


class ConfigurationTest(unittest.TestCase):
    def test_values_are_loaded_by_key(self):
        """config[key] is the value of the key; the others are the factory's."""
        store = Store(Flash(provisioned(wheel=2, max_bet_ms=45000)), SERIAL)
        self.assertTrue(store.configured)
        self.assertEqual(store.config[config.WHEEL], 2)
        self.assertEqual(store.config[config.MAX_BET_MS], 45000)
        self.assertEqual(store.config[config.MIN_CIRCUITS], 7)
        self.assertEqual(len(store.config), 24)

    def test_without_a_valid_copy_it_is_not_configured(self):
        """Missing, damaged, too short, or a value out of range: nothing of it is used."""
        good = configuration(min_circuits=4)
        values = unpack_slot(CONFIGURATION, good)[1]
        short = pack_slot(CONFIGURATION, 9, values[:-1])
        wrong = pack_slot(CONFIGURATION, 9, [values[0], 3] + values[2:])
        for bad in (None, b"", good[:-1], good[:40] + bytes(1) + good[41:], short, wrong):
            files = {} if bad is None else {"config.0": bad, "config.1": bad}
            flash = Flash(files)
            store = Store(flash, SERIAL)
            self.assertFalse(store.configured)
            self.assertEqual(store.config[config.MIN_CIRCUITS], 7)
            self.assertEqual(flash.files.get("config.0"), bad)

    def test_a_newer_copy_out_of_range_does_not_count(self):
        """The older one that is in range does, and replaces it."""
        good = configuration(min_circuits=4)
        values = unpack_slot(CONFIGURATION, good)[1]
        flash = Flash(
            {"config.0": good, "config.1": pack_slot(CONFIGURATION, 9, [0] + values[1:])}
        )
        self.assertEqual(Store(flash, SERIAL).config[config.MIN_CIRCUITS], 4)
        self.assertEqual(flash.files["config.1"], good)

    def test_set_writes_both_copies(self):
        """So a later damage to one does not bring the old value back."""
        flash = Flash(provisioned())
        self.assertEqual(Store(flash, SERIAL).set(config.MIN_CIRCUITS, 3), 7)
        for end in (".0", ".1"):
            files = dict(flash.files)
            files["config" + end] = b"damaged"
            self.assertEqual(Store(Flash(files), SERIAL).config[config.MIN_CIRCUITS], 3)

    def test_set_on_an_unconfigured_controller_stores_a_whole_configuration(self):
        """Factory values with the one set."""
        flash = Flash()
        store = Store(flash, SERIAL)
        self.assertEqual(store.set(config.WHEEL, 2), 1)
        self.assertTrue(store.configured)
        store = Store(flash, SERIAL)
        self.assertTrue(store.configured)
        self.assertEqual(store.config[config.WHEEL], 2)
        self.assertEqual(store.config[config.MIN_CIRCUITS], 7)


if __name__ == "__main__":
    unittest.main()

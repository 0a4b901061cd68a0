"""What outlives the power, with the power cut at every byte of every write."""

import unittest

from tests.fakes import RANDOM, SERIAL, Flash, PowerCut, provisioned, random_bytes

from tabledev.app import store as stores
from tabledev.app.version import RELEASE
from tablespec.provisioning import configuration
from tablewire import codes, config, roulette, settings
from tablewire import messages as m
from tablewire.slots import (
    CONFIGURATION,
    COUNTERS,
    FAULTS,
    pack_slot,
    unpack_slot,
)


def booted(flash, serial, last=None):
    """A store after the boot, and what the journal knows of the last round."""
    store = stores.Store(flash, serial, random_bytes)
    store.settle(last, damaged=store.damaged)
    return store


def open_round(store):
    """The number of a new round, safe."""
    store.open_round()
    store.save_round()
    return store.round


def close_round(store):
    store.close_round()
    store.save_round()


def left_open(store):
    return store.round if store.is_open else 0


def copies(flash, name, kind):
    """Both copies of a record as (sequence, values) or None."""
    return [unpack_slot(kind, flash.files.get(name + end, b"")) for end in (".0", ".1")]


def counters(sequence, boot, round_number, is_open, serial=0):
    return pack_slot(COUNTERS, sequence, [boot, round_number, is_open, serial])


def put(store, number, value):
    """Store one value."""
    values = list(store.config)
    values[number] = value
    store.replace(values)


class CountersTest(unittest.TestCase):
    def test_every_boot_is_counted(self):
        """From 1 on a new controller, and both copies hold it."""
        flash = Flash(provisioned())
        for boot in (1, 2, 3):
            self.assertEqual(booted(flash, SERIAL).boot, boot)
            for copy in copies(flash, "counters", COUNTERS):
                self.assertEqual(copy[1], [boot, 0, 0, 0, RELEASE])

    def test_rounds_go_on_counting(self):
        """The number is on flash before it is used, and the next boot goes on from it."""
        flash = Flash(provisioned())
        store = booted(flash, SERIAL)
        for number in (1, 2, 3):
            self.assertEqual(open_round(store), number)
            close_round(store)
        store = booted(flash, SERIAL)
        self.assertEqual((store.round, left_open(store)), (3, 0))
        self.assertEqual(open_round(store), 4)

    def test_a_round_left_open_is_known_once(self):
        """After it is marked over, the next boot knows of none."""
        flash = Flash(provisioned())
        open_round(booted(flash, SERIAL))
        store = booted(flash, SERIAL)
        self.assertEqual(left_open(store), 1)
        close_round(store)
        self.assertEqual(left_open(booted(flash, SERIAL)), 0)

    def test_both_copies_hold_the_same(self):
        """After every opening and end, under a sequence number one higher."""
        flash = Flash(provisioned())
        store = booted(flash, SERIAL)
        for number in range(1, 4):
            for act, is_open in ((open_round, 1), (close_round, 0)):
                before = copies(flash, "counters", COUNTERS)[0][0]
                act(store)
                expected = (before + 1, [1, number, is_open, 0, RELEASE])
                self.assertEqual(copies(flash, "counters", COUNTERS), [expected] * 2)

    def test_the_serial_of_provisioning_counts(self):
        """As 32 unsigned bits; without one the chip's serial is used."""
        files = provisioned()
        files["counters.0"] = counters(1, 5, 9, 0, -2)
        self.assertEqual(booted(Flash(files), SERIAL).serial, 0xFFFFFFFE)
        self.assertEqual(booted(Flash(provisioned()), SERIAL).serial, SERIAL)

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
                store = booted(flash, SERIAL)
                self.assertEqual((store.boot, store.round, left_open(store)), (6, 9, 9))
                for copy in copies(flash, "counters", COUNTERS):
                    self.assertEqual(copy[1], [6, 9, 1, 0, RELEASE])

    def test_the_highest_release_is_kept(self):
        """A lower one does not lower it; a record from before releases counts as none."""
        files = provisioned()
        files["counters.0"] = pack_slot(COUNTERS, 8, [5, 9, 0, 0, RELEASE + 6])
        flash = Flash(files)
        self.assertEqual(booted(flash, SERIAL).highest, RELEASE + 6)
        self.assertEqual(booted(flash, SERIAL).highest, RELEASE + 6)
        files["counters.0"] = counters(8, 5, 9, 0)
        self.assertEqual(booted(Flash(files), SERIAL).highest, RELEASE)

    def test_the_newer_copy_counts(self):
        """By its sequence number, in either slot."""
        for place in (0, 1):
            files = provisioned()
            files["counters.%d" % place] = counters(8, 5, 10, 0)
            files["counters.%d" % (1 - place)] = counters(7, 5, 9, 1)
            store = booted(Flash(files), SERIAL)
            self.assertEqual((store.round, left_open(store)), (10, 0))


class PowerCutTest(unittest.TestCase):
    def cut_everywhere(self, files, action, check):
        """Tear each write of action(store, recorded) at every byte, boot twice, call check."""
        flash = Flash(files)
        action(booted(flash, SERIAL), [])
        self.assertTrue(flash.writes > 0)
        for write in range(flash.writes):
            for byte in range(110):  # a configuration copy has 104 bytes
                flash = Flash(files)
                flash.cut = (write, byte)
                recorded = []
                try:
                    action(booted(flash, SERIAL), recorded)
                except PowerCut:
                    pass
                flash.cut = None
                store = booted(flash, SERIAL)
                store.flash = Flash(flash.files)
                check(recorded, store, booted(flash, SERIAL))

    def test_counters_never_go_back(self):
        """A boot number is used once; a round reported is either open or over, never forgotten."""
        files = provisioned()
        files["counters.0"] = counters(4, 10, 20, 0)
        files["counters.1"] = counters(3, 10, 20, 1)

        def action(store, recorded):
            recorded.append(("boot", store.boot))
            recorded.append(("round", open_round(store)))
            close_round(store)
            recorded.append(("over", 21))

        def check(recorded, store, later):
            used = ("boot", 11) in recorded
            self.assertTrue(store.boot == 12 or (store.boot == 11 and not used))
            self.assertEqual(later.boot, store.boot + 1)
            if ("over", 21) in recorded:
                self.assertEqual((store.round, left_open(store)), (21, 0))
            elif ("round", 21) in recorded:
                self.assertEqual(store.round, 21)
            else:
                self.assertTrue(store.round in (20, 21))
            self.assertTrue(left_open(store) in (0, store.round))

        self.cut_everywhere(files, action, check)

    def test_a_round_is_open_until_its_end_is_safe(self):
        """Cut while the end is being marked: over once the first copy (32 bytes) is whole."""
        flash = Flash(provisioned())
        open_round(booted(flash, SERIAL))
        before = dict(flash.files)
        for write, byte in [(write, byte) for write in (0, 1) for byte in range(33)]:
            flash = Flash(before)
            store = booted(flash, SERIAL)
            flash.cut = (flash.writes + write, byte)
            with self.assertRaises(PowerCut):
                close_round(store)
            flash.cut = None
            still = write == 0 and byte < 32
            self.assertEqual(left_open(booted(flash, SERIAL)), 1 if still else 0)

    def test_a_configuration_is_the_old_or_the_new_one(self):
        """Never a mixture, never none, and both copies are equal after the next boot."""
        files = provisioned(wheel=2, min_circuits=4)

        def action(store, recorded):
            put(store, roulette.MIN_CIRCUITS, 9)
            recorded.append(9)

        def check(recorded, store, later):
            self.assertEqual(store.flash.files["config.0"], store.flash.files["config.1"])
            self.assertTrue(store.configured)
            self.assertEqual(store.config[roulette.WHEEL], 2)
            self.assertTrue(store.config[roulette.MIN_CIRCUITS] in (recorded or (4, 9)))
            self.assertEqual(store.config, later.config)

        self.cut_everywhere(files, action, check)


class RefusedTest(unittest.TestCase):
    def test_the_good_copy_is_written_last(self):
        """Any two of eight writes are refused and leave a torn file: a good one is left."""
        for first in range(8):
            for second in range(first, 8):
                flash = Flash(provisioned())
                store = booted(flash, SERIAL)
                self.refuse(flash, (first, second))
                for _ in range(4):
                    store.open_round()
                    try:
                        store.save_round()
                    except OSError:
                        pass
                    self.assertTrue(any(copies(flash, "counters", COUNTERS)))

    def refuse(self, flash, places):
        """Tear these writes from now on, counted from 0."""
        write, before = flash.write, flash.writes

        def tear(name, data):
            is_refused = flash.writes - before in places
            write(name, b"torn" if is_refused else data)
            if is_refused:
                raise OSError(5)

        flash.write = tear


class DamageTest(unittest.TestCase):
    """Nothing good left on a board that has played: locked, and no number is used again."""

    def run_boots(self):
        """The flash of a board that has played."""
        flash = Flash(provisioned())
        close = booted(flash, SERIAL)
        open_round(close)
        close_round(close)
        return flash

    def test_a_new_board_is_not_damaged(self):
        """Boot 1, round 0; nor is one whose power went during its first write."""
        self.assertFalse(booted(Flash(), SERIAL).damaged)
        self.assertFalse(booted(Flash(provisioned()), SERIAL).damaged)
        for byte in range(28):
            flash = Flash(provisioned())
            flash.cut = (0, byte)
            with self.assertRaises(PowerCut):
                booted(flash, SERIAL)
            flash.cut = None
            store = booted(flash, SERIAL)
            self.assertEqual((store.damaged, store.boot, store.faults), (False, 1, []))

    def test_lost_counters_lock_and_repeat_nothing(self):
        """Torn, of the wrong kind, or gone: 505 is active, boot and round count on far above."""
        good = self.run_boots().files["counters.0"]
        for bad in (None, b"", good[:-1], pack_slot(FAULTS, 9, [1, 1])):
            flash = self.run_boots()
            for end in (".0", ".1"):
                if bad is None:
                    del flash.files["counters" + end]
                else:
                    flash.files["counters" + end] = bad
            store = booted(flash, SERIAL)
            self.assertTrue(store.damaged)
            self.assertEqual((store.boot, store.round), (0x20000001 + RANDOM, 0x20000000 + RANDOM))
            again = booted(flash, SERIAL)
            self.assertFalse(again.damaged)
            self.assertEqual((again.boot, again.round), (store.boot + 1, store.round))
            self.assertEqual(again.faults, [codes.MEMORY_DAMAGED, m.UNKNOWN_U8])

    def test_the_lock_is_safe_before_the_counters_are_good(self):
        """Cut at every byte of that boot: the next one is locked too."""
        files = self.run_boots().files
        for end in (".0", ".1"):
            files["counters" + end] = b"damaged"
        flash = Flash(files)
        booted(flash, SERIAL)
        for write in range(flash.writes):
            for byte in range(32):
                flash = Flash(files)
                flash.cut = (write, byte)
                with self.assertRaises(PowerCut):
                    booted(flash, SERIAL)
                flash.cut = None
                store = booted(flash, SERIAL)
                self.assertEqual(store.faults, [codes.MEMORY_DAMAGED, m.UNKNOWN_U8])

    def test_lost_faults_lock(self):
        """What stood is not known, so nothing may be played."""
        flash = self.run_boots()
        flash.files["faults.0"] = flash.files["faults.1"] = b"x"
        store = booted(flash, SERIAL)
        self.assertEqual(store.faults, [codes.MEMORY_DAMAGED, m.UNKNOWN_U8])
        self.assertEqual(store.boot, 2)

    def test_the_look_around_a_round(self):
        """One bad copy of each record is repaired, two are reported."""
        for place, name in enumerate(("counters", "faults", "config")):
            flash = self.run_boots()
            store = booted(flash, SERIAL)
            good = flash.files[name + ".0"]
            for end in (".0", ".1"):
                for bad in (b"", good[:-1], good[:4] + bytes([good[4] ^ 1]) + good[5:]):
                    flash.files[name + end] = bad
                    self.assertTrue(store.verify(place))
                    self.assertEqual(flash.files[name + end], good)
            older = self.run_boots().files[name + ".0"] if name == "counters" else b"x"
            flash.files[name + ".0"] = flash.files[name + ".1"] = older
            self.assertFalse(store.verify(place))
            store.rewrite()
            self.assertTrue(store.verify(place))


class SettleTest(unittest.TestCase):
    """The journal is written before the counters; a boot makes good what the cut left behind."""

    def test_an_opening_that_reached_the_journal_counts(self):
        """Round 2 was being opened: it is the one left open."""
        flash = Flash(provisioned())
        store = booted(flash, SERIAL)
        open_round(store)
        close_round(store)
        store = booted(flash, SERIAL, (2, False))
        self.assertEqual((store.round, store.is_open), (2, True))

    def test_an_end_that_reached_the_journal_counts(self):
        """The round is not void besides."""
        flash = Flash(provisioned())
        open_round(booted(flash, SERIAL))
        self.assertFalse(booted(flash, SERIAL, (1, True)).is_open)
        self.assertFalse(booted(flash, SERIAL).is_open)

    def test_older_records_change_nothing(self):
        """An opening whose end was acknowledged first, and rounds before."""
        flash = Flash(provisioned())
        store = booted(flash, SERIAL)
        for _ in range(2):
            open_round(store)
            close_round(store)
        for last in ((2, False), (1, True), (1, False), None):
            self.assertFalse(booted(flash, SERIAL, last).is_open)
        open_round(store)
        for last in ((3, False), (2, True), (1, False), None):
            self.assertEqual(left_open(booted(flash, SERIAL, last)), 3)


class FaultsKeptTest(unittest.TestCase):
    def test_what_stands_outlives_the_power(self):
        """Code and sensor; the same news is not written twice."""
        flash = Flash(provisioned())
        store = booted(flash, SERIAL)
        store.keep_faults([codes.TILT, 7])
        writes = flash.writes
        store.keep_faults([codes.TILT, 7])
        self.assertEqual(flash.writes, writes)
        self.assertEqual(booted(flash, SERIAL).faults, [codes.TILT, 7])
        self.assertEqual(copies(flash, "faults", FAULTS)[0], copies(flash, "faults", FAULTS)[1])


class ConfigurationTest(unittest.TestCase):
    def test_values_are_loaded_by_key(self):
        """config[key] is the value of the key; the others are the factory's."""
        store = booted(Flash(provisioned(wheel=2, max_bet_ms=45000)), SERIAL)
        self.assertTrue(store.configured)
        self.assertEqual(store.config[roulette.WHEEL], 2)
        self.assertEqual(store.config[config.MAX_BET_MS], 45000)
        self.assertEqual(store.config[roulette.MIN_CIRCUITS], 7)
        self.assertEqual(len(store.config), settings.COUNT + 1)

    def test_a_copy_of_an_older_release_is_completed(self):
        """It has the first 24 keys; the later ones get the factory's values."""
        values = unpack_slot(CONFIGURATION, configuration(min_circuits=4))[1]
        older = pack_slot(CONFIGURATION, 9, values[:24])
        store = booted(Flash({"config.0": older, "config.1": older}), SERIAL)
        self.assertTrue(store.configured)
        self.assertEqual(store.config, settings.factory()[:8] + [4] + settings.factory()[9:])

    def test_a_copy_of_wire_1_0_has_two_rim_sensors(self):
        """It has 85 keys; rim_2 as far on as a key may say leaves room for the factory's rim_3."""
        values = unpack_slot(CONFIGURATION, configuration(rim_angle_mdeg=150000))[1]
        self.assertTrue(len(values) >= 88)
        older = pack_slot(CONFIGURATION, 9, values[:85])
        store = booted(Flash({"config.0": older, "config.1": older}), SERIAL)
        self.assertTrue(store.configured)
        self.assertEqual(store.config[7], 150000)
        self.assertEqual(store.config[86:89], [2, 180000, 270000])

    def test_without_a_valid_copy_it_is_not_configured(self):
        """Missing, damaged, too long, out of range, contradictory: nothing of it is used."""
        good = configuration(min_circuits=4)
        values = unpack_slot(CONFIGURATION, good)[1]
        long = pack_slot(CONFIGURATION, 9, values + [0])
        against = pack_slot(CONFIGURATION, 9, values[:17] + [300, 300] + values[19:])
        wrong = pack_slot(CONFIGURATION, 9, [values[0], 3] + values[2:])
        for bad in (None, b"", good[:-1], good[:40] + bytes(1) + good[41:], long, wrong, against):
            files = {} if bad is None else {"config.0": bad, "config.1": bad}
            flash = Flash(files)
            store = booted(flash, SERIAL)
            self.assertFalse(store.configured)
            self.assertEqual(store.config[roulette.MIN_CIRCUITS], 7)
            self.assertEqual(flash.files.get("config.0"), bad)

    def test_a_newer_copy_out_of_range_does_not_count(self):
        """The older one that is in range does, and replaces it."""
        good = configuration(min_circuits=4)
        values = unpack_slot(CONFIGURATION, good)[1]
        flash = Flash(
            {"config.0": good, "config.1": pack_slot(CONFIGURATION, 9, [0] + values[1:])}
        )
        self.assertEqual(booted(flash, SERIAL).config[roulette.MIN_CIRCUITS], 4)
        self.assertEqual(flash.files["config.1"], good)

    def test_set_writes_both_copies(self):
        """So a later damage to one does not bring the old value back."""
        flash = Flash(provisioned())
        put(booted(flash, SERIAL), roulette.MIN_CIRCUITS, 3)
        for end in (".0", ".1"):
            files = dict(flash.files)
            files["config" + end] = b"damaged"
            self.assertEqual(booted(Flash(files), SERIAL).config[roulette.MIN_CIRCUITS], 3)

    def test_set_on_an_unconfigured_controller_stores_a_whole_configuration(self):
        """Factory values with the one set."""
        flash = Flash()
        store = booted(flash, SERIAL)
        put(store, roulette.WHEEL, 2)
        self.assertTrue(store.configured)
        store = booted(flash, SERIAL)
        self.assertTrue(store.configured)
        self.assertEqual(store.config[roulette.WHEEL], 2)
        self.assertEqual(store.config[roulette.MIN_CIRCUITS], 7)


if __name__ == "__main__":
    unittest.main()

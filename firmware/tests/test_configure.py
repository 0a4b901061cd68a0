"""The configuration by command: read, changed, set back; refused; recorded whatever is cut."""

import unittest

from tests.commanded import Commanded
from tests.fakes import SERIAL, Flash, PowerCut, Role, command, make_hal, names, provisioned

from tabledev.app.fault_log import RESERVE
from tabledev.app.outbox import SLOTS
from tabledev.app.store import Store
from tabledev.app.supervisor import PeriodicTask, Supervisor
from tabledev.app.table import Table
from tablewire import codes, roulette, settings
from tablewire import messages as m
from tablewire.settings import factory

COMMAND, FACTORY, PROVISION = 1, 2, 3


def changes(frames):
    """Fields of each configuration_changed, repeats left out."""
    return [
        frame.values
        for frame in frames
        if frame.type == m.CONFIGURATION_CHANGED and not frame.flags & m.FLAG_RETRANSMITTED
    ]


class ConfigureTest(Commanded):
    def refusal(self, frames):
        """(command, cause, value, low, high, key) of the only answer."""
        self.assertEqual(names(frames), ["refusal"])
        values = frames[0].values
        return (values[0],) + values[2:]

    def set(self, key, value):
        return self.send(m.SET_CONFIGURATION, [key, value])

    def stored(self):
        """The configuration a boot would find, by key."""
        return Store(Flash(self.hal.flash.files), SERIAL, None).config

    def refuse(self, act):
        """The refusal act() is answered with; neither flash nor role may notice."""
        files, role = dict(self.hal.flash.files), self.table.role
        refusal = self.refusal(act())
        self.assertEqual(self.hal.flash.files, files)
        self.assertTrue(self.table.role is role)
        return refusal


class SetTest(ConfigureTest):
    def test_get(self):
        """Value, the same again, and the range; an unknown key is refused."""
        answer = self.send(m.GET_CONFIGURATION, [roulette.MIN_CIRCUITS])
        self.assertEqual(names(answer), ["configuration"])
        self.assertEqual(answer[0].values, (8, 7, 7, 1, 20))
        for key in (0, settings.COUNT + 1, 255):
            answer = self.send(m.GET_CONFIGURATION, [key])
            expected = (m.GET_CONFIGURATION, m.REFUSAL_UNKNOWN_KEY, key, 1, settings.COUNT, 0)
            self.assertEqual(self.refusal(answer), expected)

    def test_set_is_recorded_with_old_and_new(self):
        """Record first, then the answer; in force in a new role and after the next boot."""
        answer = self.set(roulette.MIN_CIRCUITS, 4)
        self.assertEqual(names(answer), ["configuration_changed", "configuration"])
        self.assertEqual(changes(answer), [(8, 4, 7, COMMAND, 2)])
        self.assertEqual(answer[1].values, (8, 4, 7, 1, 20))
        self.assertEqual(self.table.role.config[roulette.MIN_CIRCUITS], 4)
        self.assertFalse(self.table.role is self.role)
        self.assertEqual(self.stored()[roulette.MIN_CIRCUITS], 4)
        self.assertEqual(changes(self.set(roulette.MIN_CIRCUITS, 5)), [(8, 5, 4, COMMAND, 3)])

    def test_a_value_out_of_range_is_refused(self):
        """20000 for a field of 1 to 20, by whatever it is outside: with value and limits."""
        for value in (0, 21, 20000, -(2**31), 2**31 - 1):
            refusal = self.refuse(lambda v=value: self.set(roulette.MIN_CIRCUITS, v))
            expected = (m.SET_CONFIGURATION, m.REFUSAL_OUT_OF_RANGE, value, 1, 20, 0)
            self.assertEqual(refusal, expected)
        refusal = self.refuse(lambda: self.set(255, 1))
        self.assertEqual(refusal[1], m.REFUSAL_UNKNOWN_KEY)

    def test_a_value_against_another_is_refused(self):
        """With the key it contradicts, and the limits that one leaves it."""
        cases = (
            # key, value, low, high, key it contradicts
            (roulette.ROTOR_MIN_DRPM, 300, 10, 299, roulette.ROTOR_MAX_DRPM),
            (roulette.INDEX_OFFSET, 37, 0, 36, roulette.WHEEL),
            (roulette.NMB_LAP_MS, 1101, 400, 1100, roulette.DROP_LAP_MS),
            (roulette.LAUNCH_LAP_MAX_MS, 1101, 500, 1100, roulette.DROP_LAP_MS),
            (roulette.DROP_LAP_MS, 2600, 1000, 2599, roulette.STUCK_LAP_MS),
            (roulette.DROP_LAP_MS, 999, 1000, 2599, roulette.NMB_LAP_MS),
        )
        for key, value, low, high, other in cases:
            refusal = self.refuse(lambda k=key, v=value: self.set(k, v))
            expected = (m.SET_CONFIGURATION, m.REFUSAL_CONTRADICTION, value, low, high, other)
            self.assertEqual(refusal, expected)
        self.set(roulette.ARRAY_STABLE_MS, 5000)
        refusal = self.refuse(lambda: self.set(roulette.SETTLE_MS, 5000))
        self.assertEqual(refusal[1:], (m.REFUSAL_CONTRADICTION, 5000, 5001, 60000, 16))

    def test_no_change_with_a_round_open(self):
        """The refusal names the phase; set and factory alike."""
        self.set(roulette.MIN_CIRCUITS, 4)
        self.table.role.out.round_opened([1, 7, 60000])
        self.table.role.phase = m.PHASE_BETS_OPEN
        self.hal.link.frames()
        for ident, values in ((m.SET_CONFIGURATION, [8, 5]), (m.FACTORY_CONFIGURATION, ())):
            refusal = self.refuse(lambda i=ident, v=values: self.send(i, v))
            self.assertEqual(refusal, (ident, m.REFUSAL_ROUND_OPEN, m.PHASE_BETS_OPEN, 1, 1, 0))

    def test_setting_what_is_set_wears_nothing(self):
        """It is answered, not written and not recorded."""
        writes = self.hal.flash.writes
        answer = self.set(roulette.MIN_CIRCUITS, 7)
        self.assertEqual(names(answer), ["configuration"])
        self.assertEqual(answer[0].values, (8, 7, 7, 1, 20))
        self.assertEqual(self.hal.flash.writes, writes)

    def test_a_full_journal_takes_no_change(self):
        """The places of a round stay free; with one place more the change is made."""
        while self.table.transmitter.outbox.room() > RESERVE:
            self.table.transmitter.send_durable(m.BETS_CLOSED, [1, 0])
        self.hal.link.frames()
        refusal = self.refuse(lambda: self.set(roulette.MIN_CIRCUITS, 4))
        full = SLOTS - RESERVE
        self.assertEqual(refusal[1:], (m.REFUSAL_JOURNAL_FULL, full, 0, full - 1, 0))
        self.send(m.ACKNOWLEDGE, [1, 2])
        self.assertEqual(changes(self.set(roulette.MIN_CIRCUITS, 4)), [(8, 4, 7, COMMAND, 2)])

    def test_a_role_that_does_not_start_ends_the_program(self):
        """Half of it would run without the faults that lock the table."""
        self.send(m.LOCK)

        def attach():
            raise MemoryError

        self.table._attach = attach
        self.set(roulette.MIN_CIRCUITS, 4)
        self.assertTrue(self.table.unfinished)


class FactoryTest(ConfigureTest):
    files = provisioned(wheel=2, min_circuits=4, dome_fitted=0)

    def test_every_value_that_changes_is_recorded(self):
        """In the order of the keys, under one revision; nothing the second time."""
        answer = self.send(m.FACTORY_CONFIGURATION)
        self.assertEqual(answer[-1].values, (1, 1, 1) + settings.limits(1)[:2])
        records = changes(answer)
        expected = [(2, 1, 2, FACTORY, 2), (8, 7, 4, FACTORY, 2), (23, 1, 0, FACTORY, 2)]
        self.assertEqual(records, expected)
        self.assertEqual(self.stored(), factory())
        self.assertEqual(names(self.send(m.FACTORY_CONFIGURATION)), ["configuration"])

    def test_it_needs_room_for_all(self):
        """Three values change, so three places beside those of a round."""
        while self.table.transmitter.outbox.room() > RESERVE + 2:
            self.table.transmitter.send_durable(m.BETS_CLOSED, [1, 0])
        self.hal.link.frames()
        refusal = self.refuse(lambda: self.send(m.FACTORY_CONFIGURATION))
        used = SLOTS - RESERVE - 2
        self.assertEqual(refusal[1:], (m.REFUSAL_JOURNAL_FULL, used, 0, used - 1, 0))

    def test_it_needs_room_that_lasts(self):
        """Acknowledged records come back at a boot until they left the flash."""
        for _ in range(30):
            self.table.transmitter.send_durable(m.BETS_CLOSED, [1, 0])
            self.hal.link.frames()
        outbox = self.table.transmitter.outbox
        for counter in range(2, 32):
            self.assertTrue(outbox.acknowledge(1, counter))
        self.assertEqual(outbox.room(), SLOTS)
        refusal = self.refusal(self.send(m.FACTORY_CONFIGURATION))
        self.assertEqual(refusal[1:], (m.REFUSAL_JOURNAL_FULL, 30, 0, SLOTS - RESERVE - 3, 0))
        for _ in range(3):  # that exchange freed one, and now there are six
            self.table.exchange()
        self.assertEqual(len(changes(self.send(m.FACTORY_CONFIGURATION))), 3)

    def test_a_cut_at_any_byte(self):
        """All of it with every record, or none; each record once."""
        self.cut_everywhere(lambda: command(m.FACTORY_CONFIGURATION), {2: 2, 8: 4, 23: 0})

    def test_a_cut_at_any_byte_of_a_set(self):
        """The value and its record, or neither."""
        self.cut_everywhere(lambda: command(m.SET_CONFIGURATION, [8, 9]), {8: 4})

    def cut_everywhere(self, wire, before):
        """Tear each write of the command at every byte, boot; before: values that change."""
        self.hal.link.incoming = wire()
        first = self.hal.flash.writes
        self.table.exchange()
        writes = self.hal.flash.writes - first
        self.assertTrue(writes >= 3)
        for place in range(writes):
            for byte in range(110):
                self.check_cut(wire, before, place, byte)

    def check_cut(self, wire, before, place, byte):
        del Role.instances[:]
        hal = make_hal(self.files)
        table = Table(hal, Role)
        table.start()
        hal.link.frames()
        hal.flash.cut = (hal.flash.writes + place, byte)
        hal.link.incoming = wire()
        try:
            table.exchange()
        except PowerCut:
            pass
        reported = {(f.boot, f.counter): f for f in hal.link.frames()}
        again = make_hal(hal.flash.files)
        after = Table(again, Role)
        after.start()
        for _ in range(3):
            after.exchange()
        reported.update({(f.boot, f.counter): f for f in again.link.frames()})
        records = [f.values for f in reported.values() if f.type == m.CONFIGURATION_CHANGED]
        values = {key: after.store.config[key] for key in before}
        changed = {key: value for key, value in values.items() if value != before[key]}
        self.assertEqual({record[0]: record[1] for record in records}, changed)
        self.assertEqual(len(records), len(changed))
        self.assertTrue(len(changed) in (0, len(before)))

    def test_a_flash_that_refuses_any_write(self):
        """The program ends, and its boot brings all of it with every record, or none."""
        for error in (OSError(5), MemoryError()):
            for count in (1, 2, 3, 4):
                for place in range(5):
                    self.check_refusal((m.FACTORY_CONFIGURATION,), error, place, count)
                for place in range(3):
                    self.check_refusal((m.SET_CONFIGURATION, (8, 9)), error, place, count)

    def check_refusal(self, order, error, place, count):
        """The writes of these places are refused; the host acknowledges what it is sent."""
        del Role.instances[:]
        hal = make_hal(self.files)
        table = Table(hal, Role)
        table.start()
        books = {}
        self.hear(hal, table, books)
        self.let_refuse(hal.flash, error, range(place, place + count))
        hal.link.incoming = command(*order) + command(*order, counter=1)
        task = PeriodicTask(table.exchange, 80, 1000)
        supervisor = Supervisor((task,), table, hal.clock, hal.watchdog, lambda error: None)
        for _ in range(6):  # half a second: tasks.main looks as often whether it has to end
            try:
                supervisor.run(task)
            except (OSError, MemoryError):
                pass
            self.hear(hal, table, books)
        self.assertTrue(table.unfinished)
        again = make_hal(hal.flash.files)
        after = Table(again, Role)
        after.start()
        for _ in range(3):
            after.exchange()
            self.hear(again, after, books)
        values = dict(enumerate(Store(Flash(self.files), SERIAL, None).config))
        for frame in sorted(books.values(), key=lambda frame: (frame.boot, frame.counter)):
            if frame.type == m.CONFIGURATION_CHANGED:
                key, value, previous, _, revision = frame.values
                self.assertEqual((previous, revision), (values[key], 2))
                values[key] = value
        self.assertEqual(values, dict(enumerate(after.store.config)))
        if place:  # the first record was written, so the boot completes the change
            expected = factory()
            if len(order) == 2:
                expected = list(Store(Flash(self.files), SERIAL, None).config)
                expected[8] = 9
            self.assertEqual(after.store.config, expected)

    def let_refuse(self, flash, error, places):
        write, first = flash.write, flash.writes

        def refusing(name, data):
            if flash.writes - first in places:
                flash.writes += 1
                raise error
            write(name, data)

        flash.write = refusing

    def hear(self, hal, table, books):
        """Note what was sent and acknowledge it at the next exchange."""
        for frame in hal.link.frames():
            if frame.flags & m.FLAG_DURABLE:
                books[frame.boot, frame.counter] = frame
                hal.link.incoming += command(
                    m.ACKNOWLEDGE, (frame.boot, frame.counter), boot=table.store.boot
                )


class UnconfiguredTest(ConfigureTest):
    files = {}

    def test_the_first_value_brings_the_factorys(self):
        """Recorded as provisioning: the factory's values with this one changed."""
        answer = self.set(roulette.WHEEL, 2)
        self.assertEqual(changes(answer), [(2, 2, 1, PROVISION, 1)])
        self.assertEqual(names(answer)[-1], "configuration")
        self.assertTrue(self.table.store.configured)

    def test_factory_values_alone(self):
        """One record, of the first key: nothing was stored, so nothing changed value."""
        self.assertEqual(changes(self.send(m.FACTORY_CONFIGURATION)), [(1, 1, 1, PROVISION, 1)])
        self.assertEqual(self.stored(), factory())

    def test_a_lost_configuration_is_not_made_up_from_its_records(self):
        """Both copies damaged, a change still in the journal: locked; later changes count on."""
        self.set(roulette.WHEEL, 2)
        self.set(roulette.MIN_CIRCUITS, 4)
        files = dict(self.hal.flash.files)
        files["config.0"] = files["config.1"] = b"damaged"
        hal = make_hal(files)
        self.table, self.hal = Table(hal, Role), hal
        self.table.start()
        self.assertTrue(codes.NOT_CONFIGURED in self.table.role.active_faults)
        hal.link.frames()
        hal.link.incoming = command(m.SET_CONFIGURATION, [roulette.WHEEL, 2], boot=2)
        self.table.exchange()
        self.assertEqual(changes(hal.link.frames()), [(2, 2, 1, PROVISION, 3)])
        after = Table(make_hal(hal.flash.files), Role)
        after.start()
        self.assertEqual(after.store.config[roulette.MIN_CIRCUITS], 7)
        self.assertEqual(after.store.config[roulette.WHEEL], 2)


if __name__ == "__main__":
    unittest.main()

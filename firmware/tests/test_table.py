"""The table put together: boot, control steps, faults of its own, what is reported when."""

import unittest

from tests.fakes import (
    PowerCut,
    Role,
    command,
    first,
    keyed,
    make_hal,
    names,
    provisioned,
    put,
)

from tabledev.app.table import Table
from tablelogic.core.role import CALM, CLOSE, LOOK, SAMPLE, URGENT, WATCHFUL
from tablewire import codes, roulette
from tablewire import messages as m
from tablewire.slots import COUNTERS, FAULTS, pack_slot

OPENED = [1, 7, 60000]
RESULT = [17, 4, 1, 3, 1500, 1, -1, 120, 1900, 15000, 3000, 1, 250, -128]
VOID = [101, 3, 255, 500, 1, -1, 120, 900]
LOST = 0x20000005  # above this and a random number, counters go on that were lost


def started(files=None):
    """(hal, table) of a table that has booted."""
    return started_on(make_hal(files))


def started_on(hal):
    """(hal, table) of a table that has booted on this board."""
    table = Table(hal, Role)
    table.start()
    return hal, table


class BootTest(unittest.TestCase):
    def test_it_says_who_it_is(self):
        """Unasked, unauthenticated, lamp lit, inputs on, no round open."""
        hal, table = started()
        frames = hal.link.frames()
        self.assertEqual(names(frames), ["identity"])
        expected = (bytes(8), m.FINGERPRINTS[1], 1, 0, 0, m.ROLE_ROULETTE, 0, m.RESET_CAUSE_POWER)
        self.assertEqual(frames[0].values, expected + (b"fake" + bytes(12), bytes(8), 0))
        self.assertEqual((frames[0].flags, frames[0].counter, frames[0].round), (0, 1, 0))
        self.assertEqual(hal.lamp.on, 1)
        self.assertTrue(all(item.started for item in hal.inputs))

    def test_a_round_left_open_is_void_once(self):
        """System interruption under its own number; the next boot only repeats it."""
        hal, table = started()
        table.role.out.round_opened(OPENED)
        hal, table = started(hal.flash.files)
        frames = hal.link.frames()
        self.assertEqual(names(frames), ["identity", "round_opened", "round_void"])
        self.assertEqual(
            [(f.boot, f.counter, f.flags) for f in frames[1:]], [(1, 2, 10), (2, 2, 2)]
        )
        self.assertEqual(frames[2].round, 1)
        self.assertEqual(frames[2].values, (404, 1, 255, 65535, 0, 0, 65535, 65535))
        hal, table = started(hal.flash.files)
        frames = hal.link.frames()
        self.assertEqual([(f.boot, f.counter, f.flags) for f in frames], [(3, 1, 0)])
        table.exchange()
        frames = hal.link.frames()
        self.assertEqual([(f.boot, f.counter, f.flags) for f in frames], [(1, 2, 10), (2, 2, 10)])

    def test_a_round_that_ended_is_not_void(self):
        """Neither after a number nor after a void."""
        hal, table = started()
        table.role.out.round_opened(OPENED)
        table.role.out.result(RESULT)
        hal, table = started(hal.flash.files)
        self.assertEqual(names(first(hal.link.frames())), ["identity"])
        table.role.out.round_opened(OPENED)
        table.role.out.void(VOID)
        hal, table = started(hal.flash.files)
        self.assertEqual(names(first(hal.link.frames())), ["identity"])
        self.assertEqual(table.store.round, 2)

    def test_an_acknowledged_record_is_not_sent_after_a_boot(self):
        """Freed on flash within a step when no ball runs."""
        hal, table = started()
        table.role.out.fault_raised([codes.TILT, m.INPUT_TILT, 1, 0])
        frame = hal.link.frames()[1]
        hal.link.incoming = command(m.ACKNOWLEDGE, [frame.boot, frame.counter])
        table.exchange()
        hal, table = started(hal.flash.files)
        table.exchange()
        frames = hal.link.frames()
        self.assertEqual(
            [(f.boot, f.type) for f in frames], [(2, m.IDENTITY), (2, m.FAULT_RAISED)]
        )

    def test_a_ball_that_runs_is_not_disturbed(self):
        """An acknowledgement frees flash only before the launch or after the end."""
        hal, table = started()
        table.role.out.round_opened(OPENED)
        frame = hal.link.frames()[1]
        table.role.phase = roulette.PHASE_BALL_IN_RIM
        hal.link.incoming = command(m.ACKNOWLEDGE, [frame.boot, frame.counter])
        writes = hal.flash.writes
        table.exchange()
        self.assertEqual((table.transmitter.outbox.waiting, hal.flash.writes), (0, writes))
        table.role.phase = m.PHASE_CLOSED
        table.exchange()
        self.assertEqual(hal.flash.writes, writes + 1)

    def test_a_fault_that_stood_is_raised_again(self):
        """By this boot too, with its sensor; gone, it is not."""
        hal, table = started()
        table.role.raise_fault(codes.SENSOR_STUCK, roulette.INPUT_RIM_1, 5, 1, 0)
        hal, table = started(hal.flash.files)
        self.assertEqual(table.role.active_faults, [codes.SENSOR_STUCK])
        raised = [f for f in hal.link.frames() if f.boot == 2 and f.type == m.FAULT_RAISED]
        self.assertEqual([f.values for f in raised], [(301, roulette.INPUT_RIM_1, 0, 0)])
        table.role.clear_fault(codes.SENSOR_STUCK, 0)
        hal, table = started(hal.flash.files)
        self.assertEqual(table.role.active_faults, [])

    def test_own_faults_that_stood_clear_by_their_own_measure(self):
        """Lost edges after five quiet seconds, a stopped task when it is started."""
        hal, table = started()
        table.role.raise_fault(codes.EDGES_LOST, m.UNKNOWN_U8, 5, 1, 0)
        table.set_stopped(True, 1, 1, False)
        hal, table = started(hal.flash.files)
        self.assertEqual(table.role.active_faults, [codes.EDGES_LOST, codes.TASK_STOPPED])
        hal.clock.ms += 4960
        table.control()
        self.assertEqual(table.role.active_faults, [codes.EDGES_LOST, codes.TASK_STOPPED])
        hal.clock.ms += 40
        table.control()
        self.assertEqual(table.role.active_faults, [codes.TASK_STOPPED])
        table.set_stopped(False, 0, 0, False)
        self.assertEqual(table.role.active_faults, [])

    def test_damaged_memory_locks_until_the_technicians_word(self):
        """505 over boots; another code, and the command when no fault is active, are refused."""
        files = started()[0].flash.files
        files["counters.0"] = files["counters.1"] = b"damaged"
        hal, table = started(files)
        self.assertEqual(table.role.active_faults, [codes.MEMORY_DAMAGED])
        hal, table = started(hal.flash.files)
        self.assertEqual(table.role.active_faults, [codes.MEMORY_DAMAGED])
        for code, left in ((codes.TILT, 1), (codes.MEMORY_DAMAGED, 0), (codes.MEMORY_DAMAGED, 0)):
            hal.link.incoming = command(m.CLEAR_FAULT, [code], boot=table.store.boot)
            hal.link.frames()
            table.exchange()
            self.assertEqual(len(table.role.active_faults), left)
        self.assertEqual(names(hal.link.frames()), ["refusal"])
        hal, table = started(hal.flash.files)
        self.assertEqual(table.role.active_faults, [])

    def test_two_torn_records_are_damage(self):
        """A power cut leaves one at most."""
        for count, active in ((1, []), (2, [codes.MEMORY_DAMAGED])):
            files = started()[0].flash.files
            for slot in range(count):
                files["record.%d" % slot] = b"torn"
            self.assertEqual(started(files)[1].role.active_faults, active)

    def test_a_record_that_rotted_is_damage(self):
        """Not the newest: it was complete. Counted, and known until the fault is on the flash."""
        hal, table = started()
        for fault in (codes.TILT, codes.DOME_OPEN, codes.EDGES_LOST):
            table.role.raise_fault(fault, 255, 0, 0, 0)
            table.role.active_faults.clear()
        files = dict(hal.flash.files)
        files["faults.0"] = files["faults.1"] = pack_slot(FAULTS, 9, [])
        for slots in ((0,), (1,), (0, 1), (2,), (1, 2)):
            rotted = dict(files)
            for slot in slots:
                data = bytearray(files["record.%d" % slot])
                data[40] ^= 4
                rotted["record.%d" % slot] = bytes(data)
            hal, table = started(rotted)
            raised = [f for f in hal.link.frames() if f.boot == 2 and f.type == m.FAULT_RAISED]
            expected = [] if slots == (2,) else [(codes.MEMORY_DAMAGED, 255, len(slots), 0)]
            self.assertEqual([f.values for f in raised], expected)
            cut = make_hal(rotted)
            cut.flash.cut = (0, 0)
            with self.assertRaises(PowerCut):
                started_on(cut)
            again = started(cut.flash.files)[1].role.active_faults
            self.assertEqual(again, [codes.MEMORY_DAMAGED] if expected else [])

    def test_without_configuration_it_stands_still(self):
        """Fault 502 until a value is set; then a whole configuration is in force."""
        hal, table = started({})
        frames = hal.link.frames()
        self.assertEqual(names(frames), ["identity", "fault_raised"])
        self.assertEqual(frames[1].values, (502, 255, 0, 1))
        hal.link.incoming = command(m.SET_CONFIGURATION, [roulette.WHEEL, 2])
        table.exchange()
        self.assertEqual(
            names(hal.link.frames()),
            ["configuration_changed", "fault_cleared", "configuration"],
        )
        self.assertEqual(table.role.active_faults, [])
        hal, table = started(hal.flash.files)
        self.assertEqual(names(first(hal.link.frames())), ["identity"])
        self.assertEqual(table.role.config[roulette.WHEEL], 2)

    def test_inputs_that_are_on_already_are_reported(self):
        """A tilt switch closed at boot is no secret."""
        hal = make_hal()
        hal.inputs[1].now = 1
        table = Table(hal, Role)
        table.start()
        now = hal.clock.ticks_us()
        self.assertEqual(table.role.log, [("edge", m.INPUT_TILT, 1, now)])

    def test_the_provisioned_serial_names_the_frames(self):
        """It is in every header."""
        files = provisioned()
        files["counters.0"] = pack_slot(COUNTERS, 1, [41, 0, 0, 77])
        hal, table = started(files)
        frame = hal.link.frames()[0]
        self.assertEqual((frame.device, frame.boot), (77, 42))


class RoundTest(unittest.TestCase):
    def setUp(self):
        self.hal, self.table = started()
        self.out = self.table.role.out
        self.hal.link.frames()

    def test_a_round_is_reported_under_its_number(self):
        """Opened, closed and decided are durable, the phase is not; the lamp follows the bets."""
        self.out.round_opened(OPENED)
        self.out.state([2, 1])
        self.assertEqual(self.hal.lamp.on, 0)
        self.out.bets_closed([1, 4000])
        self.assertEqual(self.hal.lamp.on, 1)
        self.out.result(RESULT)
        frames = self.hal.link.frames()
        expected = ["round_opened", "state", "bets_closed", "wheel_result"]
        self.assertEqual(names(frames), expected)
        self.assertEqual([frame.flags for frame in frames], [2, 0, 2, 2])
        self.assertEqual([frame.round for frame in frames], [1] * 4)
        self.assertEqual(frames[3].values, tuple(RESULT))
        self.out.round_opened(OPENED)
        self.assertEqual(self.hal.link.frames()[0].round, 2)

    def test_the_number_is_on_flash_before_it_is_reported(self):
        """When the frame leaves, both the opening and the end are already written."""
        writes = []
        write = self.hal.link.write

        def note(buf, off, length):
            writes.append(self.hal.flash.writes)
            return write(buf, off, length)

        before = self.hal.flash.writes
        self.hal.link.write = note
        self.out.round_opened(OPENED)
        self.out.result(RESULT)
        # The record and both copies of the counters, twice.
        self.assertEqual(writes, [before + 3, before + 6])

    def test_no_more_bets_waits_for_no_flash(self):
        """It has left before its record is written; a cut there leaves a round to be voided."""
        self.out.round_opened(OPENED)
        self.hal.link.frames()
        self.hal.flash.cut = (self.hal.flash.writes, 20)
        with self.assertRaises(PowerCut):
            self.out.bets_closed([1, 4000])
        self.assertEqual(names(self.hal.link.frames()), ["bets_closed"])
        hal, _ = started(self.hal.flash.files)
        self.assertEqual(names(hal.link.frames())[-2:], ["round_opened", "round_void"])

    def test_rounds_open_only_with_room_for_their_records(self):
        """Without acknowledgements ten rounds of three records fit into 32; then 504 is active."""
        interlock = self.table.interlock
        interlock.look(self.table.role, 0)
        rounds = 0
        while self.out.may_open():
            self.out.round_opened(OPENED)
            self.out.bets_closed([1, 4000])
            self.out.result(RESULT)
            rounds += 1
        self.assertEqual(rounds, 10)
        interlock.check(self.table.role, 0)
        self.assertEqual(self.table.role.active_faults, [codes.JOURNAL_FULL])
        self.assertEqual(self.table.transmitter.outbox.waiting, 31)
        for place, frame in enumerate(self.hal.link.frames()):
            interlock.check(self.table.role, 0)
            # Sixteen places have to be free, and one for the end of the fault.
            self.assertEqual(len(self.table.role.active_faults), 1 if place < 16 else 0)
            self.table.transmitter.outbox.acknowledge(frame.boot, frame.counter)
        self.assertTrue(self.out.may_open())

    def test_memory_is_looked_at_around_each_round(self):
        """No round opens before a look at each record; a damaged one locks, whichever it is."""
        for name in ("counters", "faults", "config", "key"):
            hal, table = started(keyed())
            self.assertFalse(table.role.out.may_open())
            for _ in range(12):
                table.control()
            self.assertTrue(table.role.out.may_open())
            table.role.phase = m.PHASE_BETS_OPEN
            table.control()
            hal.flash.files[name + ".0"] = hal.flash.files[name + ".1"] = b"x"
            table.role.phase = m.PHASE_CLOSED
            self.assertFalse(table.role.out.may_open())
            for _ in range(12):
                table.control()
            self.assertEqual(table.role.active_faults, [codes.MEMORY_DAMAGED])

    def refuse_counters(self):
        """Let the flash refuse them once."""
        save = self.table.store.save_round

        def fail():
            self.table.store.save_round = save
            raise OSError(5)

        self.table.store.save_round = fail

    def test_an_opening_that_failed_is_void(self):
        """The flash refused the counters: the round gets an end, the next one opens."""
        self.refuse_counters()
        with self.assertRaises(OSError):
            self.out.round_opened(OPENED)
        self.out.round_opened(OPENED)
        frames = self.hal.link.frames()
        self.assertEqual(names(frames), ["round_opened", "round_void", "round_opened"])
        self.assertEqual([f.round for f in frames], [1, 1, 2])
        self.assertEqual(frames[1].values[0], codes.SYSTEM_INTERRUPTION)

    def test_an_opening_takes_no_memory_before_its_number(self):
        """A task stopped there would close the bets of the round before a second time."""
        self.table._controller.interrupted = None
        self.out.round_opened(OPENED)
        self.assertEqual(names(self.hal.link.frames()), ["round_opened"])

    def test_a_round_ends_once(self):
        """An end that failed half-way is not reported again under another name."""
        self.out.round_opened(OPENED)
        self.refuse_counters()
        with self.assertRaises(OSError):
            self.out.result(RESULT)
        self.out.void(VOID)
        self.assertEqual(names(self.hal.link.frames()), ["round_opened", "wheel_result"])

    def test_what_a_stopped_task_recorded_stays_on_flash(self):
        """Only the journal has a round that the counters lack: acknowledged, it is still void."""
        self.refuse_counters()
        with self.assertRaises(OSError):
            self.out.round_opened(OPENED)
        self.table.set_stopped(True, 0, 1, False)
        for frame in self.hal.link.frames():
            self.hal.link.incoming = command(m.ACKNOWLEDGE, [frame.boot, frame.counter])
            self.table.exchange()
        self.assertEqual(self.table.transmitter.outbox.waiting, 0)
        hal, _ = started(self.hal.flash.files)
        void = [(f.round, f.values[0]) for f in hal.link.frames() if f.type == m.ROUND_VOID]
        self.assertEqual(void, [(1, codes.SYSTEM_INTERRUPTION)])

    def test_a_round_ended_half_way_is_not_void_at_the_next_boot(self):
        """The second end saves the counters, even if the journal forgets the result by then."""
        self.out.round_opened(OPENED)
        self.refuse_counters()
        with self.assertRaises(OSError):
            self.out.result(RESULT)
        self.out.void(VOID)
        for frame in self.hal.link.frames():
            self.hal.link.incoming = command(m.ACKNOWLEDGE, [frame.boot, frame.counter])
            self.table.exchange()
        self.assertEqual(self.table.transmitter.outbox.waiting, 0)
        hal, table = started(self.hal.flash.files)
        self.assertEqual(names(hal.link.frames()), ["identity"])
        self.assertFalse(table.store.is_open)


class LostCountersTest(unittest.TestCase):
    def lost(self, end):
        """A table whose counters were lost in round 1, open or ended; boots it again twice."""
        hal, table = started(provisioned())
        table.interlock.look(table.role, table.now_us())
        table.role.out.round_opened([1, 7, 60000])
        if end:
            table.role.out.bets_closed([1, 4000])
            table.role.out.void([403, 3, 255, 500, 1, -1, 120, 900])
        files = dict(hal.flash.files)
        files["counters.0"] = files["counters.1"] = b"damaged"
        hal, table = started(files)
        table.exchange()
        reported = first(hal.link.frames())
        _, again = started(dict(hal.flash.files))
        return reported, again

    def test_the_round_open_then_is_void_under_its_number(self):
        """404, once; the next round counts on from the new number."""
        reported, again = self.lost(end=False)
        voids = [(f.round, f.values[0]) for f in reported if f.type == m.ROUND_VOID]
        self.assertEqual(voids, [(1, codes.SYSTEM_INTERRUPTION)])
        self.assertTrue(again.store.round >= 1 << 29)
        self.assertEqual((again.store.orphan, again.store.is_open), (0, False))

    def counting_on(self):
        """A table whose counters were lost once and are good since."""
        slot = pack_slot(COUNTERS, 9, [LOST, LOST, 0, 0])
        files = dict(provisioned(), **dict.fromkeys(("counters.0", "counters.1"), slot))
        return started(started(files)[0].flash.files)

    def test_a_cut_at_a_later_opening_is_a_round_like_any(self):
        """Recorded, and not counted yet: void under its number, which no other round gets."""
        hal, table = self.counting_on()
        hal.link.frames()
        before = {name: hal.flash.files[name] for name in ("counters.0", "counters.1")}
        table.role.out.round_opened(OPENED)
        hal, table = started(dict(hal.flash.files, **before))
        table.role.out.round_opened(OPENED)
        frames = [f for f in hal.link.frames() if f.flags & m.FLAG_DURABLE]
        self.assertEqual(names(frames), ["round_opened", "round_void", "round_opened"])
        self.assertEqual([f.round - LOST for f in frames], [1, 1, 2])

    def test_a_later_round_whose_opening_alone_waits_is_not_void(self):
        """Its end is acknowledged and off the flash, as is all of the next round."""
        hal, table = self.counting_on()
        for _ in range(2):
            table.role.out.round_opened(OPENED)
            table.role.out.result(RESULT)
        records = [f for f in hal.link.frames() if f.round and f.flags & m.FLAG_DURABLE]
        for frame in records[1:]:
            ids = [frame.boot, frame.counter]
            hal.link.incoming = command(m.ACKNOWLEDGE, ids, boot=table.store.boot)
            table.exchange()
        self.assertEqual(records[0].round, LOST + 1)
        hal, table = started(hal.flash.files)
        table.exchange()
        self.assertNotIn("round_void", names(hal.link.frames()))

    def test_a_round_that_had_ended_is_left_alone(self):
        """Its own end is in the journal."""
        reported, again = self.lost(end=True)
        self.assertEqual([f for f in reported if f.type == m.ROUND_VOID], [])
        self.assertEqual(again.store.orphan, 0)


class ControlTest(unittest.TestCase):
    def setUp(self):
        self.hal, self.table = started()
        self.role = self.table.role
        self.hal.link.frames()

    def step(self, ms=40):
        """One control step; returns what the role received, without times."""
        self.hal.clock.ms += ms
        del self.role.log[:]
        self.table.control()
        return [entry[:-1] for entry in self.role.log]

    def begin_role(self):
        """Have the engine begin the same role again, as it is now."""
        self.table.engine.begin(lambda config, out: self.role, self.table.store.config)

    def test_edges_before_a_role_are_not_its_own(self):
        """What came while it was loaded is forgotten; contacts are reported by their level."""
        put(self.hal.ring, 2 * roulette.INPUT_RIM_1 + 1, self.hal.clock.ticks_us())
        self.hal.inputs[1].now = 1
        self.table.begin()
        self.role = self.table.role
        edges = [entry[:3] for entry in self.role.log if entry[0] == "edge"]
        self.assertEqual(edges, [("edge", m.INPUT_TILT, 1)])
        self.assertEqual(self.step(), [("tick",)])

    def test_edges_come_before_the_tick(self):
        """In order of time, the tick last."""
        now = self.hal.clock.ticks_us()
        put(self.hal.ring, 2 * roulette.INPUT_RIM_1 + 1, now)
        put(self.hal.ring, 2 * roulette.INPUT_RIM_1, now)
        expected = [
            ("edge", roulette.INPUT_RIM_1, 1),
            ("edge", roulette.INPUT_RIM_1, 0),
            ("tick",),
        ]
        self.assertEqual(self.step(), expected)
        self.assertEqual(self.step(), [("tick",)])

    def test_an_order_comes_with_the_last_tick(self):
        """The trace has no time of it, so the role must not decide by another than its replay.

        One that came in what the next tick rounds off was later than that tick for a role at rest.
        """
        orders = []
        self.role.order = lambda *order: orders.append(order)
        self.step()
        _, tick_us = self.role.log[-1]
        self.hal.clock.ms += 39
        self.table.engine.order(0x35, (1, 0))
        self.assertEqual(orders, [(0x35, (1, 0), tick_us)])

    def test_a_role_is_asked_how_urgent_it_is(self):
        """With the edges that wait."""
        self.role.urgency = lambda ring: URGENT if ring is self.hal.ring else CALM
        self.begin_role()
        self.assertEqual(self.table.watch(), URGENT)

    def test_a_role_that_cannot_be_urgent_is_calm(self):
        """It has no answer to give, and is not asked."""
        self.role.urgency = None
        self.begin_role()
        self.assertEqual(self.table.watch(), CALM)

    def test_the_highest_sample_is_the_reading_of_the_next_step(self):
        """If the role asks for samples; the step after it reads the converter again."""
        self.role.urgency = lambda ring: SAMPLE
        self.role.wants_analog = lambda: True
        self.begin_role()
        for raw in (640, 1920, 704):
            self.hal.analog.raw = raw
            self.assertEqual(self.table.watch(), CLOSE)
        self.assertIn(("analog", 1920), self.step())
        self.assertIn(("analog", 704), self.step())

    def test_an_array_is_looked_at_between_two_steps(self):
        """If the role asks for it: a switch that closes or opens meanwhile is urgent."""
        closed = b"\x00\x20\x00\x00\x00"
        self.role.urgency = lambda ring: LOOK
        self.role.array_steps = 1
        self.begin_role()
        self.step()
        reads = self.hal.array.reads
        self.assertEqual([self.table.watch(), self.table.watch()], [WATCHFUL, WATCHFUL])
        self.assertEqual(self.hal.array.reads - reads, 1)  # not what the step has just read
        self.hal.array.bits = closed
        self.assertEqual(self.table.watch(), URGENT)
        self.assertIn(("array", closed), self.step())
        self.assertEqual([self.table.watch(), self.table.watch()], [WATCHFUL, WATCHFUL])
        self.hal.array.bits = bytes(5)
        self.assertEqual(self.table.watch(), URGENT)

    def test_the_array_is_read_every_second_time(self):
        """When the role wants it, with what the switches show."""
        for _ in range(4):
            self.step()
        self.assertEqual(self.hal.array.reads, 0)
        self.role.array_steps = 2
        self.hal.array.bits = b"\x00\x20\x00\x00\x00"
        reported = [self.step() for _ in range(4)]
        with_array = [("array", self.hal.array.bits), ("tick",)]
        self.assertEqual(reported, [with_array, [("tick",)], with_array, [("tick",)]])

    def test_the_array_is_read_at_every_step_when_the_role_wants_it(self):
        """A ball that jumps may touch a switch for less than 80 ms."""
        self.role.array_steps = 1
        with_array = [("array", bytes(5)), ("tick",)]
        self.assertEqual([self.step() for _ in range(4)], [with_array] * 4)

    def test_lost_edges_are_a_fault_for_five_quiet_seconds(self):
        """501 once, cleared five seconds after the last loss."""
        for _ in range(20):
            put(self.hal.ring, 0, self.hal.clock.ticks_us())
        self.step()
        self.assertEqual(self.role.active_faults, [codes.EDGES_LOST])
        frames = self.hal.link.frames()
        self.assertEqual(names(frames), ["fault_raised"])
        self.assertEqual(frames[0].values, (501, 255, 5, 0))
        self.step(3000)
        for _ in range(16):
            put(self.hal.ring, 0, self.hal.clock.ticks_us())
        self.step()
        self.step(4900)
        self.assertEqual(self.role.active_faults, [codes.EDGES_LOST])
        self.assertEqual(self.hal.link.frames(), [])
        self.step(100)
        self.assertEqual(self.role.active_faults, [])
        self.assertEqual(names(first(self.hal.link.frames())), ["fault_cleared"])
        self.table.heartbeat()
        self.assertEqual(self.hal.link.frames()[-1].values[6], 6)

    def test_a_stopped_task_is_a_fault_until_it_has_run(self):
        """503 with the place of the task and how often tasks stopped."""
        self.table.set_stopped(True, 1, 1, False)
        self.table.set_stopped(True, 1, 2, False)
        frames = self.hal.link.frames()
        self.assertEqual(names(frames), ["fault_raised"])
        self.assertEqual(frames[0].values, (503, 255, 1, 1))
        self.table.set_stopped(False, 0, 0, False)
        self.assertEqual(names(self.hal.link.frames()), ["fault_cleared"])

    def test_a_task_without_memory_is_a_fault_of_its_own(self):
        """510 with the place of the task and the bytes it asked for, beside 503; both clear."""
        self.table.set_stopped(True, 2, 1344, True)
        self.table.set_stopped(True, 1, 1, False)
        values = [frame.values for frame in self.hal.link.frames()]
        self.assertEqual(values, [(510, 255, 2, 1344), (503, 255, 1, 1)])
        self.table.set_stopped(False, 0, 0, False)
        self.assertEqual(names(self.hal.link.frames()), ["fault_cleared"] * 2)

    def test_own_faults_outlive_a_change_of_the_configuration(self):
        """The new role has them, and the host hears of them once."""
        for _ in range(20):
            put(self.hal.ring, 0, self.hal.clock.ticks_us())
        self.step()
        self.table.set_stopped(True, 1, 1, False)
        self.role.raise_fault(codes.TILT, m.INPUT_TILT, 1, 0, 0)
        self.hal.link.frames()
        self.hal.link.incoming = command(m.SET_CONFIGURATION, [roulette.MIN_CIRCUITS, 4])
        self.table.exchange()
        expected = [codes.TILT, codes.EDGES_LOST, codes.TASK_STOPPED]
        self.assertEqual(self.table.role.active_faults, expected)
        expected = ["configuration_changed", "configuration"]
        self.assertEqual(names(self.hal.link.frames()), expected)

    def test_every_input_is_looked_after_with_the_heartbeat(self):
        """An edge that was missed is noticed within 500 ms, at each of them."""
        inputs = self.hal.inputs
        before = [each.rearms for each in inputs]
        self.table.heartbeat()
        self.assertEqual([each.rearms for each in inputs], [count + 1 for count in before])

    def test_the_heartbeat_tells_the_state(self):
        """Phase, faults, circuits, rotor, records waiting, losses, memory."""
        self.role.phase = roulette.PHASE_BALL_IN_RIM
        self.role.rotor_direction = -1
        self.role.rotor_drpm = 150
        self.role.out.bets_closed([1, 0])
        self.hal.link.frames()
        self.table.heartbeat()
        frame = self.hal.link.frames()[0]
        self.assertEqual(frame.type, m.HEARTBEAT)
        self.assertEqual(frame.values, (3, 0, 255, -1, 150, 1, 0, 0, 100000, 60000))

    def test_the_heap_is_looked_at_between_rounds_only(self):
        """Every tenth heartbeat; one that falls into a round waits for its end."""
        looks = []
        self.table.reports.free_bytes = lambda: looks.append(1) or 100000
        for _ in range(11):
            self.table.heartbeat()
        self.assertEqual(len(looks), 2)
        self.role.phase = roulette.PHASE_BALL_IN_RIM
        for _ in range(30):
            self.table.heartbeat()
        self.assertEqual(len(looks), 2)
        self.role.phase = m.PHASE_CLOSED
        self.table.heartbeat()
        self.assertEqual(len(looks), 3)


if __name__ == "__main__":
    unittest.main()

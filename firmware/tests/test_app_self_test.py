"""The self test on a board of plain objects: each role reports each sensor, healthy and dead."""

import unittest

from tests.fakes import Analog, Input, command, make_hal, names, provisioned, put

from tabledev.app.roles import make_role
from tabledev.app.table import Table
from tablewire import codes, diagnosis, roulette
from tablewire import messages as m

WATCH_MS = 2000
LINES = (1, 2, 3, 4, 5, 6, m.INPUT_BUTTON, m.INPUT_TILT, m.INPUT_DOME, m.INPUT_7, m.INPUT_8)


class Camera:
    """One that never gives a frame."""

    frame = bytearray(160 * 120 + 4)

    def start(self):
        pass

    def poll(self):
        return False

    def close(self):
        pass


class SelfTestTest(unittest.TestCase):
    def begin(self, role, **keys):
        """A table of that role with every input, tilt and dome not fitted."""
        hal = make_hal(provisioned(role=role, auto_open=0, tilt_fitted=0, dome_fitted=0, **keys))
        hal.inputs = tuple(Input(sensor) for sensor in LINES)
        hal.analog = Analog()
        hal.open_camera = lambda width, height: Camera()
        self.hal, self.table = hal, Table(hal, make_role)
        self.table.start()
        hal.link.frames()

    def run_for(self, ms, pulses=(), every_ms=80):
        """Let time pass; each input in pulses switches on and off in each step of every_ms."""
        hal, frames = self.hal, []
        for step in range(ms // 40):
            if step * 40 % every_ms == 0:
                for sensor in pulses:
                    put(hal.ring, sensor * 2 + 1, hal.clock.ticks_us())
            hal.clock.ms += 10
            if step * 40 % every_ms == 0:
                for sensor in pulses:
                    put(hal.ring, sensor * 2, hal.clock.ticks_us())
            hal.clock.ms += 30
            self.table.control()
            if step % 2:
                self.table.exchange()
                frames += hal.link.frames()
        return frames

    def ask(self, watch_ms=0, pulses=(), every_ms=80):
        """Begin a self test; the samples as {(sensor, quantity): values}, then the result."""
        self.hal.link.incoming = command(m.SELF_TEST, [watch_ms])
        self.table.exchange()
        frames = self.run_for(watch_ms + 2000, pulses, every_ms)
        reported = [f.values for f in frames if f.type == diagnosis.SENSOR_SAMPLE]
        (result,) = [f.values for f in frames if f.type == diagnosis.SELF_TEST_RESULT]
        self.assertEqual(result[0], len(reported))
        self.assertEqual(result[1], len([v for v in reported if v[6] == diagnosis.CHECK_FAIL]))
        self.assertEqual(result[2], watch_ms)
        return reported

    def failed(self, reported):
        """(sensor, code) of what failed, but for active faults and the count of a turn: here the
        index switches as often as the ring."""
        apart = diagnosis.QUANTITY_ACTIVE, diagnosis.QUANTITY_ERROR
        return [
            (v[0], v[7]) for v in reported if v[6] == diagnosis.CHECK_FAIL and v[1] not in apart
        ]

    def test_a_healthy_wheel_passes(self):
        """Ring, index and rim switch in time with each other; 25 pulses of each in 2 s."""
        self.begin(m.ROLE_ROULETTE)
        reported = self.ask(WATCH_MS, range(1, 6))
        self.assertEqual(self.failed(reported), [])
        ring = [v for v in reported if v[0] == roulette.INPUT_ROTOR_A]
        self.assertEqual([v[1] for v in ring], [diagnosis.QUANTITY_PULSES])
        self.assertTrue(24 <= ring[0][2] <= 26)
        self.assertEqual(ring[0][6], diagnosis.CHECK_PASS)

    def test_a_dead_line_of_a_wheel_is_named(self):
        """Each by its own code: the others pass."""
        cases = (
            (roulette.INPUT_ROTOR_A, codes.SENSOR_STUCK),
            (roulette.INPUT_ROTOR_B, codes.SENSOR_STUCK),
            (roulette.INPUT_INDEX, roulette.INDEX_LOST),
            (roulette.INPUT_RIM_1, codes.SENSOR_STUCK),
            (roulette.INPUT_RIM_2, codes.SENSOR_STUCK),
        )
        for dead, code in cases:
            self.begin(m.ROLE_ROULETTE)
            live = [sensor for sensor in range(1, 6) if sensor != dead]
            self.assertEqual(self.failed(self.ask(WATCH_MS, live)), [(dead, code)])

    def test_a_weak_line_is_named(self):
        """Half the pulses of its partner are not enough."""
        self.begin(m.ROLE_ROULETTE)
        direct = self.table.engine._edge
        self.hal.link.incoming = command(m.SELF_TEST, [WATCH_MS])
        self.table.exchange()
        frames = []
        for step in range(30):
            frames += self.run_for(80, range(1, 6) if step % 2 else (1, 3, 4, 5))
        frames += self.run_for(2000)
        values = [f.values for f in frames if f.type == diagnosis.SENSOR_SAMPLE]
        self.assertEqual(self.failed(values), [(roulette.INPUT_ROTOR_B, codes.SENSOR_STUCK)])
        self.assertEqual(self.table.engine._edges_to, direct)

    def array(self, bits):
        """(quantity, value) of what the self test reports of the array."""
        self.hal.array.bits = bits
        return [(v[1], v[2]) for v in self.ask() if v[0] == roulette.INPUT_ARRAY]

    def test_every_closed_switch_is_named(self):
        """By its pocket, also one past the last pocket: bits 3, 12 and 37 of five registers."""
        self.begin(m.ROLE_ROULETTE)
        closed, pocket = diagnosis.QUANTITY_CLOSED_SWITCHES, diagnosis.QUANTITY_POCKET
        self.assertEqual(self.array(bytes(5)), [(closed, 0), (pocket, -1)])
        faults = self.array(b"\x08\x10\x00\x00\x20")
        self.assertEqual(faults, [(closed, 3), (pocket, 3), (pocket, 12), (pocket, 37)])

    def test_turns_counted_wrong_are_named(self):
        """Three turns of 30 pulses at a wheel of 37: 206, as a spin would be void by it."""
        self.begin(m.ROLE_ROULETTE)
        error = diagnosis.QUANTITY_ERROR
        reported = [v for v in self.ask() if v[1] == error]
        self.assertEqual([v[2] for v in reported], [0])
        rotor = self.table.role.rotor
        for turn in range(5):
            for tick in range(30):
                tick_us = (turn * 30 + tick) * 80000
                rotor.tick_a(tick_us)
                rotor.ring.tick_b(tick_us + 60000)
            rotor.index(tick_us + 110000)
        (reported,) = [v for v in self.ask() if v[1] == error]
        self.assertEqual(reported[0], roulette.INPUT_INDEX)
        self.assertEqual(reported[2:5] + reported[6:], (206, 0, 0, diagnosis.CHECK_FAIL, 206))

    def test_bounce_is_not_counted(self):
        """A line that flickers within 3 ms has switched once."""
        self.begin(m.ROLE_ROULETTE)
        self.hal.link.incoming = command(m.SELF_TEST, [WATCH_MS])
        self.table.exchange()
        start_us = self.hal.clock.ticks_us()
        for step, level in ((0, 1), (500, 0), (900, 1), (1400, 0)):
            put(self.hal.ring, roulette.INPUT_RIM_1 * 2 + level, start_us + step)
        frames = self.run_for(WATCH_MS + 2000)
        values = [f.values for f in frames if f.type == diagnosis.SENSOR_SAMPLE]
        self.assertEqual([v[2] for v in values if v[0] == roulette.INPUT_RIM_1], [1])

    def test_nothing_watched_judges_no_pulses(self):
        """Levels are judged at once: a button that is held fails."""
        self.begin(m.ROLE_ROULETTE)
        self.hal.inputs[m.INPUT_BUTTON - 1].now = 1
        reported = self.ask()
        self.assertEqual(self.failed(reported), [(m.INPUT_BUTTON, codes.SENSOR_STUCK)])
        skipped = [v[0] for v in reported if v[6] == diagnosis.CHECK_SKIP]
        self.assertTrue(set(range(1, 6)) <= set(skipped))

    def test_every_role_tells_its_dead_sensors(self):
        """Nothing switches: the lines that have to fail by the code of the role."""
        from tablewire import card_shoe, dice_tray, draw_machine, money_wheel, shuffler

        cases = {
            m.ROLE_MONEY_WHEEL: (
                (roulette.INPUT_ROTOR_A, money_wheel.PINS_LOST),
                (roulette.INPUT_ROTOR_B, money_wheel.PINS_LOST),
                (roulette.INPUT_INDEX, money_wheel.PIN_INDEX_LOST),
                (
                    money_wheel.INPUT_FLAPPER,
                    money_wheel.FLAPPER_LOST,
                ),  # the fake converter reads 0
                (money_wheel.INPUT_FLAPPER, money_wheel.FLAPPER_LOST),
                (money_wheel.INPUT_FLAPPER, money_wheel.FLAPPER_STIFF),
            ),
            m.ROLE_SHUFFLER: (
                (shuffler.INPUT_GATE_IN, shuffler.GATE_DIRTY),
                (shuffler.INPUT_GATE_OUT, shuffler.GATE_DIRTY),
            ),
            m.ROLE_DICE_TRAY: (
                (dice_tray.INPUT_PICK_UP, codes.SENSOR_STUCK),
                (dice_tray.INPUT_THROW_LINE, codes.SENSOR_STUCK),
                (dice_tray.INPUT_FAR_WALL, codes.SENSOR_STUCK),
                (m.INPUT_4, codes.SENSOR_STUCK),
                (m.INPUT_5, codes.SENSOR_STUCK),
                (dice_tray.INPUT_EDGE_BEAMS, codes.SENSOR_STUCK),
                (dice_tray.INPUT_CAMERA, dice_tray.CAMERA_STOPPED),
            ),
            m.ROLE_DRAW_MACHINE: (
                (draw_machine.INPUT_EXIT_INNER, draw_machine.BALL_UNSEEN),
                (draw_machine.INPUT_EXIT_OUTER, draw_machine.BALL_UNSEEN),
                (draw_machine.INPUT_TUBE, codes.SENSOR_STUCK),
                (draw_machine.INPUT_RETURN, codes.SENSOR_STUCK),
                (draw_machine.INPUT_BLOWER, draw_machine.BLOWER_STALLED),
            ),
            m.ROLE_CARD_SHOE: (
                (shuffler.INPUT_GATE_IN, card_shoe.GATE_BLIND),
                (shuffler.INPUT_GATE_OUT, card_shoe.GATE_BLIND),
                (card_shoe.INPUT_CARD_READER, card_shoe.READER_LINK_LOST),
            ),
        }
        for role, expected in cases.items():
            self.begin(role)
            self.assertEqual(self.failed(self.ask(4000)), list(expected))

    def test_a_shuffler_with_a_line_of_its_own_has_no_gates(self):
        """Only the contacts of any table are reported."""
        self.begin(m.ROLE_SHUFFLER, serial_shuffler=1)
        self.assertEqual([v[0] for v in self.ask(WATCH_MS)][:2], [m.INPUT_BUTTON, m.INPUT_TILT])

    def test_the_cards_of_a_shuffler_are_measured(self):
        """Gate in is covered for 10 ms, every 80 ms, in two seconds; nothing passes gate out."""
        self.begin(m.ROLE_SHUFFLER)
        gate = LINES[0]
        wanted = diagnosis.QUANTITY_CARD_US, diagnosis.QUANTITY_CARD_SPREAD
        reported = [v[:3] for v in self.ask(WATCH_MS, (gate,)) if v[1] in wanted]
        self.assertEqual(reported, [(gate, wanted[0], 10000), (gate, wanted[1], 0)])
        self.assertIsNone(self.table.role.machine.gates[0].measured)

    def test_supply_and_chip_are_judged(self):
        """Inside their limits they pass; outside they fail with no code; none: not reported."""
        supply, chip = diagnosis.QUANTITY_SUPPLY, diagnosis.QUANTITY_TEMPERATURE
        ok, bad = diagnosis.CHECK_PASS, diagnosis.CHECK_FAIL
        cases = (
            ((5000, 4200, 5400), (27, 0, 70), [(supply, 5000, ok), (chip, 27, ok)]),
            ((4199, 4200, 5400), (71, 0, 70), [(supply, 4199, bad), (chip, 71, bad)]),
            (None, (-1, 0, 70), [(chip, -1, bad)]),
            (None, None, []),
        )
        for fed, warm, expected in cases:
            self.begin(m.ROLE_ROULETTE)
            self.hal.supplies = lambda reported=(fed, warm): reported
            reported = [v for v in self.ask() if v[1] in (supply, chip)]
            self.assertEqual([(v[1], v[2], v[6]) for v in reported], expected)
            self.assertTrue(all(v[0] == m.UNKNOWN_U8 and v[7] == 0 for v in reported))

    def test_what_is_active_is_reported(self):
        """A fault by sensor and code; 507 is reported and does not fail."""
        self.begin(m.ROLE_ROULETTE)
        now = self.table.now_us()
        self.table.role.raise_fault(codes.SENSOR_STUCK, roulette.INPUT_RIM_2, 0, 1, now)
        self.table.role.raise_fault(codes.MAINTENANCE_OPEN, m.UNKNOWN_U8, 1, 0, now)
        reported = [v for v in self.ask() if v[1] == diagnosis.QUANTITY_ACTIVE]
        fail, skip = diagnosis.CHECK_FAIL, diagnosis.CHECK_SKIP
        self.assertIn(
            (roulette.INPUT_RIM_2, fail, codes.SENSOR_STUCK),
            [(v[0], v[6], v[7]) for v in reported],
        )
        self.assertIn((m.UNKNOWN_U8, skip), [(v[0], v[6]) for v in reported])

    def test_an_open_round_refuses_it(self):
        """With the phase, and the one that would do; an opening ends a test that runs."""
        self.begin(m.ROLE_ROULETTE)
        self.hal.link.incoming = command(m.SELF_TEST, [60000])
        self.table.exchange()
        self.table.role.control.phase = m.PHASE_BETS_OPEN
        frames = self.run_for(400)
        self.assertEqual(names(frames), ["self_test_result"])
        self.assertEqual(frames[0].values[0], 0)
        self.hal.link.incoming = command(m.SELF_TEST, [0])
        self.table.exchange()
        (refusal,) = [f for f in self.hal.link.frames() if f.type == m.REFUSAL]
        self.assertEqual(refusal.values[0], m.SELF_TEST)
        self.assertEqual(refusal.values[2:6], (m.REFUSAL_ROUND_OPEN, m.PHASE_BETS_OPEN, 1, 1))

    def test_a_table_without_a_camera_has_no_picture(self):
        """It refuses with its role, and the one that would have done."""
        self.begin(m.ROLE_ROULETTE)
        self.hal.link.incoming = command(m.FETCH_PICTURE, [0])
        self.table.exchange()
        (refusal,) = [f for f in self.hal.link.frames() if f.type == m.REFUSAL]
        self.assertEqual(refusal.values[0], m.FETCH_PICTURE)
        dice = m.ROLE_DICE_TRAY
        self.assertEqual(
            refusal.values[2:6], (m.REFUSAL_OUT_OF_RANGE, m.ROLE_ROULETTE, dice, dice)
        )

    def test_a_picture_that_is_not_there_has_no_sum(self):
        """Nor greys: the camera gives none."""
        self.begin(m.ROLE_DICE_TRAY)
        self.hal.link.incoming = command(m.FETCH_PICTURE, [1])
        self.table.exchange()
        (part,) = [f for f in self.hal.link.frames() if f.type == diagnosis.PICTURE_PART]
        self.assertEqual(part.values, (1, 0, bytes(192)))
        self.hal.link.incoming = command(m.FETCH_PICTURE, [2])
        self.table.exchange()
        frames = self.run_for(400)
        (part,) = [f for f in frames if f.type == diagnosis.PICTURE_PIXELS]
        self.assertEqual(part.values, (0, 0, bytes(192)))


if __name__ == "__main__":
    unittest.main()

"""Whole scripted spins: every value reported, in order, against a calculation by hand.

The times are worked out in logic_stage.
"""

import unittest

from tests.logic_edges import CCW, CW, without
from tests.logic_stage import LAPS_MS, Stage, ball, under_head

from tablewire import messages as m
from tablewire import roulette

CLOSED, OPEN, RIM, NMB, DROPPED = 1, 2, 3, 4, 5
# Ten laps; the lap of 1059 ms, the seventh, ends at 13198 and is the first above 1000 ms.
NUMBER_21 = 5  # 0 32 15 19 4 21: pocket index 5


def state(phase, previous):
    return ("state", [phase, previous])


OPENING = [("round_opened", [1, 7, 60000]), state(OPEN, CLOSED)]
# Open since clock 6000; the first pass is in the batch before the tick of 8040, clock 7960.
# The last lap of 1800 after one of 1468: 2 x 332 / 1468 / (1 + 1468 / 1800) / 1.8^2 turns/s2 are
# 277 tenths of a degree; in whole 1/1024 of a lap 275. Sensor 1 is passed last.
SLOWING = 275
LAUNCH = [("bets_closed", [roulette.CLOSE_CAUSE_BALL_DETECTED, 1960]), state(RIM, OPEN)]


class HealthyTest(unittest.TestCase):
    def test_by_the_array(self):
        """The ball rests from 21000 on, is read then (clock 20920), stable at clock 23440.

        Result 23440 - 20480 = 2960 ms after the drop. 60 s / (37 * 0.1 s) = 16.2 rpm.
        """
        stage = Stage().turn_rotor(CCW, 26000).add(ball()).lay(0, 11).lay(7000)
        stage.lay(21000, NUMBER_21)
        self.assertEqual(stage.run(7000), OPENING)
        self.assertEqual(stage.run(13200), LAUNCH)
        self.assertEqual(stage.run(13240), [state(NMB, RIM)])
        self.assertEqual(stage.run(20480), [])
        self.assertEqual(stage.run(20520), [state(DROPPED, NMB)])
        self.assertEqual(stage.run(23440), [])
        values = [21, 5, roulette.POCKET_SENSOR_ARRAY, 1, 1000, 1, -1, 162, 1800, 9690, 2960]
        values.extend((1, SLOWING, m.UNKNOWN_I8))
        self.assertEqual(stage.run(23480), [("result", values), state(CLOSED, DROPPED)])

    def test_light_at_a_rim_sensor(self):
        """Each half wave of the mains covers it for 1.5 ms, and steps of 40 ms fall into them all.

        From the start until the round is open, and from after the last pass of a rim sensor until
        after the drop: what is reported, and when, is as in the dark.
        """
        light = []
        times = list(range(9000, 6500000, 10000)) + list(range(18519000, 21000000, 10000))
        for t_us in times:
            light.extend(((t_us, m.INPUT_4, 1), (t_us + 1500, m.INPUT_4, 0)))
        stage = Stage().turn_rotor(CCW, 26000).add(ball()).add(light).lay(0, 11).lay(7000)
        stage.lay(21000, NUMBER_21)
        self.assertEqual(stage.run(7000), OPENING)
        self.assertEqual(stage.run(13200), LAUNCH)
        self.assertEqual(stage.run(20480), [state(NMB, RIM)])
        self.assertEqual(stage.run(20520), [state(DROPPED, NMB)])
        ident, values = stage.run(23480)[0]
        self.assertEqual((ident, values[:2]), ("result", [21, 5]))

    def test_by_the_head(self):
        """Rotor clockwise, ball against it. x = 18.5 - 5 - 0.2: the head rises at 1330 + 3700 k.

        After 21000: 23530 and 27230. The ball passed the rim last at 17700, clock 17660. It rests
        6500 later, and a turn of 3700 and a sixteenth more shows it alone: 28092, clock 28120.
        No pass in one and a half laps of 1800, and 100: it left at 20500, clock 20480. So 7640.
        """
        stage = Stage(pocket_sensor=roulette.POCKET_SENSOR_HEAD).turn_rotor(CW, 32000)
        stage.add(ball(direction=-1)).add(under_head(CW, NUMBER_21, 21000, 32000))
        stage.run(28120)
        values = [21, 5, roulette.POCKET_SENSOR_HEAD, 2, 1000, -1, 1, 162, 1800, 9690, 7640]
        values.extend((1, SLOWING, 0))
        self.assertEqual(stage.run(28160), [("result", values), state(CLOSED, DROPPED)])

    def test_by_both(self):
        """The later one decides: the head. Counter-clockwise x = 5 - 18.5 + 37 - 0.2.

        It rises at 2330 + 3700 k; after 21000: 24530, ends 40 later, counts 3 after that: seen at
        24600. The array was stable before, and is the second witness.
        """
        stage = Stage(pocket_sensor=roulette.POCKET_SENSOR_BOTH).turn_rotor(CCW, 33000).add(ball())
        stage.add(under_head(CCW, NUMBER_21, 21000, 33000)).lay(21000, NUMBER_21)
        stage.run(24560)
        values = [21, 5, roulette.POCKET_SENSOR_BOTH, 1, 1000, 1, -1, 162, 1800, 9690, 4080]
        values.extend((1, SLOWING, 0))
        self.assertEqual(stage.run(24600), [("result", values), state(CLOSED, DROPPED)])

    def test_both_must_agree(self):
        """The head reads the pocket beside for two turns: no number, and the void says why."""
        stage = Stage(pocket_sensor=roulette.POCKET_SENSOR_BOTH, settle_ms=20000)
        stage.turn_rotor(CCW, 42000).add(ball())
        stage.add(under_head(CCW, NUMBER_21 + 1, 21000, 42000)).lay(21000, NUMBER_21)
        # It rests there from 21.0 s on, and a turn takes 3.7 s.
        ends = [name for name, _ in stage.run(24600) if name in ("result", "void")]
        self.assertEqual(ends, [])
        void = ("void", [114, DROPPED, 255, 1000, 1, -1, 162, 1800])
        self.assertEqual(stage.run(28480), [void, state(CLOSED, DROPPED)])

    def test_the_printed_number(self):
        """Index 5: 0 2 14 35 23 4 with a double zero; 0 26 3 35 12 28 read the other way."""
        for pockets, number, changed in (
            (38, 4, {"wheel": 2}),
            (37, 28, {"reading_direction": 1}),
        ):
            stage = Stage(**changed).turn_rotor(CCW, 26000, pockets).add(ball()).lay(21000, 5)
            stage.run(24000)
            self.assertEqual(stage.sink.values("result")[:2], [number, 5])

    def test_one_missed_pass(self):
        """The fifth pass of sensor 1 unseen: ten circuits still, the same number."""
        stage = Stage().turn_rotor(CCW, 26000).lay(21000, NUMBER_21)
        stage.add(without(sorted(ball()), roulette.INPUT_RIM_1, [4]))
        stage.run(24000)
        self.assertEqual(stage.sink.values("result")[:6], [21, 5, 1, 1, 1000, 1])

    def test_the_next_round_opens_by_itself(self):
        """5500 after the result of clock 23440: clock 28940, the tick of 29000 (40 ms steps)."""
        stage = Stage().turn_rotor(CCW, 31000).add(ball()).lay(21000, NUMBER_21)
        stage.run(28960)
        self.assertEqual(stage.run(29000), OPENING)


class ClosingTest(unittest.TestCase):
    def test_by_lap_time(self):
        """close_on_ball off: the lap above 1000 ms closes, reported at the tick of 13240."""
        stage = Stage(close_on_ball=0).turn_rotor(CCW, 26000).add(ball()).lay(21000, NUMBER_21)
        stage.run(8000)
        self.assertEqual(stage.run(13200), [state(RIM, OPEN)])
        closed = ("bets_closed", [m.CLOSE_CAUSE_LAP_TIME, 7200])
        self.assertEqual(stage.run(13240), [closed, state(NMB, RIM)])
        stage.run(24000)
        self.assertEqual(stage.sink.names(), ["result"])

    def test_at_the_drop_at_the_latest(self):
        """A limit of 2500 ms no lap reaches: closed at the drop, clock 20480."""
        stage = Stage(close_on_ball=0, nmb_lap_ms=2500).turn_rotor(CCW, 26000).add(ball())
        stage.lay(21000, NUMBER_21).run(20480)
        closed = ("bets_closed", [m.CLOSE_CAUSE_LAP_TIME, 14480])
        self.assertEqual(stage.run(20520), [closed, state(DROPPED, RIM)])

    def test_by_the_croupier_before_the_ball(self):
        """The phase stays no more bets until the drop; the number counts."""
        stage = Stage().turn_rotor(CCW, 26000).add(ball()).lay(21000, NUMBER_21)
        stage.run(7000)
        self.assertEqual(stage.call("close_bets", m.CLOSE_CAUSE_CROUPIER), 0)
        closed = ("bets_closed", [m.CLOSE_CAUSE_CROUPIER, 960])
        self.assertEqual(stage.sink.reported[-2:], [closed, state(NMB, OPEN)])
        self.assertEqual(stage.run(20480), [])
        self.assertEqual(stage.run(20520), [state(DROPPED, NMB)])
        stage.run(24000)
        self.assertEqual(stage.sink.names(), ["result"])

    def test_by_the_maximum_bet_time(self):
        """5 s: closed at clock 11000. No ball by 16000: the launch failed."""
        stage = Stage(max_bet_ms=5000).turn_rotor(CCW, 17000)
        stage.run(11000)
        closed = ("bets_closed", [m.CLOSE_CAUSE_TIMEOUT, 5000])
        self.assertEqual(stage.run(11040), [closed, state(NMB, OPEN)])
        self.assertEqual(stage.run(16000), [])
        void = ("void", [109, NMB, 255, 65535, 0, -1, 162, 65535])
        self.assertEqual(stage.run(16040), [void, state(CLOSED, NMB)])


class ClockTest(unittest.TestCase):
    def reported(self, wraps_after_ms=None):
        """What a spin reports; the role's milliseconds wrap so long after the bets opened."""
        stage = Stage(auto_open=0).turn_rotor(CCW, 30000).add(ball()).lay(21000, NUMBER_21)
        stage.add([(7000000, m.INPUT_TILT, 1), (7050000, m.INPUT_TILT, 0)])
        stage.run(6040)
        if wraps_after_ms is not None:
            stage.role.control.now_ms = (1 << 30) - wraps_after_ms
        stage.call("open_bets")
        return list(stage.sink.reported) + stage.run(24000)

    def test_the_milliseconds_wrap_in_every_phase(self):
        """After twelve days, in the middle of a spin: the same is reported."""
        expected = self.reported()
        self.assertEqual([name for name, _ in expected if name == "result"], ["result"])
        for wraps_after_ms in range(500, 17500, 2000):
            self.assertEqual(self.reported(wraps_after_ms), expected, wraps_after_ms)


class HeartbeatTest(unittest.TestCase):
    def test_what_a_heartbeat_asks(self):
        """Unknown at first; whole circuits, direction and speed while the ball runs."""
        stage = Stage().turn_rotor(CCW, 22000).add(ball())
        role = stage.role
        self.assertEqual((role.circuits(), role.rotor_direction, role.rotor_drpm), (255, 0, 0))
        stage.run(2000)
        self.assertEqual((role.circuits(), role.rotor_direction, role.rotor_drpm), (255, -1, 162))
        self.assertEqual((role.phase, role.faults()), (CLOSED, 0))
        # Laps end at 8510, 9060, 9680: at 9600 two are complete.
        stage.run(9600)
        self.assertEqual((role.circuits(), role.phase), (2, RIM))
        stage.run(20000)
        self.assertEqual(role.circuits(), len(LAPS_MS))


if __name__ == "__main__":
    unittest.main()

"""The role's voids, refusals and faults in whole scripted rounds; the times are in logic_stage."""

import unittest

from tests.fakes import put
from tests.logic_edges import CCW, CW
from tests.logic_stage import LAPS_MS, Stage, ball

from tabledev.edges import EdgeRing
from tablelogic.core.role import CALM, LOOK, URGENT, WATCHFUL
from tablewire import messages as m
from tablewire import roulette

CLOSED, OPEN, RIM, NMB, DROPPED = 1, 2, 3, 4, 5
TILT = m.INPUT_TILT


def void_of(stage, until_ms):
    """Run; the values of the only void. The bets were closed before it, once."""
    reported = [name for name, _ in stage.run(until_ms)]
    assert reported.count("bets_closed") == 1, reported
    assert reported.index("bets_closed") < reported.index("void"), reported
    assert "result" not in reported
    return stage.sink.values("void")


class VoidTest(unittest.TestCase):
    def test_short_spin(self):
        """The last six laps only, ended at 8010 + 7288: gone by 18160."""
        stage = Stage().turn_rotor(CCW, 20000).add(ball(LAPS_MS[4:])).lay(17000, 5)
        self.assertEqual(void_of(stage, 18160), [101, NMB, 255, 600, 1, -1, 162, 1800])

    def test_ball_with_rotor(self):
        """The fourth pass, of sensor 2, makes it a ball; its lap is between 500 and 561 ms."""
        stage = Stage().turn_rotor(CW, 12000).add(ball())
        self.assertEqual(void_of(stage, 9080), [102, RIM, 255, 100, 1, 1, 162, 514])

    def test_no_pocket(self):
        """No switch within 5 s of when the ball must have left the rim.

        A quarter of a turn after 17700, 410 to 620 later: voided between 23110 and 23380.
        """
        stage = Stage().turn_rotor(CCW, 27000).add(ball())
        stage.run(23060)
        self.assertEqual(stage.sink.names(), ["round_opened", "bets_closed"])
        reported = stage.run(23380)
        self.assertEqual(reported[0], ("void", [103, DROPPED, 255, 1000, 1, -1, 162, 1800]))

    def test_second_ball(self):
        """Two switches in the reads of 21000, 21040 and 21080."""
        stage = Stage().turn_rotor(CCW, 22000).add(ball()).lay(21000, 5, 20)
        stage.run(21040)
        self.assertEqual(stage.sink.names(), ["round_opened", "bets_closed"])
        reported = stage.run(21080)
        self.assertEqual(reported[0], ("void", [105, DROPPED, 255, 1000, 1, -1, 162, 1800]))

    def test_ball_not_sensed(self):
        """Empty since the opening, a ball from 10000 on, stable at clock 12460."""
        stage = Stage().turn_rotor(CCW, 14000).lay(10000, 5)
        self.assertEqual(void_of(stage, 12600), [107, OPEN, 255, 65535, 0, -1, 162, 65535])

    def test_rotor_stopped(self):
        """It stands from 12000 on: no tick for 1.5 s by 13500."""
        stage = Stage().turn_rotor(CCW, 12000).add(ball())
        values = void_of(stage, 13560)
        self.assertEqual(values[:3] + values[4:7], [201, NMB, 255, 1, -1, 0])

    def test_a_void_is_reported_once(self):
        """Whatever goes wrong after it: six laps, the rotor stops, a tilt."""
        stage = Stage().turn_rotor(CCW, 19000).add(ball(LAPS_MS[4:]))
        stage.add([(19000000, TILT, 1)])
        stage.run(30000)
        reported = ["round_opened", "bets_closed", "void", "fault_raised"]
        self.assertEqual(stage.sink.names(), reported)


class WatchTest(unittest.TestCase):
    def watched(self, rising, stage):
        """What the role says while this sensor, or none, rises in the ring."""
        ring = EdgeRing(4)
        if rising is not None:
            put(ring, 2 * rising + 1, 0)
        return stage.role.urgency(ring)

    def test_a_ball_that_comes_while_bets_are_open_is_urgent(self):
        """From the edge in the ring until its pulse has lasted; the rotor's edges are not."""
        stage = Stage().turn_rotor(CCW, 20000)
        stage.run(8000)
        self.assertEqual(stage.role.phase, OPEN)
        for sensor, expected in (
            (None, WATCHFUL),
            (roulette.INPUT_ROTOR_A, WATCHFUL),
            (roulette.INPUT_RIM_1, URGENT),
            (roulette.INPUT_RIM_2, URGENT),
        ):
            self.assertEqual(self.watched(sensor, stage), expected)
        stage.role.edge(roulette.INPUT_RIM_2, 1, stage.ticks(8_000_000))
        self.assertEqual(self.watched(None, stage), URGENT)
        stage.run(8040)
        self.assertEqual(stage.sink.names(), ["bets_closed"])

    def test_the_array_is_looked_at_from_when_the_ball_may_fall_until_it_lies(self):
        """It passes the rim until about 20 s; the stage puts it into its pocket after that."""
        stage = Stage().turn_rotor(CCW, 30000).add(ball())
        looks = []
        for now_ms in range(9000, 24000, 200):
            stage.run(now_ms)
            looks.append((stage.role.phase, self.watched(None, stage) == LOOK))
        self.assertNotIn((OPEN, True), looks)
        self.assertIn((DROPPED, True), looks)
        bits = bytearray((0, 1, 0, 0, 0))
        for _ in range(30):
            stage.role.array(bits, 0)
            stage.role.control.now_ms += 40
        self.assertEqual(self.watched(None, stage), CALM)

    def test_a_wheel_whose_bets_a_ball_does_not_close_is_not_watched(self):
        """Only a slow lap closes them."""
        stage = Stage(close_on_ball=0).turn_rotor(CCW, 20000)
        stage.run(8000)
        self.assertEqual(stage.role.phase, OPEN)
        self.assertEqual(self.watched(roulette.INPUT_RIM_1, stage), CALM)


class CroupierTest(unittest.TestCase):
    def test_void_by_command_in_every_phase(self):
        """Refused when closed; else void under its reason, bets closed before, phase named."""
        for until_ms, phase in (
            (5000, CLOSED),
            (7000, OPEN),
            (9000, RIM),
            (15000, NMB),
            (20600, DROPPED),
        ):
            with self.subTest(phase=phase):
                stage = Stage().turn_rotor(CCW, 21000).add(ball())
                stage.run(until_ms)
                self.assertEqual(stage.role.phase, phase)
                answer = stage.call("void_round", 403)
                self.assertEqual(answer, m.REFUSAL_WRONG_PHASE if phase == CLOSED else 0)
                voids = [values for name, values in stage.sink.reported if name == "void"]
                reasons = [values[:3] for values in voids]
                self.assertEqual(reasons, [] if phase == CLOSED else [[403, phase, 255]])
                self.assertEqual(stage.sink.names().count("bets_closed"), len(voids))

    def test_void_by_the_table_button(self):
        """Pressed at 9000 (clock 8960 at the latest), held for 1.5 s."""
        stage = Stage().turn_rotor(CCW, 12000).add(ball())
        stage.add([(9000000, m.INPUT_BUTTON, 1), (11000000, m.INPUT_BUTTON, 0)])
        values = void_of(stage, 10560)
        self.assertEqual(values[:3], [403, RIM, m.INPUT_BUTTON])
        self.assertEqual([name for name, _ in stage.run(12000)], [])

    def test_the_button_closes_the_bets(self):
        """A short press at 7000."""
        stage = Stage()
        stage.add([(7000000, m.INPUT_BUTTON, 1), (7200000, m.INPUT_BUTTON, 0)])
        stage.run(7240)
        self.assertEqual(stage.sink.values("bets_closed")[0], m.CLOSE_CAUSE_CROUPIER)

    def test_the_button_opens_the_bets(self):
        """With auto_open off nothing else does."""
        stage = Stage(auto_open=0)
        stage.add([(30000000, m.INPUT_BUTTON, 1), (30200000, m.INPUT_BUTTON, 0)])
        self.assertEqual(stage.run(30160), [])
        stage.run(30240)
        self.assertEqual(stage.sink.names(), ["round_opened"])


class RefusalTest(unittest.TestCase):
    def test_open_in_every_phase(self):
        """Only a closed and quiet table opens."""
        for until_ms, phase, answer in (
            (5960, CLOSED, m.REFUSAL_WRONG_PHASE),
            (7000, OPEN, m.REFUSAL_ROUND_OPEN),
            (9000, RIM, m.REFUSAL_ROUND_OPEN),
            (15000, NMB, m.REFUSAL_ROUND_OPEN),
            (20600, DROPPED, m.REFUSAL_ROUND_OPEN),
        ):
            stage = Stage().turn_rotor(CCW, 21000).add(ball())
            stage.run(until_ms)
            self.assertEqual((stage.role.phase, stage.call("open_bets")), (phase, answer))

    def test_close_in_every_phase(self):
        """Only open bets close, and once; a ball on the rim has closed them unless configured."""
        for until_ms, phase, changed, answer in (
            (5000, CLOSED, {}, m.REFUSAL_WRONG_PHASE),
            (7000, OPEN, {}, 0),
            (9000, RIM, {}, m.REFUSAL_WRONG_PHASE),
            (9000, RIM, {"close_on_ball": 0}, 0),
            (15000, NMB, {}, m.REFUSAL_WRONG_PHASE),
            (20600, DROPPED, {}, m.REFUSAL_WRONG_PHASE),
        ):
            stage = Stage(**changed).turn_rotor(CCW, 21000).add(ball())
            stage.run(until_ms)
            self.assertEqual(stage.role.phase, phase)
            self.assertEqual(stage.call("close_bets", m.CLOSE_CAUSE_COMMAND), answer)
            again = stage.call("close_bets", m.CLOSE_CAUSE_COMMAND)
            self.assertEqual(again, m.REFUSAL_WRONG_PHASE)

    def test_a_full_journal(self):
        """No round opens by itself or by order; there is room again: it opens."""
        stage = Stage()
        stage.sink.room = False
        self.assertEqual(stage.run(9000), [])
        self.assertEqual(stage.call("open_bets"), m.REFUSAL_JOURNAL_FULL)
        stage.sink.room = True
        stage.run(9080)
        self.assertEqual(stage.sink.names(), ["round_opened"])

    def test_auto_open_off(self):
        """Nothing opens by itself for a minute; the order opens, and the end opens nothing."""
        stage = Stage(auto_open=0)
        self.assertEqual(stage.run(60000), [])
        self.assertEqual(stage.call("open_bets"), 0)
        stage.call("void_round", 403)
        stage.run(90000)
        self.assertEqual(stage.sink.names(), [])

    def test_a_ball_on_the_rim_keeps_it_closed(self):
        """The ball of a void round passes until 17700 (clock 17640): quiet at clock 23640."""
        stage = Stage().turn_rotor(CCW, 30000).add(ball())
        stage.run(8600)
        stage.call("void_round", 403)
        stage.run(23640)
        self.assertEqual(stage.sink.names(), [])
        stage.run(23680)
        self.assertEqual(stage.sink.names(), ["round_opened"])


class FaultTest(unittest.TestCase):
    def test_a_tilt_voids_and_locks(self):
        """Raised at 9080, two circuits in. Gone at 30000 (clock 29920): open 1 s later."""
        stage = Stage().turn_rotor(CCW, 34000).add(ball()[:6])
        stage.add([(9000000, TILT, 1), (30000000, TILT, 0)])
        stage.run(9040)
        self.assertEqual(stage.sink.names(), ["round_opened", "bets_closed"])
        reported = stage.run(9080)
        self.assertEqual(reported[0], ("fault_raised", [401, TILT, 1, 0]))
        self.assertEqual(reported[1][1][:3], [401, RIM, TILT])
        self.assertEqual(stage.role.faults(), 1)
        self.assertEqual(stage.run(30920), [])
        self.assertEqual(stage.call("open_bets"), m.REFUSAL_FAULT_ACTIVE)
        stage.run(30960)
        self.assertEqual(stage.sink.names(), ["fault_cleared", "round_opened"])

    def test_faults_the_app_finds(self):
        """501, 502 and 503 void an open round and keep the table closed until cleared."""
        for code in (501, 502, 503):
            stage = Stage()
            stage.run(7000)
            stage.call("raise_fault", code, 255, 3, 0)
            names = ["round_opened", "fault_raised", "bets_closed", "void"]
            self.assertEqual(stage.sink.names(), names)
            stage.call("raise_fault", code, 255, 3, 0)
            self.assertEqual(len(stage.sink.names()), 4)
            self.assertEqual(stage.run(20000), [])
            stage.call("clear_fault", code)
            stage.run(20080)
            self.assertEqual(stage.sink.names(), ["round_opened"])

    def test_no_bets_on_a_held_rim_sensor(self):
        """Held from 1000 on: bets would open at 6040; they do not, and at 11 s it is a fault."""
        stage = Stage().add([(1000000, roulette.INPUT_RIM_1, 1)])
        self.assertEqual(stage.run(10960), [])
        self.assertEqual(stage.call("open_bets"), m.REFUSAL_WRONG_PHASE)
        stage.run(11080)
        self.assertEqual(stage.sink.names(), ["fault_raised"])

    def test_the_maximum_bet_time_holds_while_the_ball_runs(self):
        """Bets open at 6040 for 5 s; the ball, let run, is fast until after that: 11040."""
        changed = {"close_on_ball": 0, "max_bet_ms": 5000, "nmb_lap_ms": 2500}
        stage = Stage(**changed).turn_rotor(CCW, 30000).add(ball())
        stage.run(11000)
        self.assertEqual(stage.sink.names(), ["round_opened"])
        reported = [entry for entry in stage.run(11040) if entry[0] == "bets_closed"]
        self.assertEqual(reported, [("bets_closed", [m.CLOSE_CAUSE_TIMEOUT, 5000])])

    def test_two_faults(self):
        """One cleared is not enough."""
        stage = Stage()
        stage.call("raise_fault", 501, 255, 0, 0)
        stage.call("raise_fault", 503, 255, 0, 0)
        stage.call("clear_fault", 501)
        self.assertEqual((stage.run(20000), stage.role.faults()), ([], 1))
        stage.call("clear_fault", 503)
        stage.run(20080)
        self.assertEqual(stage.sink.names(), ["round_opened"])

    def test_a_dead_rim_sensor(self):
        """Four passes of sensor 1 alone: stuck, named, and the round is void with that code."""
        stage = Stage().turn_rotor(CCW, 14000)
        stage.add([edge for edge in ball() if edge[1] == roulette.INPUT_RIM_1])
        values = void_of(stage, 9720)
        self.assertEqual(values[:3], [301, RIM, roulette.INPUT_RIM_2])
        self.assertTrue(("fault_raised", [301, roulette.INPUT_RIM_2, 0, 1]) in stage.sink.reported)


if __name__ == "__main__":
    unittest.main()

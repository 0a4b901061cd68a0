"""The draw machine's role by hand-made edges, every 40 ms a tick, across the wrap of the clock."""

import unittest

from tests.draw_desk import BUTTON, INNER, LID, OUTER, RETURN, STANDS, TUBE, Desk

from tablewire import draw_machine as words
from tablewire import messages as m

S = words  # sensors: S.SENSOR_*


def bits_of(numbers):
    return sum(1 << (number - 1) for number in numbers).to_bytes(12, "little")


class DrawTest(unittest.TestCase):
    def test_keno(self):
        """Twenty of eighty: each reported as it comes, then all in order."""
        desk = Desk()
        desk.begin()
        numbers = [80, 1, 79, 2, 78, 3, 77, 4, 76, 5, 75, 6, 74, 7, 73, 8, 72, 9, 71, 10]
        for place, number in enumerate(numbers):
            self.assertEqual(desk.role.circuits(), place)
            desk.ball(number)
        drawn = desk.reported(words.BALL_DRAWN)
        self.assertEqual(
            [values[:2] for values in drawn], [[k + 1, n] for k, n in enumerate(numbers)]
        )
        (result,) = desk.reported("result")
        self.assertEqual(result[:4], [20, 20, 80, words.DRAW_END_COUNT])
        self.assertEqual(result[5], bits_of(numbers))
        self.assertTrue(20 * 480 <= result[4] <= 20 * 600)
        self.assertEqual(desk.reported("round_opened"), [[words.WHEEL_BALLS, 20, 5000]])
        self.assertEqual(desk.role.chamber.inside, 60)

    def test_bingo_ends_when_the_host_says_so(self):
        """With the ball that was called; the one after it was shown, and does not count."""
        desk = Desk(balls=75, draw_count=0)
        desk.begin()
        self.assertEqual(desk.order(words.END_DRAW, 0), m.REFUSAL_WRONG_PHASE)
        for number in (5, 75, 12):
            desk.ball(number)
        self.assertEqual(desk.order(words.END_DRAW, 4), m.REFUSAL_OUT_OF_RANGE)
        self.assertEqual(list(desk.role.refused()), [4, 0, 3])
        self.assertEqual(desk.order(words.END_DRAW, 2), 0)
        (result,) = desk.reported("result")
        self.assertEqual(result[:4], [2, 3, 75, words.DRAW_END_COMMAND])
        self.assertEqual(result[5], b"\x10" + bytes(8) + b"\x04" + bytes(2))
        self.assertEqual(desk.reported("round_opened")[0][:2], [words.WHEEL_BALLS, 1])

    def test_bingo_ends_by_the_button(self):
        desk = Desk(balls=90, draw_count=0)
        desk.begin()
        desk.ball(90)
        desk.edge(BUTTON, 1)
        desk.wait(200)
        desk.edge(BUTTON, 0)
        desk.wait(80)
        (result,) = desk.reported("result")
        self.assertEqual(result[:4], [1, 1, 90, words.DRAW_END_CROUPIER])

    def test_bingo_ends_with_the_last_ball(self):
        """Nobody had won: every ball of the machine is out."""
        desk = Desk(balls=20, draw_count=0)
        desk.begin()
        for number in range(1, 21):
            desk.ball(number)
        (result,) = desk.reported("result")
        self.assertEqual(result[:4], [20, 20, 20, words.DRAW_END_COUNT])

    def test_a_keno_draw_is_not_cut_short(self):
        """Neither by command nor by the button."""
        desk = Desk()
        desk.begin()
        desk.ball(1)
        self.assertEqual(desk.order(words.END_DRAW, 1), m.REFUSAL_WRONG_PHASE)
        self.assertEqual(desk.role.close_bets(m.CLOSE_CAUSE_CROUPIER, desk.t_us), 0)
        self.assertEqual(desk.reported("result"), [])

    def test_a_ball_waits_for_room_and_the_next_one_does_not(self):
        """Without room a ball is reported later; a second one makes the draw void."""
        desk = Desk()
        desk.begin()
        desk.sink.room = False
        desk.ball(33)
        self.assertEqual(desk.reported(words.BALL_DRAWN), [])
        desk.sink.room = True
        desk.wait(80)
        self.assertEqual([v[:2] for v in desk.reported(words.BALL_DRAWN)], [[1, 33]])
        desk.sink.room = False
        desk.ball(34)
        desk.leave()
        self.assertEqual(desk.void(), (words.BALL_NOT_RECORDED, m.UNKNOWN_U8))

    def test_evidence_comes_with_the_void(self):
        """What had been reported, both readings, the passage, the count, the blower."""
        desk = Desk()
        desk.begin()
        desk.ball(33)
        desk.ball(34, other=35)
        (values,) = desk.reported(words.DRAW_STOPPED)
        self.assertEqual(values[:4], [words.READERS_DISAGREE, 1, 34, 35])
        self.assertEqual(values[4:], [40, 78, 2000])
        self.assertEqual(desk.sink.names()[-2:], [words.DRAW_STOPPED, "void"])


class VoidTest(unittest.TestCase):
    """Each in the middle of a draw with ball 33 reported before; code and sensor of the void."""

    def check(self, act, code, sensor, up=(), **changed):
        desk = Desk(**changed)
        desk.begin()
        desk.ball(33)
        act(desk)
        self.assertEqual(desk.void(), (code, sensor))
        self.assertEqual(desk.up(), list(up))
        self.assertEqual(desk.reported("result"), [])
        return desk

    def test_readings(self):
        exit_reader, tube_reader = words.INPUT_EXIT_READER, words.INPUT_TUBE_READER
        lost = (words.NOT_COUNTED,)

        def twice(desk):
            desk.leave()
            desk.say(1, 40)
            desk.say(1, 41)
            desk.wait(80)

        def early(desk):
            desk.say(1, 40)
            desk.wait(80)

        def skipped(desk):
            desk.leave()
            desk.say(1, 40, step=2)
            desk.wait(80)

        for act, code, sensor, up in (
            (lambda d: d.ball(33), words.DUPLICATE_BALL, 255, (words.DUPLICATE_BALL,)),
            (lambda d: d.ball(40, 41), words.READERS_DISAGREE, 255, ()),
            (lambda d: d.ball(81), words.FOREIGN_BALL, exit_reader, (words.FOREIGN_BALL,)),
            (lambda d: d.ball(0), words.BALL_UNREADABLE, exit_reader, ()),
            (lambda d: d.ball(40, 0), words.BALL_UNREADABLE, tube_reader, ()),
            (twice, words.DOUBLE_EXIT, exit_reader, lost),
            (skipped, words.DOUBLE_EXIT, exit_reader, lost),
            (early, words.BALL_UNSEEN, exit_reader, lost),
        ):
            self.check(act, code, sensor, up)

    def test_a_ball_of_another_set(self):
        """Its number would do; its tag names set 4."""
        desk = Desk(ball_set=3)
        desk.begin()
        desk.leave()
        desk.say(1, 40, ball_set=4)
        self.assertEqual(desk.void(), (words.FOREIGN_BALL, words.INPUT_EXIT_READER))

    def test_missing_readings(self):
        def nothing(desk):
            desk.leave()
            desk.arrive()
            desk.wait(1600)

        def exit_only(desk):
            desk.leave()
            desk.say(1, 40)
            desk.arrive()
            desk.wait(1600)

        self.check(nothing, words.READING_MISSING, words.INPUT_EXIT_READER)
        self.check(exit_only, words.READING_MISSING, words.INPUT_TUBE_READER)

    def test_the_way_of_a_ball(self):
        lost = (words.NOT_COUNTED,)

        def back(desk):
            desk.edge(INNER, 1, 1)
            desk.edge(OUTER, 1, 16)
            desk.wait(40)
            desk.edge(OUTER, 0, 1)
            desk.edge(INNER, 0, 16)
            desk.wait(80)

        def inwards(desk):
            for sensor, level in ((OUTER, 1), (INNER, 1), (OUTER, 0), (INNER, 0)):
                desk.edge(sensor, level, 1)
                desk.wait(40)
            desk.wait(80)

        def odd(desk):
            desk.arrive(OUTER)
            desk.wait(80)

        def second(desk):
            desk.leave()
            desk.leave()

        def two_rest(desk):
            desk.leave()
            desk.arrive()
            desk.arrive()

        def gone(desk):
            desk.leave()
            desk.wait(3000)

        for act, code, sensor, up in (
            (back, words.BALL_RETURNED, words.INPUT_EXIT_INNER, lost),
            (inwards, words.BALL_RETURNED, words.INPUT_RETURN, lost),
            (odd, words.EXIT_IMPLAUSIBLE, words.INPUT_EXIT_OUTER, lost),
            (second, words.DOUBLE_EXIT, words.INPUT_EXIT_INNER, lost),
            (two_rest, words.DOUBLE_EXIT, words.INPUT_TUBE, lost),
            (lambda d: d.arrive(), words.BALL_UNSEEN, words.INPUT_TUBE, lost),
            (lambda d: d.arrive(RETURN), words.BALL_RETURNED, words.INPUT_RETURN, lost),
            (gone, words.BALL_LOST, words.INPUT_TUBE, ()),
            (lambda d: d.wait(60000), words.DRAW_UNFINISHED, 255, ()),
        ):
            self.check(act, code, sensor, up)

    def test_what_stands(self):
        lost = words.NOT_COUNTED

        def stall(desk):
            desk.raw = STANDS
            desk.wait(1400)

        def opened(desk):
            desk.edge(LID, 1)
            desk.wait(200)

        def jammed(desk):
            desk.edge(TUBE, 1)
            desk.wait(1600)

        def silent(desk):
            desk.order(words.READER_REPORT, 2, 0, 255, 0)
            desk.wait(80)

        jam = (words.BALL_JAMMED, lost)
        self.check(stall, words.BLOWER_STALLED, words.INPUT_BLOWER, (words.BLOWER_STALLED,))
        self.check(opened, words.CHAMBER_OPEN, words.INPUT_LID, (words.CHAMBER_OPEN, lost))
        self.check(silent, words.READER_LOST, words.INPUT_TUBE_READER, (words.READER_LOST,))
        desk = Desk()
        desk.begin()
        desk.leave()
        jammed(desk)
        self.assertEqual((desk.void()[0], desk.up()), (words.BALL_JAMMED, list(jam)))


class BeforeTest(unittest.TestCase):
    def test_a_ball_before_its_time(self):
        """While bets are open, or before the balls were mixed."""
        desk = Desk()
        desk.declare()
        desk.role.open_bets(desk.t_us)
        desk.leave()
        self.assertEqual(desk.void(), (words.BALL_EARLY, words.INPUT_EXIT_OUTER))
        desk = Desk()
        desk.declare()
        desk.role.open_bets(desk.t_us)
        desk.role.close_bets(m.CLOSE_CAUSE_COMMAND, desk.t_us)
        desk.leave()
        self.assertEqual(desk.void(), (words.MIXED_TOO_SHORT, words.INPUT_EXIT_OUTER))

    def test_a_ball_that_the_gate_did_not_see_out(self):
        """With all inside, by count, one is read at the exit, or comes to the tube."""
        for act, sensor in (
            (lambda d: d.say(1, 40), words.INPUT_EXIT_READER),
            (lambda d: d.arrive(), words.INPUT_TUBE),
        ):
            desk = Desk()
            desk.declare()
            desk.role.open_bets(desk.t_us)
            act(desk)
            desk.wait(80)
            self.assertEqual(desk.void(), (words.BALL_UNSEEN, sensor))
            self.assertEqual(desk.up(), [words.NOT_COUNTED])
            desk = Desk()
            desk.declare(79)
            act(desk)
            desk.wait(80)
            self.assertEqual(desk.up(), [])
            desk.declare()
            act(desk)
            desk.wait(80)
            self.assertEqual(desk.up(), [words.NOT_COUNTED])

    def test_one_goes_back_behind_another(self):
        """Before the recall: the first may be out. With all inside it is nothing yet."""
        for inside, up in ((80, []), (79, [words.NOT_COUNTED])):
            desk = Desk()
            desk.declare(inside)
            for sensor, level in ((INNER, 1), (OUTER, 1), (OUTER, 0), (INNER, 0)):
                desk.edge(sensor, level, 1)
                desk.wait(40)
            desk.wait(80)
            self.assertEqual(desk.up(), up)

    def test_a_count_under_an_open_lid_or_with_a_jam(self):
        """What happens until the lid is closed, or the ball is free, nobody counted."""
        for sensor, code in ((LID, words.CHAMBER_OPEN), (INNER, words.BALL_JAMMED)):
            desk = Desk()
            desk.declare()
            desk.edge(sensor, 1)
            desk.wait(2000)
            self.assertEqual(desk.up(), sorted((code, words.NOT_COUNTED)))
            self.assertEqual(desk.declare(), 0)
            desk.wait(80)
            self.assertEqual(desk.up(), [code])
            desk.edge(sensor, 0)
            desk.wait(1200)
            self.assertEqual(desk.up(), [words.NOT_COUNTED])
            desk.declare()
            desk.wait(80)
            self.assertEqual(desk.up(), [])

    def test_nobody_starts_the_blower(self):
        """Mixing and waiting together, then it is void."""
        desk = Desk()
        desk.declare()
        desk.raw = STANDS
        desk.wait(400)
        desk.role.open_bets(desk.t_us)
        desk.role.close_bets(m.CLOSE_CAUSE_COMMAND, desk.t_us)
        desk.wait(60800)
        self.assertEqual(desk.reported("void"), [])
        desk.wait(400)
        self.assertEqual(desk.void(), (words.DRAW_UNFINISHED, words.INPUT_BLOWER))

    def test_no_round_before_the_balls_are_counted(self):
        """A start knows nothing; declared 79 of 80, the last one comes in through the return."""
        desk = Desk()
        self.assertEqual(desk.up(), [words.NOT_COUNTED])
        self.assertEqual(desk.role.open_bets(desk.t_us), m.REFUSAL_FAULT_ACTIVE)
        self.assertEqual(desk.declare(81), m.REFUSAL_OUT_OF_RANGE)
        self.assertEqual(desk.declare(79), 0)
        desk.wait(80)
        self.assertEqual(desk.role.open_bets(desk.t_us), m.REFUSAL_WRONG_PHASE)
        desk.arrive(RETURN)
        values = desk.reported(words.BALLS_COUNTED)
        self.assertEqual(values, [[79, 80, 1], [80, 80, 2]])
        self.assertEqual(desk.role.open_bets(desk.t_us), 0)
        self.assertEqual(desk.declare(80), m.REFUSAL_ROUND_OPEN)

    def test_no_round_before_both_readers_are_heard(self):
        desk = Desk()
        desk.declare()
        desk.order(words.READER_REPORT, 1, 0, 255, 0)
        desk.wait(80)
        self.assertEqual(desk.role.open_bets(desk.t_us), m.REFUSAL_FAULT_ACTIVE)
        desk.say(1, 20, step=100)
        desk.wait(80)
        self.assertEqual((desk.up(), desk.role.open_bets(desk.t_us)), ([], 0))

    def test_a_recall_counts(self):
        """Three were drawn, two come back: missing after 30 s; the third mends it."""
        desk = Desk(balls=20, draw_count=3)
        desk.begin()
        for number in (1, 2, 3):
            desk.ball(number)
        desk.arrive(RETURN)
        desk.arrive(RETURN)
        desk.wait(31000)
        self.assertEqual(desk.up(), [words.BALLS_MISSING])
        raised = [v for v in desk.reported("fault_raised") if v[0] == words.BALLS_MISSING]
        self.assertEqual(raised, [[words.BALLS_MISSING, words.INPUT_RETURN, 19, 20]])
        desk.arrive(RETURN)
        self.assertEqual((desk.up(), desk.role.open_bets(desk.t_us)), ([], 0))

    def test_one_too_many(self):
        desk = Desk(balls=20, draw_count=3)
        desk.declare()
        desk.arrive(RETURN)
        self.assertEqual(desk.up(), [words.BALLS_EXTRA])
        desk.declare()
        self.assertEqual(desk.up(), [])

    def test_a_ball_that_bounces_in_the_return_is_one(self):
        """Free for 15 ms between: shorter than a ball is long."""
        desk = Desk(balls=20, draw_count=3)
        desk.declare(18)
        desk.edge(RETURN, 1, 1)
        desk.edge(RETURN, 0, 31)
        desk.wait(40)
        desk.edge(RETURN, 1, 6)
        desk.edge(RETURN, 0, 36)
        desk.wait(80)
        self.assertEqual(desk.role.chamber.inside, 19)

    def test_rounds_that_open_by_themselves(self):
        """With auto_open, once every ball is back."""
        desk = Desk(auto_open=1, result_hold_ms=0)
        desk.wait(400)
        self.assertEqual(desk.reported("round_opened"), [])
        desk.declare()
        desk.wait(80)
        self.assertEqual(len(desk.reported("round_opened")), 1)

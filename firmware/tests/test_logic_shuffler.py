"""The shuffler's role by hand-made edges, every 40 ms a tick, across the wrap of the clock."""

import unittest

from tests.logic_fakes import START_US, Sink, factory

from tablelogic.core.ticks import MASK
from tablelogic.shuffler.shuffler import Shuffler
from tablewire import messages as m
from tablewire import shuffler as words

GATE_IN, GATE_OUT, LID, READY, FAILED = 1, 2, 4, 5, 6
TICK_US = 40000


class Desk:
    """One table. Cards of 80 ms, 120 ms apart."""

    def __init__(self, **changed):
        self.sink = Sink()
        self.role = Shuffler(factory(role=4, **changed), self.sink)
        self.t_us = START_US
        self.raw = 100
        self.role.edge(READY, 1, self.t_us)
        self.wait(1200)

    def wait(self, ms):
        for _ in range(ms * 1000 // TICK_US):
            self.t_us = (self.t_us + TICK_US) & MASK
            if self.role.wants_analog():
                self.role.analog(self.raw)
            self.role.tick(self.t_us)

    def edge(self, sensor, level):
        self.role.edge(sensor, level, self.t_us)

    def cards(self, gate, count):
        for _ in range(count):
            self.edge(gate, 1)
            self.wait(80)
            self.edge(gate, 0)
            self.wait(120)

    def shuffle(self, cards=52, out=None):
        self.edge(READY, 0)
        self.wait(1200)
        self.cards(GATE_IN, cards)
        self.cards(GATE_OUT, cards if out is None else out)
        self.edge(READY, 1)
        self.wait(2000)

    def order(self, ident, *values):
        return self.role.order(ident, values, self.t_us)

    def reported(self, ident):
        return [values for name, values in self.sink.reported if name == ident]

    def up(self):
        return [code for code in words.FAULT_CODES if self.role.control.faults.is_active(code)]


class ShufflerTest(unittest.TestCase):
    def test_a_verified_shuffle_unlocks(self):
        desk = Desk()
        self.assertEqual(desk.up(), [words.NOT_VERIFIED])
        self.assertEqual(desk.role.open_bets(desk.t_us), m.REFUSAL_FAULT_ACTIVE)
        desk.shuffle()
        (done,) = desk.reported(words.SHUFFLE_DONE)
        self.assertEqual(done[:4] + done[5:7], [52, 52, 52, 1, words.VERDICT_VERIFIED, 0])
        self.assertTrue(20000 < done[4] < 26000)
        self.assertEqual(
            desk.reported(words.SHOE_CHANGED),
            [[words.SHOE_LOCKED, words.NOT_VERIFIED, 0], [words.SHOE_UNLOCKED, 0, 0]],
        )
        self.assertEqual(desk.role.open_bets(desk.t_us), 0)

    def test_expected_counts(self):
        for cards in (52, 312, 416):
            desk = Desk(cards=cards)
            desk.shuffle(cards)
            self.assertEqual(desk.up(), [])

    def test_counts_that_are_wrong(self):
        for cards, out, code in (
            (51, 51, words.COUNT_SHORT),
            (53, 53, words.COUNT_LONG),
            (52, 51, words.GATES_DISAGREE),
            (51, 52, words.GATES_DISAGREE),
            (0, 0, words.COUNT_SHORT),
        ):
            desk = Desk()
            desk.shuffle(cards, out)
            self.assertEqual(desk.up(), sorted([code, words.NOT_VERIFIED]))
            desk.shuffle()
            self.assertEqual(desk.up(), [code])
            self.assertEqual(desk.order(words.DECLARE_REPLACEMENT, words.REPLACEMENT_DECK), 0)
            desk.wait(100)
            self.assertEqual(desk.up(), [words.NOT_VERIFIED])
            desk.shuffle()
            self.assertEqual(desk.up(), [])

    def test_two_passes(self):
        """One alone is no shuffle; a second that counts otherwise is refused."""
        desk = Desk(passes=2)
        desk.shuffle()
        self.assertEqual(desk.reported(words.SHUFFLE_DONE), [])
        self.assertFalse(desk.role.is_ready())
        desk.shuffle()
        self.assertEqual(desk.reported(words.SHUFFLE_DONE)[0][3], 2)
        self.assertEqual(desk.up(), [])
        desk.shuffle()
        desk.shuffle(51)
        self.assertEqual(desk.up(), [words.PASSES_DISAGREE])
        self.assertEqual(desk.reported(words.SHUFFLE_DONE)[1][3:7:3], [1, words.PASSES_DISAGREE])

    def test_a_shuffle_behind_blind_gates_is_refused(self):
        """Both gates dead: the ready line alone shows that the deck was shuffled."""
        desk = Desk()
        desk.shuffle()
        desk.edge(READY, 0)
        desk.wait(1200)
        self.assertEqual(desk.role.open_bets(desk.t_us), m.REFUSAL_WRONG_PHASE)
        desk.wait(20000)
        desk.edge(READY, 1)
        desk.wait(1000)
        self.assertEqual(desk.up(), [words.COUNT_SHORT])

    def test_a_card_after_the_machine_said_ready(self):
        """It is no card of that shuffle: nothing verified is left."""
        desk = Desk()
        desk.shuffle()
        desk.cards(GATE_OUT, 1)
        self.assertEqual(desk.role.open_bets(desk.t_us), m.REFUSAL_WRONG_PHASE)
        desk.wait(31000)
        self.assertEqual(desk.up(), [words.UNFINISHED])

    def test_motor(self):
        """Above its limit for 0.8 s, not for 0.76."""
        desk = Desk()
        desk.shuffle()
        desk.raw = 3001
        desk.wait(760)
        desk.raw = 3000
        desk.wait(40)
        self.assertEqual(desk.up(), [])
        desk.raw = 3001
        desk.wait(880)
        self.assertEqual(desk.up(), [words.MOTOR_STALLED])
        desk.shuffle()
        self.assertEqual(desk.up(), [words.MOTOR_STALLED])
        desk.raw = 100
        desk.shuffle()
        self.assertEqual(desk.up(), [])

    def test_a_cause_that_is_there_is_not_cleared(self):
        """Lid and fault line: the shuffle under an open lid is worth nothing."""
        for sensor, code in ((LID, words.LID_OPEN), (FAILED, words.SHUFFLER_FAILED)):
            desk = Desk()
            desk.shuffle()
            desk.edge(sensor, 1)
            desk.shuffle()
            self.assertEqual(desk.up(), [code])
            self.assertEqual(desk.reported(words.SHUFFLE_DONE)[-1][6], code)
            desk.edge(sensor, 0)
            desk.wait(1200)
            self.assertEqual(desk.up(), [code])
            desk.shuffle()
            self.assertEqual(desk.up(), [])

    def test_nothing_is_verified_before_it_is_recorded(self):
        """No room in the journal: locked until the record of the shuffle found its place."""
        desk = Desk()
        desk.sink.room = False
        desk.shuffle()
        self.assertEqual(desk.up(), [words.NOT_VERIFIED])
        desk.sink.room = True
        desk.wait(80)
        self.assertEqual(desk.up(), [])

    def test_a_verdict_that_waits_does_not_outlive_a_fault(self):
        """The lid was open meanwhile, and is closed when there is room: a card may be gone."""
        desk = Desk()
        desk.sink.room = False
        desk.shuffle()
        desk.edge(LID, 1)
        desk.wait(400)
        desk.edge(LID, 0)
        desk.wait(1200)
        desk.sink.room = True
        desk.wait(80)
        verdict = [words.VERDICT_REFUSED, words.LID_OPEN]
        self.assertEqual([v[5:7] for v in desk.reported(words.SHUFFLE_DONE)], [verdict])
        self.assertEqual(desk.up(), [words.LID_OPEN, words.NOT_VERIFIED])
        desk.shuffle()
        self.assertEqual(desk.up(), [])

    def test_a_round_ends_once(self):
        desk = Desk()
        desk.shuffle()
        self.assertEqual(desk.order(words.END_ROUND), m.REFUSAL_WRONG_PHASE)
        desk.role.open_bets(desk.t_us)
        self.assertEqual(desk.order(words.END_ROUND), m.REFUSAL_WRONG_PHASE)
        desk.role.close_bets(m.CLOSE_CAUSE_COMMAND, desk.t_us)
        desk.wait(95000)
        self.assertEqual(desk.order(words.END_ROUND), 0)
        self.assertEqual(desk.sink.values("result"), [95000])
        self.assertEqual(desk.order(words.END_ROUND), m.REFUSAL_WRONG_PHASE)

    def test_a_declaration_in_a_round_voids_it(self):
        """And a shuffle that runs is worth nothing: the deck is another."""
        desk = Desk()
        desk.shuffle()
        desk.role.open_bets(desk.t_us)
        desk.cards(GATE_IN, 20)
        desk.order(words.DECLARE_REPLACEMENT, words.REPLACEMENT_DECK)
        desk.wait(80)
        self.assertEqual(desk.sink.values("void")[0], words.SHUFFLER_REPLACED)
        self.assertEqual(desk.reported(words.SHUFFLE_DONE)[-1][5:7], [2, words.SHUFFLER_REPLACED])
        self.assertEqual(desk.up(), [words.NOT_VERIFIED])

    def test_a_manual_shoe(self):
        """The machine is not heard; another boot or shuffler begins locked."""
        desk = Desk()
        desk.order(words.DECLARE_REPLACEMENT, words.REPLACEMENT_MANUAL_SHOE)
        desk.wait(80)
        self.assertEqual(desk.reported(words.SHOE_CHANGED)[-1], [words.SHOE_REPLACED, 0, 2])
        desk.edge(LID, 1)
        desk.shuffle(40, 3)
        self.assertEqual(desk.up(), [])
        self.assertEqual(desk.role.open_bets(desk.t_us), 0)
        desk.order(words.DECLARE_REPLACEMENT, words.REPLACEMENT_SHUFFLER)
        desk.wait(80)
        self.assertEqual(desk.up(), [words.LID_OPEN, words.NOT_VERIFIED])

    def test_rounds_do_not_open_by_themselves(self):
        desk = Desk(auto_open=1)
        desk.shuffle()
        desk.wait(60000)
        self.assertEqual(desk.role.phase, m.PHASE_CLOSED)


class SerialTest(unittest.TestCase):
    def setUp(self):
        self.desk = Desk(serial_shuffler=1)

    def say(self, state, count_in=0, count_out=0, error=0):
        self.desk.order(words.SHUFFLER_REPORT, state, count_in, count_out, error)
        self.desk.wait(480)

    def shuffle(self, cards=52):
        for count in range(0, cards, 2):
            self.say(words.SHUFFLER_STATE_SHUFFLING, count, 0)
        for count in range(0, cards, 2):
            self.say(words.SHUFFLER_STATE_SHUFFLING, cards, count)
        self.say(words.SHUFFLER_STATE_READY, cards, cards)

    def test_counts(self):
        self.say(words.SHUFFLER_STATE_READY)
        self.shuffle()
        self.assertEqual(self.desk.up(), [])
        self.shuffle(50)
        self.assertEqual(self.desk.up(), [words.COUNT_SHORT])

    def test_silence(self):
        """Two seconds; hearing it again is not enough."""
        self.shuffle()
        self.desk.wait(1400)
        self.assertEqual(self.desk.up(), [])
        self.desk.wait(200)
        self.assertEqual(self.desk.up(), [words.SHUFFLER_LINK_LOST])
        self.say(words.SHUFFLER_STATE_READY, 52, 52)
        self.assertEqual(self.desk.up(), [words.SHUFFLER_LINK_LOST])
        self.shuffle()
        self.assertEqual(self.desk.up(), [])

    def test_a_shuffle_nobody_heard_of(self):
        """Ready, and ready with other counts: it shuffled in between."""
        self.shuffle()
        self.say(words.SHUFFLER_STATE_READY, 51, 51)
        self.assertEqual(self.desk.up(), [words.UNFINISHED])

    def test_its_error_is_reported(self):
        self.say(words.SHUFFLER_STATE_READY)
        self.say(words.SHUFFLER_STATE_ERROR, error=42)
        raised = self.desk.reported("fault_raised")[-1]
        self.assertEqual(raised[0:3:2], [words.SHUFFLER_FAILED, 42])

    def test_wires_mean_nothing(self):
        """The bits of its line reach the inputs whose pins it took."""
        self.shuffle()
        for level in (1, 0) * 300:
            self.desk.edge(LID, level)
        self.desk.wait(40)
        self.assertEqual(self.desk.up(), [])
        self.assertEqual(self.desk.role.faults(), 0)


if __name__ == "__main__":
    unittest.main()

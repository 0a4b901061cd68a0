"""The shoe's role by hand-made edges and reads, every 40 ms a tick, across the wrap of the clock.

Cards are 88 mm long, the gates 20 mm apart, pulled at 1 mm in 1 ms: 20 ms from gate to gate, 88 ms
in each of them.
"""

import unittest

from tests.logic_fakes import START_US, Sink, factory

from tablelogic.card_shoe.card_shoe import CardShoe
from tablelogic.card_shoe.reader_watch import READER_SAID
from tablelogic.core.ticks import MASK
from tablewire import card_shoe as words
from tablewire import messages as m

GATE_IN, GATE_OUT, HOLDS, CUT, BUTTON, LID = 1, 2, 5, 6, 7, 9
TICK_US = 40000
ONE, TWO = 1900, 3000


class Desk:
    """One table with a new shoe of two decks; the reader's count is what it said last."""

    def __init__(self, *, fill=True, **changed):
        self.sink = Sink()
        self.role = CardShoe(factory(role=6, decks=2, **changed), self.sink)
        self.t_us = self.due_us = START_US
        self.raw = ONE
        self.count = 0
        self.silent = False
        self.queue = []  # values the driver holds
        self.counted = False  # since it was last heard
        self.ticks = 0
        self.edge(HOLDS, 1)
        self.wait(2000)
        if fill:
            self.load()

    def wait(self, ms):
        self.until((self.t_us + ms * 1000) & MASK)

    def until(self, t_us):
        """Ticks at every 40 ms on the way; the reader is heard at every second one."""
        while ((t_us - self.due_us) & MASK) < MASK // 2:
            if self.role.wants_analog():
                self.role.analog(self.raw)
            self.role.tick(self.due_us)
            self.ticks += 1
            if self.ticks % 2 and not self.silent:
                self.hear()
            self.due_us = (self.due_us + TICK_US) & MASK
        self.t_us = t_us

    def hear(self):
        """The driver: values only when they are asked for."""
        asked = self.role.report[0]
        if asked == words.READER_ASK_DROP:
            self.queue = []
        if asked == words.READER_ASK_HAND and self.queue:
            self.order(READER_SAID, asked, words.READER_STATE_VALUE, *self.queue.pop(0))
        elif self.counted:
            self.counted = False
            self.order(READER_SAID, asked, words.READER_STATE_COUNTED, self.count, 0, 0)
        elif self.ticks % 24 == 1:
            self.order(READER_SAID, asked, words.READER_STATE_ALIVE, self.count, 0, 0)

    def edge(self, sensor, level):
        self.role.edge(sensor, level, self.t_us)

    def read(self, first, second=None):
        self.count = (self.count + 1) & 255
        self.counted = True
        self.queue.append((self.count, first, first if second is None else second))

    def push(self, inner_ms, both_ms, outer_ms, corners=()):
        """One card, until only the outer gate is covered. corners: as read while both are."""
        self.edge(GATE_IN, 1)
        self.wait(inner_ms)
        self.edge(GATE_OUT, 1)
        self.wait(both_ms)
        if corners:
            self.read(*corners)
        self.edge(GATE_IN, 0)
        self.wait(outer_ms)

    def pull(self, card, second=None, *, pause=600):
        """One card at the hand's usual speed; its value comes while it is in the mouth."""
        self.push(20, 68, 20, (card, second))
        self.edge(GATE_OUT, 0)
        self.wait(pause)

    def load(self, load=words.SHOE_LOAD_NEW, cards=104, burns=0):
        cause = self.order(words.LOAD_SHOE, load, cards, burns)
        self.wait(1500)
        return cause

    def open(self):
        return self.role.open_bets(self.t_us)

    def close(self):
        return self.role.close_bets(m.CLOSE_CAUSE_COMMAND, self.t_us)

    def end(self):
        """Ends the dealing, and waits until the reader has confirmed its count."""
        cause = self.order(words.END_CARDS)
        self.wait(1000)
        return cause

    def order(self, ident, *values):
        return self.role.order(ident, values, self.t_us)

    def reported(self, ident):
        return [values for name, values in self.sink.reported if name == ident]

    def cards(self):
        return [tuple(values[:4]) for values in self.reported(words.CARD_DEALT)]

    def up(self):
        return [code for code in words.FAULT_CODES if self.role.control.faults.is_active(code)]


def dealing(**changed):
    desk = Desk(**changed)
    assert desk.open() == 0
    desk.close()
    return desk


class CardShoeTest(unittest.TestCase):
    def test_a_round(self):
        """Four cards, reported in order; 52 + 1 + 14 + 27 = 94, and 52 + 53 + 67 + 94 = 266."""
        desk = dealing()
        for card in (52, 1, 14, 27):
            desk.pull(card)
        self.assertEqual(desk.cards(), [(1, 1, 52, 1), (2, 2, 1, 1), (3, 3, 14, 1), (4, 4, 27, 1)])
        self.assertEqual(desk.end(), 0)
        ended = desk.sink.values("result")
        self.assertEqual(ended[:5] + ended[6:], [4, 1, 4, 94, 266, 0])
        self.assertEqual(desk.up(), [])

    def test_no_value_is_asked_for_before_the_card_is_out(self):
        """It is read at the outer gate, and rests there for two seconds; then it leaves."""
        desk = dealing()
        desk.edge(GATE_IN, 1)
        desk.wait(20)
        desk.edge(GATE_OUT, 1)
        desk.read(52)
        for _ in range(25):
            desk.wait(80)
            self.assertEqual(desk.role.report[0], words.READER_ASK_HOLD)
        self.assertEqual((desk.cards(), len(desk.queue)), ([], 1))
        desk.edge(GATE_IN, 0)
        desk.wait(80)
        self.assertEqual(desk.role.report[0], words.READER_ASK_HOLD)
        desk.edge(GATE_OUT, 0)
        desk.wait(200)
        self.assertEqual(desk.queue, [])

    def test_a_card_pushed_back_is_never_asked_for(self):
        """From both gates, read already: void, and its value is dropped where it is."""
        desk = dealing()
        for sensor, level in ((GATE_IN, 1), (GATE_OUT, 1)):
            desk.edge(sensor, level)
            desk.wait(20)
        desk.read(52)
        for sensor in (GATE_OUT, GATE_IN):
            desk.edge(sensor, 0)
            desk.wait(60)
        desk.wait(3000)
        self.assertEqual(desk.sink.values("void")[0], words.CARD_BACK)
        self.assertEqual((desk.cards(), desk.queue, desk.up()), ([], [], [words.CARD_BACK]))

    def test_where_a_card_is_not_wanted(self):
        """With bets open the round is void; with none open a fault is active."""
        desk = Desk()
        desk.open()
        desk.pull(5)
        self.assertEqual(desk.sink.values("void")[0], words.CARD_EARLY)
        self.assertEqual((desk.cards(), desk.up()), ([(1, 0, 5, 3)], []))
        desk.pull(6)
        self.assertEqual(desk.up(), [words.CARD_OUTSIDE])
        self.assertEqual(desk.cards()[1], (2, 0, 6, 3))
        self.assertEqual(desk.open(), m.REFUSAL_FAULT_ACTIVE)
        self.assertEqual(desk.load(words.SHOE_LOAD_CONTINUED, 2), 0)
        self.assertEqual((desk.up(), desk.open()), ([], 0))

    def test_what_is_read_is_judged(self):
        """Two corners alike, and a card: else void, with the code of what was seen."""
        for first, second, code in (
            (52, 51, words.READS_DISAGREE),
            (0, 52, words.CARD_UNREAD),
            (52, 0, words.CARD_UNREAD),
            (words.CORNER_FOREIGN, words.CORNER_FOREIGN, words.FOREIGN_CARD),
            (words.CORNER_FOREIGN, 52, words.READS_DISAGREE),
        ):
            desk = dealing()
            desk.pull(7)
            desk.pull(first, second)
            self.assertEqual(desk.sink.values("void")[0], code)
            self.assertEqual(desk.cards(), [(1, 1, 7, 1), (2, 0, 0, 3)])
            self.assertEqual(desk.up(), [code])

    def test_a_card_nobody_reads(self):
        """A second, not less, then it is unread; the round is void."""
        desk = dealing()
        desk.pull(7, pause=0)
        desk.queue = []
        desk.wait(960)
        self.assertEqual(desk.up(), [])
        desk.wait(160)
        self.assertEqual(desk.up(), [words.CARD_UNREAD])

    def test_duplicates(self):
        """Two decks: a card may come twice, not a third time, in whatever round."""
        desk = dealing()
        for _ in range(2):
            desk.pull(9)
        self.assertEqual(desk.end(), 0)
        desk.open()
        desk.close()
        desk.pull(9)
        self.assertEqual(desk.sink.values("void")[0], words.DUPLICATE_CARD)
        self.assertEqual(desk.load(words.SHOE_LOAD_CONTINUED, 3), 0)
        self.assertEqual(desk.up(), [words.DUPLICATE_CARD])
        desk.load()
        self.assertEqual(desk.up(), [])

    def test_thick_or_unseen(self):
        """More than one sheet; or none: the sensor's wire is cut."""
        for raw, up in ((TWO, [words.TWO_CARDS]), (64, [words.TWO_CARDS]), (ONE, [])):
            desk = dealing()
            desk.raw = raw
            desk.pull(9)
            self.assertEqual(desk.up(), up)

    def test_quicker_than_a_tick(self):
        """24 ms across both gates, between two ticks: the sensor holds the peak for the next."""
        for raw, up in ((ONE, []), (TWO, [words.TWO_CARDS])):
            desk = dealing()
            desk.raw = raw
            desk.until((desk.due_us + 1000) & MASK)
            desk.push(7, 24, 7)
            desk.edge(GATE_OUT, 0)
            desk.read(9)
            desk.wait(600)
            self.assertEqual(desk.up(), up)

    def test_a_finger_behind_the_card_is_no_second_one(self):
        """It keeps the outer gate covered, thick, once the card has left the inner one."""
        desk = dealing()
        desk.push(20, 68, 10)
        desk.read(9)
        desk.wait(40)
        desk.raw = 3900
        desk.wait(200)
        desk.edge(GATE_OUT, 0)
        desk.wait(600)
        self.assertEqual((desk.up(), len(desk.cards())), ([], 1))

    def test_a_card_held_half_way(self):
        """For a second; its length is unknown, its thickness is that of one card."""
        desk = dealing()
        desk.push(20, 1068, 20)
        desk.edge(GATE_OUT, 0)
        desk.read(9)
        desk.wait(600)
        self.assertEqual((desk.up(), desk.cards()), ([], [(1, 1, 9, 1)]))

    def test_an_even_pull_hides_no_length(self):
        """Two cards show the sheet sensor less than half of what two are, and are too long.

        From 0.1 m/s at the inner gate, 20 m/s^2: s mm take (sqrt(0.01 + 0.04 s) - 0.1) / 0.02.

        20, 88 and 108 mm after 40, 88.9 and 99.0 ms: one card. 132 and 152 mm, two of them that
        overlap by half, after 110 and 118.4 ms.
        """
        for inner_us, outer_us, up in (
            (88942, 99044, []),
            (110000, 118390, [words.TWO_CARDS]),
        ):
            desk = dealing(sheet_card_raw=ONE)
            desk.raw = ONE + 320
            begun_us = desk.t_us
            for sensor, level, at_us in (
                (GATE_IN, 1, 0),
                (GATE_OUT, 1, 40000),
                (GATE_IN, 0, inner_us),
                (GATE_OUT, 0, outer_us),
            ):
                desk.until((begun_us + at_us) & MASK)
                desk.edge(sensor, level)
            desk.read(9)
            desk.wait(600)
            self.assertEqual(desk.up(), up)

    def test_burned_cards(self):
        """Three named with the shoe, one at the start of each round; counted, not of the round."""
        desk = Desk(fill=False, round_burns=1)
        desk.load(burns=3)
        self.assertEqual(desk.open(), m.REFUSAL_WRONG_PHASE)
        for card in (1, 2, 3):
            desk.pull(card)
        desk.open()
        desk.close()
        for card in (4, 5, 6):
            desk.pull(card)
        burned = [(n, 0, n, words.CARD_USE_BURNED) for n in (1, 2, 3, 4)]
        self.assertEqual(desk.cards()[:4], burned)
        self.assertEqual(desk.cards()[4:], [(5, 1, 5, 1), (6, 2, 6, 1)])
        self.assertEqual(desk.end(), 0)
        self.assertEqual(desk.sink.values("result")[:3], [2, 5, 6])

    def test_the_end_waits_for_every_card(self):
        """No card; one in the mouth; one unread; one not on record: refused, and then not."""
        desk = dealing()
        self.assertEqual(desk.order(words.END_CARDS), m.REFUSAL_WRONG_PHASE)
        desk.edge(GATE_IN, 1)
        self.assertEqual(desk.order(words.END_CARDS), m.REFUSAL_WRONG_PHASE)
        desk.edge(GATE_IN, 0)
        desk.sink.room = False
        desk.pull(9)
        self.assertEqual(desk.order(words.END_CARDS), m.REFUSAL_JOURNAL_FULL)
        desk.sink.room = True
        desk.wait(40)
        self.assertEqual(desk.end(), 0)
        self.assertEqual(desk.order(words.END_CARDS), m.REFUSAL_WRONG_PHASE)

    def test_the_end_waits_for_the_readers_count(self):
        """Ordered 120 ms after the last card: it ends with the next report, once a second."""
        desk = dealing()
        desk.pull(9, pause=120)
        self.assertEqual(desk.order(words.END_CARDS), 0)
        self.assertEqual(desk.reported("result"), [])
        desk.wait(1000)
        self.assertEqual(desk.sink.values("result")[0], 1)

    def test_another_card_takes_the_end_back(self):
        """The dealing was not over: it ends when it is ordered again."""
        desk = dealing()
        desk.pull(9, pause=120)
        self.assertEqual(desk.order(words.END_CARDS), 0)
        desk.pull(10, pause=2000)
        self.assertEqual(desk.reported("result"), [])
        self.assertEqual(desk.end(), 0)
        self.assertEqual(desk.sink.values("result")[:3], [2, 1, 2])

    def test_a_card_counted_twice(self):
        """Before the value of the next card is requested: no card has that of another."""
        desk = dealing()
        desk.pull(9, pause=200)
        desk.read(9)
        desk.wait(160)
        self.assertEqual(desk.sink.values("void")[0], words.READ_WITHOUT_CARD)
        desk.pull(10)
        self.assertEqual(desk.cards()[0], (1, 1, 9, 1))
        self.assertEqual([use for _, _, _, use in desk.cards()[1:]], [3])

    def test_the_last_card_counted_twice(self):
        """Its line is lost; the dealing does not end, because the next report shows it."""
        desk = dealing()
        desk.pull(9, pause=120)
        desk.count += 1
        self.assertEqual(desk.order(words.END_CARDS), 0)
        desk.wait(1000)
        self.assertEqual(desk.reported("result"), [])
        self.assertEqual(desk.sink.values("void")[0], words.READ_WITHOUT_CARD)

    def test_a_reader_that_counts_from_zero_again(self):
        """Its power failed: the dealing does not end on a count that nothing confirms."""
        desk = dealing()
        desk.pull(9)
        desk.pull(10, pause=120)
        desk.count = 0
        self.assertEqual(desk.order(words.END_CARDS), 0)
        desk.wait(2200)
        self.assertEqual(desk.reported("result"), [])
        self.assertEqual(desk.sink.values("void")[0], words.READ_WITHOUT_CARD)

    def test_a_card_not_counted_before_the_next_one(self):
        """The reader counted one of two cards: it could be either."""
        desk = dealing()
        desk.push(20, 68, 20)
        desk.edge(GATE_OUT, 0)
        desk.wait(400)
        desk.pull(10)
        self.assertEqual(desk.sink.values("void")[0], words.CARD_UNREAD)

    def test_cards_that_find_no_room(self):
        """Eight wait; the ninth is one too many."""
        desk = dealing()
        desk.sink.room = False
        for card in range(1, 9):
            desk.pull(card)
        self.assertEqual(desk.up(), [])
        desk.pull(9)
        self.assertEqual(desk.sink.values("void")[0], words.CARDS_UNREPORTED)

    def test_a_shoe_declared_wrongly(self):
        """One card less or more than two decks is no shoe to deal from."""
        for cards, code in (
            (103, words.SHOE_SHORT),
            (105, words.SHOE_LONG),
            (0, words.SHOE_SHORT),
        ):
            desk = Desk(fill=False)
            self.assertEqual(desk.up(), [words.SHOE_UNKNOWN])
            desk.load(cards=cards)
            self.assertEqual(desk.up(), [code, words.SHOE_UNKNOWN])
            desk.load()
            self.assertEqual(desk.up(), [])
        self.assertEqual(Desk(fill=False).load(words.SHOE_LOAD_CONTINUED, 3), 4)

    def test_the_cut_card(self):
        """It is no card of the round; its round is the last one, and the shoe is over."""
        desk = dealing()
        desk.pull(9)
        desk.edge(CUT, 1)
        desk.wait(400)
        desk.pull(words.CORNER_CUT_CARD)
        desk.edge(CUT, 0)
        desk.pull(10)
        self.assertEqual(desk.cards(), [(1, 1, 9, 1), (2, 2, 10, 1)])
        self.assertEqual(desk.end(), 0)
        self.assertEqual(desk.sink.values("result")[6], 1)
        desk.wait(80)
        self.assertEqual(desk.up(), [words.CUT_CARD_REACHED])
        events = [values[0] for values in desk.reported(words.SHOE_REPORT)]
        self.assertEqual(events, [words.SHOE_EVENT_NEW, words.SHOE_EVENT_CUT_CARD])

    def test_a_round_after_the_cut_card(self):
        """Where the house plays one more; then it is over."""
        desk = dealing(rounds_after_cut=1)
        desk.edge(CUT, 1)
        for flag in (0, 1):
            desk.wait(400)
            desk.pull(9 + flag)
            desk.end()
            self.assertEqual(desk.reported("result")[-1][6], flag)
            desk.wait(80)
            desk.edge(CUT, 0)
            if not flag:
                self.assertEqual((desk.open(), desk.close()), (0, 0))
        self.assertEqual(desk.up(), [words.CUT_CARD_REACHED])

    def test_the_button(self):
        """Opens, closes and ends a round."""
        desk = Desk()
        for phase in (m.PHASE_BETS_OPEN, m.PHASE_NO_MORE_BETS, m.PHASE_CLOSED):
            for level in (1, 0):
                desk.edge(BUTTON, level)
                desk.wait(200)
            self.assertEqual(desk.role.phase, phase)
            if phase == m.PHASE_NO_MORE_BETS:
                desk.pull(9)
        self.assertEqual(desk.sink.values("result")[0], 1)

    def test_the_reader_is_silent(self):
        """For three seconds, one of them over; heard again and declared, it goes on."""
        desk = dealing()
        desk.silent = True
        desk.wait(2000)
        self.assertEqual(desk.up(), [])
        desk.wait(2100)
        self.assertEqual(desk.up(), [words.READER_LINK_LOST])
        desk.load(words.SHOE_LOAD_CONTINUED, 0)
        self.assertEqual(desk.up(), [words.READER_LINK_LOST])
        desk.silent = False
        desk.wait(1500)
        desk.load(words.SHOE_LOAD_CONTINUED, 0)
        self.assertEqual(desk.up(), [])

    def test_the_lid(self):
        """Open under a round: void; closed and declared: it goes on."""
        desk = dealing()
        desk.edge(LID, 1)
        desk.wait(200)
        self.assertEqual(desk.sink.values("void")[0], words.SHOE_LID_OPEN)
        desk.load(words.SHOE_LOAD_CONTINUED, 0)
        self.assertEqual(desk.up(), [words.SHOE_LID_OPEN])
        desk.edge(LID, 0)
        desk.wait(1200)
        desk.load(words.SHOE_LOAD_CONTINUED, 0)
        self.assertEqual(desk.up(), [])


if __name__ == "__main__":
    unittest.main()

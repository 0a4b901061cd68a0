"""The table of phases, pair by pair, and what a round tells."""

import unittest

from tests.logic_fakes import Sink

from tablelogic import phases
from tablelogic.round import Round
from tablewire import messages as m

WRAP = 1 << 30
CLOSED, OPEN, RIM, NMB, DROPPED, TURNING = 1, 2, 3, 4, 5, 6
# By hand, from the words of the rule: event -> {phase: next phase}.
EXPECTED = {
    phases.OPEN: {CLOSED: OPEN},
    phases.BALL: {OPEN: RIM},
    phases.LAST_LAPS: {RIM: NMB},
    phases.CLOSE: {OPEN: NMB, RIM: NMB},
    phases.DROP: {RIM: DROPPED, NMB: DROPPED},
    phases.TURN: {OPEN: TURNING, NMB: TURNING},
    phases.END: {OPEN: CLOSED, RIM: CLOSED, NMB: CLOSED, DROPPED: CLOSED, TURNING: CLOSED},
}
OPENED = [1, 7, 60000]


class PhasesTest(unittest.TestCase):
    def test_every_pair(self):
        """Those listed lead where they should, all others nowhere and tell nothing."""
        for event in EXPECTED:
            for phase in (CLOSED, OPEN, RIM, NMB, DROPPED, TURNING):
                with self.subTest(event=event, phase=phase):
                    sink = Sink()
                    made = Round(sink)
                    made.phase = phase
                    after = EXPECTED[event].get(phase)
                    self.assertEqual(made.move(event, 1000), after is not None)
                    self.assertEqual(made.phase, after or phase)
                    told = [("state", [after, phase])] if after else []
                    self.assertEqual(sink.told, told)

    def test_no_other_pairs(self):
        """The table has these fourteen and no more."""
        count = sum(len(pairs) for pairs in EXPECTED.values())
        # Roles with phases of their own add theirs, with events of their own.
        shared = [pair for pair in phases.TRANSITIONS if pair[1] <= phases.TURN]
        mine = [pair for pair in shared if pair[0] <= TURNING]
        self.assertEqual((len(mine), count), (14, 14))

    def test_the_numbers_of_the_phases(self):
        """As PROTOCOL.md numbers them."""
        numbers = (m.PHASE_CLOSED, m.PHASE_BETS_OPEN, m.PHASE_BALL_IN_RIM, m.PHASE_NO_MORE_BETS)
        self.assertEqual(numbers + (m.PHASE_DROPPED,), (1, 2, 3, 4, 5))


class RoundTest(unittest.TestCase):
    def opened(self, at_ms=WRAP - 2000):
        """(sink, round) with the bets open, the opening taken off the sink."""
        sink = Sink()
        made = Round(sink)
        made.open(OPENED, at_ms)
        self.assertEqual(sink.told, [("round_opened", OPENED), ("state", [OPEN, CLOSED])])
        sink.told.clear()
        return sink, made

    def test_bets_close_once(self):
        """With cause and the time they were open, across the wrap of the clock."""
        sink, made = self.opened()
        self.assertTrue(made.betting)
        made.close_bets(m.CLOSE_CAUSE_CROUPIER, 1000)
        made.close_bets(m.CLOSE_CAUSE_TIMEOUT, 1500)
        self.assertEqual(sink.told, [("bets_closed", [m.CLOSE_CAUSE_CROUPIER, 3000])])
        self.assertFalse(made.betting)

    def test_a_void_closes_the_bets_first(self):
        """Then the void, then the phase."""
        sink, made = self.opened()
        made.void([104] + [0] * 7, 1000)
        closed = ("bets_closed", [m.CLOSE_CAUSE_VOID, 3000])
        void = ("void", [104] + [0] * 7)
        self.assertEqual(sink.told, [closed, void, ("state", [CLOSED, OPEN])])

    def test_bets_closed_before_are_not_closed_again(self):
        """Neither by a void nor by a result."""
        for end in ("void", "result"):
            sink, made = self.opened()
            made.move(phases.BALL, 0)
            made.close_bets(m.CLOSE_CAUSE_BALL_DETECTED, 0)
            getattr(made, end)([1], 4000)
            self.assertEqual(sink.names(), ["bets_closed", end])
            self.assertEqual((made.phase, made.betting), (CLOSED, False))

    def test_times(self):
        """Since the opening and since the phase began."""
        _, made = self.opened()
        made.move(phases.BALL, 500)
        self.assertEqual((made.open_ms(1000), made.phase_ms(1000)), (3000, 500))

    def test_a_round_follows_a_round(self):
        """Each opening has its own closing."""
        sink, made = self.opened()
        for _ in range(2):
            made.void([104], 0)
            made.open(OPENED, 0)
        expected = ["bets_closed", "void", "round_opened"] * 2
        self.assertEqual(sink.names(), expected)


if __name__ == "__main__":
    unittest.main()

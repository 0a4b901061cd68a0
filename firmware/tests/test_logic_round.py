"""The table of phases, pair by pair, and what a round tells."""

import unittest

from tests.logic_fakes import Sink, factory

from tablelogic.core import round as phases
from tablelogic.core.round import RoundControl
from tablelogic.money_wheel.money_wheel import MoneyWheel
from tablelogic.money_wheel.run_judge import TURN
from tablelogic.roulette.judge import BALL, DROP, LAST_LAPS
from tablelogic.roulette.judge import TRANSITIONS as SPIN
from tablewire import messages as m
from tablewire import roulette

WRAP = 1 << 30
CLOSED, OPEN, RIM, NMB, DROPPED, TURNING = 1, 2, 3, 4, 5, 6
WHEEL = MoneyWheel.transitions
# By hand, from the words of the rule: role, event, {phase: next phase}.
EXPECTED = (
    (SPIN, phases.OPEN, {CLOSED: OPEN}),
    (SPIN, BALL, {OPEN: RIM}),
    (SPIN, LAST_LAPS, {RIM: NMB}),
    (SPIN, phases.CLOSE, {OPEN: NMB, RIM: NMB}),
    (SPIN, DROP, {RIM: DROPPED, NMB: DROPPED}),
    (SPIN, phases.END, {OPEN: CLOSED, RIM: CLOSED, NMB: CLOSED, DROPPED: CLOSED, TURNING: CLOSED}),
    (WHEEL, TURN, {OPEN: TURNING, NMB: TURNING}),
)
OPENED = [1, 7, 60000]


class PhasesTest(unittest.TestCase):
    def test_every_pair(self):
        """Those listed lead where they should, all others nowhere and tell nothing."""
        for rows, event, pairs in EXPECTED:
            for phase in (CLOSED, OPEN, RIM, NMB, DROPPED, TURNING):
                with self.subTest(event=event, phase=phase):
                    sink = Sink()
                    control = RoundControl(factory(), sink, rows)
                    control.phase = phase
                    after = pairs.get(phase)
                    self.assertEqual(control.move(event), after is not None)
                    self.assertEqual(control.phase, after or phase)
                    reported = [("state", [after, phase])] if after else []
                    self.assertEqual(sink.reported, reported)

    def test_no_other_pairs(self):
        """The tables have these nine and no more; five phases end."""
        pairs = [(e, p, after) for _, e, ends in EXPECTED for p, after in ends.items()]
        rows = phases.TRANSITIONS + SPIN + WHEEL
        self.assertEqual((len(rows), len(pairs)), (9, 14))
        for phase, event, after in rows:
            self.assertTrue((event, phase, after) in pairs)

    def test_the_numbers_of_the_phases(self):
        """As PROTOCOL.md numbers them."""
        numbers = (
            m.PHASE_CLOSED,
            m.PHASE_BETS_OPEN,
            roulette.PHASE_BALL_IN_RIM,
            m.PHASE_NO_MORE_BETS,
        )
        self.assertEqual(numbers + (roulette.PHASE_DROPPED,), (1, 2, 3, 4, 5))


class RoundTest(unittest.TestCase):
    def opened(self, at_ms=WRAP - 2000):
        """(sink, round) with the bets open, the opening taken off the sink."""
        sink = Sink()
        control = RoundControl(factory(), sink, SPIN)
        control.now_ms = at_ms
        control.open(OPENED)
        self.assertEqual(sink.reported, [("round_opened", OPENED), ("state", [OPEN, CLOSED])])
        sink.reported.clear()
        return sink, control

    def test_bets_close_once(self):
        """With cause and the time they were open, across the wrap of the clock."""
        sink, control = self.opened()
        self.assertTrue(control.betting)
        control.now_ms = 1000
        control.close_bets(m.CLOSE_CAUSE_CROUPIER)
        control.now_ms = 1500
        control.close_bets(m.CLOSE_CAUSE_TIMEOUT)
        self.assertEqual(sink.reported, [("bets_closed", [m.CLOSE_CAUSE_CROUPIER, 3000])])
        self.assertFalse(control.betting)

    def test_a_void_closes_the_bets_first(self):
        """Then the void, then the phase; nothing moves."""
        sink, control = self.opened()
        control.now_ms = 1000
        self.assertTrue(control.void(104, 255))
        closed = ("bets_closed", [m.CLOSE_CAUSE_VOID, 3000])
        void = ("void", [104, OPEN, 255, 65535, 0, 0, 65535, 65535])
        self.assertEqual(sink.reported, [closed, void, ("state", [CLOSED, OPEN])])
        self.assertFalse(control.void(104, 255))

    def test_an_opening_that_failed_is_void(self):
        """Its record may be sent: the flash refused the counters after it, before any phase."""
        sink = Sink()
        control = RoundControl(factory(), sink, SPIN)
        opened = sink.round_opened

        def fail(values):
            opened(values)
            raise OSError(28)

        sink.round_opened = fail
        self.assertRaises(OSError, control.open, OPENED)
        self.assertTrue(control.void(503, 255))
        self.assertEqual(sink.names(), ["round_opened", "bets_closed", "void"])
        self.assertEqual(sink.values("void")[:3], [503, CLOSED, 255])
        self.assertEqual((control.phase, control.betting), (CLOSED, False))
        self.assertFalse(control.void(503, 255))

    def test_a_void_has_its_evidence(self):
        """Asked once, before anything is sent, with phase and reason."""
        sink, control = self.opened()

        class Evidence:
            def voided(self, phase, reason):
                sink.reported.append(("evidence", [phase, reason]))

            def motion(self):
                return [1, 2, 3, 4, 5]

        control.evidence = control.moving = Evidence()
        control.void(104, 9)
        self.assertEqual(sink.reported[0], ("evidence", [OPEN, 104]))
        self.assertEqual(sink.values("void"), [104, OPEN, 9, 1, 2, 3, 4, 5])
        control.void(104, 9)
        self.assertEqual(len(sink.reported), 4)

    def test_bets_closed_before_are_not_closed_again(self):
        """Neither by a void nor by a result."""
        for end, values in (("void", (1, 255)), ("end", ([1],))):
            sink, control = self.opened()
            control.move(BALL)
            control.close_bets(roulette.CLOSE_CAUSE_BALL_DETECTED)
            control.now_ms = 4000
            getattr(control, end)(*values)
            self.assertEqual(sink.names(), ["bets_closed", "void" if end == "void" else "result"])
            self.assertEqual((control.phase, control.betting), (CLOSED, False))

    def test_times(self):
        """Since the opening and since the phase began."""
        _, control = self.opened()
        control.now_ms = 500
        control.move(BALL)
        control.now_ms = 1000
        self.assertEqual((control.open_ms(), control.phase_ms()), (3000, 500))

    def test_a_round_follows_a_round(self):
        """Each opening has its own closing."""
        sink, control = self.opened()
        for _ in range(2):
            control.void(104, 255)
            control.open(OPENED)
        expected = ["bets_closed", "void", "round_opened"] * 2
        self.assertEqual(sink.names(), expected)


if __name__ == "__main__":
    unittest.main()

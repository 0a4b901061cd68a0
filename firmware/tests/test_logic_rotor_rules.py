"""What the rotor may not do during a spin."""

import unittest

from tests.logic_spin import NeverAtRest

from tablelogic.roulette.judge import RotorRules
from tablewire import roulette


class FakeRotor(NeverAtRest):
    """A rotor and its ring in one, turning clockwise as it should."""

    def __init__(self):
        self.ring = self
        self.direction = 1
        self.settled = 1
        self.stopped = False
        self.launches = 0
        self.faults = []

    def launched(self):
        self.launches += 1

    def silent_sensor(self):
        return -1

    def settled_direction(self):
        return self.settled

    def index_lost(self):
        return "index" in self.faults

    def tick_lost(self):
        return "tick" in self.faults

    def is_slow(self):
        return "slow" in self.faults

    def is_fast(self):
        return "fast" in self.faults


class RotorRulesTest(unittest.TestCase):
    def setUp(self):
        self.rotor = FakeRotor()
        self.rules = RotorRules(self.rotor)
        self.rules.launched()

    def test_a_rotor_that_turns_is_in_order(self):
        """The launch is told to the rotor, once."""
        self.assertEqual((self.rules.reason(), self.rotor.launches), (0, 1))
        self.assertEqual(self.rules.direction, 1)

    def test_each_fault_has_its_code(self):
        """One at a time."""
        for fault, code in (
            ("index", roulette.INDEX_LOST),
            ("tick", roulette.TICK_LOST),
            ("slow", roulette.ROTOR_SLOW),
            ("fast", roulette.ROTOR_FAST),
        ):
            self.rotor.faults = [fault]
            self.assertEqual(self.rules.reason(), code)

    def test_stopped(self):
        """It comes before all others: a rotor at rest has no speed and no index either."""
        self.rotor.stopped = True
        self.rotor.faults = ["index", "tick", "slow"]
        self.assertEqual(self.rules.reason(), roulette.ROTOR_STOPPED)

    def test_a_lost_index_is_not_told_as_lost_ticks(self):
        """Turns without index count wrong too; the cause is named."""
        self.rotor.faults = ["index", "tick"]
        self.assertEqual(self.rules.reason(), roulette.INDEX_LOST)

    def test_reversed(self):
        """While the direction is unknown nothing is said; the other one is a reversal."""
        self.rotor.direction = self.rotor.settled = 0
        self.assertEqual(self.rules.reason(), 0)
        self.rotor.direction = self.rotor.settled = -1
        self.assertEqual(self.rules.reason(), roulette.ROTOR_REVERSED)

    def test_a_direction_unknown_at_the_launch_is_learned(self):
        """From the first ticks that agree; from then on it must stay."""
        self.rotor.direction = self.rotor.settled = 0
        self.rules.launched()
        self.assertEqual((self.rules.direction, self.rules.reason()), (0, 0))
        self.rotor.direction = self.rotor.settled = -1
        self.assertEqual((self.rules.reason(), self.rules.direction), (0, -1))
        self.rotor.direction = self.rotor.settled = 1
        self.assertEqual(self.rules.reason(), roulette.ROTOR_REVERSED)


if __name__ == "__main__":
    unittest.main()

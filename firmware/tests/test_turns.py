"""What ring sensors and head miss in whole turns, to what a hand counts."""

import unittest

from tabledev.app.turns import Turns
from tablewire.roulette import INPUT_HEAD, INPUT_INDEX, INPUT_ROTOR_A, INPUT_ROTOR_B

CW, CCW = 1, -1


class Ring:
    """One that turned for a while: a pitch takes 64 ms, B comes a quarter before A clockwise."""

    period_us = 64000
    a_us = 5000
    b_us = (1 << 30) - 11000  # 16 ms before

    def __init__(self):
        self.direction = CW


class Rotor:
    pockets = 37

    def __init__(self):
        self.ring = Ring()


class TurnsTest(unittest.TestCase):
    def setUp(self):
        self.rotor = Rotor()
        self.pulses = [0] * 16
        self.turns = Turns(self.rotor, self.pulses)

    def turn(self, a=37, b=37, head=0, way=CW):
        """So many pulses, then the index."""
        self.pulses[INPUT_ROTOR_A] += a
        self.pulses[INPUT_ROTOR_B] += b
        self.pulses[INPUT_HEAD] += head
        self.pulses[INPUT_INDEX] += 1
        self.rotor.ring.direction = way
        self.turns.index()

    def missed(self):
        return self.turns.count, list(self.turns.missed)

    def test_the_first_index_begins_a_turn(self):
        """Twelve ticks before it are no turn."""
        self.turn(12, 12)
        self.assertEqual(self.missed(), (0, [0, 0, 0]))
        self.turn()
        self.assertEqual(self.missed(), (1, [0, 0, 0]))

    def test_what_is_missed(self):
        """A misses one in one turn and two in another, B has one too many."""
        self.turn()
        self.turn(36, 37)
        self.turn(35, 38)
        self.assertEqual(self.missed(), (2, [3, -1, 0]))

    def test_the_head_counts_from_its_first_pulse_on(self):
        """The ball comes into its pocket in the second turn; the head misses it in the fourth."""
        for head in (0, 0, 1, 1, 0, 1):
            self.turn(head=head)
        self.assertEqual(self.missed(), (5, [0, 0, 1]))

    def test_a_turn_in_which_the_rotor_turned_back_does_not_count(self):
        """Nor one of unknown direction; the turn after it does, the same way."""
        self.turn()
        self.turn(20, 20, way=CCW)
        self.turn(37, 37, way=CCW)
        self.turn(37, 37, way=0)
        self.turn(37, 37, way=CCW)
        self.assertEqual(self.missed(), (1, [0, 0, 0]))

    def test_a_rotor_turned_to_and_fro_at_the_index_makes_no_turn(self):
        """Nine ticks are less than a quarter of a turn."""
        self.turn()
        self.turn(9, 9)
        self.turn(9, 9)
        self.assertEqual(self.missed(), (0, [0, 0, 0]))

    def test_bounce_of_the_index_is_no_turn(self):
        """The number of its pulses stays as it is."""
        self.turn()
        self.turns.index()
        self.turn()
        self.assertEqual(self.missed(), (1, [0, 0, 0]))

    def test_where_sensor_b_is(self):
        """Clockwise a quarter of a pitch before A, then after it; 2 ms late are 2/64."""
        self.turn()
        self.assertEqual(self.turns.b_off, 0)
        self.rotor.ring.b_us += 2000
        self.turn()
        self.assertEqual(self.turns.b_off, 2)
        self.rotor.ring.b_us = 21000
        self.turn(way=CCW)
        self.assertEqual(self.turns.b_off, 0)


if __name__ == "__main__":
    unittest.main()

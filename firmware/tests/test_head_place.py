"""The place of a reader head, from its pulses over a rotor that turns evenly."""

import unittest

from tabledev.app.head_place import HeadPlace

WRAP = 1 << 30
PITCH_US = 128000  # a pocket under the head: 2000 us are 1/64


class Ring:
    period_us = PITCH_US


class Rotor:
    """Pocket 3 comes under the head at `due_us`; direction 1: P falls. clean: it is followed."""

    ring = Ring()

    def __init__(self, pockets, due_us, direction):
        self.pockets = pockets
        self.due_us = due_us
        self.direction = direction
        self.clean = True

    def place_at(self, t_us, angle_64):
        if not self.clean:
            return -1
        since = (t_us - self.due_us + WRAP // 2) % WRAP - WRAP // 2
        return (3 * 64 - self.direction * since // 2000 + angle_64) % (64 * self.pockets)


class HeadPlaceTest(unittest.TestCase):
    def head_place(self, direction=1, pockets=37):
        self.rotor = Rotor(pockets, WRAP - 1000, direction)
        return HeadPlace(self.rotor, 0)

    def pulse(self, head, middle_us, half_us=25000):
        head.edge(1, (self.rotor.due_us + middle_us - half_us) % WRAP)
        head.edge(0, (self.rotor.due_us + middle_us + half_us) % WRAP)

    def test_the_middle_of_a_pulse_counts(self):
        """16000 us late are 8/64 of a pocket: of 37, 8 * 360000 / 64 / 37 = 1216.2 mdeg.

        P falls on a rotor that turns clockwise: late means further on, clockwise.
        """
        for direction, expected in ((1, 1216), (-1, -1217)):
            head = self.head_place(direction)
            self.pulse(head, 16000)
            self.assertEqual((head.count, head.pocket, head.mdeg()), (1, 3, expected))

    def test_pulses_are_averaged_across_the_edge_of_a_pocket(self):
        """30/64 and 34/64 on, which is 30/64 back: half a pocket, 4736 or 4737 mdeg of 38."""
        head = self.head_place(pockets=38)
        self.pulse(head, 60000)
        self.pulse(head, 68000)
        self.assertEqual((head.count, abs(head.mdeg()) // 10), (2, 473))

    def test_bounce_is_one_pulse(self):
        """Both edges switch again within 3 ms, and something of 1 ms comes alone."""
        head = self.head_place()
        due_us = self.rotor.due_us
        edges = (
            (-25000, 1),
            (-24000, 0),
            (-23500, 1),
            (25000, 0),
            (26000, 1),
            (27000, 0),
            (40000, 1),
            (41000, 0),
        )
        for t_us, level in edges:
            head.edge(level, (due_us + t_us) % WRAP)
        self.assertEqual((head.count, head.mdeg() // 100), (1, 0))

    def test_what_a_head_does_not_read_in_play_does_not_count(self):
        """A ball makes 8 to 56 of 64 parts of a pocket, 16 to 112 ms; half of them here."""
        for half_us, counted in ((7900, 0), (8100, 1), (55900, 1), (56100, 0)):
            head = self.head_place()
            self.pulse(head, 0, half_us)
            self.assertEqual(head.count, counted, half_us)

    def test_what_is_not_known_does_not_count(self):
        """A rotor that is not followed; a ball that rests under the head."""
        head = self.head_place()
        self.rotor.clean = False
        self.pulse(head, 0)
        self.rotor.clean = True
        self.pulse(head, 0, PITCH_US)
        self.assertEqual(head.count, 0)


if __name__ == "__main__":
    unittest.main()

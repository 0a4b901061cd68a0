"""Where each pocket is: for every pocket, both ways, at two head angles, to a hand's expectation.

The geometry (logic_edges): P is at the reference, P + n * angle / 360 at a stator angle. So a
head at 180 degrees sees the pocket 18.5 on from P on a wheel of 37, 19 on on one of 38. In
1/64 pocket: 18.5 * 64 = 1184 and 19 * 64 = 1216.
"""

import unittest

from tests.logic_edges import CCW, CW, PITCH_US, rotor, without

from tablelogic.roulette.rotor import Rotor
from tablewire import roulette

WRAP = 1 << 30
START = WRAP - 5000000  # all runs cross the wrap of the clock


class Turned:
    """A rotor turned by hand. lost: numbers of the pulses of `sensor` that are left out."""

    def __init__(self, direction, pockets=37, lost=(), sensor=roulette.INPUT_INDEX, ring=0.5):
        self.rotor = Rotor(pockets, 60, 300)
        edges = rotor(direction, 6 * pockets * PITCH_US, pockets, ring)
        self._edges = without(edges, sensor, lost)
        self._rose_us = 0
        self._next = 0

    def to(self, x):
        """Turn on to x pockets from the start; returns the rotor."""
        while self._edges[self._next][0] < x * PITCH_US:
            t_us, sensor, level = self._edges[self._next]
            self._next += 1
            if level and sensor == roulette.INPUT_ROTOR_A:
                self._rose_us = t_us
                self.rotor.tick_a((START + t_us) % WRAP)
            elif sensor == roulette.INPUT_ROTOR_A:
                self.rotor.ring.width_us = t_us - self._rose_us
            elif level and sensor == roulette.INPUT_ROTOR_B:
                self.rotor.ring.tick_b((START + t_us) % WRAP)
            elif level and sensor == roulette.INPUT_INDEX:
                self.rotor.index((START + t_us) % WRAP)
        return self.rotor

    def place_at_x(self, x, angle_64=0):
        """Turn to x; which pocket is then at a stator angle."""
        place = self.to(x).place_at((START + int(x * PITCH_US)) % WRAP, angle_64 + 32)
        return place if place < 0 else place // 64


class PocketTest(unittest.TestCase):
    def check_all(self, pockets, half_64, half):
        """Three turns are made; in the fourth every pocket k is asked for as it passes.

        Counter-clockwise k is at the reference when x = 3n + k and at the head when
        x = 3n + k - half; clockwise when x = 3n - k and x = 3n + half - k.
        """
        for direction in (CCW, CW):
            rotor = Turned(direction, pockets)
            asks = []
            for k in range(pockets):
                x = 3 * pockets + (k if direction == CCW else -k)
                asks.append((x, 0, k))
                asks.append((x + (-half if direction == CCW else half), half_64, k))
            asks.sort()
            for x, angle_64, k in asks:
                self.assertEqual(rotor.place_at_x(x, angle_64), k, (direction, x, angle_64))

    def test_every_pocket_of_the_single_wheel(self):
        """37 pockets, at the reference and opposite: 18.5 pockets."""
        self.check_all(37, 1184, 18.5)

    def test_every_pocket_of_the_double_wheel(self):
        """38 pockets, at the reference and opposite: 19 pockets."""
        self.check_all(38, 1216, 19)

    def test_a_moment_far_from_the_last_tick(self):
        """Up to two pockets on from the last tick, here at x = 111.75, a place is reported."""
        rotor = Turned(CW).to(112)
        for x, pocket in ((112, 36), (113, 35), (113.7, 34), (114, -1), (120, -1)):
            moment = (START + int(x * PITCH_US)) % WRAP
            place = rotor.place_at(moment, 32)
            self.assertEqual(place if place < 0 else place // 64, pocket, x)

    def test_before_a_whole_turn_nothing_is_said(self):
        """The first index, at x = 36.375, only starts the count; the second proves it."""
        rotor = Turned(CCW)
        for x, pocket in ((30, -1), (60, -1), (73, -1), (74, 0), (80, 6)):
            self.assertEqual(rotor.place_at_x(x), pocket, x)

    def test_a_dirty_turn_says_nothing(self):
        """A tick of A lost in the third turn: silence to its end and one whole turn more."""
        rotor = Turned(CCW, lost=[80], sensor=roulette.INPUT_ROTOR_A)
        for x, pocket in ((79, 5), (85, -1), (105, -1), (115, -1), (140, -1), (150, 2)):
            self.assertEqual(rotor.place_at_x(x), pocket, x)

    def test_the_width_of_the_magnets_does_not_move_a_pocket(self):
        """5 x 2 mm discs cover 26 to 35 % of a pitch, 15 x 3 mm up to 64 % (HARDWARE.md).

        Pocket 7 is at the head, 18.5 pockets on, at x = 4 * 37 + 7 - 18.5 counter-clockwise and
        at x = 4 * 37 + 18.5 - 7 clockwise: its place is 7 * 64 to a 64th of a pocket and the one
        that the middle of a width in microseconds leaves.
        """
        for ring in (0.2, 0.26, 0.35, 0.5, 0.64, 0.75):
            for direction, x in ((CCW, 136.5), (CW, 159.5)):
                rotor = Turned(direction, ring=ring)
                place = rotor.to(x).place_at((START + int(x * PITCH_US)) % WRAP, 1184)
                self.assertTrue(abs(place - 7 * 64) <= 1, (ring, direction, place))

    def test_without_the_width_of_a_magnet_nothing_is_said(self):
        """Its middle is not known, or it covers more than a pitch: no place."""
        rotor = Turned(CCW).to(112)
        for width_us in (0, PITCH_US):
            rotor.ring.width_us = width_us
            self.assertEqual(rotor.place_at((START + 112 * PITCH_US) % WRAP, 32), -1)


class IndexPlaceTest(unittest.TestCase):
    """An index that begins at x of each turn, in pockets; 64 parts of one are 100 ms."""

    def turned(self, direction, from_x, ring=0.5):
        """Five turns; the index covers a quarter of a pocket, beginning at from_x of each turn."""
        rotor = Turned(direction, ring=ring)
        edges = [edge for edge in rotor._edges if edge[1] != roulette.INPUT_INDEX]
        for turn in range(6):
            t_us = int((37 * turn + from_x) * PITCH_US)
            edges += [
                (t_us, roulette.INPUT_INDEX, 1),
                (t_us + PITCH_US // 4, roulette.INPUT_INDEX, 0),
            ]
        rotor._edges = sorted(edges)
        return rotor.to(37 * 5)

    def place(self, direction, from_x, ring):
        """P after them, when it is truly 0; -1 not known."""
        rotor = self.turned(direction, from_x, ring)
        return rotor.place_at((START + 37 * 5 * PITCH_US) % WRAP, 32)

    def test_at_its_place(self):
        """Its middle is half a pocket on from a ring magnet: it begins at 0.375, 24/64."""
        for direction, from_x in ((CCW, 36.375), (CW, 0.375)):
            for ring in (0.26, 0.5, 0.64):
                rotor = self.turned(direction, from_x, ring)
                self.assertTrue(abs(rotor.index_off - 2) <= 1, rotor.index_off)
                self.assertEqual(rotor.lost(), 0)

    def test_beside_it(self):
        """An eighth of a pocket either way is borne; three tenths, and half a pocket, are not."""
        for off, lost in ((0.125, 0), (0.3, roulette.INDEX_LOST), (0.5, roulette.INDEX_LOST)):
            for direction, from_x in ((CCW, 36.375), (CW, 0.375)):
                for sign in (1, -1):
                    rotor = self.turned(direction, from_x + sign * off)
                    self.assertEqual(rotor.lost(), lost, (off, direction, sign))
                    place = self.place(direction, from_x + sign * off, 0.5)
                    self.assertEqual(place < 0, lost != 0)

    def test_no_place_is_wrong(self):
        """Whatever the width of the ring's magnets and wherever the index begins: 0, or not known.

        32/64 are the middle of pocket 0. The middle of the index is less than half a pocket from
        its place; how wide it is says no more than where it begins.
        """
        for direction, from_x in ((CCW, 36.375), (CW, 0.375)):
            for ring in (0.2, 0.5, 0.75):
                for sixteenth in range(-7, 8, 2):
                    place = self.place(direction, from_x + sixteenth / 16, ring)
                    self.assertTrue(place < 0 or abs(place - 32) <= 1, (ring, sixteenth, place))

    def test_one_beside_its_place_costs_a_turn(self):
        """No number until the next one, and no fault: a hand may have pushed the rotor."""
        rotor = Turned(CCW)
        place = [n for n, edge in enumerate(rotor._edges) if edge[1] == roulette.INPUT_INDEX][4]
        t_us, sensor, level = rotor._edges.pop(place)
        rotor._edges.insert(place, (t_us - PITCH_US // 3, sensor, level))
        rotor._edges.sort()
        self.assertEqual(rotor.place_at_x(37 * 3 + 2), -1)
        self.assertEqual(rotor.rotor.lost(), 0)
        self.assertEqual(rotor.place_at_x(37 * 4 + 2), 2)


class LossTest(unittest.TestCase):
    def test_one_missed_index_is_tolerated(self):
        """No number till a whole turn is proven again, but no fault either."""
        rotor = Turned(CCW, lost=[2])
        self.assertEqual(rotor.place_at_x(37 * 4), -1)
        self.assertEqual(rotor.place_at_x(37 * 5.5 - 0.5), 18)
        self.assertEqual(rotor.rotor.lost(), 0)

    def test_two_missed_indexes_are_a_lost_index(self):
        """Seen three ticks after the second should have come; one index ends it."""
        rotor = Turned(CCW, lost=[2, 3])
        self.assertEqual(rotor.to(37 * 4 + 1).lost(), 0)
        self.assertEqual(rotor.to(37 * 4 + 3).lost(), roulette.INDEX_LOST)
        self.assertEqual(rotor.to(37 * 5 + 1).lost(), 0)

    def test_three_bad_turns_are_lost_ticks(self):
        """Two are not; a turn that counts right begins anew. Turn t holds ticks 37t..37t+36."""
        lost = [37 * 2 + 5, 37 * 3 + 5, 37 * 4 + 5]
        rotor = Turned(CCW, lost=lost, sensor=roulette.INPUT_ROTOR_A)
        self.assertEqual(rotor.to(37 * 4).lost(), 0)
        self.assertEqual(rotor.to(37 * 5).lost(), roulette.TICK_LOST)
        self.assertEqual(rotor.to(37 * 6).lost(), 0)

    def test_a_launch_forgives_what_was_before(self):
        """Bad turns and missed indexes between rounds do not count."""
        rotor = Turned(CCW, lost=[2, 3]).to(37 * 4 + 3)
        rotor.launched()
        self.assertEqual(rotor.lost(), 0)
        lost = [37 * 2 + 5, 37 * 3 + 5, 37 * 4 + 5]
        rotor = Turned(CCW, lost=lost, sensor=roulette.INPUT_ROTOR_A).to(37 * 5)
        rotor.launched()
        self.assertEqual(rotor.lost(), 0)

    def test_a_turn(self):
        """37 pockets of 100 ms are 3.7 s."""
        self.assertEqual(Rotor(37, 60, 300).turn_us(), 0)
        self.assertEqual(Turned(CW).to(20).turn_us(), 3700000)


if __name__ == "__main__":
    unittest.main()

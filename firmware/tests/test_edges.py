"""The ring between interrupt and task."""

import unittest

from tests.fakes import put

from tabledev.edges import EdgeRing
from tablelogic.core.ticks import MASK


class EdgeRingTest(unittest.TestCase):
    def setUp(self):
        self.edges = []

    def take(self, sensor, level, ticks):
        self.edges.append((sensor, level, ticks))

    def test_edges_come_out_as_they_went_in(self):
        """Order, sensor, level and time are kept."""
        ring = EdgeRing(8)
        put(ring, 2 * 3 + 1, 100)
        put(ring, 2 * 3, 150)
        put(ring, 2 * 9 + 1, 151)
        ring.drain(self.take, 1000)
        self.assertEqual(self.edges, [(3, 1, 100), (3, 0, 150), (9, 1, 151)])
        ring.drain(self.take, 2000)
        self.assertEqual(len(self.edges), 3)

    def test_a_full_ring_keeps_the_old_edges_and_counts_the_new_ones(self):
        """Seven of eight places hold edges; three more are lost; then there is room again."""
        ring = EdgeRing(8)
        for ticks in range(10):
            put(ring, 1, ticks)
        self.assertEqual(ring.lost, 3)
        ring.drain(self.take, 100)
        self.assertEqual([ticks for _, _, ticks in self.edges], [0, 1, 2, 3, 4, 5, 6])
        put(ring, 1, 50)
        ring.drain(self.take, 100)
        self.assertEqual(self.edges[-1], (0, 1, 50))
        self.assertEqual(ring.lost, 3)

    def test_the_ring_goes_round(self):
        """A thousand edges through eight places, in pieces of one to seven."""
        ring = EdgeRing(8)
        sent = 0
        for piece in range(1, 8):
            for _ in range(143):
                for _ in range(piece):
                    put(ring, sent % 20, sent)
                    sent += 1
                ring.drain(self.take, sent)
        self.assertEqual(len(self.edges), sent)
        for index, edge in enumerate(self.edges):
            code = index % 20
            self.assertEqual(edge, (code >> 1, code & 1, index))

    def test_a_rise_that_waits_is_seen(self):
        """Of the sensors asked for, to level 1, until it is taken; across the end of the ring."""
        ring = EdgeRing(4)
        for code, expected in ((2 * 3, False), (2 * 4 + 1, False), (2 * 5 + 1, True)):
            put(ring, code, 100)
            self.assertEqual(ring.has_rise((3, 5)), expected)
        ring.drain(self.take, 200)
        self.assertFalse(ring.has_rise((3, 5)))
        put(ring, 2 * 4, 300)
        put(ring, 2 * 3 + 1, 300)
        self.assertEqual((ring.has_rise((3, 5)), ring.has_rise((5,))), (True, False))

    def test_the_level_after_the_edges_that_wait(self):
        """Of one sensor, its newest; without an edge of it the one before."""
        ring = EdgeRing(4)
        for code in (2 * 3 + 1, 2 * 4 + 1, 2 * 3):
            put(ring, code, 100)
        self.assertEqual([ring.level(place, 1) for place in (3, 4, 5)], [0, 1, 1])
        self.assertEqual(ring.level(4, 0), 1)
        ring.drain(self.take, 200)
        self.assertEqual(ring.level(4, 0), 0)

    def test_later_edges_wait(self):
        """What comes after `now` is given with the next call, across the wrap of the clock too."""
        ring = EdgeRing(8)
        put(ring, 1, MASK - 10)
        put(ring, 0, 5)
        put(ring, 1, 20)
        ring.drain(self.take, MASK)
        self.assertEqual(self.edges, [(0, 1, MASK - 10)])
        ring.drain(self.take, 5)
        self.assertEqual(self.edges[1:], [(0, 0, 5)])
        ring.drain(self.take, 19)
        self.assertEqual(len(self.edges), 2)
        ring.drain(self.take, 20)
        self.assertEqual(self.edges[2:], [(0, 1, 20)])

    def test_an_edge_put_while_draining_is_not_lost(self):
        """The interrupt may come at any point of the task."""
        ring = EdgeRing(4)
        for ticks in range(3):
            put(ring, 1, ticks)

        def take(sensor, level, ticks):
            self.edges.append(ticks)
            if ticks < 20:
                put(ring, 1, ticks + 10)

        ring.drain(take, 1000)
        self.assertEqual(self.edges, [0, 1, 2, 10, 11, 12, 20, 21, 22])
        self.assertEqual(ring.lost, 0)

    def test_a_failing_task_does_not_see_an_edge_twice(self):
        """The edge is taken before it is worked on."""
        ring = EdgeRing(8)
        put(ring, 1, 1)
        put(ring, 1, 2)

        def fail(sensor, level, ticks):
            raise OSError(5)

        with self.assertRaises(OSError):
            ring.drain(fail, 10)
        ring.drain(self.take, 10)
        self.assertEqual(self.edges, [(0, 1, 2)])

    def test_the_size_is_a_power_of_two(self):
        """Any other size is refused with its value."""
        for size in (0, 1, 100, -8):
            with self.assertRaises(ValueError):
                EdgeRing(size)


if __name__ == "__main__":
    unittest.main()

"""The hall lines: which detector gets whose pulse, with the time it began."""

import unittest

from tablelogic.roulette.pulses import Pulse, PulseRouter
from tablewire import roulette


class Detectors:
    """Rotor, ring, head and judge in one; notes what it receives."""

    def __init__(self):
        self.ring = self
        self.width_us = 0
        self.reported = []

    def tick_a(self, t_us):
        self.reported.append(("a", t_us))

    def tick_b(self, t_us):
        self.reported.append(("b", t_us))

    def index(self, t_us):
        self.reported.append(("index", t_us))

    def pulse(self, t_us, width_us):
        self.reported.append(("head", t_us, width_us))

    def ball_seen(self, t_us):
        self.reported.append(("seen", t_us))

    def ball_pass(self, sensor, t_us, width_us):
        self.reported.append(("rim", sensor, t_us, width_us))


def router(sink):
    return PulseRouter([Pulse() for _ in range(roulette.INPUT_HEAD + 1)], sink, sink, sink)


class LinesTest(unittest.TestCase):
    def test_each_line_to_its_follower(self):
        """A pulse of 5 ms on every line, 10 ms apart, reported in that order."""
        w = roulette
        order = (w.INPUT_RIM_2, w.INPUT_HEAD, w.INPUT_ROTOR_B, w.INPUT_INDEX)
        order += (w.INPUT_ROTOR_A, w.INPUT_RIM_1)
        table = Detectors()
        lines = router(table)
        for place in range(len(order)):
            lines.edge(order[place], 1, 100000 + place * 10000)
            lines.edge(order[place], 0, 105000 + place * 10000)
        lines.tick(200000)
        expected = [("seen", 100000), ("b", 120000), ("index", 130000), ("a", 140000)]
        expected.append(("seen", 150000))
        self.assertEqual(table.reported, expected)
        table.reported.clear()
        lines.ends(200000)
        expected = [("rim", 1, 102500, 5000), ("head", 112500, 5000), ("rim", 0, 152500, 5000)]
        self.assertEqual(table.reported, expected)

    def test_the_width_of_a_magnet_is_that_of_its_whole_pulse(self):
        """40 ms with bounce at either edge; a needle of 1 ms between two magnets is none."""
        table = Detectors()
        lines = router(table)
        a = roulette.INPUT_ROTOR_A
        for t_us, level in ((100000, 1), (100500, 0), (101000, 1), (139000, 0), (139500, 1)):
            lines.edge(a, level, t_us)
        lines.edge(a, 0, 140000)
        self.assertEqual(table.width_us, 40000)
        lines.edge(a, 1, 160000)
        lines.edge(a, 0, 161000)
        self.assertEqual(table.width_us, 40000)

    def test_what_has_not_ended_waits(self):
        """A rim pulse is a pass 3 ms after its end, at a tick or when the next begins."""
        table = Detectors()
        lines = router(table)
        for sensor, level, t_us in (
            (roulette.INPUT_RIM_2, 1, 100000),
            (roulette.INPUT_RIM_1, 1, 101000),
            (roulette.INPUT_RIM_2, 0, 106000),
            (roulette.INPUT_RIM_1, 0, 107000),
        ):
            lines.edge(sensor, level, t_us)
        lines.ends(108999)
        self.assertEqual(sorted(table.reported), [("seen", 100000), ("seen", 101000)])
        table.reported.clear()
        lines.edge(roulette.INPUT_RIM_1, 1, 111000)
        self.assertEqual(table.reported, [("rim", 1, 103000, 6000), ("rim", 0, 104000, 6000)])

    def test_a_pulse_is_reported_once_it_has_lasted(self):
        """At the first edge of any line 2 ms later, or at the tick; then no more."""
        table = Detectors()
        lines = router(table)
        lines.edge(roulette.INPUT_ROTOR_A, 1, 100000)
        lines.edge(roulette.INPUT_ROTOR_B, 0, 101999)
        self.assertEqual(table.reported, [])
        lines.edge(roulette.INPUT_ROTOR_B, 0, 102000)
        self.assertEqual(table.reported, [("a", 100000)])
        lines.edge(roulette.INPUT_ROTOR_A, 0, 150000)
        lines.tick(160000)
        self.assertEqual(table.reported, [("a", 100000)])

    def test_noise_is_reported_to_nobody(self):
        """Glitches of 0.3 ms on every line."""
        table = Detectors()
        lines = router(table)
        for sensor in range(roulette.INPUT_HEAD + 1):
            lines.edge(sensor, 1, 100000 + sensor * 10000)
            lines.edge(sensor, 0, 100300 + sensor * 10000)
        lines.tick(200000)
        self.assertEqual(table.reported, [])


if __name__ == "__main__":
    unittest.main()

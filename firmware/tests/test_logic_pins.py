"""The place of a money wheel: every segment, both ways, and pulses that are missing."""

import unittest

from tests.logic_wheel import at_speed, covered

from tablelogic.core.ticks import MASK
from tablelogic.money_wheel.pin_place import Pins
from tablewire import money_wheel

START_US = MASK - 3000000  # runs cross the wrap of the clock
PIN_US = 40000


class Steps:
    """A run and its coasting in one. past: where `further` was called, 0 to 3."""

    def __init__(self, pin_us=PIN_US):
        self.coasting = self
        self.direction = 0
        self.pin_us = pin_us
        self.sum = 0
        self.back = 0
        self.doubts = 0
        self.past = []

    def step(self, step, t_us):
        self.sum += step
        self.direction = self.direction or step
        if step != self.direction:
            self.back += 1
        elif self.back:
            self.back -= 1

    def further(self, past, t_us, segment, way):
        self.past.append(past)

    def doubt(self):
        self.doubts += 1


class Wheel:
    """A wheel of 52 that begins at P = start."""

    def __init__(self, start, pin_us=PIN_US):
        self.steps = Steps(pin_us)
        self.pins = Pins(52, self.steps)
        self.place = start
        self.now_us = 0
        for sensor in covered(52, start):
            self.pins.edge(sensor, 1, START_US)
        self.rest(10000)

    def tell(self, edges):
        for t_us, sensor, level in edges:
            self.pins.edge(sensor, level, (START_US + t_us) & MASK)

    def turn(self, way, distance, without=(), pin_us=PIN_US):
        """Turn evenly. without: (sensor, number) of pulses left out, counted from 0."""
        edges = at_speed(52, self.place, way, distance, pin_us, self.now_us)
        counts = {}
        rest = []
        for edge in edges:
            count = counts.get(edge[1], 0)
            if (edge[1], count // 2) not in without:
                rest.append(edge)
            counts[edge[1]] = count + 1
        self.tell(rest)
        self.place += way * distance
        self.now_us += int(distance * pin_us)
        self.rest(5000)
        return self

    def rest(self, wait_us):
        self.now_us += wait_us
        self.pins.tick((START_US + self.now_us) & MASK)


class PlaceTest(unittest.TestCase):
    def test_every_segment_both_ways(self):
        """After three index passes a wheel that stops in the middle of segment k says k."""
        for way in (1, -1):
            for k in range(52):
                wheel = Wheel(10.6)
                target = k + 0.6
                distance = ((target - 10.6) * way) % 52 + 3 * 52
                wheel.turn(way, distance)
                self.assertEqual(wheel.pins.segment(), k, (way, k))

    def test_not_before_two_whole_turns_are_proved(self):
        """Index passes at x = 41.x, 93.x: one pass syncs, the next proves one turn, the third two.

        From P = 10.6 rising the index (P = 51.375) is first met at x = 40.775, then at 92.775 and
        144.775.
        """
        self.assertEqual(Wheel(10.6).turn(1, 144).pins.segment(), -1)
        # 10.6 + 145 = 155.6 = 2 * 52 + 51.6.
        self.assertEqual(Wheel(10.6).turn(1, 145).pins.segment(), 51)

    def test_forth_and_back(self):
        """Turned back by 20 segments from 10.6 + 160 - 3 * 52 = 14.6 it is in 46."""
        wheel = Wheel(10.6).turn(1, 160)
        self.assertEqual(wheel.pins.segment(), 14)
        wheel.steps.sum = 0
        wheel.rest(2000000)
        wheel.steps.direction = 0
        wheel.turn(-1, 20)
        self.assertEqual(wheel.pins.segment(), 46)

    def test_quarters_from_the_pin_on(self):
        for place, quarter in ((5.1, 0), (5.3, 1), (5.6, 2), (5.9, 3)):
            self.assertEqual(Wheel(place).pins.quarter(), quarter)


class MissingTest(unittest.TestCase):
    def test_a_missing_pulse_is_doubted(self):
        """One pulse of either sensor left out after three passes: no segment is named."""
        for sensor in (money_wheel.INPUT_ROTOR_A, money_wheel.INPUT_ROTOR_B):
            for way in (1, -1):
                wheel = Wheel(10.6).turn(way, 160.7 if way > 0 else 167.3)
                self.assertEqual(wheel.pins.segment() < 0, False)
                wheel.turn(way, 6, without=((sensor, 2),))
                self.assertEqual(wheel.pins.segment(), -1, (sensor, way))

    def test_the_next_index_proves_what_was_missing(self):
        """A segment short at the index after one missing pulse: 10.6 + 160.7 + 60.5 = 231.8 is in
        23, 10.6 - 167.3 - 60.5 = -217.2 in 42. After two of them a turn proves nothing.
        """
        for sensor in (money_wheel.INPUT_ROTOR_A, money_wheel.INPUT_ROTOR_B):
            for way, start, segment in ((1, 160.7, 23), (-1, 167.3, 42)):
                wheel = Wheel(10.6).turn(way, start).turn(way, 60.5, without=((sensor, 2),))
                self.assertEqual(wheel.pins.segment(), segment, (sensor, way))
                self.assertEqual(wheel.pins.bad, 0)
                wheel = Wheel(10.6).turn(way, start)
                wheel.turn(way, 60.5, without=((sensor, 2), (sensor, 9)))
                self.assertEqual(wheel.pins.segment(), -1, (sensor, way))
                self.assertEqual(wheel.pins.bad, 1)

    def test_a_magnet_that_moved_is_no_missing_pulse(self):
        """An index that comes a segment late without a missing pulse proves nothing."""
        wheel = Wheel(10.6).turn(1, 160)
        edges = at_speed(52, wheel.place, 1, 60, PIN_US, wheel.now_us)
        late = [(t + PIN_US * (s == money_wheel.INPUT_INDEX), s, level) for t, s, level in edges]
        wheel.tell(sorted(late))
        wheel.now_us += 60 * PIN_US
        wheel.rest(5000)
        self.assertEqual(wheel.pins.segment(), -1)

    def test_a_slow_wheel_too(self):
        """At 400 ms a segment a wheel can turn back, but only from its flapper and for good."""
        for sensor in (money_wheel.INPUT_ROTOR_A, money_wheel.INPUT_ROTOR_B):
            wheel = Wheel(10.6).turn(1, 160)
            wheel.steps.pin_us = 400000
            wheel.turn(1, 4, without=((sensor, 1),), pin_us=400000)
            self.assertEqual(wheel.pins.segment(), -1, sensor)

    def test_thrown_back_by_the_flapper(self):
        """From P = 14.6 on to 14.9 and back to 14.7, slowly: still 14."""
        wheel = Wheel(10.6).turn(1, 160)
        wheel.steps.pin_us = 400000
        wheel.turn(1, 0.3, pin_us=400000)
        wheel.turn(-1, 0.2, pin_us=400000)
        self.assertEqual(wheel.pins.segment(), 14)

    def test_noise_is_no_step(self):
        """A pulse of 300 us on any line between two edges changes nothing."""
        wheel = Wheel(10.6).turn(1, 160)
        before = wheel.steps.sum
        for sensor in (
            money_wheel.INPUT_ROTOR_A,
            money_wheel.INPUT_ROTOR_B,
            money_wheel.INPUT_INDEX,
        ):
            at_us = wheel.now_us
            wheel.tell(((at_us, sensor, 1), (at_us + 300, sensor, 0)))
            wheel.rest(5000)
        self.assertEqual(wheel.steps.sum, before)
        self.assertEqual(wheel.pins.segment(), 14)

    def test_an_index_in_the_wrong_place(self):
        """It counts as bad, and the place is no longer believed."""
        wheel = Wheel(10.6).turn(1, 160)
        at_us = wheel.now_us
        wheel.tell(
            ((at_us, money_wheel.INPUT_INDEX, 1), (at_us + 5000, money_wheel.INPUT_INDEX, 0))
        )
        wheel.rest(5000)
        self.assertEqual(wheel.pins.bad, 1)
        self.assertEqual(wheel.pins.segment(), -1)

    def test_turns_without_an_index(self):
        """Two turns and two segments after the last index two are missed."""
        wheel = Wheel(10.6).turn(1, 160)
        wheel.turn(1, 110, without=((money_wheel.INPUT_INDEX, 0), (money_wheel.INPUT_INDEX, 1)))
        self.assertEqual(wheel.pins.missed, 2)
        self.assertEqual(wheel.pins.segment(), -1)


class TremorTest(unittest.TestCase):
    def test_a_tremor_is_no_motion(self):
        """At P = 14.5 sensor B may switch for ever: the wheel has not moved."""
        wheel = Wheel(10.6).turn(1, 159.92)
        moved_us = wheel.pins.moved_us
        for _ in range(5):
            wheel.rest(2000000)
            wheel.turn(-1, 0.04, pin_us=1000000)
            wheel.rest(2000000)
            wheel.turn(1, 0.04, pin_us=1000000)
        self.assertEqual(wheel.pins.moved_us, moved_us)
        self.assertEqual(wheel.pins.segment(), 14)


if __name__ == "__main__":
    unittest.main()

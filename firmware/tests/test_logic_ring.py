"""Direction, speed and silence of the rotor's ring."""

import unittest

from tablelogic.roulette.ring import Ring
from tablewire import roulette

WRAP = 1 << 30
# 37 pockets, 6.0 to 30.0 rpm. 60 s / 37 / 6 = 270.27 ms a pocket, 60 s / 37 / 30 = 54.05 ms.
POCKETS, MIN_DRPM, MAX_DRPM = 37, 60, 300


class Hand:
    """Turns a ring by hand, one pocket at a time. t_us: the last tick of A."""

    def __init__(self, start_us=1000000):
        self.ring = Ring(POCKETS, MIN_DRPM, MAX_DRPM)
        self.t_us = start_us % WRAP
        self.good = []  # what each tick of A answered

    def step(self, count, direction, pitch_us=100000, a=True, b=True):
        """B comes a quarter pitch after A counter-clockwise, three quarters clockwise."""
        for _ in range(count):
            if b:
                late = pitch_us // 4 if direction < 0 else pitch_us * 3 // 4
                self.ring.tick_b((self.t_us + late) % WRAP)
            self.t_us = (self.t_us + pitch_us) % WRAP
            if a:
                self.good.append(self.ring.tick_a(self.t_us))
            self.ring.tick(self.t_us)
        return self.ring


class DirectionTest(unittest.TestCase):
    def test_three_ticks_tell_it(self):
        """Both ways; before the third agreeing tick it is unknown."""
        for direction in (1, -1):
            hand = Hand()
            hand.ring.tick_a(hand.t_us)
            self.assertEqual(hand.step(2, direction).direction, 0)
            self.assertEqual(hand.step(1, direction).direction, direction)
            self.assertEqual(hand.ring.settled_direction(), direction)
            self.assertEqual(hand.good[1:], [True, True])

    def test_across_the_wrap_of_the_clock(self):
        """Six ticks before the wrap and six after: every one good, speed and direction kept."""
        hand = Hand(start_us=WRAP - 650000)
        ring = hand.step(12, -1)
        self.assertEqual(hand.good[1:], [True] * 11)
        self.assertEqual((ring.direction, ring.period_us, ring.stopped), (-1, 100000, False))

    def test_a_reversal_shows_after_three_ticks(self):
        """At once it is unknown, then it is the other one."""
        hand = Hand()
        hand.step(8, 1)
        ring = hand.step(1, -1)
        self.assertEqual(ring.direction, 0)
        ring = hand.step(2, -1)
        self.assertEqual(ring.direction, -1)

    def test_one_odd_tick_does_not_turn_it(self):
        """A lost tick of B, then of A: not good, the direction stays, three more settle it."""
        for lost in ("b", "a"):
            hand = Hand()
            hand.step(8, 1)
            hand.good.clear()
            hand.step(1, 1, a=lost != "a", b=lost != "b")
            ring = hand.step(1, 1)
            self.assertEqual(hand.good[0], False)
            self.assertEqual((ring.direction, ring.silent_sensor()), (1, -1))
            hand.step(3, 1)
            self.assertEqual(ring.settled_direction(), 1)

    def test_a_missing_magnet_is_noticed(self):
        """Clockwise B leads A by a quarter: after the gap B comes 175 ms, A 200 ms after A.

        That tick is not good, nor the one after it, whose period halves again; then all is well.
        """
        hand = Hand()
        hand.step(8, 1)
        hand.good.clear()
        hand.ring.tick_b(hand.t_us + 175000)
        hand.t_us += 200000
        hand.good.append(hand.ring.tick_a(hand.t_us))
        ring = hand.step(2, 1)
        self.assertEqual(hand.good, [False, False, True])
        self.assertEqual(ring.direction, 1)

    def test_an_added_tick_is_noticed(self):
        """A second tick of A before B comes is not good; the ring goes on."""
        hand = Hand()
        hand.step(8, -1)
        self.assertFalse(hand.ring.tick_a(hand.t_us + 10000))
        hand.step(4, -1)
        self.assertEqual(hand.ring.settled_direction(), -1)


class SpeedTest(unittest.TestCase):
    def test_speed(self):
        """60 s / (37 * 100 ms) = 16.2 rpm; unknown before, 0 at rest."""
        hand = Hand()
        self.assertEqual(hand.ring.drpm(), 0)
        hand.ring.tick_a(hand.t_us)
        self.assertEqual(hand.ring.drpm(), 65535)
        self.assertEqual(hand.step(4, 1).drpm(), 162)

    def test_slow(self):
        """271 ms a pocket is below 6 rpm: so after eight ticks, 270 ms never."""
        hand = Hand()
        hand.step(8, 1, pitch_us=200000)
        self.assertEqual(hand.step(20, 1, pitch_us=270000).out_of_limits(), 0)
        self.assertEqual(hand.step(7, 1, pitch_us=271000).out_of_limits(), 0)
        self.assertEqual(hand.step(1, 1, pitch_us=271000).out_of_limits(), roulette.ROTOR_SLOW)
        self.assertEqual(hand.step(1, 1, pitch_us=270000).out_of_limits(), 0)

    def test_fast(self):
        """54.0 ms a pocket is above 30 rpm: so after eight ticks, 54.1 ms never."""
        hand = Hand()
        hand.step(8, 1, pitch_us=60000)
        self.assertEqual(hand.step(20, 1, pitch_us=54100).out_of_limits(), 0)
        self.assertEqual(hand.step(7, 1, pitch_us=54000).out_of_limits(), 0)
        self.assertEqual(hand.step(1, 1, pitch_us=54000).out_of_limits(), roulette.ROTOR_FAST)

    def test_a_launch_forgets_what_was_before(self):
        """Slow between rounds does not count against the spin."""
        hand = Hand()
        ring = hand.step(12, 1, pitch_us=300000)
        ring.launched()
        self.assertEqual(ring.out_of_limits(), 0)
        self.assertEqual(hand.step(7, 1, pitch_us=300000).out_of_limits(), 0)
        self.assertEqual(hand.step(1, 1, pitch_us=300000).out_of_limits(), roulette.ROTOR_SLOW)

    def test_stopped(self):
        """No tick for more than 1.5 s is a standstill; the next tick ends it."""
        hand = Hand(start_us=WRAP - 1000000)
        self.assertTrue(hand.ring.stopped)
        ring = hand.step(6, 1)
        ring.tick((hand.t_us + 1500000) % WRAP)
        self.assertFalse(ring.stopped)
        ring.tick((hand.t_us + 1500001) % WRAP)
        self.assertEqual((ring.stopped, ring.drpm()), (True, 0))
        self.assertFalse(hand.step(1, 1).stopped)


class SilentTest(unittest.TestCase):
    def test_six_ticks_without_the_other(self):
        """Five are not enough; it names the silent one. A ticks last in each step, B first."""
        hand = Hand()
        hand.step(4, -1)
        self.assertEqual(hand.step(4, -1, b=False).silent_sensor(), -1)
        self.assertEqual(hand.step(1, -1, b=False).silent_sensor(), roulette.INPUT_ROTOR_B)
        hand = Hand()
        hand.step(4, -1)
        self.assertEqual(hand.step(5, -1, a=False).silent_sensor(), -1)
        self.assertEqual(hand.step(1, -1, a=False).silent_sensor(), roulette.INPUT_ROTOR_A)

    def test_both_tick_again(self):
        """One tick of the sensor that was silent ends it."""
        hand = Hand()
        hand.step(10, -1, b=False)
        self.assertEqual(hand.step(2, -1).silent_sensor(), -1)


if __name__ == "__main__":
    unittest.main()

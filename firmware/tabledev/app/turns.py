"""Counts the pulses that ring sensors and head miss in whole turns, from index to index."""

from array import array

from tablelogic.core.ticks import diff
from tablewire.compat import const
from tablewire.roulette import INPUT_HEAD, INPUT_INDEX, INPUT_ROTOR_A, INPUT_ROTOR_B

if -0:  # for mypy
    from tablelogic.roulette.rotor import Rotor

SENSORS = (INPUT_ROTOR_A, INPUT_ROTOR_B, INPUT_HEAD)
_HEAD = const(2)  # place of the head among them


class Turns:
    """rotor: rotor.Rotor. pulses: of each input so far, by its sensor.

    count: turns from index to index, one way, with a quarter of the pulses at least: a rotor that
    hands turn to and fro makes none. missed: pulses that were due in them, and did not come, by
    place in SENSORS; of the head from its first pulse on. b_off: how much later than a quarter of
    a pitch from A the last pulse of ring sensor B came, in 1/64 pitch.
    """

    def __init__(self, rotor: "Rotor", pulses: "array[int]") -> None:
        self.count = self.b_off = 0
        self.missed = array("i", bytes(12))
        self._rotor = rotor
        self._pulses = pulses
        self._before = array("H", bytes(6))  # pulses up to the index before
        self._indexes = 0
        self._way = 0

    def index(self) -> None:
        """The index sensor came on. Allocates nothing."""
        pulses, before = self._pulses, self._before
        if pulses[INPUT_INDEX] == self._indexes:  # it bounced
            return
        self._indexes = pulses[INPUT_INDEX]
        ring = self._rotor.ring
        way, period_us = ring.direction, ring.period_us
        if period_us:
            self.b_off = diff(ring.b_us, ring.a_us) % period_us * 64 // period_us - 32 - 16 * way
        is_whole = way and way == self._way
        is_whole = is_whole and 4 * (pulses[INPUT_ROTOR_A] - before[0]) > self._rotor.pockets
        self._way = way
        if is_whole:
            self.count += 1
        for place in range(len(SENSORS)):
            counted = pulses[SENSORS[place]]
            due = 1 if place == _HEAD else self._rotor.pockets
            if is_whole and (place != _HEAD or before[place]):
                self.missed[place] += due - counted + before[place]
            before[place] = counted

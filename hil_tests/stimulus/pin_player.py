# mypy: ignore-errors
"""Plays a schedule by setting pins one after the other: where there is no PIO. Times are as good
as the sleeps of the port."""

import time

from machine import Pin
from schedule import CHANNELS


class PinPlayer:
    """Channel 0 is the GPIO `first`, the others follow."""

    def __init__(self, first: int) -> None:
        self._pins = [Pin(first + n, Pin.OUT) for n in range(CHANNELS)]

    def show(self, mask: int) -> None:
        """Set the levels of all channels."""
        for number in range(CHANNELS):
            self._pins[number](mask >> number & 1)

    def play(self, schedule: object) -> None:
        """Play all of it, from now on."""
        now_us = 0
        for number in range(schedule.steps):
            t_us, mask = schedule.step(number)
            time.sleep_us(t_us - now_us)
            now_us = t_us
            self.show(mask)

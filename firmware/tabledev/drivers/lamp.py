"""The lamp "no more bets"."""

from machine import Pin


class Lamp:
    """active: pin level 0 or 1 that lights it."""

    def __init__(self, pin: int, active: int) -> None:
        self._dark = 1 - active
        self._pin = Pin(pin, Pin.OUT, value=active)

    def set(self, on: int) -> None:
        """on: 1 lit, 0 dark."""
        self._pin.value(on ^ self._dark)

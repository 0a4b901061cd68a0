"""The two lights of a dice tray, each switched by a pin that is high while it is lit."""

from machine import Pin


class TrayLights:
    """See hal. first, second: pins."""

    def __init__(self, first: int, second: int) -> None:
        self._pins = Pin(first, Pin.OUT, value=0), Pin(second, Pin.OUT, value=0)

    def show(self, light: int) -> None:
        """light: 0 or 1. Never dark in between."""
        self._pins[light].value(1)
        self._pins[1 - light].value(0)

"""One analogue input of the board's converter: the flapper of a money wheel."""

from machine import ADC, Pin


class AnalogInput:
    """Reads 0..4095 in steps of 64: what is below is noise, and would fill the black box."""

    def __init__(self, pin: int) -> None:
        self._adc = ADC(Pin(pin))

    def read(self) -> int:
        """The level now."""
        return (self._adc.read_u16() >> 10) << 6

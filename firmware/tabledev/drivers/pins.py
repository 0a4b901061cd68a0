"""The board's pins: inputs with two levels, one analogue input, the lamp.

An input (hall sensor, rim sensor, contact) puts its edges into a ring. The interrupt handler only
stores a time and a level; it runs as a hard interrupt, so it must not allocate.
The ESP32 has only soft interrupts and refuses the argument (micropython #4214): there an edge gets
the time at which the scheduler runs the handler.
"""

import time

from machine import ADC, Pin, disable_irq, enable_irq

from ..edges import EdgeSource

if -0:  # for mypy
    from typing import Any

    from tabletypes import Sure

    from ..edges import EdgeRing

_BOTH = Pin.IRQ_RISING | Pin.IRQ_FALLING


class HallInput(EdgeSource):
    """One input. sensor: messages.SENSOR_*; active: pin level 0 or 1 that reads as level 1.

    pull: Pin.PULL_UP, Pin.PULL_DOWN or None; ring: edges.EdgeRing. Both edges interrupt: the
    logic needs the fall to distinguish bounce from a pulse.
    """

    def __init__(
        self, pin: int, sensor: int, ring: "EdgeRing", active: int, pull: "Sure[int]"
    ) -> None:
        # To the stubs ticks are of a type of their own, and no pull is no value of `pull`.
        super().__init__(ring, sensor * 2, 1 - active, time.ticks_us)  # type: ignore[arg-type]
        self.sensor = sensor
        self._pin = Pin(pin, Pin.IN, pull)
        self._pull = pull
        self._irq: "Any" = None  # while its edges go into the ring

    def start(self) -> None:
        """Put edges into the ring from now on, whatever the pin was used for."""
        self._pin.init(Pin.IN, self._pull)
        try:
            self._irq = self._pin.irq(self.edge, _BOTH, hard=True)
        except TypeError:
            self._irq = self._pin.irq(self.edge, _BOTH)

    def stop(self) -> None:
        """Leave the pin to others."""
        self._irq = None
        self._pin.irq(None)

    def rearm(self) -> None:
        """Start again if MicroPython ended the interrupt: it does so, for good and in silence,

        once a hard handler raised (shared/runtime/mpirq.c). Counted as an edge lost; the level now
        becomes an edge, with interrupts off as if it came from one.
        """
        if self._irq is None or self._irq.trigger():
            return
        self.start()
        state = disable_irq()
        try:
            self._ring.lost += 1
            self.edge(self._pin)
        finally:
            enable_irq(state)

    def level(self) -> int:
        """The level now."""
        return self._pin.value() ^ self._inactive


class AnalogInput:
    """One analogue input of the converter: the flapper of a money wheel.

    Reads 0..4095 in steps of 64: smaller steps are noise, and would fill the trace.
    """

    def __init__(self, pin: int) -> None:
        self._adc = ADC(Pin(pin))

    def read(self) -> int:
        """The level now."""
        return (self._adc.read_u16() >> 10) << 6


class Lamp:
    """The lamp "no more bets". active: pin level 0 or 1 that lights it."""

    def __init__(self, pin: int, active: int) -> None:
        self._dark = 1 - active
        self._pin = Pin(pin, Pin.OUT, value=active)

    def set(self, on: int) -> None:
        """on: 1 lit, 0 dark."""
        self._pin.value(on ^ self._dark)

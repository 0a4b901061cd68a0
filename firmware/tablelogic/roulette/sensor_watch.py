"""Sensors that stay silent or hold their level while the rest of the machine moves."""

from tablewire import codes
from tablewire import messages as m
from tablewire import roulette as words
from tablewire.compat import const

from ..core.clock import diff

_HELD_US = const(1000000)  # a ball covers a rim sensor for 30 ms at most
_RESTS_US = const(2500000)  # a ball that rests on a rim sensor
_PARKED_US = const(10000000)  # a ball held at the rim before its launch


class SensorWatch:
    """Looks at every tick; raises `sensor_stuck`, and clears it when the sensor switches.

    pulses: by sensor, see PulseRouter.
    """

    def __init__(self, control: object, ring: object, track: object, pulses: list) -> None:
        self._control = control
        self._ring = ring
        self._track = track
        self._pulses = pulses

    def edge(self, sensor: int, level: int) -> None:
        """A fault is active: a ring sensor clears it by rising, a rim sensor by falling."""
        if sensor == self._control.faults.sensor(codes.SENSOR_STUCK):
            if bool(level) == (sensor < words.INPUT_RIM_1):
                self._control.clear_fault(codes.SENSOR_STUCK)

    def tick(self, t_us: int) -> None:
        """Time passed."""
        control, pulses = self._control, self._pulses
        silent = self._ring.silent_sensor()
        if silent < 0 and control.phase != m.PHASE_CLOSED:
            silent = self._track.silent_sensor()
        if silent >= 0:
            control.raise_fault(codes.SENSOR_STUCK, silent, 0, 1)
        if pulses[words.INPUT_RIM_1].covered:
            self._covered(words.INPUT_RIM_1, t_us)
        if pulses[words.INPUT_RIM_2].covered:
            self._covered(words.INPUT_RIM_2, t_us)

    def _covered(self, sensor: int, t_us: int) -> None:
        control, track, pulse = self._control, self._track, self._pulses[sensor]
        held = pulse.held_us(t_us)
        if held <= _HELD_US:
            return
        running = track.active and control.phase != m.PHASE_CLOSED
        if running and diff(track.last_us, pulse.rose_us) <= 0:
            if held > _RESTS_US:
                control.void(words.BALL_STUCK, sensor)
        elif running or held > _PARKED_US:
            control.raise_fault(codes.SENSOR_STUCK, sensor, held, _HELD_US)

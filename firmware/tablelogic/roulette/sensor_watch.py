"""Sensors that stay silent or hold their level while the rest of the machine moves."""

from tablewire import codes
from tablewire import messages as m
from tablewire import roulette as words
from tablewire.compat import const

from ..core.clock import diff

_HELD_US = const(1000000)  # a ball covers a rim sensor for 30 ms at most
_RESTS_US = const(2500000)  # a ball that lies still on a rim sensor
_PARKED_US = const(10000000)  # a ball held at the rim before its launch


class SensorWatch:
    """Looks at every tick; raises `sensor_stuck`, and clears it when the sensor switches."""

    def __init__(self, table: object) -> None:
        self._table = table

    def edge(self, sensor: int, level: int) -> None:
        """Switched while a fault stands: a ring sensor clears by rising, a rim one by falling."""
        standing = self._table.standing
        if sensor == standing.sensor(codes.SENSOR_STUCK):
            if bool(level) == (sensor < words.INPUT_RIM_1):
                standing.down(codes.SENSOR_STUCK, self._table.now_ms)

    def tick(self, t_us: int) -> None:
        """Time passed."""
        table = self._table
        silent = table.rotor.ring.silent_sensor()
        if silent < 0 and table.phase != m.PHASE_CLOSED:
            silent = table.track.silent_sensor()
        if silent >= 0:
            table.raise_fault(codes.SENSOR_STUCK, silent, 0, 1, t_us)
        pulses = table.pulses
        if pulses[words.INPUT_RIM_1].covered:
            self._covered(words.INPUT_RIM_1, t_us)
        if pulses[words.INPUT_RIM_2].covered:
            self._covered(words.INPUT_RIM_2, t_us)

    def _covered(self, sensor: int, t_us: int) -> None:
        table = self._table
        held = table.pulses[sensor].held_us(t_us)
        if held <= _HELD_US:
            return
        track = table.track
        running = track.active and table.phase != m.PHASE_CLOSED
        if running and diff(track.last_us, table.pulses[sensor].rose_us) <= 0:
            if held > _RESTS_US:
                table.void(words.BALL_STUCK, sensor)
        elif running or held > _PARKED_US:
            table.raise_fault(codes.SENSOR_STUCK, sensor, held, _HELD_US, t_us)

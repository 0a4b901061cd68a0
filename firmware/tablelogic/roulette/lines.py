"""The hall lines of the wheel: edges in, genuine pulses out to whoever follows them."""

from tablewire import messages as m

from ..core.pulse import Pulse


class Lines:
    """pulses: one Pulse for each sensor from messages.SENSOR_ROTOR_A to SENSOR_HEAD.

    waiting: how many of them have begun and were not told yet.
    """

    def __init__(self, table: object) -> None:
        self._table = table
        self.pulses = [Pulse() for _ in range(m.SENSOR_HEAD + 1)]
        self.waiting = 0

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """A line switched. Pulses that have lasted by now come first, so their order holds."""
        if self.waiting:
            self.tick(t_us)
        if self.pulses[sensor].edge(level, t_us):
            self.waiting += 1

    def tick(self, t_us: int) -> None:
        """Tell the pulses that have lasted by now."""
        for sensor in range(len(self.pulses)):
            pulse = self.pulses[sensor]
            if pulse.pending and pulse.take(t_us):
                self.waiting -= 1
                self._tell(sensor, pulse.rose_us)

    def _tell(self, sensor: int, t_us: int) -> None:
        table = self._table
        if sensor == m.SENSOR_ROTOR_A:
            table.rotor.tick_a(t_us)
        elif sensor == m.SENSOR_ROTOR_B:
            table.rotor.ring.tick_b(t_us)
        elif sensor == m.SENSOR_INDEX:
            table.rotor.index()
        elif sensor == m.SENSOR_HEAD:
            table.pocket.head.pulse(t_us)
        else:
            table.judge.ball_pass(sensor - m.SENSOR_RIM_1, t_us)

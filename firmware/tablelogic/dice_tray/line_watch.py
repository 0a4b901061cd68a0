"""Whether a line of the tray is stuck: a fault that clears when the line is free again."""

from tablewire import dice_tray as words
from tablewire import messages as m
from tablewire.codes import SENSOR_STUCK
from tablewire.compat import const

_STUCK_US = const(1000000)


class LineWatch:
    """Looks at every tick. throw: the lines of the tray."""

    def __init__(self, control: object, throw: object) -> None:
        self._control = control
        self._throw = throw

    def tick(self, t_us: int) -> None:
        """Time passed."""
        control, throw = self._control, self._throw
        stuck = self._stuck(t_us)
        if stuck != m.UNKNOWN_U8:
            control.raise_fault(SENSOR_STUCK, stuck, 1, 0)
            throw.hits = 0
        elif control.faults.count:
            hidden = control.faults.sensor(SENSOR_STUCK) == words.INPUT_PICK_UP
            if not hidden or not throw.place.level:
                control.clear_fault(SENSOR_STUCK)

    def _stuck(self, t_us: int) -> int:
        throw = self._throw
        if throw.line.level and throw.line.for_us(t_us) >= _STUCK_US:
            return words.INPUT_THROW_LINE
        if throw.plate_held_us(t_us) >= _STUCK_US:
            return words.INPUT_FAR_WALL
        # Dice flew from line to wall, and some still seem to be at the thrower's place.
        if self._control.phase != m.PHASE_CLOSED and throw.is_hidden():
            return words.INPUT_PICK_UP
        return m.UNKNOWN_U8

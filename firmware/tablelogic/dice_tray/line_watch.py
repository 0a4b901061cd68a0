"""Whether a line of the tray is stuck: a fault that clears when the line is free again."""

from tablewire import dice_tray as words
from tablewire import messages as m
from tablewire.codes import SENSOR_STUCK
from tablewire.compat import const

_STUCK_US = const(1000000)


class LineWatch:
    """table: table.DiceTray."""

    def __init__(self, table: object) -> None:
        self._table = table

    def tick(self, t_us: int) -> None:
        """Time passed."""
        table, throw = self._table, self._table.throw
        stuck = self._stuck(t_us)
        if stuck != m.UNKNOWN_U8:
            table.raise_fault(SENSOR_STUCK, stuck, 1, 0, t_us)
            throw.hits = 0
        elif table.standing.count:
            hidden = table.standing.sensor(SENSOR_STUCK) == words.INPUT_PICK_UP
            if not hidden or not throw.place.level:
                table.clear_fault(SENSOR_STUCK, t_us)

    def _stuck(self, t_us: int) -> int:
        table, throw = self._table, self._table.throw
        if throw.line.level and throw.line.for_us(t_us) >= _STUCK_US:
            return words.INPUT_THROW_LINE
        if throw.plate_held_us(t_us) >= _STUCK_US:
            return words.INPUT_FAR_WALL
        # Dice flew from line to wall, and some still seem to lie at the thrower's place.
        if table.phase != m.PHASE_CLOSED and throw.is_hidden():
            return words.INPUT_PICK_UP
        return m.UNKNOWN_U8

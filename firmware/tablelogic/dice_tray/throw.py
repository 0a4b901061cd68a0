"""One throw: picked up, over the throw line, against the far wall; and what can be proved of it.

The beams use the inputs that another table has for its wheel: pick-up at INPUT_1 (covered while a
die is at the thrower's place), throw line at INPUT_2, the plates of the far wall at INPUT_3,
INPUT_4 and INPUT_5, the beams over the edges at INPUT_6. Times: microseconds on the 30-bit clock.
"""

from tablewire import dice_tray as words
from tablewire import messages as m
from tablewire.codes import SENSOR_STUCK
from tablewire.compat import const

from ..core.ticks import diff
from .plate import Plate
from .tray_line import Beam

if -0:  # for mypy
    from tabletypes import Config, Sure

    from ..core.round import RoundControl

_LIFTED_US = const(300000)  # free for less: dice pushed about, a sleeve
_PLATES = const(3)
_FLIGHT_US = const(3000000)
_LONGEST_MS = const(60000)
_STUCK_US = const(1000000)


class Throw:
    """hits: of the wall since reset(), those of a plate within hit_gap_ms counted once.

    picked: the dice were lifted, at picked_us. thrown: they crossed the line, first at thrown_us.
    """

    def __init__(self, cfg: "Config") -> None:
        self.place = Beam()
        self.line = Beam()
        self.edges = Beam()
        gap_us = cfg[words.HIT_GAP_MS] * 1000
        self._plates: "list[Sure[Plate]]" = [Plate(gap_us) for _ in range(_PLATES)]
        self._all = [self.place, self.line, self.edges] + self._plates
        self.reset()

    def reset(self) -> None:
        """Start a round."""
        for beam in self._all:
            beam.reset()
        self.picked = self.thrown = False
        self.picked_us = self.thrown_us = 0
        self.hits = 0
        self.wall_us = 0  # last hit

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """A line switched."""
        if sensor == words.INPUT_PICK_UP:
            self.place.edge(level, t_us)
        elif sensor == words.INPUT_THROW_LINE:
            if self.line.edge(level, t_us):
                self._crossed()
        elif sensor == words.INPUT_EDGE_BEAMS:
            self.edges.edge(level, t_us)
        else:
            plate = self._plates[sensor - words.INPUT_FAR_WALL]
            if plate.hit(level, t_us):
                self.hits = min(self.hits + 1, 255)
                self.wall_us = plate.last_us

    def _crossed(self) -> None:
        if not self.picked and not self.place.level:
            self._lift()
        if self.picked and not self.thrown:
            self.thrown = True
            self.thrown_us = self.line.last_us
            self.line.first_us = self.line.last_us
            self.line.count = 1
            self.edges.reset()

    def _lift(self) -> None:
        self.picked = True
        self.picked_us = self.place.since_us

    def tick(self, t_us: int) -> None:
        """Time passed: note whether the dice are lifted for good."""
        for beam in self._all:
            beam.tick(t_us)
        place = self.place
        if not self.picked and not place.level and place.for_us(t_us) >= _LIFTED_US:
            self._lift()

    def held_us(self, t_us: int) -> int:
        """From picking up to the throw, or to t_us when there was none yet."""
        return diff(self.thrown_us if self.thrown else t_us, self.picked_us)

    def spread_us(self) -> int:
        """From the first die over the line to the last."""
        return diff(self.line.last_us, self.line.first_us) if self.line.count else 0

    def wall_ms(self) -> int:
        """Throw to the last hit of the wall, UNKNOWN_U16 without one."""
        if not self.hits or not self.thrown:
            return m.UNKNOWN_U16
        return whole_ms(diff(self.wall_us, self.thrown_us))

    def is_hidden(self) -> bool:
        """Whether dice flew from line to wall while the pick-up beam still shows them."""
        if self.picked or not (self.place.level and self.hits and self.line.count):
            return False
        return 0 < diff(self.wall_us, self.line.last_us) < _FLIGHT_US

    def plate_held_us(self, t_us: int) -> int:
        """The longest that a plate's line has been active until now."""
        longest = 0
        for beam in self._plates:
            if beam.level:
                longest = max(longest, beam.for_us(t_us))
        return longest


class LineWatch:
    """Whether a line is stuck: a fault that clears when the line is free again."""

    def __init__(self, control: "RoundControl", throw: "Throw") -> None:
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


def whole_ms(span_us: int) -> int:
    """Milliseconds of a span as used in messages."""
    return min(max(span_us // 1000, 0), _LONGEST_MS)

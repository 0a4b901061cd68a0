"""The rules of a dice tray: which evidence ends a round, and under which code.

The conditions of hc2023 4:1(3) are numbered D-1 to D-10 in its codes; with throw_rules = 2 only
those of hc2011 4:1(3) count: dice apart and flat.
"""

from tablewire import config
from tablewire import dice_tray as words
from tablewire import messages as m
from tablewire.compat import const

if -0:  # for mypy
    from collections.abc import Sequence

    from tabletypes import Config

    from ..core.round import RoundControl
    from .camera_state import Looks
    from .faces import Faces
    from .throw import Throw

PICK = const(10)  # events of the phases, besides those of core.round
THROW = const(11)

_LATE_US = const(80000)  # an edge is received up to two ticks after it came
_REACH_US = const(150000)  # a die is through an edge beam in a tenth of that
_LEAST_MOTION = const(2)  # blocks of 8 x 8 px: a die covers more


class TrayJudge:
    """Applies the rules on every tick and every verdict."""

    def __init__(
        self,
        cfg: "Config",
        control: "RoundControl",
        throw: "Throw",
        faces: "Faces",
        looks: "Looks",
    ) -> None:
        self._control = control
        self._throw = throw
        self._faces = faces
        self._looks = looks
        self._all_rules = cfg[words.THROW_RULES] == 1
        self._throw_us = cfg[words.THROW_MS] * 1000
        self._together_us = cfg[words.TOGETHER_MS] * 1000
        self._hits = cfg[words.WALL_HITS] or cfg[words.DICE]
        self._limit_ms = cfg[words.REST_LIMIT_MS]
        self._close_on_pickup = cfg[words.CLOSE_ON_PICKUP]
        self._max_bet_ms = cfg[config.MAX_BET_MS]

    def see(self, values: "Sequence[int]") -> bool:
        """Take a usable frame; returns whether its faces are the result."""
        control, faces = self._control, self._faces
        if control.phase != words.PHASE_THROWN or values[0] == words.READING_GOOD:
            return False
        had = faces.agreed
        reason = faces.see(values)
        # Faces that are read here may be hidden for a moment, and have to be the same afterwards.
        is_odd = not (faces.are_read_here or faces.is_read())
        if had >= 2 and (values[0] == words.READING_MOVING or faces.agreed == 1 or is_odd):
            reason = words.TRAY_OBSTRUCTED  # read, and then touched
        elif values[0] == words.READING_MOVING:
            return False
        elif self._all_rules and self._throw.hits < self._hits:
            reason = words.WALL_MISSED
        elif reason == words.LINE_NOT_PASSED and not self._all_rules:
            reason = words.DICE_COUNT_WRONG
        elif faces.agreed == 1:
            self._looks.rest_ms = control.phase_ms()
        elif faces.agreed >= 2 and faces.is_read():
            if faces.since_last >= _LEAST_MOTION:
                # The two that agree are confirmed by one more when objections are over.
                return had >= 2 and self._looks.is_over() and not control.faults.count
            reason = words.NO_MOTION_PROOF
        if reason:
            control.void(reason, words.INPUT_CAMERA)
        return False

    def tick(self, t_us: int, code: int) -> None:
        """Time passed. code: the meaning of the croupier's presses, 0 nothing."""
        control = self._control
        phase = control.phase
        if phase == m.PHASE_CLOSED:
            return
        if code:
            control.void(code, m.INPUT_BUTTON)
        elif phase == words.PHASE_THROWN:
            self._thrown(t_us)
        elif phase == words.PHASE_PICKED_UP:
            self._pick(t_us)
        else:
            self._wait(t_us)

    def _wait(self, t_us: int) -> None:
        control = self._control
        if self._throw.picked:
            control.move(PICK)
            if self._close_on_pickup:
                control.close_bets(words.CLOSE_CAUSE_DICE_TAKEN)
            self._pick(t_us)
        elif not control.betting and control.phase_ms() >= self._max_bet_ms:
            control.void(words.NOT_THROWN, words.INPUT_PICK_UP)

    def _pick(self, t_us: int) -> None:
        control, throw = self._control, self._throw
        if throw.thrown:
            control.close_bets(words.CLOSE_CAUSE_DICE_THROWN)
            control.move(THROW)
            if self._all_rules and throw.held_us(t_us) > self._throw_us:
                control.void(words.LATE_THROW, words.INPUT_THROW_LINE)
            else:
                self._thrown(t_us)
        elif throw.hits and self._all_rules:
            control.void(words.NOT_FROM_HEAD, words.INPUT_FAR_WALL)
        elif throw.held_us(t_us) > self._throw_us + _LATE_US:
            control.void(words.LATE_THROW, words.INPUT_PICK_UP)

    def _thrown(self, t_us: int) -> None:
        control, throw = self._control, self._throw
        edges = throw.edges
        if edges.level and edges.for_us(t_us) >= _REACH_US:
            control.void(words.TRAY_OBSTRUCTED, words.INPUT_EDGE_BEAMS)
        elif edges.count and self._all_rules:
            wide = edges.width_us >= _REACH_US
            reason = words.TRAY_OBSTRUCTED if wide else words.OFF_TABLE
            control.void(reason, words.INPUT_EDGE_BEAMS)
        elif self._all_rules and throw.spread_us() > self._together_us:
            control.void(words.NOT_TOGETHER, words.INPUT_THROW_LINE)
        elif control.phase_ms() >= self._limit_ms:
            control.void(words.NEVER_RESTED, words.INPUT_CAMERA)

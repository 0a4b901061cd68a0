"""The house rules of a dice tray: which evidence ends a round, and under which code.

The conditions of hc2023 4:1(3) are numbered D-1 to D-10 in its codes; with throw_rules = 2 those
of hc2011 4:1(3) alone count: dice apart and flat.
"""

from tablewire import config
from tablewire import dice_tray as words
from tablewire import messages as m
from tablewire.compat import const

from ..core.clock import diff
from .line_watch import LineWatch

PICK = const(10)  # events of the phases, beside those of core.round
THROW = const(11)

_LATE_US = const(80000)  # an edge is heard up to two ticks after it came
_REACH_US = const(150000)  # a die is through an edge beam in a tenth of that
_LEAST_MOTION = const(2)  # blocks of 8 x 8 px: a die covers more


class TrayJudge:
    """Applies the rules on every tick. table: table.DiceTray. rest_ms: throw to first reading."""

    def __init__(self, cfg: list, table: object) -> None:
        self._table = table
        self._lines = LineWatch(table)
        self._all_rules = cfg[words.THROW_RULES] == 1
        self._throw_us = cfg[words.THROW_MS] * 1000
        self._together_us = cfg[words.TOGETHER_MS] * 1000
        self._hits = cfg[words.WALL_HITS] or cfg[words.DICE]
        self._limit_ms = cfg[words.REST_LIMIT_MS]
        self._close_on_pickup = cfg[words.CLOSE_ON_PICKUP]
        self._max_bet_ms = cfg[config.MAX_BET_MS]
        self.opened()

    def opened(self) -> None:
        """A round opened."""
        self.rest_ms = 0

    def see(self, values: "list | tuple", t_us: int) -> None:
        """A frame to work with was looked at."""
        table = self._table
        if table.phase != words.PHASE_THROWN or values[0] == words.READING_GOOD:
            return
        faces = table.faces
        had = faces.agreed
        reason = faces.see(values)
        if had >= 2 and (values[0] == words.READING_MOVING or faces.agreed == 1):
            reason = words.TRAY_OBSTRUCTED  # read, and then touched
        elif values[0] == words.READING_MOVING:
            return
        elif self._all_rules and table.throw.hits < self._hits:
            reason = words.WALL_MISSED
        elif reason == words.LINE_NOT_PASSED and not self._all_rules:
            reason = words.DICE_COUNT_WRONG
        elif faces.agreed == 1:
            self.rest_ms = table.round.phase_ms(table.now_ms)
        elif faces.agreed >= 2:
            reason = self._agree(had)
        if reason:
            table.void(reason, words.INPUT_CAMERA)

    def _agree(self, had: int) -> int:
        table = self._table
        if table.faces.since_last < _LEAST_MOTION:
            return words.NO_MOTION_PROOF
        if had < 2:
            table.looks.agreed_ms = table.now_ms
        if table.looks.is_over() and not table.standing.count:
            table.settle()
        return 0

    def wall_ms(self) -> int:
        """Throw to the last hit of the wall."""
        throw = self._table.throw
        if not throw.hits or not throw.thrown:
            return m.UNKNOWN_U16
        return min(max(diff(throw.wall_us, throw.thrown_us) // 1000, 0), 60000)

    def tick(self, t_us: int) -> None:
        """Time passed."""
        table = self._table
        self._lines.tick(t_us)
        code = table.presses.tick(table.now_ms)
        phase = table.phase
        if phase == m.PHASE_CLOSED:
            return
        if code:
            table.void(code, m.INPUT_BUTTON)
        elif phase == words.PHASE_THROWN:
            self._thrown(t_us)
        elif phase == words.PHASE_PICKED_UP:
            self._picked(t_us)
        else:
            self._wait(t_us)

    def _wait(self, t_us: int) -> None:
        table = self._table
        if table.throw.picked:
            table.round.move(PICK, table.now_ms)
            if self._close_on_pickup:
                table.round.close_bets(words.CLOSE_CAUSE_DICE_TAKEN, table.now_ms)
            self._picked(t_us)
        elif not table.round.betting and table.round.phase_ms(table.now_ms) >= self._max_bet_ms:
            table.void(words.NOT_THROWN, words.INPUT_PICK_UP)

    def _picked(self, t_us: int) -> None:
        table, throw = self._table, self._table.throw
        if throw.thrown:
            table.round.close_bets(words.CLOSE_CAUSE_DICE_THROWN, table.now_ms)
            table.round.move(THROW, table.now_ms)
            if self._all_rules and throw.held_us(t_us) > self._throw_us:
                table.void(words.LATE_THROW, words.INPUT_THROW_LINE)
            else:
                self._thrown(t_us)
        elif throw.hits and self._all_rules:
            table.void(words.NOT_FROM_HEAD, words.INPUT_FAR_WALL)
        elif throw.held_us(t_us) > self._throw_us + _LATE_US:
            table.void(words.LATE_THROW, words.INPUT_PICK_UP)

    def _thrown(self, t_us: int) -> None:
        table, throw = self._table, self._table.throw
        edges = throw.edges
        if edges.level and edges.for_us(t_us) >= _REACH_US:
            table.void(words.TRAY_OBSTRUCTED, words.INPUT_EDGE_BEAMS)
        elif edges.count and self._all_rules:
            wide = edges.width_us >= _REACH_US
            reason = words.TRAY_OBSTRUCTED if wide else words.OFF_TABLE
            table.void(reason, words.INPUT_EDGE_BEAMS)
        elif self._all_rules and throw.spread_us() > self._together_us:
            table.void(words.NOT_TOGETHER, words.INPUT_THROW_LINE)
        elif table.round.phase_ms(table.now_ms) >= self._limit_ms:
            table.void(words.NEVER_RESTED, words.INPUT_CAMERA)

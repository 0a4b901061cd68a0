"""The house rules of a spin: which evidence ends it, and under which code.

Every code's article stands in the fault table (tablespec.reasons). The judge reads the parts of
the table and tells the table; it keeps nothing but what one round needs.
"""

from tablewire import config
from tablewire import messages as m
from tablewire import roulette as words
from tablewire.compat import const

from ..core.clock import diff
from ..core.round import CLOSE

# Events of the phases, beside those of core.round.
BALL = const(10)  # first evidence of a ball
LAST_LAPS = const(11)  # the lap time passed its limit
DROP = const(12)  # the ball left the rim, valid so far

TRANSITIONS = (
    (m.PHASE_BETS_OPEN, BALL, words.PHASE_BALL_IN_RIM),
    (words.PHASE_BALL_IN_RIM, LAST_LAPS, m.PHASE_NO_MORE_BETS),
    (words.PHASE_BALL_IN_RIM, CLOSE, m.PHASE_NO_MORE_BETS),
    (words.PHASE_BALL_IN_RIM, DROP, words.PHASE_DROPPED),
    (m.PHASE_NO_MORE_BETS, DROP, words.PHASE_DROPPED),
)
_ODD_PASSES = const(2)
_MAGNET_PASSES = const(2)
_FAILED_CENTI = const(200)  # below two circuits the launch failed
_LONGEST_SPIN_US = const(60000000)


class RotorRules:
    """direction: of the rotor at the launch, 0 while it is not known."""

    def __init__(self, rotor: object) -> None:
        self._rotor = rotor
        self.direction = 0

    def launched(self) -> None:
        """The ball was seen: from now on the rotor counts."""
        self._rotor.launched()
        self.direction = self._rotor.ring.settled_direction()

    def reason(self) -> int:
        """The code that ends the spin, or 0."""
        rotor = self._rotor
        ring = rotor.ring
        if ring.stopped:
            return words.ROTOR_STOPPED
        if not self.direction:
            self.direction = ring.settled_direction()
        elif ring.direction == -self.direction:
            return words.ROTOR_REVERSED
        if rotor.index_lost():
            return words.INDEX_LOST
        if rotor.tick_lost():
            return words.TICK_LOST
        if ring.is_slow():
            return words.ROTOR_SLOW
        return words.ROTOR_FAST if ring.is_fast() else 0


class Judge:
    """Applies the rules on every ball pass and every tick."""

    def __init__(self, cfg: list, table: object) -> None:
        self._cfg = cfg
        self._table = table
        self._max_bet_ms = cfg[config.MAX_BET_MS]
        self._launch_lap_us = cfg[words.LAUNCH_LAP_MAX_MS] * 1000
        self._nmb_lap_us = cfg[words.NMB_LAP_MS] * 1000
        self._stuck_lap_us = cfg[words.STUCK_LAP_MS] * 1000
        self._drop_lap_us = cfg[words.DROP_LAP_MS] * 1000
        self._magnet_passes = 0  # while something lay in a pocket
        self._dropped_passes = 0  # after the ball had left the rim
        self._odd_before = False  # at the tick before: a burst is told as such, one tick later
        self._rotor = RotorRules(table.rotor)

    def opened(self) -> None:
        """A round opened."""
        self._magnet_passes = 0
        self._dropped_passes = 0
        self._odd_before = False
        self._rotor.direction = 0

    def ball_pass(self, sensor: int, t_us: int) -> None:
        """The ball passed rim sensor 0 or 1; what it means is judged at the next tick."""
        table = self._table
        table.pause.ball_passed(table.now_ms)
        phase = table.round.phase
        if phase == m.PHASE_CLOSED:
            return
        if not table.track.active:
            self._launched()
        table.track.ball_pass(sensor, t_us)
        self._dropped_passes += phase == words.PHASE_DROPPED
        self._magnet_passes += table.pocket.ball_lies(table.now_ms)

    def _launched(self) -> None:
        table = self._table
        self._rotor.launched()
        table.pocket.head.forget()
        table.round.move(BALL, table.now_ms)
        if self._cfg[words.CLOSE_ON_BALL]:
            table.round.close_bets(words.CLOSE_CAUSE_BALL_DETECTED, table.now_ms)

    def _reason_on_rim(self) -> int:
        track = self._table.track
        if self._dropped_passes:
            return words.BALL_STUCK
        if self._magnet_passes >= _MAGNET_PASSES:
            return words.FOREIGN_MAGNET
        if track.odd >= _ODD_PASSES:
            if self._odd_before:
                return words.FOREIGN_OBJECT
            self._odd_before = True
        if track.first_lap_us > self._launch_lap_us:
            return words.SLOW_LAUNCH
        if track.lap_us > self._stuck_lap_us:
            return words.BALL_STUCK
        ball = track.direction()
        return words.BALL_WITH_ROTOR if ball and ball == self._rotor.direction else 0

    def tick(self, t_us: int) -> None:
        """Time passed: judge what happened and what did not."""
        table = self._table
        phase = table.round.phase
        if phase == m.PHASE_CLOSED:
            return
        if not table.track.active:
            self._wait_for_ball()
            return
        reason = self._reason_on_rim() or self._rotor.reason() or self._reason_in_time(phase, t_us)
        if reason:
            table.void(reason, m.UNKNOWN_U8)
        elif phase == words.PHASE_DROPPED:
            self._read_number()
        elif phase == words.PHASE_BALL_IN_RIM and table.track.lap_us > self._nmb_lap_us:
            table.round.move(LAST_LAPS, table.now_ms)
            table.round.close_bets(m.CLOSE_CAUSE_LAP_TIME, table.now_ms)

    def _wait_for_ball(self) -> None:
        table = self._table
        now = table.now_ms
        if table.pocket.appeared(now):
            table.void(words.BALL_NOT_SENSED, m.UNKNOWN_U8)
        elif not table.round.betting and table.round.phase_ms(now) >= self._max_bet_ms:
            table.void(words.LAUNCH_FAILED, m.UNKNOWN_U8)

    def _reason_in_time(self, phase: int, t_us: int) -> int:
        table = self._table
        if phase == words.PHASE_DROPPED:
            if table.pocket.second_ball():
                return words.SECOND_BALL
            late = table.round.phase_ms(table.now_ms) > self._cfg[words.SETTLE_MS]
            return words.NO_POCKET if late else 0
        if table.track.is_gone(t_us, self._drop_lap_us) and not self.rim_covered():
            return self._reason_of_drop()
        long = diff(t_us, table.track.first_us) > _LONGEST_SPIN_US
        return words.BALL_STUCK if long else 0

    def rim_covered(self) -> bool:
        """Whether a rim sensor is held: by a ball, or by a fault too young to be told."""
        pulses = self._table.pulses
        return pulses[words.INPUT_RIM_1].covered or pulses[words.INPUT_RIM_2].covered

    def _reason_of_drop(self) -> int:
        table = self._table
        track = table.track
        circuits = track.circuits_centi()
        if circuits < _FAILED_CENTI:
            first_us = track.first_step_lap_us(-self._rotor.direction)
            return words.SLOW_LAUNCH if first_us > self._launch_lap_us else words.LAUNCH_FAILED
        if track.lap_us < self._drop_lap_us:
            return words.BALL_REMOVED
        if circuits < self._cfg[words.MIN_CIRCUITS] * 100:
            return words.SHORT_SPIN
        if not track.direction():
            return words.FOREIGN_OBJECT
        if not self._rotor.direction:
            return words.TICK_LOST
        table.round.close_bets(m.CLOSE_CAUSE_LAP_TIME, table.now_ms)
        table.round.move(DROP, table.now_ms)
        return 0

    def _read_number(self) -> None:
        table = self._table
        index = table.pocket.index(table.now_ms)
        if index >= 0 and not table.standing.count:
            table.number(index)

"""The rules of a spin: which evidence ends it, and under which code.

The fault table (tablespec.reasons) gives the article of every code. The judge reads rotor, track
and pocket, and stores only what one round needs.
"""

from tablewire import config
from tablewire import messages as m
from tablewire import roulette as words
from tablewire.compat import const
from tablewire.messages import PHASE_CLOSED
from tablewire.roulette import PHASE_BALL_IN_RIM, PHASE_DROPPED

from ..core.round import CLOSE
from ..core.ticks import MASK, diff
from .pocket import NONE
from .track import CHAIN_BEGINS

if -0:  # for mypy
    from tabletypes import Config

    from ..core.round import RoundControl
    from .pocket import Pocket
    from .pulses import Pulse
    from .rotor import Rotor
    from .track import Track

# Events of the phases, besides those of core.round.
BALL = const(10)  # first evidence of a ball
LAST_LAPS = const(11)  # the lap time passed its limit
DROP = const(12)  # the ball left the rim, valid so far

TRANSITIONS = (
    (m.PHASE_BETS_OPEN, BALL, PHASE_BALL_IN_RIM),
    (PHASE_BALL_IN_RIM, LAST_LAPS, m.PHASE_NO_MORE_BETS),
    (PHASE_BALL_IN_RIM, CLOSE, m.PHASE_NO_MORE_BETS),
    (PHASE_BALL_IN_RIM, DROP, PHASE_DROPPED),
    (m.PHASE_NO_MORE_BETS, DROP, PHASE_DROPPED),
)
_ODD_PASSES = const(2)
_MAGNET_PASSES = const(2)
_STUCK_PASSES = const(2)  # later than a ball that left the rim by itself; a finger makes one
_FAILED_CENTI = const(200)  # below two circuits the launch failed
_LONGEST_SPIN_US = const(60000000)
_NO_BALL_US = const(20000000)  # from a hand at a rim sensor to the ball


class Judge:
    """Applies the rules on every ball pass and every tick. rims: the Pulse of each rim sensor.

    is_overdue: the ball may have left the rim. rotor_way: of the rotor at the launch, 1, -1 or 0
    not known yet. rests_to_us: with ring and track at rest nothing changes before; see
    core.snapshot.
    """

    def __init__(
        self,
        cfg: "Config",
        control: "RoundControl",
        track: "Track",
        rotor: "Rotor",
        pocket: "Pocket",
        rims: "list[Pulse]",
    ) -> None:
        self._cfg = cfg
        self._control = control
        self._track = track
        self._pocket = pocket
        self._rims = rims
        self._ring = rotor.ring
        self._rotor = rotor
        self.rests_to_us = 0
        self.opened()

    def opened(self) -> None:
        """A round opened."""
        self._magnet_passes = 0  # while something was in a pocket
        self._dropped_passes = 0  # after the ball had left the rim
        self._odd_before = False  # at the tick before: a burst is reported as such a tick later
        self.is_overdue = False
        self.rotor_way = 0

    def ball_seen(self, t_us: int) -> None:
        """Something passed a rim sensor: a ball, or a hand. Either closes the bets."""
        control, track = self._control, self._track
        control.interval.ball_passed(control.now_ms)
        if control.phase != PHASE_CLOSED:
            if not track.active:
                self._launched()
            if not track.passes:
                self._pocket.forget()  # a hand may have come before it took the ball out
            track.activate(t_us)

    def ball_pass(self, sensor: int, t_us: int, width_us: int) -> None:
        """It left rim sensor 0, 1 ... again; the next tick judges what that means."""
        control, track = self._control, self._track
        phase = control.phase
        if phase == PHASE_CLOSED:
            return
        if phase == PHASE_DROPPED:
            track.at_rest = False
            self._dropped_passes += not track.is_wide(sensor, t_us, width_us)
        elif track.ball_pass(sensor, t_us, width_us):
            if track.passes == CHAIN_BEGINS:
                # Before, a hand at the rim may have turned the rotor the other way.
                self._rotor.launched()
                self.rotor_way = self._ring.settled_direction()
            if track.direction():
                self._magnet_passes += self._pocket.on_rim(control.now_ms)

    def _launched(self) -> None:
        control = self._control
        if self._cfg[words.CLOSE_ON_BALL]:
            control.close_bets(words.CLOSE_CAUSE_BALL_DETECTED)
        control.move(BALL)

    def _reason_on_rim(self) -> int:
        track = self._track
        if track.at_rest:
            return 0
        if self._dropped_passes + track.late >= _STUCK_PASSES:
            return words.BALL_STUCK
        if self._magnet_passes >= _MAGNET_PASSES:
            return words.FOREIGN_MAGNET
        is_odd = track.odd >= _ODD_PASSES
        if is_odd:
            if self._odd_before:
                return words.FOREIGN_OBJECT
            self._odd_before = True
        ball, rotor = track.direction(), self.rotor_way
        if ball:
            if track.first_lap_us > self._cfg[words.LAUNCH_LAP_MAX_MS] * 1000:
                return words.SLOW_LAUNCH
            if track.is_due and track.lap_us > self._cfg[words.STUCK_LAP_MS] * 1000:
                return words.BALL_STUCK
            if ball == rotor:
                return words.BALL_WITH_ROTOR
        # Only a pass can change that, once the rotor's direction is known.
        track.at_rest = ball and rotor and not is_odd and track.silent_sensor() < 0
        return 0

    def _reason_of_rotor(self) -> int:
        rotor, ring = self._rotor, self._ring
        if ring.at_rest or not self._track.passes:
            return 0
        if ring.stopped:
            return words.ROTOR_STOPPED
        if not self.rotor_way:
            self.rotor_way = ring.settled_direction()
        elif ring.direction == -self.rotor_way:
            return words.ROTOR_REVERSED
        reason = rotor.lost() or ring.out_of_limits()
        ring.at_rest = not reason and ring.silent_sensor() < 0
        return reason

    def tick(self, t_us: int) -> int:
        """Time passed: judge what happened and what did not.

        Returns the pocket index that ends the round, or NONE.
        """
        control, track = self._control, self._track
        phase = control.phase
        if phase == PHASE_CLOSED:
            return NONE
        if not track.active:
            self._wait_for_ball()
            return NONE
        if track.at_rest and self._ring.at_rest and diff(t_us, self.rests_to_us) < 0:
            return NONE
        reason = (
            self._reason_on_rim() or self._reason_of_rotor() or self._reason_in_time(phase, t_us)
        )
        if reason:
            control.void(reason, m.UNKNOWN_U8)
        elif phase == PHASE_DROPPED:
            if not control.faults.count:
                return self._pocket.index(control.now_ms)
        elif phase == PHASE_BALL_IN_RIM and track.lap_us > self._cfg[words.NMB_LAP_MS] * 1000:
            control.close_bets(m.CLOSE_CAUSE_LAP_TIME)
            control.move(LAST_LAPS)
        return NONE

    def _wait_for_ball(self) -> None:
        control = self._control
        if self._pocket.appeared(control.now_ms):
            control.void(words.BALL_NOT_SENSED, m.UNKNOWN_U8)
        elif not control.betting and control.phase_ms() >= self._cfg[config.MAX_BET_MS]:
            control.void(words.LAUNCH_FAILED, m.UNKNOWN_U8)

    def _reason_in_time(self, phase: int, t_us: int) -> int:
        control, track = self._control, self._track
        if phase == PHASE_DROPPED:
            reason = self._pocket.reason(control.now_ms)
            late = control.phase_ms() > self._cfg[words.SETTLE_MS]
            return reason or (words.NO_POCKET if late else 0)
        if not track.passes:
            if self._pocket.appeared(control.now_ms):
                return words.BALL_NOT_SENSED
            return words.LAUNCH_FAILED if diff(t_us, track.last_us) > _NO_BALL_US else 0
        left_us = _LONGEST_SPIN_US - diff(t_us, track.first_us)
        if left_us < 0:
            return words.BALL_STUCK
        due_us = track.next_us - diff(t_us, track.last_us)
        self.is_overdue = due_us < 0
        if self.is_overdue:
            due_us = track.unseen_us(t_us, self._cfg[words.DROP_LAP_MS] * 1000)
            if due_us < 0 and not self.rim_covered(False):
                return self._reason_of_drop(t_us)
        self.rests_to_us = (t_us + min(left_us, due_us) + 1) & MASK
        return 0

    def rim_covered(self, begins: bool) -> bool:
        """Whether a rim sensor is covered: by a ball, or by a fault too young to be reported.

        begins: since so lately that it may be no pulse. Of light that flickers at 100 Hz every
        step of 40 ms may see such a one: then no round opened, and 45 of 48 that were open ended
        with BALL_STUCK a minute after the launch.
        """
        for pulse in self._rims:
            if pulse.covered and pulse.pending == begins:
                return True
        return False

    def _reason_of_drop(self, t_us: int) -> int:
        control, track = self._control, self._track
        circuits = track.circuits_centi()
        if circuits < _FAILED_CENTI:
            if track.late:
                return words.BALL_STUCK
            is_slow = track.first_lap_us > self._cfg[words.LAUNCH_LAP_MAX_MS] * 1000
            return words.SLOW_LAUNCH if is_slow else words.LAUNCH_FAILED
        if track.lap_us < self._cfg[words.DROP_LAP_MS] * 1000:
            return words.BALL_REMOVED
        if circuits < self._cfg[words.MIN_CIRCUITS] * 100:
            return words.SHORT_SPIN
        if not track.direction():
            return words.FOREIGN_OBJECT
        if not self.rotor_way:
            return words.TICK_LOST
        sure_ms = (control.now_ms - diff(t_us, track.sure_us) // 1000) & MASK
        left_us = diff(t_us, track.last_us) - track.left_us
        self._pocket.left_rim(sure_ms, (control.now_ms - left_us // 1000) & MASK)
        control.close_bets(m.CLOSE_CAUSE_LAP_TIME)
        control.move(DROP)
        return 0

"""The rules of a money wheel: which evidence ends a round, and under which code.

hc2023 2:5(4), hc2011 4:2(4): invalid when the indicator hangs on a pin, when an object or
a person obstructs the free running, and when the wheel does not make four revolutions.
"""

from tablewire import config
from tablewire import messages as m
from tablewire import money_wheel as words
from tablewire.codes import SENSOR_STUCK
from tablewire.compat import const

from ..core.ticks import diff
from .flapper import FREE_PERCENT

if -0:  # for mypy
    from tabletypes import Config

    from ..core.round import RoundControl
    from .flapper import Flapper
    from .pin_place import Pins
    from .wheel_run import Run

TURN = const(10)  # event of the phases, besides those of core.round

_LOST = const(2)  # turns in a row
_ALONE = const(12)  # edges of one pin sensor without the other
_TREMOR_US = const(500000)  # edges further apart are no turning wheel
_STILL_MS = const(2000)  # no free wheel takes that long for half a segment, nor an unbalanced one
_ON_PIN_PERCENT = const(85)
_LEANING_PERCENT = const(60)
_HELD_READS = const(2)  # of the flapper bent, or bent back, where no pin can reach it
_BACK_PERCENT = const(-20)


class WheelJudge:
    """Applies the rules on every tick."""

    def __init__(
        self, cfg: "Config", control: "RoundControl", run: "Run", pins: "Pins", flapper: "Flapper"
    ) -> None:
        self._control = control
        self._run = run
        self._pins = pins
        self._flapper = flapper
        self._min_centi = cfg[words.MIN_REVOLUTIONS] * 100
        self._since_push = cfg[words.REVOLUTIONS_FROM]
        self._max_pushes = cfg[words.MAX_PUSHES]
        self._max_drpm = cfg[words.WHEEL_MAX_DRPM]
        self._rest_ms = cfg[words.REST_MS]
        self._max_run_ms = cfg[words.MAX_RUN_MS]
        self._max_bet_ms = cfg[config.MAX_BET_MS]
        self._close_on_turn = cfg[words.CLOSE_ON_TURN]
        self._nmb_drpm = cfg[words.NMB_DRPM]
        self._alone = 0
        self._alone_sensor = words.INPUT_ROTOR_A
        self._alone_us = 0
        self._still = False  # it rested since the run began
        self._held = 0  # consecutive readings, 0..2

    def opened(self) -> None:
        """A round opened."""
        self._still = False
        self._pins.launched()

    def edge(self, sensor: int, t_us: int) -> None:
        """A pin sensor switched."""
        self._flapper.has_snapped = False
        if sensor != self._alone_sensor or diff(t_us, self._alone_us) > _TREMOR_US:
            self._alone_sensor = sensor
            self._alone = 1
        elif self._alone < _ALONE:
            self._alone += 1
        self._alone_us = t_us
        faults = self._control.faults
        if faults.count and sensor == faults.sensor(SENSOR_STUCK):
            self._control.clear_fault(SENSOR_STUCK)

    def tick(self, rest_ms: int) -> bool:
        """Time passed; returns whether the wheel rests and its segment is the result.

        rest_ms: since the wheel moved.
        """
        control = self._control
        self._watch_sensors()
        phase = control.phase
        if phase == words.PHASE_TURNING:
            self._watch_flapper()
            reason = self._reason(rest_ms)
            if reason:
                control.void(reason, m.UNKNOWN_U8)
            elif rest_ms >= self._rest_ms and not control.faults.count:
                return True
            elif self._run.is_free() and self._run.drpm() < self._nmb_drpm:
                control.close_bets(m.CLOSE_CAUSE_LAP_TIME)
        elif phase != m.PHASE_CLOSED:
            self._wait()
        return False

    def _watch_sensors(self) -> None:
        control, flapper = self._control, self._flapper
        if self._alone >= _ALONE:
            silent = words.INPUT_ROTOR_A + words.INPUT_ROTOR_B - self._alone_sensor
            control.raise_fault(SENSOR_STUCK, silent, 0, 1)
        if flapper.out and flapper.is_broken():
            control.raise_fault(words.FLAPPER_LOST, words.INPUT_FLAPPER, flapper.raw, 0)
        elif not flapper.out and control.faults.count:
            control.clear_fault(words.FLAPPER_LOST)

    def _watch_flapper(self) -> None:
        # In the middle of a segment a slow wheel leaves it free.
        percent = self._flapper.percent
        is_free = _BACK_PERCENT < percent < _LEANING_PERCENT
        if is_free or not self._run.is_slow() or not 0 < self._pins.quarter() < 3:
            self._held = 0
        elif self._held < _HELD_READS:
            self._held += 1

    def _wait(self) -> None:
        control = self._control
        if self._run.direction:
            self._flapper.forget()  # a pin may have bent it while the wheel rested
            control.move(TURN)
            if self._close_on_turn:
                control.close_bets(words.CLOSE_CAUSE_WHEEL_TURNS)
        elif not control.betting and control.phase_ms() >= self._max_bet_ms:
            control.void(words.NOT_SPUN, m.UNKNOWN_U8)

    def _reason(self, rest_ms: int) -> int:
        run, pins = self._run, self._pins
        if run.coasting.has_turned_back(run.back):
            return words.WHEEL_REVERSED
        if run.drpm() > self._max_drpm:
            return words.RUNAWAY
        if run.braked or run.pushes > self._max_pushes or self._held >= _HELD_READS:
            return words.OBSTRUCTED
        if pins.missed >= _LOST:
            return words.PIN_INDEX_LOST
        if pins.bad >= _LOST:
            return words.PINS_LOST
        if rest_ms >= _STILL_MS:
            self._still = True
            if rest_ms >= self._rest_ms:
                return self._reason_at_rest()
        elif self._still:
            return words.OBSTRUCTED
        return words.NEVER_STOPPED if self._control.phase_ms() >= self._max_run_ms else 0

    def _reason_at_rest(self) -> int:
        run, flapper = self._run, self._flapper
        self._control.close_bets(words.CLOSE_CAUSE_WHEEL_TURNS)
        if run.stopped_hard():
            return words.OBSTRUCTED
        turned = run.pushed_centi() if self._since_push else run.revolutions_centi()
        if turned < self._min_centi:
            return words.SHORT_TURN
        if flapper.percent >= _ON_PIN_PERCENT:
            return words.FLAPPER_ON_PIN
        if self._is_at_boundary():
            return words.BOUNDARY_STOP
        coasting = run.coasting
        if coasting.was_touched(run.back) or coasting.stopped_hard() or run.turns.was_touched:
            return words.OBSTRUCTED
        if run.law.is_broken():
            return words.OBSTRUCTED
        if flapper.is_stiff():
            return words.FLAPPER_STIFF
        return 0 if self._pins.segment() >= 0 else words.PINS_LOST

    def _is_at_boundary(self) -> bool:
        # A pin is as near as its magnet may be misplaced: not yet passed, or just passed. Behind
        # the pin the flapper is free, so a bent one proves that it was not passed, and one that
        # fell free without a mark that it was.
        quarter = self._pins.quarter()
        before, past = (3, 0) if self._run.direction > 0 else (0, 3)
        if quarter == before:
            return self._flapper.percent >= _LEANING_PERCENT or self._flapper.has_snapped
        return quarter == past and self._flapper.percent >= FREE_PERCENT

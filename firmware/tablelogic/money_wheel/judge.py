"""The house rules of a money wheel: which evidence ends a round, and under which code.

hc2023 2:5(4), hc2011 4:2(4): invalid when the indicator hangs on a pin, when something or
somebody obstructs the free running, and when the wheel does not make four revolutions.
"""

from tablewire import config
from tablewire import messages as m
from tablewire import money_wheel as words
from tablewire.codes import SENSOR_STUCK
from tablewire.compat import const

from ..core.clock import diff

TURN = const(10)  # event of the phases, beside those of core.round

_BOUNCE = const(6)  # quarters: from the flapper a wheel rolls back by one segment at most
_LOST = const(2)  # turns in a row
_ALONE = const(12)  # edges of one pin sensor without the other
_TREMOR_US = const(500000)  # edges further apart are no turning wheel
_STILL_MS = const(1400)  # no free wheel takes that long for half a segment
_ON_PIN_PERCENT = const(85)
_LEANING_PERCENT = const(60)


class WheelJudge:
    """Applies the rules on every tick. table: table.MoneyWheel."""

    def __init__(self, cfg: list, table: object) -> None:
        self._table = table
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
        self._still = False  # it stood since the run began

    def opened(self) -> None:
        """A round opened."""
        self._still = False
        self._table.pins.launched()

    def edge(self, sensor: int, t_us: int) -> None:
        """A pin sensor switched."""
        table = self._table
        if sensor != self._alone_sensor or diff(t_us, self._alone_us) > _TREMOR_US:
            self._alone_sensor = sensor
            self._alone = 1
        elif self._alone < _ALONE:
            self._alone += 1
        self._alone_us = t_us
        if table.standing.count and sensor == table.standing.sensor(SENSOR_STUCK):
            table.clear_fault(SENSOR_STUCK, t_us)

    def tick(self, t_us: int, rest_ms: int) -> None:
        """Time passed. rest_ms: since the wheel moved."""
        table = self._table
        if self._alone >= _ALONE:
            silent = words.INPUT_ROTOR_A + words.INPUT_ROTOR_B - self._alone_sensor
            table.raise_fault(SENSOR_STUCK, silent, 0, 1, t_us)
        flapper = table.flapper
        if flapper.is_broken():
            table.raise_fault(words.FLAPPER_LOST, words.INPUT_FLAPPER, flapper.raw, 0, t_us)
        elif not flapper.out and table.standing.count:
            table.clear_fault(words.FLAPPER_LOST, t_us)
        phase = table.round.phase
        if phase == words.PHASE_TURNING:
            reason = self._reason(rest_ms)
            if reason:
                table.void(reason, m.UNKNOWN_U8)
            elif rest_ms >= self._rest_ms and not table.standing.count:
                table.number(rest_ms)
            elif table.run.is_free() and table.rotor_drpm < self._nmb_drpm:
                table.round.close_bets(m.CLOSE_CAUSE_LAP_TIME, table.now_ms)
        elif phase != m.PHASE_CLOSED:
            self._wait()

    def _wait(self) -> None:
        table = self._table
        if table.run.direction:
            table.flapper.forget()  # a pin may have bent it while the wheel stood
            table.round.move(TURN, table.now_ms)
            if self._close_on_turn:
                table.round.close_bets(words.CLOSE_CAUSE_WHEEL_TURNS, table.now_ms)
        elif not table.round.betting and table.round.phase_ms(table.now_ms) >= self._max_bet_ms:
            table.void(words.NOT_SPUN, m.UNKNOWN_U8)

    def _reason(self, rest_ms: int) -> int:
        table = self._table
        run = table.run
        if run.back >= _BOUNCE:
            return words.WHEEL_REVERSED
        if table.rotor_drpm > self._max_drpm:
            return words.RUNAWAY
        if run.braked or run.pushes > self._max_pushes:
            return words.OBSTRUCTED
        if table.pins.missed >= _LOST:
            return words.PIN_INDEX_LOST
        if table.pins.bad >= _LOST:
            return words.PINS_LOST
        if rest_ms >= _STILL_MS:
            self._still = True
            if rest_ms >= self._rest_ms:
                return self._reason_at_rest()
        elif self._still:
            return words.OBSTRUCTED
        if table.round.phase_ms(table.now_ms) >= self._max_run_ms:
            return words.NEVER_STOPPED
        return 0

    def _reason_at_rest(self) -> int:
        table = self._table
        run = table.run
        table.round.close_bets(words.CLOSE_CAUSE_WHEEL_TURNS, table.now_ms)
        if run.stopped_hard():
            return words.OBSTRUCTED
        made = run.pushed_centi() if self._since_push else run.revolutions_centi()
        if made < self._min_centi:
            return words.SHORT_TURN
        if table.flapper.percent >= _ON_PIN_PERCENT:
            return words.FLAPPER_ON_PIN
        if self._is_at_boundary():
            return words.BOUNDARY_STOP
        if table.flapper.is_stiff():
            return words.FLAPPER_STIFF
        return 0 if table.pins.segment() >= 0 else words.PINS_LOST

    def _is_at_boundary(self) -> bool:
        # A pin is as near as its magnet may be misplaced: not yet passed, or just passed.
        table = self._table
        quarter = table.pins.quarter()
        before, past = (3, 0) if table.run.direction > 0 else (0, 3)
        if quarter == before:
            return table.flapper.percent >= _LEANING_PERCENT
        return quarter == past

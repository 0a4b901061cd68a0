"""The roulette table: sensors in, rounds out. Puts the parts together; decides nothing twice.

Time comes with every call: microseconds on the 30-bit clock. From it a 30-bit millisecond clock
is kept that runs as long as `tick` is called at least every nine minutes.
"""

from tablewire import codes, config
from tablewire import messages as m
from tablewire.compat import const

from . import phases, wheels
from .evidence import Evidence
from .inputs import Inputs
from .judge import Judge
from .pocket import Pocket
from .pulse import Pulse
from .rotor import Rotor
from .round import Round
from .standing import Standing
from .ticks import MASK, diff
from .track import Track

_QUIET_MS = const(6000)  # since the last ball pass, before bets open again


class Roulette:
    """The role `roulette`. config: list indexed by key number. out: the sink of decisions."""

    def __init__(self, cfg: list, out: object) -> None:
        self._cfg = cfg
        self._out = out
        pockets = len(wheels.order(cfg[config.WHEEL]))
        self.rotor = Rotor(pockets, cfg[config.ROTOR_MIN_DRPM], cfg[config.ROTOR_MAX_DRPM])
        self.track = Track(cfg[config.RIM_ANGLE_MDEG])
        self.pulses = [Pulse() for _ in range(m.SENSOR_HEAD + 1)]
        self.pocket = Pocket(cfg, self.rotor)
        self.round = Round(out)
        self.standing = Standing(out)
        self.evidence = Evidence(cfg, self.rotor, self.track, self.pocket)
        self.judge = Judge(cfg, self)
        self._inputs = Inputs(cfg, self)
        self._opened = [cfg[config.WHEEL], cfg[config.MIN_CIRCUITS], cfg[config.MAX_BET_MS]]
        self.now_ms = 0
        self._last_us = -1  # of the tick before, -1 before the first
        self._rest_us = 0
        self._quiet_ms = 0  # last ball pass, or boot

    @property
    def phase(self) -> int:
        """The phase, messages.PHASE_*."""
        return self.round.phase

    def faults(self) -> int:
        """How many faults stand."""
        return self.standing.count

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """A sensor switched at t_us, in time order. level: 1 active."""
        self._inputs.edge(sensor, level, self.now_ms, t_us)
        if sensor <= m.SENSOR_HEAD and self.pulses[sensor].edge(level, t_us):
            self._pulse(sensor, self.pulses[sensor].rose_us)
        if self.standing.count and sensor == self.standing.sensor(codes.SENSOR_STUCK):
            self._switched(sensor, level)

    def wants_array(self) -> bool:
        """Whether the pocket array should be read."""
        return self.pocket.uses_array

    def array(self, bits: bytearray, t_us: int) -> None:
        """What the pocket switches show."""
        self.pocket.array.read(bits, self.now_ms)

    def tick(self, t_us: int) -> None:
        """Time passed; call after the edges, every 40 ms."""
        self._advance(t_us)
        self.rotor.tick(t_us)
        self.pocket.tick(t_us)
        self._inputs.tick(self.now_ms, t_us)
        self.judge.tick(t_us)
        if self.round.phase == m.PHASE_CLOSED and self._may_reopen():
            self.open_bets(t_us)

    def open_bets(self, t_us: int) -> int:
        """Open a round; returns 0 or the REFUSAL cause."""
        if self.round.phase != m.PHASE_CLOSED:
            return m.REFUSAL_ROUND_OPEN
        if self.standing.count:
            return m.REFUSAL_FAULT_STANDING
        if not self._wheel_is_quiet():
            return m.REFUSAL_WRONG_PHASE
        if not self._out.may_open():
            return m.REFUSAL_JOURNAL_FULL
        self.track.reset()
        self.pocket.watch(t_us, self.now_ms)
        self.judge.opened()
        self.round.open(self._opened, self.now_ms)
        return 0

    def close_bets(self, cause: int, t_us: int) -> int:
        """No more bets; returns 0 or the REFUSAL cause."""
        if not self.round.betting:
            return m.REFUSAL_WRONG_PHASE
        self.round.close_bets(cause, self.now_ms)
        self.round.move(phases.CLOSE, self.now_ms)
        return 0

    def void_round(self, reason: int, t_us: int) -> int:
        """Void the open round; returns 0 or the REFUSAL cause."""
        if self.round.phase == m.PHASE_CLOSED:
            return m.REFUSAL_WRONG_PHASE
        self.void(reason, m.UNKNOWN_U8)
        return 0

    def raise_fault(self, code: int, sensor: int, value: int, limit: int, t_us: int) -> None:
        """A standing fault: voids an open round and locks the table."""
        if self.standing.up(code, sensor, value, limit, self.now_ms):
            self.void(code, sensor)

    def clear_fault(self, code: int, t_us: int) -> None:
        """The cause of a standing fault is gone."""
        self.standing.down(code, self.now_ms)

    def circuits(self) -> int:
        """Complete circuits of the ball so far, 255 unknown."""
        return min(self.track.circuits_centi() // 100, 250) if self.track.active else m.UNKNOWN_U8

    @property
    def rotor_direction(self) -> int:
        """1 clockwise, -1 counter-clockwise, 0 unknown."""
        return self.rotor.direction

    @property
    def rotor_drpm(self) -> int:
        """Speed of the rotor in 0.1 rpm, 0 at rest, 65535 unknown."""
        return 0 if self.rotor.stopped else self.rotor.drpm()

    def void(self, reason: int, sensor: int) -> None:
        """End the open round without a number."""
        if self.round.phase != m.PHASE_CLOSED:
            values = self.evidence.of_void(reason, self.round.phase, sensor)
            self.round.void(values, self.now_ms)

    def _advance(self, t_us: int) -> None:
        elapsed = diff(t_us, self._last_us) + self._rest_us if self._last_us >= 0 else 0
        self._last_us = t_us
        self._rest_us = elapsed % 1000
        self.now_ms = (self.now_ms + elapsed // 1000) & MASK

    def _pulse(self, sensor: int, t_us: int) -> None:
        if sensor == m.SENSOR_ROTOR_A:
            self.rotor.tick_a(t_us)
        elif sensor == m.SENSOR_ROTOR_B:
            self.rotor.tick_b(t_us)
        elif sensor == m.SENSOR_INDEX:
            self.rotor.index()
        elif sensor == m.SENSOR_HEAD:
            self.pocket.head.pulse(t_us)
        else:
            self._quiet_ms = self.now_ms
            self.judge.ball_pass(sensor - m.SENSOR_RIM_1, t_us)

    def _switched(self, sensor: int, level: int) -> None:
        if bool(level) == (sensor < m.SENSOR_RIM_1):
            self.standing.down(codes.SENSOR_STUCK, self.now_ms)

    def _wheel_is_quiet(self) -> bool:
        return diff(self.now_ms, self._quiet_ms) >= _QUIET_MS

    def _may_reopen(self) -> bool:
        hold = self.round.phase_ms(self.now_ms) >= self._cfg[config.RESULT_HOLD_MS]
        return (
            self._cfg[config.AUTO_OPEN] and hold and not self.standing.count
            and self._wheel_is_quiet()
        )  # fmt: skip

"""The roulette table: sensors in, rounds out. Time: microseconds on the 30-bit clock."""

from tablewire import config
from tablewire import messages as m

from . import phases, wheels
from .evidence import Evidence
from .inputs import Inputs
from .judge import Judge
from .lines import Lines
from .mills import Mills
from .pause import Pause
from .pocket import Pocket
from .rotor import Rotor
from .round import Round
from .sensor_watch import SensorWatch
from .standing import Standing
from .track import Track


class Roulette:
    """The role `roulette`. config: list indexed by key number. out: the sink of decisions."""

    def __init__(self, cfg: list, out: object) -> None:
        self._out = out
        pockets = len(wheels.order(cfg[config.WHEEL]))
        self.rotor = Rotor(pockets, cfg[config.ROTOR_MIN_DRPM], cfg[config.ROTOR_MAX_DRPM])
        self.track = Track(cfg[config.RIM_ANGLE_MDEG])
        self._lines = Lines(self)
        self.pulses = self._lines.pulses
        self.pocket = Pocket(cfg, self.rotor)
        self.round = Round(out)
        self.standing = Standing(out)
        self._evidence = Evidence(cfg, self.rotor, self.track, self.pocket)
        self.judge = Judge(cfg, self)
        self._inputs = Inputs(cfg, self)
        self._watch = SensorWatch(self)
        self._opened = [cfg[config.WHEEL], cfg[config.MIN_CIRCUITS], cfg[config.MAX_BET_MS]]
        self._clock = Mills()
        self.now_ms = 0
        self.pause = Pause(cfg)

    @property
    def phase(self) -> int:
        """The phase, messages.PHASE_*."""
        return self.round.phase

    def faults(self) -> int:
        """How many faults stand."""
        return self.standing.count

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """A sensor switched at t_us, in time order. level: 1 active."""
        self._inputs.plausible.edge(sensor)
        if sensor <= m.SENSOR_HEAD:
            self._lines.edge(sensor, level, t_us)
        else:
            self._inputs.edge(sensor, level, self.now_ms, t_us)
        if self.standing.count:
            self._watch.edge(sensor, level)

    def wants_array(self) -> bool:
        """Whether there is a pocket array to read."""
        return self.pocket.uses_array

    def array(self, bits: bytearray, t_us: int) -> None:
        """What the pocket switches show."""
        self.pocket.array.read(bits, self.now_ms)

    def tick(self, t_us: int) -> None:
        """Time passed; call after the edges, every 40 ms."""
        self.now_ms = self._clock.advance(t_us)
        if self._lines.waiting:
            self._lines.tick(t_us)
        self.rotor.ring.tick(t_us)
        self.pocket.tick(t_us)
        self._inputs.tick(self.now_ms, t_us)
        self._watch.tick(t_us)
        self.standing.tick(self.now_ms)
        self.judge.tick(t_us)
        if self.round.phase == m.PHASE_CLOSED and self.pause.tick(self.now_ms):
            self.open_bets(t_us)

    def open_bets(self, t_us: int) -> int:
        """Open a round; returns 0 or the REFUSAL cause."""
        if self.round.phase != m.PHASE_CLOSED:
            return m.REFUSAL_ROUND_OPEN
        if self.standing.count:
            return m.REFUSAL_FAULT_STANDING
        if not self.pause.quiet or self.judge.rim_covered():
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
        return 0 if self.void(reason, m.UNKNOWN_U8) else m.REFUSAL_WRONG_PHASE

    def raise_fault(self, code: int, sensor: int, value: int, limit: int, t_us: int) -> None:
        """A standing fault, new or from before a boot: voids an open round, locks the table."""
        fitted = self._inputs.hold(code, self.now_ms)
        if fitted and self.standing.up(code, sensor, value, limit, self.now_ms):
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
        return self.rotor.ring.direction

    @property
    def rotor_drpm(self) -> int:
        """Speed of the rotor in 0.1 rpm, 0 at rest, 65535 unknown."""
        return self.rotor.ring.drpm()

    def void(self, reason: int, sensor: int) -> bool:
        """End the open round without a number; False when none is open."""
        if self.round.phase == m.PHASE_CLOSED:
            return False
        self.round.void(self._evidence.of_void(reason, self.phase, sensor), self.now_ms)
        self.pause.round_ended(self.now_ms)
        return True

    def number(self, index: int) -> None:
        """End the open round with the number at pocket index `index`."""
        values = self._evidence.of_result(index, self.round.phase_ms(self.now_ms))
        self.round.result(values, self.now_ms)
        self.pause.round_ended(self.now_ms)

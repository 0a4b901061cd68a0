"""The money wheel (Big Wheel): pins, index and flapper in, rounds out.

hc2023 2:5, hc2011 4:2: set in motion, pushed once more, four revolutions, and the segment under
the flapper when the wheel has come to rest. Times: microseconds on the 30-bit clock.
"""

from tablewire import config
from tablewire import messages as m
from tablewire import money_wheel as words
from tablewire.money_wheel import INPUT_INDEX

from ..core.role import Role
from ..core.ticks import diff
from . import wheel_segments
from .coast_law import Law
from .flapper import Flapper
from .pin_place import Pins
from .run_judge import TURN, WheelJudge
from .wheel_run import Run

if -0:  # for mypy
    from tabletypes import Config, Decisions, MakeRole


class ResultFields:
    """The fields of money_wheel_result and round_void, read from run and pins."""

    def __init__(self, cfg: "Config", layout: "bytes", run: "Run", pins: "Pins") -> None:
        self._layout = layout
        self._offset = cfg[words.PIN_OFFSET]
        self._run = run
        self._pins = pins

    def of_result(self, result_ms: int, rest_ms: int) -> "list[int]":
        """The values of money_wheel_result for the segment under the flapper."""
        run = self._run
        segment = (self._pins.segment() + self._offset) % len(self._layout)
        return [
            self._layout[segment],
            segment,
            min(run.revolutions_centi(), 60000),
            min(run.pushed_centi(), 60000),
            run.pushes,
            -run.direction,
            min(max(run.friction_ddegss(), 0), 60000),
            min(run.pin_us // 1000, 60000),
            result_ms,
            rest_ms,
        ]

    def motion(self) -> "list[int]":
        """Revolutions, direction and speed of the wheel."""
        run = self._run
        turns = min(run.revolutions_centi(), 60000) if run.direction else m.UNKNOWN_U16
        return [turns, 0, -run.direction, run.drpm(), m.UNKNOWN_U16]


class MoneyWheel(Role):
    """The role `money_wheel`. cfg: list indexed by key number. out: the sink of decisions."""

    result_message = words.MONEY_WHEEL_RESULT
    last_bets_phase = words.PHASE_TURNING
    last_phase = words.PHASE_TURNING
    own_faults = words.FAULT_CODES
    transitions = (
        (m.PHASE_BETS_OPEN, TURN, words.PHASE_TURNING),
        (m.PHASE_NO_MORE_BETS, TURN, words.PHASE_TURNING),
    )
    edges_most = 48  # in 40 ms at 90 rpm, with bounce

    def __init__(self, cfg: "Config", out: "Decisions") -> None:
        super().__init__(cfg, out)
        layout = wheel_segments.layout(cfg[words.SEGMENTS])
        pins = len(layout)
        law = Law(cfg, pins)
        self.run = Run(pins, cfg[words.FRICTION_DDEGSS], law)
        self.pins = Pins(pins, self.run)
        self.flapper = Flapper(cfg[words.FLAPPER_REST_RAW], cfg[words.FLAPPER_TOP_RAW])
        self.judge = WheelJudge(cfg, self.control, self.run, self.pins, self.flapper)
        self._fields = ResultFields(cfg, layout, self.run, self.pins)
        self.control.moving = self._fields
        self._rest_ms = cfg[words.REST_MS]
        self._ticks = 0  # 0..7
        self._resting = True  # longer than the clock can measure
        self._opened = [
            words.WHEEL_SEGMENTS_52 if pins == 52 else words.WHEEL_SEGMENTS_54,
            cfg[words.MIN_REVOLUTIONS],
            cfg[config.MAX_BET_MS],
        ]

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """A sensor switched at t_us, in time order. level: 1 active."""
        self.inputs.plausible.edge(sensor)
        if sensor > INPUT_INDEX:
            self.contact(sensor, level, t_us)
            return
        if self._resting:  # a class with properties is slow to store
            self._resting = False
        self.pins.edge(sensor, level, t_us)
        if sensor != INPUT_INDEX:
            self.judge.edge(sensor, t_us)

    def wants_analog(self) -> bool:
        """Whether to read the flapper now: at every tick when slow, else at every eighth."""
        return not self._ticks or self.run.is_slow()

    def analog(self, raw: int) -> None:
        """What the flapper's sensor shows, 0..4095."""
        self.flapper.read(raw)

    def tick(self, t_us: int) -> None:
        """Time passed; call after the edges, every 40 ms."""
        control = self.control
        control.advance(t_us)
        self._ticks = (self._ticks + 1) & 7
        self.pins.tick(t_us)
        self.end_tick()
        rest_ms = self._rest_for_ms(t_us)
        if self.judge.tick(rest_ms):
            control.end(self._fields.of_result(control.phase_ms(), rest_ms))
        if control.phase == m.PHASE_CLOSED:
            if rest_ms >= self._rest_ms:
                self.run.reset()
            self.open_when_due(t_us)

    def _rest_for_ms(self, t_us: int) -> int:
        """How long the wheel has not moved by more than a tremor, at most 60,000."""
        if not self._resting:
            rest_ms = diff(t_us, self.pins.moved_us) // 1000
            if rest_ms < 60000:
                return max(rest_ms, 0)
            self._resting = True
        return 60000

    def circuits(self) -> int:
        """Complete revolutions so far, 255 unknown."""
        run = self.run
        return min(run.revolutions_centi() // 100, 250) if run.direction else m.UNKNOWN_U8

    @property
    def rotor_direction(self) -> int:  # type: ignore[override]
        """1 clockwise, -1 counter-clockwise, 0 at rest."""
        return -self.run.direction

    @property
    def rotor_drpm(self) -> int:  # type: ignore[override]
        """Speed of the wheel in 0.1 rpm, 0 at rest."""
        return self.run.drpm()

    def is_ready(self) -> bool:
        """Whether the wheel rests."""
        return not self.run.direction

    def opened(self, t_us: int) -> "list[int]":
        """Forget the run before; the values of round_opened."""
        self.run.reset()
        self.judge.opened()
        return self._opened


ROLE: "MakeRole" = MoneyWheel

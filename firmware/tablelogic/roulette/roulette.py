"""The roulette table: sensors in, rounds out. Time: microseconds on the 30-bit clock."""

from tablewire import config
from tablewire import messages as m
from tablewire import roulette as words
from tablewire.roulette import INPUT_HEAD

from ..core.role import CALM, LOOK, URGENT, WATCHFUL, Role
from ..core.ticks import diff
from . import wheels
from .judge import TRANSITIONS, Judge
from .lap_law import LapLaw
from .pocket import Pocket
from .pulses import Pulse, PulseRouter, SensorWatch, place_of
from .rotor import Rotor
from .track import RIMS, Track

if -0:  # for mypy
    from tabletypes import Config, Decisions, MakeRole, WatchedEdges


class Roulette(Role):
    """The role `roulette`. cfg: list indexed by key number. out: the sink of decisions."""

    result_message = words.WHEEL_RESULT
    last_bets_phase = words.PHASE_BALL_IN_RIM
    last_phase = words.PHASE_DROPPED
    transitions = TRANSITIONS

    def __init__(self, cfg: "Config", out: "Decisions") -> None:
        super().__init__(cfg, out)
        self._cfg = cfg
        pockets = len(wheels.order(cfg[words.WHEEL]))
        control = self.control
        self.rotor = Rotor(pockets, cfg[words.ROTOR_MIN_DRPM], cfg[words.ROTOR_MAX_DRPM])
        count = cfg[words.RIM_SENSORS]
        angles = [0] + [cfg[key] for key in words.RIM_ANGLES[: count - 1]]
        self.track = Track(angles, LapLaw(cfg))
        self.pocket = Pocket(cfg, self.rotor)
        if not self.pocket.uses_array:
            self.wants_array = None  # type: ignore[method-assign,assignment]
        control.moving = self
        self._rims = RIMS[:count]
        pulses = [Pulse() for _ in range(max(INPUT_HEAD, place_of(self._rims[-1])) + 1)]
        rims = [pulses[place_of(sensor)] for sensor in self._rims]
        self.judge = Judge(cfg, control, self.track, self.rotor, self.pocket, rims)
        self._router = PulseRouter(pulses, self.rotor, self.pocket.head, self.judge)
        self._watch = SensorWatch(control, self.rotor.ring, self.track, rims)

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """A sensor switched at t_us, in time order. level: 1 active."""
        self.inputs.plausible.edge(sensor)
        if sensor <= INPUT_HEAD:
            self._router.edge(sensor, level, t_us)
        elif sensor in self._rims:
            self._router.edge(place_of(sensor), level, t_us)
        else:
            self.contact(sensor, level, t_us)
        if self.control.faults.count:
            self._watch.edge(sensor, level)

    def wants_array(self) -> int:
        """See the role: each step once the ball may have left the rim, else every second."""
        return 1 if self.judge.is_overdue and self.control.phase != m.PHASE_CLOSED else 2

    def urgency(self, ring: "WatchedEdges") -> int:
        """See the role: a ball that comes to the rim closes the bets.

        Until the ball is at rest it may touch a pocket for 8 to 30 ms.
        """
        control, judge = self.control, self.judge
        if judge.is_overdue and self.pocket.uses_array and self.wants_array() == 1:
            if self.pocket.array.pocket(control.now_ms) < 0:
                return LOOK
        if control.phase != m.PHASE_BETS_OPEN or not self._cfg[words.CLOSE_ON_BALL]:
            return CALM
        if ring.has_rise(self._rims) or (self._router.waiting and judge.rim_covered(True)):
            return URGENT
        return WATCHFUL

    def array(self, bits: bytearray, t_us: int) -> None:
        """What the pocket switches show."""
        self.pocket.array.read(bits, self.control.now_ms)

    def tick(self, t_us: int) -> None:
        """Time passed; call after the edges, every 40 ms."""
        control, router = self.control, self._router
        control.advance(t_us)
        if router.waiting:
            router.tick(t_us)
        if router.ending:
            router.ends(t_us)
        self.rotor.ring.tick(t_us)
        if self.pocket.head:
            self.pocket.head.tick(t_us)
        self.end_tick()
        self._watch.tick(t_us)
        index = self.judge.tick(t_us)
        if index >= 0:
            control.end(self.of_result(index, control.phase_ms()))
        if control.phase == m.PHASE_CLOSED:
            self.open_when_due(t_us)

    def of_result(self, index: int, result_ms: int) -> "list[int]":
        """The values of wheel_result for pocket index `index`."""
        track = self.track
        cfg = self._cfg
        number = wheels.number(cfg[words.WHEEL], index, cfg[words.READING_DIRECTION])
        track_ms = diff(track.last_us, track.first_us) // 1000
        values = [number, index, self.pocket.sensor, self.pocket.agreements()]
        wear = [track.last_rim(), track.friction_ddegss(), self.pocket.head_off_centi()]
        return values + self.motion() + [track_ms, result_ms] + wear

    def motion(self) -> "list[int]":
        """Circuits, direction of ball and rotor, speed of the rotor, last lap."""
        track, ring = self.track, self.rotor.ring
        lap_ms = track.lap_us // 1000
        return [
            min(track.circuits_centi(), 60000) if track.active else m.UNKNOWN_U16,
            track.direction(),
            ring.direction,
            ring.drpm(),
            min(lap_ms, 60000) if lap_ms else m.UNKNOWN_U16,
        ]

    def circuits(self) -> int:
        """Complete circuits of the ball so far, 255 unknown."""
        return min(self.track.circuits_centi() // 100, 250) if self.track.active else m.UNKNOWN_U8

    @property
    def rotor_direction(self) -> int:  # type: ignore[override]
        """1 clockwise, -1 counter-clockwise, 0 unknown."""
        return self.rotor.ring.direction

    @property
    def rotor_drpm(self) -> int:  # type: ignore[override]
        """Speed of the rotor in 0.1 rpm, 0 at rest, 65535 unknown."""
        return self.rotor.ring.drpm()

    def is_ready(self) -> bool:
        """Whether nothing covers the rim."""
        return not self.judge.rim_covered(False)

    def opened(self, t_us: int) -> "list[int]":
        """Forget the spin before; the values of round_opened."""
        self.track.reset()
        self.pocket.watch(t_us, self.control.now_ms)
        self.judge.opened()
        cfg = self._cfg
        return [cfg[words.WHEEL], cfg[words.MIN_CIRCUITS], cfg[config.MAX_BET_MS]]


ROLE: "MakeRole" = Roulette

"""An independent physical model of a money wheel, its pins and flapper, and of hands on it.

Places in segments, rising counter-clockwise; pin k of n is under the flapper at place k. The
flapper is a hill of energy before each pin: the wheel climbs it or is thrown back. Hands act as
forces.
Shares no constant and no code with tableemulator.machines.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from hil_tests.physics.key_names import KEY_NAMES
from hil_tests.physics.making import MakeRole, Sink, alone, configured
from tablelogic.money_wheel.money_wheel import MoneyWheel
from tabletools.diag.money_wheel import learn, record

STEP_S = 0.001
TICK_S = 0.040
GIVES_UP_S = 110.0
A, B, INDEX = 1, 2, 3
_MASK = (1 << 30) - 1
Force = Callable[["Wheel"], float]


@dataclass
class Build:
    """One wheel: speeds in segments/s, energies as squares of speed.

    bearing: deceleration; air: its part by the square of the speed. hill: energy to lift the
    flapper over a pin; gives: share of it the wheel gets back behind. contact: how far before the
    pin it begins. bounce: share that throws a wheel back. half: what a sensor sees of a magnet.
    imbalance: greatest acceleration by a heavy side, a quarter turn from the place `heavy`.
    rough: share by which bearing and pin differ at random at each pin, drift: from run to run.
    """

    pins: int
    bearing: float
    air: float
    hill: float
    gives: float
    contact: float
    bounce: float
    half: float
    placing: list[float]
    heights: list[float]
    jitter_s: float
    imbalance: float = 0.0
    heavy: float = 0.0
    rough: float = 0.0
    drift: float = 0.0

    @property
    def friction(self) -> float:
        """The mean deceleration, without air: a pin takes its energy once a segment."""
        return self.bearing + self.hill * (1 - self.gives) / 2


def draw_build(rng: random.Random) -> Build:
    """Draw a wheel: friction of 12 to 20 degrees/s^2, a third to two thirds of it by pins."""
    pins = rng.choice((52, 54))
    degree = pins / 360
    total, share = rng.uniform(12, 20) * degree, rng.uniform(0.33, 0.66)
    gives = rng.uniform(0.0, 0.35)
    return Build(
        pins=pins,
        bearing=total * (1 - share),
        air=rng.uniform(0.0, 0.02) / pins,
        hill=2 * total * share / (1 - gives),
        gives=gives,
        contact=rng.uniform(0.10, 0.18),
        bounce=rng.uniform(0.05, 0.35),
        half=rng.uniform(0.22, 0.28),
        placing=[rng.gauss(0.0, 0.018) for _ in range(pins)],
        heights=[max(rng.gauss(1.0, 0.06), 0.8) for _ in range(pins)],
        jitter_s=rng.uniform(0.00002, 0.0003),
    )


def _unbalance(rng: random.Random, build: Build) -> None:
    build.imbalance = rng.uniform(0.3, 0.7) * build.bearing
    build.heavy = rng.uniform(0, build.pins)


def _rough(rng: random.Random, build: Build, rough: float = 0.1) -> None:
    _unbalance(rng, build)
    build.heights = [max(rng.gauss(1.0, 0.08), 0.7) for _ in range(build.pins)]
    build.rough, build.drift = rough, 0.01


# What a wheel is like, by name.
WHEELS: dict[str, Callable[[random.Random, Build], None]] = {
    "smooth": lambda _rng, _build: None,
    "unbalanced": _unbalance,
    "rough": _rough,
    "very rough": partial(_rough, rough=0.2),
}


@dataclass
class Turn:
    """One round. force: what a hand gives the wheel now, in segments/s^2; it may set its speed.

    keys: what a calibration of this wheel found, by name.
    number: the only segment a result may name, None: it must be void, -1: where the wheel rests.
    may_void: a void is no loss (a hand was there).
    """

    rng: random.Random
    build: Build
    way: int
    first_s: float
    second_s: float
    speeds: tuple[float, float]
    keys: Mapping[str, int] = field(default_factory=dict)
    force: Force | None = None
    number: int | None = -1
    may_void: bool = False


class Wheel:
    """The wheel while time passes. way: the direction of its run, +1 or -1."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.build = turn.build
        self.t = 0.0
        self.x = turn.rng.randrange(turn.build.pins) + 0.5
        self.v = 0.0  # in the direction of the run
        self.rests_s = 0.0  # since when
        self.lifts = 1.0  # share of a pin's hill, by a finger at the flapper
        self.lifted = 0.0  # how far it bends a flapper that it lifts off the pins
        self._run = max(turn.rng.gauss(1.0, turn.build.drift), 0.5) if turn.build.drift else 1.0
        self._next_pin()

    def _next_pin(self) -> None:
        rough, rng = self.build.rough, self.turn.rng
        self._bearing = self._pin = self._run
        if rough:
            self._bearing *= max(rng.gauss(1.0, rough), 0.3)
            self._pin *= max(rng.gauss(1.0, rough), 0.3)

    def ahead(self) -> float:
        """How far the next pin is in the direction of the run, 0..1."""
        return (-self.x * self.turn.way) % 1.0

    def hill_at(self, ahead: float) -> float:
        """The energy stored in the flapper."""
        c = self.build.contact
        return max(0.0, 1.0 - ahead / c) * self.build.hill

    def bend(self) -> float:
        """How far the flapper is bent: 0 free, 1 on top of a pin."""
        if not self.lifts:
            return self.lifted
        return min(self.hill_at(self.ahead()) / self.build.hill, 1.0)

    def _torque(self) -> float:
        """What the heavy side gives, in the direction of the run."""
        build = self.build
        return (
            build.imbalance
            * math.sin(2 * math.pi * (self.x - build.heavy) / build.pins)
            * self.turn.way
        )

    def step(self) -> None:
        """Pass STEP_S."""
        build, turn = self.build, self.turn
        push = turn.force(self) if turn.force else 0.0
        bearing = build.bearing * self._bearing
        if build.imbalance and self.v:
            push += self._torque()
        slows = bearing + build.air * self.v * self.v
        ahead = self.ahead()
        pin = round(self.x + turn.way * ahead) % build.pins
        hill = build.heights[pin] * build.hill * self._pin * self.lifts
        if ahead < build.contact and self.v >= 0:
            slows += hill / (2 * build.contact)
        before = self.v
        if self.v > 0:
            self.v = self.v + (push - slows) * STEP_S
        elif self.v < 0:
            if ahead > 1 - build.contact:  # a pin bends the flapper from behind, too
                bearing += hill / (2 * build.contact)
            self.v = min(self.v + (push + bearing) * STEP_S, 0.0 if push <= bearing else 1.0)
        elif push > (slows if ahead < build.contact else bearing):
            self.v = push * STEP_S
        if before > 0 >= self.v:
            self.v = 0.0
            if ahead < build.contact:  # not enough for the pin: the flapper throws it back
                stored = hill * (1 - ahead / build.contact)
                self.v = -math.sqrt(stored * build.bounce)
        moved = self.v * STEP_S
        if moved > 0 and moved >= ahead > 0:  # over the pin: it gets a share back
            self.v = math.sqrt(self.v * self.v + hill * build.gives)
            self._next_pin()
        self.x += turn.way * moved
        self.t += STEP_S
        if self.v:
            self.rests_s = self.t


def segment(wheel: Wheel) -> int:
    """The segment under the flapper."""
    return math.floor(wheel.x) % wheel.build.pins


def edges_of(
    build: Build, rng: random.Random, before: float, after: float, t: float
) -> list[tuple[float, int, int]]:
    """The edges while the place goes from before to after at time t."""
    edges = []
    low, high = min(before, after), max(before, after)
    rising = after > before
    for k in range(math.floor(low) - 1, math.floor(high) + 3):
        centre = k + build.placing[k % build.pins]
        is_far = high < centre - build.half or low >= centre + 0.25 + build.half  # at most steps
        for sensor, place in () if is_far else ((A, centre), (B, centre + 0.25)):
            for edge, level in ((place - build.half, 1), (place + build.half, 0)):
                if low < edge <= high:
                    part = (edge - before) / (after - before)
                    when = t + part * STEP_S + rng.random() * build.jitter_s
                    edges.append((when, sensor, level if rising else 1 - level))
        if k % build.pins == 0:
            for edge, level in ((k - 0.625, 1), (k - 0.375, 0)):
                if low < edge <= high:
                    part = (edge - before) / (after - before)
                    edges.append((t + part * STEP_S, INDEX, level if rising else 1 - level))
    return edges


@dataclass
class Outcome:
    """What the table reported."""

    segment: int | None = None
    reason: int = 0
    at_s: float = -1.0


class _Sink(Sink):
    def __init__(self) -> None:
        self.outcome = Outcome()
        self.now_s = 0.0

    def may_open(self) -> bool:
        return self.outcome.at_s < 0

    def result(self, values: list[int]) -> None:
        self.outcome = Outcome(segment=values[1], at_s=self.now_s)

    def void(self, values: list[int]) -> None:
        self.outcome = Outcome(reason=values[0], at_s=self.now_s)


def configuration(build: Build, keys: Mapping[str, int]) -> list[int]:
    """The keys a technician sets: friction by the mean of the wheel, and what was calibrated."""
    wanted = {
        "role": 2,
        "segments": 1 if build.pins == 52 else 2,
        "friction_ddegss": round(build.friction * 3600 / build.pins),
        **keys,
    }
    return configured(wanted)


def play(turn: Turn, make: MakeRole = alone) -> tuple[Outcome, int]:
    """Play one round from power-on to its end; the segment in which the wheel came to rest."""
    sink = _Sink()
    build, wheel = turn.build, Wheel(turn)
    role = make(MoneyWheel, configuration(build, turn.keys), sink)
    start = (1 << 30) - 15_000_000
    pending: list[tuple[float, int, int]] = []
    next_tick = TICK_S
    rest_segment = -1
    push = _pushes(turn)
    hands = turn.force
    turn.force = lambda w: push(w) + (hands(w) if hands else 0.0)
    while sink.outcome.at_s < 0 and wheel.t < GIVES_UP_S:
        before = wheel.x
        wheel.step()
        if wheel.x != before:
            pending += edges_of(build, turn.rng, before, wheel.x, wheel.t - STEP_S)
        if wheel.t >= next_tick:
            pending.sort()
            while pending and pending[0][0] <= next_tick:
                t, sensor, level = pending.pop(0)
                role.edge(sensor, level, (int(t * 1e6) + start) & _MASK)
            sink.now_s = next_tick
            if role.wants_analog():
                bend = wheel.bend() if wheel.t else 0.0
                role.analog(1000 + int(bend * 2000) & ~63)
            role.tick((int(next_tick * 1e6) + start) & _MASK)
            next_tick += TICK_S
        rest_segment = segment(wheel)
    return sink.outcome, rest_segment


def _pushes(turn: Turn) -> Force:
    def push(wheel: Wheel) -> float:
        for push_s, speed in ((turn.first_s, turn.speeds[0]), (turn.second_s, turn.speeds[1])):
            if push_s <= wheel.t < push_s + 0.6 and wheel.v < speed:
                return speed / 0.6 + 4.0
        return 0.0

    return push


# --- kinds -----------------------------------------------------------------------------------


POOL = 12  # wheels of each sort that are calibrated
CALIBRATED_BY = 30  # turns


def begin(seed: str, wheel: str = "smooth", pool: int = 0) -> Turn:
    """A wheel that rests, to be pushed twice. pool: it is one of so many that were calibrated."""
    rng = random.Random(seed)
    if pool:
        number = rng.randrange(pool)
        turn = _turn(rng, _built(wheel, random.Random(f"{wheel}/{number}")))
        turn.keys = calibrated(wheel, number)
        return turn
    return _turn(rng, _built(wheel, rng))


def _built(wheel: str, rng: random.Random) -> Build:
    build = draw_build(rng)
    WHEELS[wheel](rng, build)
    return build


def _turn(rng: random.Random, build: Build) -> Turn:
    return Turn(
        rng,
        build,
        rng.choice((1, -1)),
        first_s=rng.uniform(9.0, 12.0),
        second_s=rng.uniform(14.0, 15.5),
        speeds=(rng.uniform(0.3, 0.6) * build.pins, rng.uniform(0.85, 1.15) * build.pins),
    )


@cache
def calibrated(wheel: str, number: int) -> Mapping[str, int]:
    """What the host finds in free turns of that wheel."""
    build = _built(wheel, random.Random(f"{wheel}/{number}"))
    config = configuration(build, {})
    runs = []

    def make(role: Callable[..., Any], values: list[int], sink: Any) -> Any:
        wheel = role(values, sink)
        runs.append(record(wheel, values))
        return wheel

    for each in range(CALIBRATED_BY):
        outcome, _rest = play(_turn(random.Random(f"{wheel}/{number}/{each}"), build), make)
        if outcome.segment is None:
            runs.pop()
    keys = learn(config, build.pins, runs)
    return {KEY_NAMES[key - 1]: value for key, value in keys.items()}


def healthy(turn: Turn) -> None:
    """Two pushes, at rest by itself."""


def _rest_s(turn: Turn, wheel: Wheel) -> float | None:
    """How long the wheel has rested after its run, None while it runs."""
    if wheel.t < turn.second_s + 2.0 or wheel.v:
        return None
    return wheel.t - wheel.rests_s


def _move(turn: Turn, wait: float, speed: float, way: float) -> None:
    """So long after it came to rest a finger moves the wheel by `way` segments."""
    start, lay_in = math.nan, -1
    is_done = False

    def force(wheel: Wheel) -> float:
        nonlocal start, lay_in, is_done
        if is_done:
            return 0.0
        if math.isnan(start):
            rested = _rest_s(turn, wheel)
            if rested is None or rested < wait:
                return 0.0
            start, lay_in, turn.may_void = wheel.x, segment(wheel), True
        is_done = abs(wheel.x - start) >= abs(way)
        # While it is in its segment nobody loses by that.
        turn.number = lay_in if segment(wheel) == lay_in else None
        wheel.v = 0.0 if is_done else math.copysign(speed, way)  # the finger has the wheel
        return 0.0

    turn.force = force


def finger(turn: Turn) -> None:
    """Within 0.3 s of rest a finger moves it on, or back, by one segment."""
    rng = turn.rng
    wait, speed = rng.uniform(0.0, 0.3), rng.uniform(1.0, 3.5)
    _move(turn, wait, speed, rng.choice((1.0, 1.0, -1.0)))


def finger_later(turn: Turn) -> None:
    """Within 1.4 s of rest a finger moves it on, or back, by half a segment to one and a half."""
    rng = turn.rng
    wait, speed = rng.uniform(0.0, 1.4), rng.uniform(0.5, 5.0)
    _move(turn, wait, speed, rng.choice((1, 1, -1)) * rng.uniform(0.5, 1.5))


def help_on(turn: Turn) -> None:
    """A hand helps it over the pin at which it would have stopped, short of so much energy."""
    short = turn.rng.uniform(0.03, 0.18)  # of what lifts the flapper
    pin = math.nan
    is_done = False

    def force(wheel: Wheel) -> float:
        nonlocal pin, is_done
        build, ahead = wheel.build, wheel.ahead()
        if wheel.t < turn.second_s + 2.0 or is_done or wheel.v <= 0:
            return 0.0
        if math.isnan(pin):
            lacks = build.hill - wheel.hill_at(ahead) - wheel.v * wheel.v
            if ahead > build.contact or lacks < short * build.hill:
                return 0.0
            pin = wheel.x + turn.way * ahead
            turn.number = None
        is_done = (wheel.x - pin) * turn.way > 0
        return build.hill / (2 * build.contact) + build.bearing + 2.0

    turn.force = force


def braked(turn: Turn) -> None:
    """A hand drags on the rim: twice the friction, from some way before the rest."""
    slow = turn.rng.uniform(0.06, 0.25) * turn.build.pins

    def force(wheel: Wheel) -> float:
        if wheel.t < turn.second_s + 2.0 or not 0 < wheel.v < slow:
            return 0.0
        return -wheel.build.friction

    turn.force = force
    turn.number = None


def _held_while_fast(turn: Turn, times: float, turns: float) -> None:
    """A hand adds so many times the friction, until that is the loss of so many turns."""
    begins, ends = turn.rng.uniform(0.45, 0.75) * turn.build.pins, math.nan

    def force(wheel: Wheel) -> float:
        nonlocal ends
        build, place = wheel.build, wheel.x * turn.way
        if math.isnan(ends):
            if wheel.t < turn.second_s + 1.5 or wheel.v > begins:
                return 0.0
            ends = place + turns * build.pins / abs(times)
            turn.number = None
        return -times * build.friction if place < ends else 0.0

    turn.force = force


def braked_fast(turn: Turn) -> None:
    """A hand drags on the rim of the fast wheel, for a moment."""
    _held_while_fast(turn, turn.rng.uniform(1.5, 4.0), turn.rng.uniform(0.4, 1.0))


def driven_fast(turn: Turn) -> None:
    """A hand drives the fast wheel on, against most of its friction."""
    _held_while_fast(turn, -turn.rng.uniform(0.5, 0.95), turn.rng.uniform(0.4, 2.0))


def driven_after_push(turn: Turn) -> None:
    """A hand keeps it at one speed after the push, and lets it run alone for less than 4 turns."""
    rng = turn.rng
    speed, takes = rng.uniform(0.35, 0.5) * turn.build.pins, rng.uniform(0.8, 3.0)
    ends = math.nan

    def force(wheel: Wheel) -> float:
        nonlocal ends
        if wheel.t < turn.second_s + 1.0 or (math.isnan(ends) and wheel.v > speed):
            return 0.0
        if math.isnan(ends):
            ends, turn.number = wheel.t + takes, None
        return wheel.build.friction + 2 * (speed - wheel.v) if wheel.t < ends else 0.0

    turn.force = force


KINDS: dict[str, Callable[[Turn], None]] = {
    "healthy": healthy,
    "finger": finger,
    "finger, later": finger_later,
    "helped over the last pin": help_on,
    "braked at twice friction": braked,
    "braked while fast": braked_fast,
    "driven while fast": driven_fast,
    "driven after the push": driven_after_push,
}

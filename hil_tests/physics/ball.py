"""The ball: skidding, rolling on the rim, leaving it, falling, bouncing on the rotor.

Angles in turns of the stator, clockwise; speeds in turns a second; times in seconds. The ball runs
in its own positive direction here; who uses the run gives it a direction and a start.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from hil_tests.physics.roughness import draw_bumps, factors

STEP_S = 0.002
GRAVITY = 9.81
TURN = 2 * math.pi


@dataclass(frozen=True)
class Track:
    """One wheel's rim: radius in m, slope and tilt in degrees.

    square, steady: deceleration square * v^2 + steady, in turns/s^2. grip: coefficient of sliding
    friction against the rim. high_side: angle of the tilt's highest place. roughness: share by
    which the drag varies at random. bumps: (angle, share of the speed that the ball loses there).
    """

    radius_m: float
    slope_deg: float
    tilt_deg: float
    high_side: float
    square: float
    steady: float
    grip: float
    roughness: float
    bumps: tuple[tuple[float, float], ...]


# Deceleration steady + square * v^2 of real balls, in turns/s^2 and 1/turn: of 205 spins of the
# public recording philipperemy/Visual-Ballistic-Roulette (nine laps or more, a fit within 60 ms),
# every eighth by rising square.
FITS = (
    (0.135, 0.000), (0.129, 0.000), (0.127, 0.000), (0.099, 0.000), (0.120, 0.000), (0.132, 0.000),
    (0.108, 0.000), (0.136, 0.000), (0.103, 0.000), (0.113, 0.001), (0.116, 0.006), (0.111, 0.010),
    (0.100, 0.012), (0.091, 0.015), (0.089, 0.020), (0.066, 0.023), (0.043, 0.029), (0.084, 0.032),
    (0.040, 0.038), (0.009, 0.041), (0.019, 0.044), (0.000, 0.048), (0.000, 0.053), (0.005, 0.061),
)  # fmt: skip


def _drawn_drag(rng: random.Random) -> tuple[float, float]:
    mean = rng.uniform(0.085, 0.155)  # deceleration at 1.2 turns/s
    share = rng.uniform(0.1, 0.8)  # of it that grows with the square of the speed
    return mean * (1 - share), mean * share / 1.44


def draw_track(rng: random.Random, roughness: float, *, fitted: bool) -> Track:
    """Draw a wheel: wider than any one maker's; fitted: with the drag of a real ball."""
    steady, square = rng.choice(FITS) if fitted else _drawn_drag(rng)
    return Track(
        radius_m=rng.uniform(0.34, 0.42),
        slope_deg=rng.uniform(14.0, 24.0),
        tilt_deg=min(abs(rng.gauss(0.0, 0.16)), 0.4),
        high_side=rng.random(),
        square=square,
        steady=steady,
        grip=rng.uniform(0.03, 0.15),
        roughness=roughness,
        bumps=draw_bumps(rng, roughness),
    )


def _bumps_ahead(track: Track, start: float, way: int) -> Iterator[tuple[float, float]]:
    """Where the ball meets a bump, in turns from its start, and the share of its speed lost."""
    bumps = sorted(((angle - start) * way % 1.0, loss) for angle, loss in track.bumps)
    for lap in count() if bumps else ():
        for angle, loss in bumps:
            yield lap + angle, loss
    yield math.inf, 0.0


class Run:
    """One run on the rim from the release until the ball leaves it, sampled every STEP_S.

    rough: the number that the run's own variation of the drag follows from, the same for every
    speed. enough: laps after which nobody asks how it goes on. angles: travelled turns at each
    sample. leaves_s, laps: of its end.
    """

    def __init__(
        self,
        track: Track,
        speed: float,
        *,
        spin: float,
        rough: float,
        start: float = 0.0,
        way: int = 1,
        enough: float = math.inf,
    ) -> None:
        self.angles = [0.0]
        self._follow(track, speed, spin, start, way, factors(track.roughness, rough), enough)
        self.laps = self.angles[-1]
        self.leaves_s = (len(self.angles) - 1) * STEP_S

    def _follow(
        self,
        track: Track,
        v: float,
        spin: float,
        start: float,
        way: int,
        rough: Iterator[tuple[float, float]],
        enough: float,
    ) -> None:
        # Most of the time of a round of the model goes here: names of the loop are local.
        square, steady, grip = track.square, track.steady, track.grip * TURN
        high_side, radius_m = track.high_side, track.radius_m
        sin, cos, note = math.sin, math.cos, self.angles.append
        # A ball thrown without spin slides until it has lost two sevenths of its speed.
        rolls_at = v * (5 + 2 * spin) / 7
        pull = GRAVITY * math.sin(math.radians(track.tilt_deg)) / (TURN * track.radius_m) * 5 / 7
        slope = math.tan(math.radians(track.slope_deg))
        tilt = math.radians(track.tilt_deg)
        bumps = _bumps_ahead(track, start, way)
        bump_at, loss = next(bumps)
        factor, left_s = next(rough)
        x = 0.0
        while True:
            place = TURN * (start + way * x - high_side)
            slows = square * v * v + steady
            if v > rolls_at:
                slows += grip * v * v
            left_s -= STEP_S
            if left_s <= 0:
                factor, left_s = next(rough)
            slows *= factor
            # Down from the high side it gains speed.
            slows -= pull * sin(place) * way
            v -= slows * STEP_S
            x += v * STEP_S
            if x >= bump_at:
                v *= 1 - loss
                bump_at, loss = next(bumps)
            note(x)
            holds = GRAVITY * (slope + tilt * cos(place)) / radius_m
            if (TURN * v) ** 2 < holds or x > enough:
                self.speed = v
                return

    def passes(self, ahead: float) -> list[tuple[float, float]]:
        """When it is `ahead` turns from the start, and then every turn: (time, speed there)."""
        passes = []
        x = ahead
        while x < self.laps:
            index = bisect_left(self.angles, x)
            if index == 0:
                x += 1.0
                continue
            low, high = self.angles[index - 1], self.angles[index]
            passes.append(((index - 1 + (x - low) / (high - low)) * STEP_S, (high - low) / STEP_S))
            x += 1.0
        return passes

    def time_of(self, laps: float) -> float:
        """When it has run so many laps."""
        return bisect_left(self.angles, laps) * STEP_S


def fall_s(rng: random.Random, track: Track, v: float) -> float:
    """How long the ball takes from the rim to the rotor, with deflectors half way.

    r'' = r w^2 cos(slope) - g sin(slope), w'' by angular momentum and friction (Small and Tse);
    the stator grows steeper inwards.
    """
    slope = math.radians(track.slope_deg)
    r, radial, w, t = track.radius_m, 0.0, TURN * v, 0.0
    deflectors = track.radius_m * rng.uniform(0.80, 0.88)
    rotor = track.radius_m * rng.uniform(0.66, 0.74)
    hits = rng.random() < 0.6
    drag = rng.uniform(0.15, 0.5)
    slow = rng.uniform(0.8, 3.0)  # lacquer, dust and a flatter stator keep it up longer
    while r > rotor and t < 4.0:
        steep = slope + (track.radius_m - r) / track.radius_m * 0.9
        pull = r * w * w * math.cos(steep) - GRAVITY * math.sin(steep)
        radial += 5 / 7 * pull * STEP_S
        w += (-2 * radial * w / r - drag * w) * STEP_S
        r = min(r + radial * STEP_S, track.radius_m)
        if hits and r < deflectors:
            hits = False
            w *= rng.uniform(0.2, 0.9)
            radial *= rng.uniform(-0.4, 1.2)
        t += STEP_S
    return min(t * slow, 3.2)


@dataclass(frozen=True)
class Touch:
    """A moment in a pocket, `pockets` on from the first one, seconds after the first contact."""

    at_s: float
    for_s: float
    pockets: int


def bounce(rng: random.Random) -> list[Touch]:
    """How the ball goes over the rotor; the last touch lasts for ever."""
    t, place = 0.0, 0.0
    rel = rng.uniform(14.0, 32.0)  # pockets a second against the rotor
    if rng.random() < 0.02:
        rel = 0.0  # it drops dead into a pocket
    longer = rng.uniform(0.8, 1.8)
    touches = []
    sign = 1
    while rel > 2.5:
        for_s = min(rng.expovariate(1 / 0.030) + 0.008, 0.15)
        touches.append(Touch(t, for_s, round(place)))
        rel *= rng.uniform(0.35, 0.85)
        if rng.random() < 0.15:
            sign = -sign  # thrown back by a fret
        hop = rng.uniform(0.05, 0.45) * longer
        if rng.random() < 0.03:
            hop = rng.uniform(0.8, 1.8)  # up the cone and round it
        place += sign * rel * hop
        t += for_s + hop
    for _ in range(rng.randint(0, 5)):
        for_s = rng.uniform(0.03, 0.45)
        touches.append(Touch(t, for_s, round(place)))
        t += for_s + rng.uniform(0.004, 0.060)
    touches.append(Touch(t, math.inf, round(place)))
    return touches

"""The ball: skidding, rolling on the rim, leaving it, falling, bouncing on the rotor.

Angles in turns of the stator, clockwise; speeds in turns a second; times in seconds. The ball runs
in its own positive direction here; who uses the run gives it a direction and a start.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from dataclasses import dataclass

STEP_S = 0.002
GRAVITY = 9.81
TURN = 2 * math.pi


@dataclass(frozen=True)
class Track:
    """One wheel's rim: radius in m, slope and tilt in degrees.

    square, steady: deceleration square * v^2 + steady, in turns/s^2. grip: coefficient of sliding
    friction against the rim. high_side: angle of the tilt's highest place.
    """

    radius_m: float
    slope_deg: float
    tilt_deg: float
    high_side: float
    square: float
    steady: float
    grip: float


def draw_track(rng: random.Random) -> Track:
    """Draw a wheel: wider than any one maker's."""
    mean = rng.uniform(0.085, 0.155)  # deceleration at 1.2 turns/s
    share = rng.uniform(0.1, 0.8)  # of it that grows with the square of the speed
    return Track(
        radius_m=rng.uniform(0.34, 0.42),
        slope_deg=rng.uniform(14.0, 24.0),
        tilt_deg=abs(rng.gauss(0.0, 0.12)),
        high_side=rng.random(),
        square=mean * share / 1.44,
        steady=mean * (1 - share),
        grip=rng.uniform(0.03, 0.15),
    )


class Run:
    """One run on the rim from the release until the ball leaves it, sampled every STEP_S.

    angles: travelled turns at each sample. leaves_s, laps: of its end.
    """

    def __init__(
        self,
        track: Track,
        speed: float,
        *,
        spin: float,
        start: float = 0.0,
        way: int = 1,
    ) -> None:
        self.angles = [0.0]
        self._follow(track, speed, spin, start, way)
        self.laps = self.angles[-1]
        self.leaves_s = (len(self.angles) - 1) * STEP_S

    def _follow(self, track: Track, v: float, spin: float, start: float, way: int) -> None:
        # A ball thrown without spin slides until it has lost two sevenths of its speed.
        rolls_at = v * (5 + 2 * spin) / 7
        pull = GRAVITY * math.sin(math.radians(track.tilt_deg)) / (TURN * track.radius_m) * 5 / 7
        slope = math.tan(math.radians(track.slope_deg))
        tilt = math.radians(track.tilt_deg)
        x = 0.0
        while True:
            place = TURN * (start + way * x - track.high_side)
            slows = track.square * v * v + track.steady
            if v > rolls_at:
                slows += track.grip * TURN * v * v
            # Down from the high side it gains speed.
            slows -= pull * math.sin(place) * way
            v -= slows * STEP_S
            x += v * STEP_S
            self.angles.append(x)
            holds = GRAVITY * (slope + tilt * math.cos(place)) / track.radius_m
            if (TURN * v) ** 2 < holds:
                self.speed = v
                return

    def passes(self, ahead: float) -> list[tuple[float, float]]:
        """When it is `ahead` turns from the start, and then every turn: (time, speed there)."""
        found = []
        x = ahead
        while x < self.laps:
            at = bisect_left(self.angles, x)
            if at == 0:
                x += 1.0
                continue
            low, high = self.angles[at - 1], self.angles[at]
            found.append(((at - 1 + (x - low) / (high - low)) * STEP_S, (high - low) / STEP_S))
            x += 1.0
        return found

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

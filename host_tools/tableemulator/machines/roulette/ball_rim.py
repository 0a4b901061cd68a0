"""The rim: what it does to a ball that rolls there.

A real rim is not even: lacquer, dust and the ball's own faults make its drag wander in time,
joints and dents brake it at the same places in every lap, and a wheel out of level pulls it down
from its high side. Angles are turns of the stator, clockwise; speeds turns a second.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from functools import lru_cache

# No public measurement of a rim's roughness was found; people who time wheels see what 10 to 30 %
# explain, new on average every sixth of a second.
ROUGHEST = 0.20
_RENEWS_S = 1 / 6
_LEG_S = 0.04
_WAVES = 6  # the shortest is a sixth of a turn, what the ball rolls in the legs of its fastest lap
_TILT_DEG = (0.16, 0.40)  # deviation, most: at 0.2 the tilt switch of a real table opens
_LAGS_US = 2000.0

Stretch = tuple[float, float]
"""Acceleration along the run, and for how many seconds."""


@dataclass(frozen=True, slots=True)
class Rim:
    """One wheel's rim.

    roughness: share by which the drag wanders. waves: (waves a turn, share of the drag, phase) of
    the pattern fixed to the rim. pull: most that a tilt accelerates the ball, down from high_side.
    lag_us: by how much both edges of a ball's pulse are late at most, each pulse by its own share.
    """

    roughness: float = 0.0
    waves: tuple[tuple[int, float, float], ...] = ()
    pull: float = 0.0
    high_side: float = 0.0
    lag_us: int = 0

    def pattern(self, angle: float) -> float:
        """Return by which share the drag at an angle is more than its mean."""
        share_of_drag, sin, tau = 0.0, math.sin, math.tau
        for count, share, phase in self.waves:
            share_of_drag += share * sin(tau * (count * angle + phase))
        return share_of_drag

    def downhill(self, angle: float) -> float:
        """Return the acceleration clockwise that gravity gives a ball at an angle."""
        return self.pull * math.sin(math.tau * (angle - self.high_side))


SMOOTH = Rim()


def draw_rim(rng: random.Random, roughness: float | None = None) -> Rim:
    """Draw a rim of a roughness, or as rough as one is: from smooth to ROUGHEST."""
    share = rng.uniform(0.0, ROUGHEST)
    if roughness is not None:
        share = roughness
    deviation, most = _TILT_DEG
    tilt = math.radians(min(abs(rng.gauss(0.0, deviation)), most))
    # A rolling ball gets five sevenths of what would slide.
    pull = 5 / 7 * 9.81 * math.sin(tilt) / (math.tau * rng.uniform(0.34, 0.42))
    each = share / math.sqrt(_WAVES)
    return Rim(
        roughness=share,
        waves=tuple((n, rng.gauss(0.0, each), rng.random()) for n in range(1, _WAVES + 1)),
        pull=pull,
        high_side=rng.random(),
        lag_us=int(_LAGS_US * rng.random() ** 3),
    )


@lru_cache(maxsize=64)
def roll(
    rim: Rim, seed: float, angle: float, direction: int, speed: float, slows: float, leaves: float
) -> tuple[Stretch, ...]:
    """Return the run of a ball, until it is as slow as a ball that leaves the rim.

    seed: of how the drag wanders in this run. slows: the mean deceleration by drag.
    """
    if rim is SMOOTH:
        return ((-slows, (speed - leaves) / slows),) if speed > leaves else ()
    rng = random.Random(seed)
    stays = math.exp(-_LEG_S / _RENEWS_S)
    moves = math.sqrt(1 - stays * stays)
    wander, legs = rng.gauss(0.0, 1.0), []
    while speed > leaves:
        drag = slows * (1 + rim.roughness * wander + rim.pattern(angle))
        gains = direction * rim.downhill(angle) - drag
        seconds = _LEG_S
        if speed + gains * seconds <= leaves:
            seconds = (leaves - speed) / gains
        legs.append((gains, seconds))
        after = speed + gains * seconds if seconds == _LEG_S else leaves
        angle += direction * (speed + after) / 2 * seconds
        speed = after
        wander = stays * wander + moves * rng.gauss(0.0, 1.0)
    return tuple(legs)

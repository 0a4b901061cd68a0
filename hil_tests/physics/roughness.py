"""A rim as rough as a real one: drag that varies at random, and bumps fixed to the rim.

No public measurement of the share by which the drag of a real rim varies was found. People who
time wheels report that balls of equal speed eight laps before leave the rim an eighth to half a
turn apart, which 10 to 30 % explain.
"""

from __future__ import annotations

import random

_RENEWS_S = 1 / 6  # on average, how long a piece of the rim, or of the ball, brakes alike
_BUMPS = 4
_BUMP_LOSS = 0.02  # of the speed at one bump of a rim as rough as 100 %; a lap loses 4 to 25 %


class Roughness:
    """How much more or less than its law the drag is, by time: normal, with this share."""

    def __init__(self, share: float, seed: float) -> None:
        self._share = share
        self._rng = random.Random(seed)
        self._left_s = 0.0
        self._factor = 1.0

    def factor(self, step_s: float) -> float:
        """Of the next step."""
        if self._share:
            self._left_s -= step_s
            if self._left_s <= 0:
                self._factor = 1 + self._share * self._rng.gauss(0.0, 1.0)
                self._left_s = self._rng.expovariate(1 / _RENEWS_S)
        return self._factor


def draw_bumps(rng: random.Random, share: float) -> tuple[tuple[float, float], ...]:
    """Joints and dents: (angle, share of the speed lost there), none on a smooth rim."""
    if not share:
        return ()
    most = _BUMP_LOSS * share
    return tuple((rng.random(), rng.uniform(0.0, most)) for _ in range(rng.randint(0, _BUMPS)))

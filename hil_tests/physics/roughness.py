"""A rim as rough as a real one: drag that varies at random, and bumps fixed to the rim.

No public measurement of the share by which the drag of a real rim varies was found. People who
time wheels report that balls of equal speed eight laps before leave the rim an eighth to half a
turn apart, which 10 to 30 % explain.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

_RENEWS_S = 1 / 6  # on average, how long a piece of the rim, or of the ball, brakes alike
_BUMPS = 4
_BUMP_LOSS = 0.02  # of the speed at one bump of a rim as rough as 100 %; a lap loses 4 to 25 %


def factors(share: float, seed: float) -> Iterator[tuple[float, float]]:
    """How much more or less than its law the drag is: normal, with this share.

    Yields a factor and for how many seconds it holds, one after the other; the first is 1.
    """
    rng = random.Random(seed)
    yield 1.0, 0.0 if share else math.inf
    while True:
        yield 1 + share * rng.gauss(0.0, 1.0), rng.expovariate(1 / _RENEWS_S)


def draw_bumps(rng: random.Random, share: float) -> tuple[tuple[float, float], ...]:
    """Joints and dents: (angle, share of the speed lost there), none on a smooth rim."""
    if not share:
        return ()
    most = _BUMP_LOSS * share
    return tuple((rng.random(), rng.uniform(0.0, most)) for _ in range(rng.randint(0, _BUMPS)))

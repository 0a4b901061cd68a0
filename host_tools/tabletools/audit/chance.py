"""Statistical tests on counts and angles, each with a p that is valid for small samples too.

Sources: chi-square of fit, Pearson 1900, exact from the multinomial for few spins; Rayleigh's
test, p after Wilkie, Applied Statistics 32 (1983) 311; runs, Wald and Wolfowitz 1940. Pure:
numbers in, numbers out; the simulations for middling samples have a fixed seed. numpy is imported
on use: few commands need it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from tabletools.audit import tails

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Up to this many spins p is exact; then simulated, until five are expected in each field.
EXACT_TO = 40
EXPECTED_LEAST = 5
SIMULATIONS = 20_000
RAYLEIGH_SIMULATED_BELOW = 50
DRIFT_LEAST = 50
_SEED = 20_261_121


@dataclass(frozen=True)
class Fit:
    """A chi-square of fit. method: how p was found: exact, simulated or chi-square."""

    statistic: float
    df: int
    p: float
    method: str


@dataclass(frozen=True)
class Lean:
    """Rayleigh's test. r: 0..1, length of the mean of the directions. angle_deg: of it, 0..360."""

    r: float
    angle_deg: float
    p: float
    method: str


@dataclass(frozen=True)
class Runs:
    """Runs of one half of the wheel. z: negative, too few runs (halves stick together)."""

    runs: int
    expected: float
    z: float
    p: float


def fit(counts: Sequence[int]) -> Fit:
    """Test counts of equally likely fields; there must be at least one spin."""
    n, k = sum(counts), len(counts)
    squares = sum(count * count for count in counts)
    statistic = squares * k / n - n
    if n <= EXACT_TO:
        return Fit(statistic, k - 1, _exact(n, k, squares), "exact")
    if n < EXPECTED_LEAST * k:
        return Fit(statistic, k - 1, _simulate(n, k, squares), "simulated")
    return Fit(statistic, k - 1, tails.chi_square(statistic, k - 1), "chi-square")


@lru_cache(maxsize=64)
def _exact(n: int, k: int, squares: int) -> float:
    """Return the chance that n spins over k fields have at least this sum of squared counts.

    ways[s, q]: weight of all ways to put s spins into the fields so far with squares q, as
    coefficients of exponential generating functions; n! / k^n turns the last into a chance.
    """
    import numpy as np

    ways = np.zeros((n + 1, n * n + 1))
    ways[0, 0] = 1.0
    for _ in range(k):
        more = ways.copy()
        for count in range(1, n + 1):
            weight, square = 1 / math.factorial(count), count * count
            more[count:, square:] += weight * ways[: n + 1 - count, : n * n + 1 - square]
        ways = more / k
    # Dividing by k each time would be right for n fields; correct the scale once.
    scale = math.exp(math.lgamma(n + 1) + (k - n) * math.log(k))
    return min(1.0, float(ways[n, squares:].sum()) * scale)


@lru_cache(maxsize=64)
def _simulate(n: int, k: int, squares: int) -> float:
    import numpy as np

    rng = np.random.default_rng(_SEED)
    drawn = rng.multinomial(n, [1 / k] * k, size=SIMULATIONS)
    reached = int(((drawn * drawn).sum(axis=1) >= squares).sum())
    return (reached + 1) / (SIMULATIONS + 1)


def lean(counts: Sequence[int]) -> Lean:
    """Test whether spins lean to one side of a wheel; counts clockwise from angle 0."""
    import numpy as np

    k = len(counts)
    angles = 2 * math.pi * np.arange(k) / k
    weights = np.asarray(counts, dtype=float)
    return _lean(
        int(weights.sum()),
        float((weights * np.cos(angles)).sum()),
        float((weights * np.sin(angles)).sum()),
        fields=k,
    )


def lean_of_angles(angles_deg: Sequence[float]) -> Lean:
    """Test whether directions in degrees lean to one side."""
    import numpy as np

    angles = np.radians(np.asarray(angles_deg, dtype=float))
    return _lean(len(angles), float(np.cos(angles).sum()), float(np.sin(angles).sum()))


def _lean(n: int, x: float, y: float, fields: int = 0) -> Lean:
    length = math.hypot(x, y)
    angle_deg = math.degrees(math.atan2(y, x)) % 360
    if n < RAYLEIGH_SIMULATED_BELOW:
        return Lean(length / n, angle_deg, _simulate_lean(n, length, fields), "simulated")
    p = math.exp(math.sqrt(1 + 4 * n + 4 * (n * n - length * length)) - (1 + 2 * n))
    return Lean(length / n, angle_deg, min(p, 1.0), "Wilkie")


def _simulate_lean(n: int, length: float, fields: int) -> float:
    import numpy as np

    rng = np.random.default_rng(_SEED)
    if fields:
        turns = rng.integers(0, fields, size=(SIMULATIONS, n)) / fields
    else:
        turns = rng.random(size=(SIMULATIONS, n))
    reached = np.abs(np.exp(2j * math.pi * turns).sum(axis=1)) >= length - 1e-9
    return float((int(reached.sum()) + 1) / (SIMULATIONS + 1))


def runs(sides: "Sequence[bool] | NDArray[np.bool_]") -> Runs | None:
    """Test whether the two sides follow each other by chance; None with fewer than ten of one."""
    import numpy as np

    values = np.asarray(sides, dtype=bool)
    n, ones = len(values), int(values.sum())
    zeros = n - ones
    if min(ones, zeros) < 10:
        return None
    changes = 1 + int((values[1:] != values[:-1]).sum())
    expected = 1 + 2 * ones * zeros / n
    variance = (expected - 1) * (expected - 2) / (n - 1)
    z = (changes - expected) / math.sqrt(variance)
    return Runs(changes, expected, z, math.erfc(abs(z) / math.sqrt(2)))


def steps(places: "Sequence[int] | NDArray[np.int64]", fields: int) -> list[int]:
    """Count the distance of each result from the one before it, clockwise: by number of fields."""
    import numpy as np

    values = np.asarray(places, dtype=np.int64)
    distances = values[1:] - values[:-1]
    distances += fields - 1
    back = np.bincount(distances, minlength=2 * fields - 1)
    counts = back[fields - 1 :].copy()  # a distance back is the rest of the way round
    counts[1:] += back[: fields - 1]
    whole: list[int] = counts.tolist()
    return whole


@dataclass(frozen=True)
class Fullest:
    """The field that came most often. p: exact but for p squared / 2."""

    place: int
    count: int
    expected: float
    p: float


def fullest(counts: "Sequence[int] | NDArray[np.int64]") -> Fullest:
    """Test whether one field came too often: its exact binomial chance times the fields."""
    fields, n = len(counts), int(sum(counts))
    place = max(range(fields), key=lambda k: int(counts[k]))
    count = int(counts[place])
    p = fields * tails.binomial(count, n, 1 / fields)
    return Fullest(place, count, n / fields, min(1.0, p))


@dataclass(frozen=True)
class Repeats:
    """How often a result was the same as the one before it. p: exact, of so many or more."""

    count: int
    n: int
    expected: float
    p: float


def repeats(count: int, n: int, fields: int) -> Repeats:
    """Test the repeats among n pairs of results of equally likely fields."""
    return Repeats(count, n, n / fields, tails.binomial(count, n, 1 / fields))


@dataclass(frozen=True)
class Drift:
    """A change of direction in time. after: results before it. height: of the CUSUM. p: of it."""

    after: int
    height: float
    before_deg: float
    after_deg: float
    p: float


def drift(angles_deg: "Sequence[float] | NDArray[np.float64]") -> Drift | None:
    """Test whether directions change in time; None with fewer than 50.

    The CUSUM of sine and cosine is a Brownian bridge while nothing changes: Kolmogorov's chance,
    twice for two of them. Source: Kolmogorov 1933; Csorgo and Horvath, Limit Theorems in
    Change-Point Analysis (1997).
    """
    import numpy as np

    angles = np.radians(np.asarray(angles_deg, dtype=float))
    n = len(angles)
    if n < DRIFT_LEAST:
        return None
    best: Drift | None = None
    for values in (np.cos(angles), np.sin(angles)):
        centred = values - values.mean()
        spread = float(centred.std())
        if spread < 1e-9:
            continue
        sums = np.abs(np.cumsum(centred)) / (spread * math.sqrt(n))
        at = int(sums[:-1].argmax())
        height = float(sums[at])
        p = min(1.0, 2 * _kolmogorov(height))
        if best is None or p < best.p:
            first, last = _direction(angles[: at + 1]), _direction(angles[at + 1 :])
            best = Drift(at + 1, height, first, last, p)
    return best


def _direction(angles: "NDArray[np.float64]") -> float:
    import numpy as np

    return math.degrees(math.atan2(float(np.sin(angles).sum()), float(np.cos(angles).sum()))) % 360


def _kolmogorov(height: float) -> float:
    if height < 0.3:
        return 1.0
    terms = ((1.0 if k % 2 else -1.0) * math.exp(-2 * (k * height) ** 2) for k in range(1, 50))
    return min(1.0, max(0.0, 2 * math.fsum(terms)))


def needed_spins(df: int, level: float, bias: float, power: float = 0.9) -> int:
    """Return the spins in which a sine of relative height `bias` is found with that power.

    df: fields - 1 for chi-square, 2 for Rayleigh's test; both have the noncentrality n bias^2 / 2.
    """
    noncentral = tails.noncentrality(tails.chi_square_limit(level, df), df, power)
    return math.ceil(noncentral * 2 / (bias * bias))

"""Tail chances: binomial, chi-square, normal, and sums of hypergeometric and other counts.

Binomial tails are sums of their terms; the chi-square's with whole degrees of freedom are finite
sums. Each is exact but for rounding, however small, at any count: a library of 114 MB for these
few is not needed. Source: Johnson, Kemp and Kotz, Univariate Discrete Distributions (2005);
Abramowitz and Stegun 26.4.4, 26.4.5 and 26.4.25.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Chances = tuple[float, ...]
"""Of 0, 1, 2 and so on."""

_NORMAL = NormalDist()
_NEGLIGIBLE = 1e-12
"""Terms below this share of the first are left out."""
_FLOOR = 1e-14


def normal_limit(chance: float) -> float:
    """Return the deviations that a normal value exceeds with this chance, above 0 and below 1."""
    return -_NORMAL.inv_cdf(chance)


def normal(deviations: float) -> float:
    """Return the chance of a normal value of at least this, however small."""
    return math.erfc(deviations / math.sqrt(2)) / 2


def binomial(count: int, n: int, share: float) -> float:
    """Return the chance of at least `count` of n, each with this chance: 0 < share < 1."""
    return float(binomials([count], n, [share])[0])


def binomials(counts: "ArrayLike", n: int, shares: "ArrayLike") -> "NDArray[np.float64]":
    """Return the chance of each count or more of n, each with its share: 0 < share < 1."""
    import numpy as np

    least, chances = np.asarray(counts, dtype=float), np.asarray(shares, dtype=float)
    # Above the mean each term is the one before it, times a ratio that falls from below 1; below
    # the mean the other outcomes are above theirs.
    is_upper = least > n * chances
    first = np.clip(np.where(is_upper, least, n - least + 1), 0, n)
    share = np.where(is_upper, chances, 1 - chances)
    odds = share / (1 - share)
    terms = np.arange(_terms(n, first, share))
    reached = first[:, None] + terms
    ratios = np.maximum((n - reached) / (reached + 1) * odds[:, None], 0.0)
    sums = 1.0 + np.cumprod(ratios, axis=1).sum(axis=1)
    logs = [_log_term(*each) for each in zip(first, repeat(n), share, strict=False)]
    tails = np.minimum(np.exp(logs) * sums, 1.0)
    tails = np.where(is_upper, tails, 1 - tails)
    return np.asarray(np.where(least <= 0, 1.0, np.where(least > n, 0.0, tails)))


def _terms(n: int, first: "NDArray[np.float64]", shares: "NDArray[np.float64]") -> int:
    """Return how many terms follow the first ones before they are negligible.

    As for normal values, and for rare ones, whose terms fall slower, a few more.
    """
    import numpy as np

    spreads = np.sqrt(n * shares * (1 - shares))
    above = np.maximum(first - n * shares, 0.0) / np.maximum(spreads, 1e-9)
    beyond = (np.sqrt(above**2 - 2 * math.log(_NEGLIGIBLE)) - above) * spreads
    return min(n, math.ceil(float(beyond.max(initial=0.0)))) + 50


def _log_term(count: float, n: int, share: float) -> float:
    return _log_ways(n, count) + count * math.log(share) + (n - count) * math.log1p(-share)


def chi_square(statistic: float, df: int) -> float:
    """Return the chance of at least this statistic; df: whole degrees of freedom, 1 on."""
    half = max(statistic, 0.0) / 2
    if half == 0:
        return 1.0
    # The terms of both sums are half^k exp(-half) / gamma(k + 1), k whole or a half more.
    first, tail = (0.5, math.erfc(math.sqrt(half))) if df % 2 else (0.0, 0.0)
    terms = (first + k for k in range(df // 2))
    logs = (k * math.log(half) - half - math.lgamma(k + 1) for k in terms)
    return min(1.0, tail + math.fsum(map(math.exp, logs)))


def chi_square_limit(chance: float, df: int) -> float:
    """Return the statistic that is exceeded with this chance."""
    return _solve(lambda statistic: chi_square(statistic, df) - chance)


@lru_cache(maxsize=64)
def noncentrality(limit: float, df: int, power: float) -> float:
    """Return the noncentrality with which a chi-square exceeds `limit` with this chance."""
    return _solve(lambda shift: power - _noncentral(limit, df, shift))


def _noncentral(limit: float, df: int, shift: float) -> float:
    """Return the chance that a noncentral chi-square exceeds the limit: a Poisson mixture."""
    half = shift / 2
    if half == 0:
        return chi_square(limit, df)
    spread = 10 * math.sqrt(half) + 20
    first, last = max(0, math.floor(half - spread)), math.ceil(half + spread)
    return math.fsum(
        math.exp(k * math.log(half) - half - math.lgamma(k + 1)) * chi_square(limit, df + 2 * k)
        for k in range(first, last)
    )


def _solve(falling: Callable[[float], float]) -> float:
    """Return where a function of values from 0 on, positive at 0 and falling, is zero."""
    high = 1.0
    while falling(high) > 0:
        high *= 2
    low = 0.0
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return high


class SumTails(NamedTuple):
    """The chances of a count or fewer, and of it or more."""

    at_most: float
    at_least: float

    @property
    def two_sided(self) -> float:
        """Return the chance of a count at least this far on either side."""
        return min(1.0, 2 * min(self))


def sum_tails(counts: Sequence[int], parts: Mapping[Chances, int]) -> list[SumTails]:
    """Return the tails at counts of a sum of independent numbers.

    parts: how many have these chances of 0, 1, 2 and so on. Exact but for rounding: no chance
    below 1e-14 is reported. By the discrete Fourier transform over 32 standard deviations.
    """
    import numpy as np

    mean = math.fsum(times * _mean(chances) for chances, times in parts.items())
    variance = math.fsum(times * _variance(chances) for chances, times in parts.items())
    length = 1 << math.ceil(math.log2(32 * math.sqrt(variance) + 64))
    product = np.ones(length // 2 + 1, dtype=complex)
    for chances, times in parts.items():
        folded = np.bincount(np.arange(len(chances)) % length, chances, minlength=length)
        product *= np.fft.rfft(folded) ** times
    first = round(mean) - length // 2
    pmf = np.roll(np.fft.irfft(product, length), -first % length)
    upto = np.concatenate(([0.0], np.cumsum(pmf)))
    beyond = np.concatenate((np.cumsum(pmf[::-1])[::-1], [0.0]))
    place = np.clip(np.asarray(counts) - first, -1, length)
    most, least = upto[np.minimum(place + 1, length)], beyond[np.maximum(place, 0)]
    return [
        SumTails(min(1.0, max(_FLOOR, float(low))), min(1.0, max(_FLOOR, float(high))))
        for low, high in zip(most, least, strict=True)
    ]


def yes_or_no(share: float) -> Chances:
    """Return the chances of 0 and 1 of what happens with this chance."""
    return 1 - share, share


@lru_cache(maxsize=4096)
def hypergeometric(population: int, marked: int, drawn: int) -> Chances:
    """Return the chances of 0, 1, 2 and so on of the marked ones among those drawn."""
    logs = [
        _log_ways(marked, k) + _log_ways(population - marked, drawn - k)
        if drawn - k <= population - marked
        else -math.inf
        for k in range(min(marked, drawn) + 1)
    ]
    whole = _log_ways(population, drawn)
    return tuple(math.exp(log - whole) for log in logs)


def _log_ways(n: int, k: float) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _mean(chances: Chances) -> float:
    return math.fsum(k * chance for k, chance in enumerate(chances))


def _variance(chances: Chances) -> float:
    return math.fsum(k * k * chance for k, chance in enumerate(chances)) - _mean(chances) ** 2

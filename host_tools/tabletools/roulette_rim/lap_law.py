"""The law of one rim and how far its laps are beside it, estimated from many spins.

The ball slows by steady + square v^2, in turns/s^2. `growth` of two laps at one sensor is
deceleration x lap^2, as in the device's logic. Beside the law it is by three parts, Gaussian:

- roughness: the drag varies at random by a share, new on average every sixth of a second;
- from spin to spin: all growths of one spin by one share (another ball, the wheel's temperature);
- jitter: of the time of each pass by itself.

They are separated by how growths vary together: roughness is the same for all sensors within a
sixth of a second, jitter is never shared. The variances are estimated by scoring (Rao's MINQUE,
iterated: restricted maximum likelihood of a Gaussian), with intervals by bootstrap over spins.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tabletools.roulette_rim.spin import Spin

_RENEWS_S = 1 / 6
_GRID_S = 0.02
# Variance of the mean drag over two laps of L seconds: this / L of the share squared.
SPREAD = 2 / 3 * 2 * _RENEWS_S
_ROUNDS = 8
_RESAMPLES = 1000
# Resamples of 30 spins vary too little: of 80 wheels of hil_tests.physics 66 had their roughness
# within 2.5 and 97.5 % of them, 75 within these.
_INTERVAL = (0.0025, 0.9975)
_ODD = 6.0  # standard deviations: a dirty pulse, not this ball
_ACROSS_PASSES = 6  # variances of a pass in the second difference of three: 1 + 4 + 1

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Figure:
    """An estimate and its 95 % interval, by resamples of the spins."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Law:
    """What was estimated. roughness, spins: shares; jitter_s: of a pass, its standard deviation.

    needs: the roughness with which the device allows for all three. growth_off: how uncertain the
    law's growth is, at the fastest and at the slowest lap. laps_s: those two. odd: growths left
    out of all.
    """

    steady: Figure
    square: Figure
    roughness: Figure
    spins: Figure
    jitter_s: Figure
    needs: Figure
    growth_off: tuple[float, float]
    laps_s: tuple[float, float]
    growths: int
    odd: int


@dataclass
class _Rows:
    """The growths of one spin: growth = terms @ (square, steady), and how they vary together."""

    growths: Floats
    terms: Floats
    shared: Floats  # of a drag that varies by 1
    jitter: Floats  # of passes that vary by 1 s


def _rows(spin: Spin) -> _Rows:
    growths = spin.growths()
    times = np.array([each.times_s for each in growths])
    first, second = times[:, 1] - times[:, 0], times[:, 2] - times[:, 1]
    scale = 2 * second / (first * (first + second))
    steps = np.zeros((len(growths), len(spin.passes)))
    for row, each in enumerate(growths):
        steps[row, list(each.passes)] = np.array([1.0, -2.0, 1.0]) * scale[row]
    terms = np.stack([second / first, second**2], axis=1)
    return _Rows((second - first) * scale, terms, _shares(times), steps @ steps.T)


def _shares(times: Floats) -> Floats:
    """How the mean drags over pairs of laps vary together; each weighs its middle most."""
    grid = np.arange(times.min(), times.max() + _GRID_S, _GRID_S)
    weights = np.array([np.interp(grid, row, (0.0, 1.0, 0.0)) for row in times])
    weights /= weights.sum(axis=1, keepdims=True)
    alike = np.exp(-(_GRID_S / _RENEWS_S) * np.arange(len(grid)))  # by the steps between two
    # A product with a Toeplitz matrix is a cyclic convolution of twice the length.
    cycle = np.concatenate((alike, (0.0,), alike[:0:-1]))
    spread = np.fft.irfft(np.fft.rfft(weights, len(cycle)) * np.fft.rfft(cycle), len(cycle))
    result: Floats = weights @ spread[:, : len(grid)].T
    return result


def _not_negative(matrix: Floats, vector: Floats) -> Floats:
    """Solve for values of which none is negative: what would be is 0."""
    used = list(range(len(vector)))
    while used:
        solution = np.linalg.solve(matrix[np.ix_(used, used)], vector[used])
        if solution.min() >= 0:
            result = np.zeros(len(vector))
            result[used] = solution
            return result
        del used[int(solution.argmin())]
    return np.zeros(len(vector))


class _Sums:
    """What each spin adds to the equations of law and variances, under the present estimate."""

    def __init__(self, rows: Sequence[_Rows], law: Floats, variances: Floats) -> None:
        count = len(rows)
        self.law = np.zeros((count, 2, 2)), np.zeros((count, 2))
        self._parts: list[list[Floats]] = []
        self._inverses = []
        for k, each in enumerate(rows):
            smooth = each.terms @ law
            both = np.outer(smooth, smooth)
            parts = [both * each.shared, both, each.jitter]
            inverse = np.linalg.inv(np.tensordot(variances, np.array(parts), 1))
            weighted = each.terms.T @ inverse
            self.law[0][k], self.law[1][k] = weighted @ each.terms, weighted @ each.growths
            self._parts.append(parts)
            self._inverses.append(inverse)

    def variances(self, rows: Sequence[_Rows], law: Floats) -> tuple[Floats, Floats]:
        """The equations of the variances, around a law."""
        matrix, vector = np.zeros((len(rows), 3, 3)), np.zeros((len(rows), 3))
        for k, each in enumerate(rows):
            inverse = self._inverses[k]
            beside = inverse @ (each.growths - each.terms @ law)
            weighted = [inverse @ part for part in self._parts[k]]
            for i, one in enumerate(weighted):
                vector[k, i] = beside @ self._parts[k][i] @ beside
                for j, other in enumerate(weighted[: i + 1]):
                    matrix[k, i, j] = matrix[k, j, i] = np.vdot(one, other.T)
        return matrix, vector


_LEAST = np.array([1e-8, 1e-10, 1e-12])  # keep the equations solvable on a perfect wheel


def _estimate(rows: Sequence[_Rows]) -> tuple[Floats, Floats, _Sums]:
    law, variances = np.array([0.02, 0.1]), np.array([0.05**2, 0.02**2, 0.0003**2])
    for _ in range(_ROUNDS):
        sums = _Sums(rows, law, variances)
        law = _not_negative(sums.law[0].sum(axis=0), sums.law[1].sum(axis=0))
        matrix, vector = sums.variances(rows, law)
        variances = np.maximum(_not_negative(matrix.sum(axis=0), vector.sum(axis=0)), _LEAST)
    return law, variances, _Sums(rows, law, variances)


def _without_odd(rows: Sequence[_Rows], law: Floats, variances: Floats) -> list[_Rows]:
    """Leave out growths that no ball on this rim makes."""
    even = []
    for each in rows:
        smooth = each.terms @ law
        spread = variances[0] * smooth**2 * np.diag(each.shared) + variances[1] * smooth**2
        spread += variances[2] * np.diag(each.jitter)
        use = np.abs(each.growths - smooth) < _ODD * np.sqrt(spread)
        across = np.ix_(use, use)
        rest = each.growths[use], each.terms[use], each.shared[across], each.jitter[across]
        even.append(_Rows(*rest))
    return [each for each in even if len(each.growths)]


def _needs(law: Floats, variances: Floats, laps_s: tuple[float, float], allowed_s: float) -> float:
    """The roughness that gives a slack as wide as all three parts, at the worse of two laps."""
    needs = []
    for lap_s in laps_s:
        growth = law[0] + law[1] * lap_s**2
        jitter = _ACROSS_PASSES * max(variances[2] - allowed_s**2, 0.0) / (lap_s * growth) ** 2
        needs.append(variances[0] + (variances[1] + jitter) * lap_s / SPREAD)
    return float(np.sqrt(max(needs)))


def measure(spins: Sequence[Spin], allowed_s: float) -> Law:
    """Estimate the law from spins with growths. allowed_s: jitter the device allows for anyway.

    The same spins give the same figures.
    """
    rows = [_rows(spin) for spin in spins]
    laps = np.concatenate([np.diff([g.times_s for g in s.growths()]).ravel() for s in spins])
    laps_s = float(laps.min()), float(laps.max())
    law, variances, _ = _estimate(rows)
    used = _without_odd(rows, law, variances)
    law, variances, sums = _estimate(used)
    drawn = np.array(
        [
            [*one, *np.sqrt(parts), _needs(one, parts, laps_s, allowed_s)]
            for one, parts in _resamples(used, sums, law)
        ]
    )
    variances = np.where(variances > _LEAST, variances, 0.0)
    values = [*law, *np.sqrt(variances), _needs(law, variances, laps_s, allowed_s)]
    square, steady, roughness, of_spins, jitter_s, needs = (
        _figure(value, column) for value, column in zip(values, drawn.T, strict=True)
    )
    fastest, slowest = (_half_width(drawn[:, 0] + drawn[:, 1] * lap_s**2) for lap_s in laps_s)
    count = sum(len(each.growths) for each in used)
    odd = sum(len(each.growths) for each in rows) - count
    return Law(
        steady,
        square,
        roughness,
        of_spins,
        jitter_s,
        needs,
        (fastest, slowest),
        laps_s,
        count,
        odd,
    )


def _figure(value: float, drawn: Floats) -> Figure:
    low, high = np.quantile(drawn, _INTERVAL)
    return Figure(float(value), min(float(low), float(value)), max(float(high), float(value)))


def _half_width(drawn: Floats) -> float:
    low, high = np.quantile(drawn, _INTERVAL)
    return float(high - low) / 2


def _resamples(rows: Sequence[_Rows], sums: _Sums, law: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield law and variances of as many spins, drawn with repeats."""
    count, rng = len(rows), np.random.default_rng(len(rows))
    drawn = rng.integers(0, count, (_RESAMPLES, count))
    weights = np.array([np.bincount(one, minlength=count) for one in drawn], float)
    equations = *sums.law, *sums.variances(rows, law)
    for laws, law_sums, parts, part_sums in zip(
        *(np.tensordot(weights, each, 1) for each in equations), strict=True
    ):
        yield _not_negative(laws, law_sums), _not_negative(parts, part_sums)

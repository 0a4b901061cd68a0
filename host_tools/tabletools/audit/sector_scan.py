"""The sector scan: which run of neighbouring fields came too often, wherever it is on the wheel.

Every sector of 2 fields up to a third of the wheel is compared with its exact binomial chance; the
p of the whole scan is the least of these chances times the number of independent sectors that the
overlapping ones amount to (`scan_factors.py`, simulated once by `python -m
tabletools.audit.scan_calibration`). The scan of the newest results does the same in windows, each
shorter by the square root of 2, and finds a bias that began late.

Source of the estimator: Naiman and Priebe, J. Comput. Graph. Stat. 10 (2001) 296.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from tabletools.audit import tails
from tabletools.audit.scan_factors import FACTORS, LOG_CHANCES, WINDOWS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Counts = NDArray[np.int64]

SHORTEST_WINDOW = 1_000
"""Results in the shortest window."""
WINDOW_RATIO = math.sqrt(2)
MOST_WINDOWS = WINDOWS[-1]
EXPECTED_LEAST = 10
"""Results expected in each field; below it, the p is the sum over all sectors."""


@dataclass(frozen=True)
class Scan:
    """The sector that came too often. start: its first field. chance: of this sector alone."""

    start: int
    width: int
    count: int
    expected: float
    window: int
    """Newest results that were scanned."""
    chance: float
    p: float

    def places(self, fields: int) -> list[int]:
        """Return the places of the sector on a wheel of so many fields, clockwise."""
        return [(self.start + k) % fields for k in range(self.width)]

    def fields(self, labels: tuple[str, ...]) -> str:
        """Return the fields of the sector, clockwise."""
        return " ".join(labels[place] for place in self.places(len(labels)))


def widest(fields: int) -> int:
    """Return the fields of the widest sector; a lean of half the wheel is Rayleigh's."""
    return fields // 3


def scan(counts: "Counts") -> Scan:
    """Scan all results; counts by field, clockwise."""
    best = _best(counts, narrowest=2)
    fields, sectors = len(counts), len(counts) * (widest(len(counts)) - 1)
    factor = _factor(fields, 0, best.chance, sectors, best.window)
    return _with_p(best, factor)


def scan_newest(windows: "Counts") -> Scan | None:
    """Scan the counts of `newest_counts`; None where there are too few results for a window."""
    count, fields = windows.shape
    if not count:
        return None
    best = min((_best(counts, narrowest=1) for counts in windows), key=lambda scan: scan.chance)
    sectors = count * fields * widest(fields)
    return _with_p(best, _factor(fields, count, best.chance, sectors, best.window))


def newest_counts(places: "NDArray[np.int64]", fields: int) -> "Counts":
    """Return the counts of the newest results by window, longest first, and field."""
    import numpy as np

    windows = window_lengths(len(places))
    if not windows:
        return np.empty((0, fields), dtype=np.int64)
    n = len(places)
    ends = [n - length for length in windows[1:]] + [n]
    parts = [
        np.bincount(places[n - length : end], minlength=fields)
        for length, end in zip(windows, ends, strict=True)
    ]
    counts: Counts = np.cumsum(parts[::-1], axis=0)[::-1]  # a window has all shorter ones in it
    return counts


def scan_group(counts: "Counts") -> Scan:
    """Scan the results of one croupier, ball or direction, single fields included."""
    best = _best(counts, narrowest=1)
    sectors = len(counts) * widest(len(counts))
    return _with_p(best, _factor(len(counts), 1, best.chance, sectors, best.window))


def sector_level(fields: int, windows: int, level: float) -> float:
    """Return the chance of a single sector at which a scan has this p."""
    import numpy as np

    factors = np.asarray(_factors(fields, windows))
    logs = np.asarray(LOG_CHANCES) + np.log10(factors)
    return float(10 ** np.interp(math.log10(level), logs[::-1], LOG_CHANCES[::-1]))


def window_lengths(results: int) -> list[int]:
    """Return the windows of the newest results, longest first: from a half of all down."""
    lengths: list[int] = []
    length = results / 2
    while length >= SHORTEST_WINDOW and len(lengths) < MOST_WINDOWS:
        lengths.append(round(length))
        length /= WINDOW_RATIO
    return lengths


def _with_p(best: Scan, factor: float) -> Scan:
    return Scan(**(vars(best) | {"p": min(1.0, best.chance * factor)}))


def _best(counts: "Counts", narrowest: int) -> Scan:
    """Return the least likely sector of these widths, with p still its own chance.

    With one width the fullest sector is the least likely, so one chance a width is enough.
    """
    import numpy as np

    fields, n = len(counts), int(counts.sum())
    widths = np.arange(narrowest, widest(fields) + 1)
    upto = np.concatenate(([0], np.cumsum(np.concatenate((counts, counts)))))
    sums = upto[widths[:, None] + np.arange(fields)] - upto[np.arange(fields)]
    starts = sums.argmax(axis=1)
    fullest = sums[np.arange(len(widths)), starts]
    chances = tails.binomials(fullest, n, widths / fields)
    at = int(chances.argmin())
    width, chance = int(widths[at]), float(chances[at])
    expected = n * width / fields
    return Scan(int(starts[at]), width, int(fullest[at]), expected, n, chance, chance)


@lru_cache(maxsize=256)
def _factors(fields: int, windows: int) -> tuple[float, ...]:
    """Return the independent sectors at each of LOG_CHANCES, between the windows simulated."""
    import numpy as np

    table = FACTORS[fields]
    if windows == 0:
        return table[0]
    rows = np.asarray([table[known] for known in WINDOWS[1:]])
    columns = (np.interp(windows, WINDOWS[1:], column) for column in rows.T)
    return tuple(float(value) for value in columns)


def _factor(fields: int, windows: int, chance: float, sectors: int, n: int) -> float:
    if n < EXPECTED_LEAST * fields or chance <= 0:
        return sectors
    if chance >= 10 ** LOG_CHANCES[0]:
        return 1 / chance
    import numpy as np

    known = (*_factors(fields, windows), sectors)
    logs = (*LOG_CHANCES, 2 * LOG_CHANCES[-1])
    return float(np.interp(math.log10(chance), logs[::-1], known[::-1]))

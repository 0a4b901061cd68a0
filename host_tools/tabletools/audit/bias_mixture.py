"""The mixture of biases: how much likelier than chance results are, on average over biases.

A bias raises the chance of one field, of 3, 5 or 8 neighbours (13 on money wheels), or of one side
of the wheel, in all results or in a window of the newest, by as much as an alarm takes there. The
mixture is the mean of their likelihood ratios to a fair wheel, weighted by SHARES: one statistic
for all of them, so that biases which explain the same results add up instead of being compared
with a level of their own. On a fair wheel its mean is 1, so a ratio of r or more has a chance of
at most 1 / r (Markov); of many results it has FACTOR of that.

Source: Chan and Walther, Statistica Sinica 23 (2013) 409.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tabletools.audit.sector_scan import EXPECTED_LEAST

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    Counts = NDArray[np.int64]

SHIFT = 4.5
"""Deviations by which a bias raises its own count."""


class Shares(NamedTuple):
    """Weights of the biases of one kind: in all results, and in windows of the newest."""

    of_all: float
    of_newest: float


FIELD, SECTORS, SIDE = Shares(0.385, 0.01), Shares(0.315, 0.24), Shares(0.05, 0.0)
"""Chosen on simulated wheels. The windows share theirs in inverse proportion to their lengths."""
SECTOR_WIDTHS = (3, 5, 8, 13)
"""Fields; up to a quarter of the wheel."""
FACTOR, FACTOR_FROM = 0.1, 3
"""The chance of a ratio of 3 or more, times the ratio: simulated, 0.06 to 0.102 on wheels of 37 to
54 fields with 0 to 30 windows (host_tools/tests/test_audit_mixture.py)."""
_HIGHEST_SINE = 0.9
_LARGEST_LOG = 600.0


@dataclass(frozen=True)
class Mixture:
    """What the mixture found. The other fields are those of the bias that explains most."""

    ratio: float
    p: float
    width: int
    """Fields; 0: a side of the wheel."""
    start: int
    """Its first field; of a side, the middle."""
    window: int
    """Newest results that have it."""
    is_late: bool
    """Whether these are not all results."""
    count: int
    expected: float
    """Of the fields; 0 for a side."""

    def places(self, fields: int) -> list[int]:
        """Return its places on a wheel of so many fields, clockwise."""
        return [(self.start + k) % fields for k in range(max(self.width, 1))]


def mixture(counts: "Counts") -> Mixture:
    """Compare results with the mixture. counts: by window, all results first, and field."""
    import numpy as np

    lengths = counts.sum(axis=1)
    n, fields = int(lengths[0]), counts.shape[1]
    logs = log_ratios(counts, lengths)
    ratio = total(logs)
    kind, window, start = map(int, np.unravel_index(int(logs.argmax()), logs.shape))
    width = (*widths(fields), 0)[kind]
    span = (start + np.arange(width)) % fields
    return Mixture(
        ratio=float(ratio),
        p=_p(float(ratio), n, fields),
        width=width,
        start=start,
        window=int(lengths[window]),
        is_late=window > 0,
        count=int(counts[window, span].sum()),
        expected=float(lengths[window] * width / fields),
    )


def log_ratios(counts: "Counts", lengths: "ArrayLike") -> "Array":
    """Return the logarithm of each bias's likelihood ratio times its weight.

    counts: [..., windows, fields]. lengths: results in each window. Returns [..., kinds, windows,
    fields]: the kinds are `widths`, by first field, then the side, by its middle.
    """
    import numpy as np

    fields, n = counts.shape[-1], np.asarray(lengths, dtype=float)
    upto = np.cumsum(np.concatenate((np.zeros_like(counts[..., :1]), counts, counts), -1), -1)
    kinds = []
    for width in widths(fields):
        fair = width / fields
        raised = raised_share(fair, n)
        rise, fall = np.log(raised / fair), np.log((1 - raised) / (1 - fair))
        sums = upto[..., width : width + fields] - upto[..., :fields]
        kinds.append(sums * (rise - fall)[:, None] + (n * fall)[:, None])
    kinds.append((counts[..., None, :] @ np.log(fields * side_chances(fields, n)))[..., 0, :])
    with np.errstate(divide="ignore"):
        weights = np.log(bias_weights(fields, n))
    return np.stack(kinds, axis=-3) + weights[..., None]


def total(logs: "Array") -> "Array":
    """Return the ratio of the mixture: the sum over kinds, windows and fields."""
    import numpy as np

    return np.asarray(np.exp(np.minimum(logs, _LARGEST_LOG)).sum(axis=(-3, -2, -1)))


def widths(fields: int) -> tuple[int, ...]:
    """Return the widths of the biases on a wheel of so many fields."""
    return 1, *(width for width in SECTOR_WIDTHS if 4 * width <= fields)


def raised_share(fair: float, n: "Array") -> "Array":
    """Return the share of n results that has a bias, of fields with this share by chance."""
    import numpy as np

    return fair + np.minimum(SHIFT * np.sqrt(fair * (1 - fair) / n), (1 - fair) / 2)


def side_chances(fields: int, n: "Array") -> "Array":
    """Return the chances of fields by length of the window, field, and middle of the side."""
    import numpy as np

    place = np.arange(fields)
    waves = np.cos(2 * math.pi * (place[:, None] - place) / fields)
    height = np.minimum(SHIFT * np.sqrt(2 / n), _HIGHEST_SINE)
    return np.asarray((1 + height[:, None, None] * waves) / fields)


def bias_weights(fields: int, lengths: "ArrayLike") -> "Array":
    """Return the weight of each bias by kind and window; over all fields they add up to 1."""
    import numpy as np

    newest = 1 / np.asarray(lengths, dtype=float)[1:]
    newest /= newest.sum() if len(newest) else 1
    sectors = len(widths(fields)) - 1
    each = [FIELD, *[Shares(*(share / sectors for share in SECTORS))] * sectors, SIDE]
    weights = np.array([[of_all, *of_newest * newest] for of_all, of_newest in each])
    return np.asarray(weights / weights.sum() / fields)


def sector_deviations(fields: int, level: float) -> float:
    """Return the deviations at which one sector of all results alone has this p."""
    weight = SECTORS.of_all / (len(widths(fields)) - 1) / fields
    return math.log(FACTOR / level / weight) / SHIFT + SHIFT / 2


def _p(ratio: float, n: int, fields: int) -> float:
    """Return the most that the chance of this ratio or more is on a fair wheel."""
    is_simulated = n >= EXPECTED_LEAST * fields and ratio >= FACTOR_FROM
    return min(1.0, (FACTOR if is_simulated else 1.0) / ratio) if ratio > 0 else 1.0

"""Compute `scan_factors.py`: how many independent sectors a scan amounts to.

A sector's count on a fair wheel is nearly normal. For the event that any of N sectors exceeds a
limit of chance q, draw one sector above the limit, the rest given it, and count those above: the
factor is N times the mean of 1 / count (Naiman and Priebe), exact at any q. Fixed seed: the same
table each time. Run `python -m tabletools.audit.scan_calibration` after a change of the scan.
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tabletools.audit import tails

Array = NDArray[np.float64]

WINDOW_RATIO = np.sqrt(2)
LOG_CHANCES = (-1.0, -2.0, -3.0, -4.0, -5.0, -6.0, -8.0, -12.0)
WINDOWS = (0, 1, 2, 4, 8, 16, 30)
"""0: all results, sectors of 2 fields on; otherwise that many windows, single fields included."""
FIELDS = (37, 38, 52, 54)
DRAWS = 4_000
_BATCH = 200
_SEED = 20_261_129
_PLACE = Path(__file__).with_name("scan_factors.py")
_HEAD = '''"""Independent sectors of a scan; from `python -m tabletools.audit.scan_calibration`.

FACTORS[fields][windows]: at each of LOG_CHANCES, the logarithm of the least chance.
"""

'''


def factor(fields: int, windows: int, log_chance: float, draws: int = DRAWS) -> float:
    """Return the independent sectors of a scan of so many windows at this chance of one sector."""
    widths = np.arange(1 if windows else 2, fields // 3 + 1)
    count = max(windows, 1)
    rng = np.random.default_rng((_SEED, fields, windows, round(-log_chance)))
    limit = tails.normal_limit(10.0**log_chance)
    # Results in each window, and in each of the pieces between them, newest window last.
    lengths = WINDOW_RATIO ** -np.arange(count)
    pieces = lengths - np.append(lengths[1:], 0.0)
    sectors = fields * len(widths) * count
    total = 0.0
    for _ in range(draws // _BATCH):
        noise = rng.standard_normal((_BATCH, count, fields))
        noise = (noise - noise.mean(axis=2, keepdims=True)) * np.sqrt(pieces)[:, None]
        for one in noise:
            window, place = rng.integers(count), rng.integers(len(widths))
            above = tails.normal_limit(rng.random() * 10.0**log_chance)
            _condition(one, int(window), int(widths[place]), above, lengths, pieces)
        total += float((1 / _exceeding(noise, widths, lengths, limit)).sum())
    return sectors * total / (draws // _BATCH * _BATCH)


def _condition(
    one: Array,
    window: int,
    width: int,
    above: float,
    lengths: Array,
    pieces: Array,
) -> None:
    """Shift a draw so that the sector from field 0 in this window is `above` deviations."""
    fields = one.shape[1]
    spread = np.sqrt(lengths[window] * width * (1 - width / fields))
    value = one[window:, :width].sum() / spread
    share = np.where(np.arange(fields) < width, 1.0, 0.0) - width / fields
    one[window:] += pieces[window:, None] * share / spread * (above - value)


def _exceeding(
    noise: Array,
    widths: NDArray[np.int64],
    lengths: Array,
    limit: float,
) -> Array:
    """Return how many sectors exceed the limit, at least the one drawn: by draw."""
    fields = noise.shape[2]
    totals = np.cumsum(noise[:, ::-1], axis=1)[:, ::-1]  # each window, from its pieces
    upto = np.cumsum(np.concatenate((np.zeros_like(totals[..., :1]), totals, totals), 2), axis=2)
    count = np.zeros(len(noise))
    for width in widths:
        spread = np.sqrt(lengths * width * (1 - width / fields))
        sums = upto[..., width : width + fields] - upto[..., :fields]
        count += (sums >= (limit - 1e-9) * spread[:, None]).sum(axis=(1, 2))
    return np.maximum(count, 1)


def table(draws: int = DRAWS) -> str:
    """Return the module with the table."""
    lines = [_HEAD, f"LOG_CHANCES = {LOG_CHANCES}\n", f"WINDOWS = {WINDOWS}\n"]
    lines.append("FACTORS: dict[int, dict[int, tuple[float, ...]]] = {\n")
    for fields in FIELDS:
        lines.append(f"    {fields}: {{\n")
        for windows in WINDOWS:
            row = [float(f"{factor(fields, windows, at, draws):.4g}") for at in LOG_CHANCES]
            lines.append(f"        {windows}: ({', '.join(map(str, row))}),\n")
        lines.append("    },\n")
    lines.append("}\n")
    return "".join(lines)


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS, help="draws for each factor")
    _PLACE.write_text(table(parser.parse_args().draws), encoding="utf-8")


if __name__ == "__main__":
    main()

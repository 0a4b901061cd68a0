"""The audit against an oracle: alarms on simulated wheels, and false alarms on fair ones.

The oracle knows which bias to look for: it spends the whole level on that one test, with a limit
simulated here from fair wheels. It shares no code with the tool. `python -m
host_tools.bench.audit_oracle` measures, and writes the table into AUDIT.md; with `--shared SEED`
it prints the false alarms of other table-years whose looks share results, and writes nothing.
"""

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tabletools.audit import MACHINES, Spins, audit
from tabletools.audit.audit_report import ALARM

PAGE = Path(__file__).resolve().parents[1] / "docs" / "AUDIT.md"
BEGIN, END = "<!-- audit bench: begin -->\n", "<!-- audit bench: end -->\n"
FIELDS = 37
LEVEL = 1 / 365
WIDTHS = range(2, 13)
DAY = 300
"""Spins of a gaming day."""
SEED = 81_129
"""The weights of the mixture were chosen on other wheels, by numpy's seeds (101, ...)."""
Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Statistic = Callable[[Counts], Array]
"""Of counts by wheel, piece of time (oldest first) and field: one value a wheel."""


class Case(NamedTuple):
    """A bias. biased: spins with it. fair: spins before it begins. test: of the oracle."""

    name: str
    chances: Array
    biased: int
    statistic: Statistic
    test: str
    fair: int = 0


def pocket_bias(height: float) -> Array:
    """Return the chances of a wheel with one full pocket."""
    return _scale(np.where(np.arange(FIELDS) == 11, 1 + height, 1.0))


def sector_bias(height: float, width: int = 5) -> Array:
    """Return the chances of a wheel with one full sector."""
    return _scale(np.where((np.arange(FIELDS) - 20) % FIELDS < width, 1 + height, 1.0))


def sine_bias(height: float) -> Array:
    """Return the chances of a tilted wheel."""
    return _scale(1 + height * np.cos(2 * math.pi * np.arange(FIELDS) / FIELDS - 1.0))


def _scale(weights: Array) -> Array:
    return weights / weights.sum()


# --- the oracle ----------------------------------------------------------------------------------


def fullest(counts: Counts) -> Array:
    """Return the count of the fullest pocket."""
    return counts.sum(axis=1).max(axis=1).astype(float)


def sectors(counts: Counts) -> Array:
    """Return the greatest standardized count of a sector of WIDTHS."""
    return _greatest(counts.sum(axis=1), WIDTHS)


def windows(counts: Counts) -> Array:
    """Return the greatest standardized count of a sector in the newest pieces."""
    newest = np.cumsum(counts[:, ::-1], axis=1)
    pieces = range(max(1, newest.shape[1] - 1))
    return np.max([_greatest(newest[:, piece], range(1, 13)) for piece in pieces], axis=0)


def window_sines(counts: Counts) -> Array:
    """Return the greatest Rayleigh statistic of the newest pieces."""
    newest = np.cumsum(counts[:, ::-1], axis=1)[:, :-1]
    return np.asarray(_rayleigh(newest).max(axis=1))


def sines(counts: Counts) -> Array:
    """Return Rayleigh's statistic."""
    return _rayleigh(counts.sum(axis=1))


def _rayleigh(counts: Counts) -> Array:
    waves = np.exp(2j * math.pi * np.arange(FIELDS) / FIELDS)
    return np.asarray(2 * np.abs(counts @ waves) ** 2 / counts.sum(axis=-1))


def _greatest(counts: Counts, widths: range) -> Array:
    n = counts.sum(axis=1)
    greatest = np.full(len(counts), -np.inf)
    for width in widths:
        sums = sum(np.roll(counts, -k, axis=1) for k in range(width))
        mean, share = n * width / FIELDS, width / FIELDS
        z = (np.max(sums, axis=1) - mean) / np.sqrt(n * share * (1 - share))
        greatest = np.maximum(greatest, z)
    return greatest


def piece_lengths(n: int) -> list[int]:
    """Return the pieces of time, oldest first: the newest k of them are windows of the oracle."""
    newest, lengths = 1_000.0, [min(1_000, n)]
    while newest < n / 2:
        newest *= math.sqrt(2)
        lengths.append(min(round(newest) - sum(lengths), n - sum(lengths)))
    if sum(lengths) < n:
        lengths.append(n - sum(lengths))
    return lengths[::-1]


def oracle_limit(case: Case, wheels: int, rng: np.random.Generator) -> float:
    """Return the limit that fair wheels exceed with a chance of LEVEL."""
    lengths = piece_lengths(case.fair + case.biased)
    even = np.full(FIELDS, 1 / FIELDS)
    batches = [
        case.statistic(np.stack([rng.multinomial(n, even, 1_000) for n in lengths], axis=1))
        for _ in range(max(1, wheels // 1_000))
    ]
    return float(np.quantile(np.concatenate(batches), 1 - LEVEL, method="higher"))


# --- wheels --------------------------------------------------------------------------------------


def spins_of(case: Case, rng: np.random.Generator) -> Counts:
    """Return the places of one wheel with this bias, in order."""
    before = rng.integers(0, FIELDS, case.fair)
    after = rng.choice(FIELDS, case.biased, p=case.chances)
    return np.concatenate((before, after))


def by_piece(places: Counts) -> Counts:
    """Return the counts of one wheel by piece and field."""
    ends = np.cumsum(piece_lengths(len(places)))[:-1]
    pieces = [np.bincount(piece, minlength=FIELDS) for piece in np.split(places, ends)]
    return np.asarray(pieces)[None]


def is_alarm(places: Counts, audits_per_year: int = 365) -> bool:
    """Return whether the tool gives an alarm."""
    spins = Spins("", places.tolist(), round=len(places))
    return audit(spins, MACHINES["single"], audits_per_year).verdict == ALARM


CASES = (
    Case("one pocket +20 %, 20,000 spins", pocket_bias(0.2), 20_000, fullest, "fullest pocket"),
    Case("one pocket +50 %, 5,000 spins", pocket_bias(0.5), 5_000, fullest, "fullest pocket"),
    Case("sector of 5 +10 %, 20,000 spins", sector_bias(0.1), 20_000, sectors, "sector scan"),
    Case("sector of 5 +30 %, 3,000 spins", sector_bias(0.3), 3_000, sectors, "sector scan"),
    Case(
        "30,000 fair, then 3,000 with a sector +30 %",
        sector_bias(0.3),
        3_000,
        windows,
        "windows",
        fair=30_000,
    ),
    Case(
        "30,000 fair, then 3,000 with a 30 % sine",
        sine_bias(0.3),
        3_000,
        window_sines,
        "Rayleigh in windows",
        fair=30_000,
    ),
    Case("10 % sine, 4,000 spins", sine_bias(0.1), 4_000, sines, "Rayleigh"),
)


class Row(NamedTuple):
    """Alarms of a case, as shares."""

    case: Case
    tool: float
    oracle: float


def measure(case: Case, wheels: int, fair: int) -> Row:
    """Audit wheels with this bias. fair: wheels that set the limit of the oracle."""
    rng = np.random.default_rng((SEED, case.biased, case.fair, round(1e6 * case.chances.max())))
    limit = oracle_limit(case, fair, rng)
    tool = oracle = 0
    for _ in range(wheels):
        places = spins_of(case, rng)
        tool += is_alarm(places)
        oracle += bool(case.statistic(by_piece(places))[0] > limit)
    return Row(case, tool / wheels, oracle / wheels)


class Delay(NamedTuple):
    """Mean days until the alarm on a sector that begins after a fair year."""

    tool: float
    oracle: float


def delay(wheels: int, fair: int, most_days: int = 60) -> Delay:
    """Audit at the end of each day, DAY spins each, until both have found the bias."""
    rng = np.random.default_rng((SEED, 1))
    case = Case("", sector_bias(0.3), 10 * DAY, windows, "windows", fair=365 * DAY)
    limit = oracle_limit(case, fair, rng)
    days: list[list[int]] = [[], []]
    for _ in range(wheels):
        places = spins_of(case._replace(biased=most_days * DAY), rng)
        for by, first in enumerate(days):
            first.append(_first_day(places, most_days, limit if by else None))
    return Delay(float(np.mean(days[0])), float(np.mean(days[1])))


def _first_day(places: Counts, most_days: int, limit: float | None) -> int:
    """Return the day of the alarm. limit: of the oracle; None for the tool."""
    for day in range(1, most_days):
        so_far = places[: (365 + day) * DAY]
        found = is_alarm(so_far) if limit is None else windows(by_piece(so_far))[0] > limit
        if found:
            return day
    return most_days


class FalseAlarms(NamedTuple):
    """Alarms of fair tables, by table-year: whose looks share their results, or have a wheel each.

    Their mean is the same; alarms of looks with a wheel each are independent.
    """

    looks: int
    shared: list[int]
    alone: list[int]


def interval_of(alarms: list[int]) -> tuple[float, float]:
    """Return the 95 % interval of the mean of table-years."""
    half = 1.96 * float(np.std(alarms)) / math.sqrt(len(alarms))
    return float(np.mean(alarms)) - half, float(np.mean(alarms)) + half


def shared_alarms(years: int, ends: range, rng: np.random.Generator) -> Iterator[int]:
    """Yield the alarms of each table-year: at each look all its results so far are audited."""
    for _ in range(years):
        places = rng.integers(0, FIELDS, ends[-1])
        yield sum(is_alarm(places[:end], len(ends)) for end in ends)


def false_alarms(years: int, years_alone: int, ends: range) -> FalseAlarms:
    """Audit fair tables over years. ends: results at each look."""
    rng = np.random.default_rng((SEED, 2))
    shared = list(shared_alarms(years, ends, rng))
    alone = [
        sum(is_alarm(rng.integers(0, FIELDS, end), len(ends)) for end in ends)
        for _ in range(years_alone)
    ]
    return FalseAlarms(len(ends), shared, alone)


# --- the page ------------------------------------------------------------------------------------


def lines(
    rows: list[Row], late: Delay, false: FalseAlarms, wheels: int, fair: int
) -> Iterator[str]:
    """Yield the table as Markdown."""
    yield f"Alarms of {wheels} wheels each at a level of 1/365. The limit of the oracle comes from"
    yield f"{fair:,} fair wheels."
    yield ""
    yield "| bias | tool | oracle | its only test | tool / oracle |"
    yield "|---|---|---|---|---|"
    for case, tool, oracle in rows:
        ratio = f"{tool / oracle:.0%}" if oracle else "none"
        yield f"| {case.name} | {tool:.1%} | {oracle:.1%} | {case.test} | {ratio} |"
    ratio = f"{late.oracle / late.tool:.0%}"
    yield (
        f"| a sector +30 % after a fair year of {DAY} spins a day | {late.tool:.1f} days |"
        f" {late.oracle:.1f} days | windows | {ratio} |"
    )
    yield ""
    low, high = interval_of(false.alone)
    rate = np.mean(false.alone)
    yield f"False alarms: {sum(false.alone)} in {len(false.alone)} table-years of"
    yield f"{false.looks} looks with a fair wheel each, {rate:.2f} a table-year, with 95 %"
    yield f"confidence {low:.2f} to {high:.2f}, against 1 allowed. Where the looks of a"
    yield f"table-year share its results, {_sum_of(false.shared)}."


def _sum_of(shared: list[int]) -> str:
    low, high = interval_of(shared)
    years = f"{sum(map(bool, shared))} of {len(shared)} table-years"
    rate = f"{np.mean(shared):.2f} a table-year, {low:.2f} to {high:.2f}"
    return f"{years}\nhad alarms, {sum(shared)} together, {rate}"


def main(words: list[str] | None = None) -> None:
    """Measure, print the table, and write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheels", type=int, default=3_000)
    parser.add_argument("--fair", type=int, default=100_000)
    parser.add_argument("--years", type=int, default=400, help="whose looks share results")
    parser.add_argument("--years-alone", type=int, default=2_000, help="whose looks do not")
    parser.add_argument("--looks", type=int, default=52)
    parser.add_argument("--spins", type=int, default=7 * DAY, help="spins between two looks")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--shared", type=int, metavar="SEED", help="only --years, of this seed")
    options = parser.parse_args(words)
    ends = range(options.spins, options.looks * options.spins + 1, options.spins)
    if options.shared is not None:
        rng = np.random.default_rng(options.shared)
        print(_sum_of(list(shared_alarms(options.years, ends, rng))))
        return
    begin = time.process_time()
    rows = []
    for case in CASES:
        rows.append(measure(case, options.wheels, options.fair))
        print(rows[-1].case.name, rows[-1][1:], f"{time.process_time() - begin:.0f} s", flush=True)
    late = delay(max(2, options.wheels // 10), options.fair)
    print(late, f"{time.process_time() - begin:.0f} s", flush=True)
    false = false_alarms(options.years, options.years_alone, ends)
    text = "\n".join(lines(rows, late, false, options.wheels, options.fair)) + "\n"
    print(text)
    before, _, rest = options.page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    options.page.write_text(before + BEGIN + text + END + after, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

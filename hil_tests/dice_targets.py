"""The targets of each family of rendered throws in trays that are known: none wrong, and shares.

The reports of `hil_tests.dice_rigs` and `hil_tests.dice_overhead` end with what is short of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

READ, WRONG = "read", "WRONG"


class Target(NamedTuple):
    """Shares of the throws of a family that are read at least and at most."""

    least: float = 0.0
    most: float = 1.0


TARGETS = {
    "plain": Target(least=0.95),
    "two lamps": Target(least=0.95),
    "lean 6": Target(most=0.0),
    "lean 8": Target(most=0.0),
    "lean 12": Target(most=0.0),
    "lean 20": Target(most=0.0),
    "stacked": Target(most=0.0),
    "small": Target(most=0.0),
    "large": Target(most=0.0),
    "foreign": Target(most=0.0),
    "paper": Target(most=0.0),
}
"""Of the others only that none is read wrong."""


def line_of(family: str, counts: Mapping[str, int]) -> str:
    """Return a line of a report. counts: of throws by their reading: READ, WRONG or a reason."""
    counts = Counter(counts)
    target = TARGETS.get(family, Target())
    asked = (
        f"{target.least:.0%} asked" if target.least else "none asked" if not target.most else ""
    )
    rest = ", ".join(f"{name} {n}" for name, n in counts.most_common() if name != READ)
    return f"{family:9} read {counts[READ]:4} of {counts.total():4} {asked:10}  {rest}"


def short_of(family: str, counts: Mapping[str, int]) -> str:
    """Return how the throws of a family are short of its target, "" if they are not."""
    counts = Counter(counts)
    target = TARGETS.get(family, Target())
    share = counts[READ] / max(counts.total(), 1)
    if counts[WRONG]:
        return f"{family}: {counts[WRONG]} read wrong, none asked"
    if share < target.least:
        return f"{family}: {share:.1%} read, {target.least:.0%} asked"
    if share > target.most:
        return f"{family}: {share:.1%} read, {target.most:.0%} at most"
    return ""


def print_report(all_counts: Mapping[str, Mapping[str, int]]) -> int:
    """Print what is short of its target; return the exit code of the report."""
    short = [text for family, counts in all_counts.items() if (text := short_of(family, counts))]
    print("short of the targets: " + "; ".join(short) if short else "all targets are met")
    return 1 if short else 0

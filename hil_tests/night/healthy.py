"""Healthy rounds that a table voided by its own sensors: how many may be, and how many were."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tablespec.reasons import REASONS

LIMIT = 0.01
"""Share of the healthy rounds of a table that may be void."""
_NAMES = {reason.number: reason.name for reason in REASONS}
_FROM_OUTSIDE = range(400, 600)
"""Reasons of a void by people at contacts, power, hosts and lines (codes of every table)."""


@dataclass
class HealthyRounds:
    """The healthy rounds of one table. voids: those void by its own sensors, by reason."""

    rounds: int = 0
    voids: Counter[int] = field(default_factory=Counter)

    def note(self, reason: int | None) -> None:
        """Count one; reason: of its void, None for a result."""
        if reason in _FROM_OUTSIDE:
            return
        self.rounds += 1
        if reason is not None:
            self.voids[reason] += 1

    def add(self, other: HealthyRounds) -> None:
        """Add those of another night."""
        self.rounds += other.rounds
        self.voids += other.voids

    @property
    def passed(self) -> bool:
        """Whether no more were void than LIMIT allows; one always may be."""
        return self.voids.total() <= max(1, int(LIMIT * self.rounds))

    def __str__(self) -> str:
        text = f"{self.voids.total()} of {self.rounds} healthy rounds void (limit {LIMIT:.0%})"
        reasons = ", ".join(f"{n} {_NAMES[reason]}" for reason, n in self.voids.most_common())
        return text + (f": {reasons}" if reasons else "")

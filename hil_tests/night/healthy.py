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
    """The healthy rounds of one table. voids: those void by its own sensors, by reason.

    excused: rounds besides them that the sensors of a healthy table cannot prove, by excuse.
    """

    rounds: int = 0
    voids: Counter[int] = field(default_factory=Counter)
    excused: Counter[str] = field(default_factory=Counter)

    def note(self, reason: int | None, excuse: str = "") -> None:
        """Count one; reason: of its void, None for a result. excuse: see soak.soak_run.Part."""
        if reason in _FROM_OUTSIDE:
            return
        if excuse:
            self.excused[excuse] += 1
            return
        self.rounds += 1
        if reason is not None:
            self.voids[reason] += 1

    def add(self, other: HealthyRounds) -> None:
        """Add those of another night."""
        self.rounds += other.rounds
        self.voids += other.voids
        self.excused += other.excused

    @property
    def passed(self) -> bool:
        """Whether no more were void than LIMIT allows; one always may be."""
        return self.voids.total() <= max(1, int(LIMIT * self.rounds))

    def __str__(self) -> str:
        text = f"{self.voids.total()} of {self.rounds} healthy rounds void (limit {LIMIT:.0%})"
        reasons = ", ".join(f"{n} {_NAMES[reason]}" for reason, n in self.voids.most_common())
        text += f": {reasons}" if reasons else ""
        excused = ", ".join(f"{n} {name}" for name, n in self.excused.most_common())
        return text + (f"; not counted: {excused}" if excused else "")

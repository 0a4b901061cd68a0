"""The audit of one machine: its tests, the one-word verdict, and the advice of each test.

What an audit may spend of the error budget is divided between the tests that the machine and the
file allow (error_budget.py); a test below its level is an alarm.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tabletools.audit import chance
from tabletools.audit.audit_machines import Kind, Machine
from tabletools.audit.card_tests import card_findings, card_fit
from tabletools.audit.chance import Fit, Lean
from tabletools.audit.dice_tests import dice_findings
from tabletools.audit.draw_tests import draw_findings, draw_fit
from tabletools.audit.error_budget import AUDITS_PER_YEAR, Test, levels, look_level
from tabletools.audit.findings import Finding, Findings
from tabletools.audit.spins import Spins, as_array
from tabletools.audit.wheel_tests import wheel_findings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

QUIET, WATCH, ALARM = "quiet", "watch", "alarm"
WATCH_LEVEL = 0.01
# With fewer, only a gross fault would show.
FEW = 1000
_PLAYED_WITH = {
    Kind.WHEEL: "the machine",
    Kind.DICE: "the dice",
    Kind.DRAW: "this set of balls",
    Kind.CARDS: "these decks",
}


@dataclass(frozen=True)
class Report:
    """The findings. rayleigh: None where results have no direction."""

    machine: Machine
    spins: Spins
    counts: tuple[int, ...]
    chi_square: Fit
    rayleigh: Lean | None
    findings: Findings
    alarm_level: float

    @property
    def n(self) -> int:
        """Return the number of results audited."""
        return len(self.spins.places)

    @property
    def levels(self) -> dict[Test, float]:
        """Return the level of each test made: its share of what this audit may spend."""
        return levels((finding.test for finding in self.findings.made), self.alarm_level)

    @property
    def p(self) -> float:
        """Return the chance that a fair machine shows one of the tests at least this extreme."""
        shares = self.levels
        return min(1.0, min(f.p * self.alarm_level / shares[f.test] for f in self.findings.made))

    @property
    def worst(self) -> Finding:
        """Return the finding that is furthest below its level, or nearest to it."""
        shares = self.levels
        return min(self.findings.made, key=lambda finding: finding.p / shares[finding.test])

    @property
    def verdict(self) -> str:
        """Return quiet, watch or alarm."""
        return self._verdict(self.p)

    def verdict_of(self, finding: Finding) -> str:
        """Return the verdict of one test."""
        return self._verdict(finding.p * self.alarm_level / self.levels[finding.test])

    def _verdict(self, p: float) -> str:
        if p < self.alarm_level:
            return ALARM
        return WATCH if p < WATCH_LEVEL else QUIET

    @property
    def step(self) -> str:
        """Return the next step: the advice of the test that leads."""
        if self.verdict == ALARM:
            return f"take {_PLAYED_WITH[self.machine.kind]} out of play; {self.worst.advice}"
        if self.verdict == WATCH:
            return f"{self.worst.advice}; audit again tomorrow"
        if self.n < FEW:
            return f"none; fewer than {FEW} results show only a gross fault"
        return "none"

    @property
    def most_often(self) -> str:
        """Return the three fields that came most often, in words."""
        often = sorted(range(len(self.counts)), key=lambda place: -self.counts[place])[:3]
        places = ", ".join(f"{self.machine.labels[k]} ({self.counts[k]})" for k in often)
        return f"{places}; expected {self.n / len(self.counts):.1f} each"

    @property
    def spread(self) -> float:
        """Return the standard deviation of the count of one field of a fair machine."""
        n, fields = self.n, self.machine.fields
        spread = math.sqrt(n / fields * (1 - 1 / fields))
        statistic = self.chi_square.statistic
        if self.machine.kind in (Kind.WHEEL, Kind.DICE) or not statistic:
            return spread
        # Without replacement counts vary less: as the chi-square has it.
        excess = sum((count - n / fields) ** 2 for count in self.counts)
        return math.sqrt(excess / statistic * (1 - 1 / fields))


def audit(
    spins: Spins,
    machine: Machine,
    audits_per_year: int = AUDITS_PER_YEAR,
    look: int | None = None,
) -> Report:
    """Audit at least one result of a machine.

    look: number of this audit in the table-year, 1 to audits_per_year; None where nobody counts.
    Raises ToolError for a look after the last.
    """
    import numpy as np

    places = as_array(spins.places)
    counts = np.bincount(places, minlength=machine.fields)
    fit = _fit(spins, counts, machine)
    lean = chance.lean(counts.tolist()) if machine.is_round else None
    if lean is None:
        findings = _FINDINGS[machine.kind](spins, places, counts, machine, fit)
    else:
        findings = wheel_findings(spins, places, counts, machine, fit, lean)
    return Report(
        machine=machine,
        spins=spins,
        counts=tuple(counts.tolist()),
        chi_square=fit,
        rayleigh=lean,
        findings=findings,
        alarm_level=look_level(audits_per_year, look),
    )


_FINDINGS = {Kind.DICE: dice_findings, Kind.DRAW: draw_findings, Kind.CARDS: card_findings}


def _fit(spins: Spins, counts: "NDArray[np.int64]", machine: Machine) -> Fit:
    """Return the chi-square of fit, with or without replacement."""
    import numpy as np

    sizes = np.asarray(spins.sizes, dtype=np.int64)
    if machine.kind is Kind.DRAW:
        return draw_fit(counts, sizes)
    if machine.kind is Kind.CARDS:
        return card_fit(counts, sizes, spins.decks)
    return chance.fit(counts.tolist())


def as_record(report: Report) -> dict[str, object]:
    """Return the report as a record for JSON; a wheel without a name has none."""
    fit, lean, shares = report.chi_square, report.rayleigh, report.levels
    rayleigh = lean and {
        "r": round(lean.r, 6),
        "angle_deg": round(lean.angle_deg, 2),
        "p": lean.p,
    }
    wheel = report.spins.wheel
    return {
        "n": report.n,
        "chi_square": {"statistic": round(fit.statistic, 4), "df": fit.df, "p": fit.p},
        **({"rayleigh": rayleigh} if rayleigh else {}),
        "verdict": report.verdict,
        "p": report.p,
        "alarm_level": report.alarm_level,
        "tests": [
            {
                "test": finding.test.value,
                "p": finding.p,
                "p_text": f"{finding.p:.3g}",
                "level": shares[finding.test],
                "verdict": report.verdict_of(finding),
                "detail": finding.detail,
                "advice": finding.advice,
            }
            for finding in report.findings.made
        ],
        "not_tested": [
            {"test": untested.test.value, "reason": untested.reason}
            for untested in report.findings.untested
        ],
        "step": report.step,
        **({"wheel": wheel} if wheel else {}),
    }


def as_counts(report: Report) -> str:
    """Return a table as text: how often each field, face, ball or card came."""
    expected, spread = report.n / len(report.counts), report.spread
    lines = [f"  {report.machine.column:<10}{'count':>10}{'expected':>12}{'deviations':>12}"]
    for label, count in zip(report.machine.labels, report.counts, strict=True):
        deviations = (count - expected) / spread if spread else 0.0
        lines.append(f"  {label:<10}{count:>10,}{expected:>12,.1f}{deviations:>+12.2f}")
    return "\n".join(lines)


def as_text(report: Report) -> str:
    """Return the report as text."""
    spins, shares = report.spins, report.levels
    name = spins.wheel or report.machine.name
    since = f" since its last move ({spins.before} before it)" if spins.moves else ""
    lines = [f"{name}: {report.n} results{since}, {spins.voids} rounds without a result"]
    for finding in report.findings.made:
        level, verdict = shares[finding.test], report.verdict_of(finding)
        mark = "" if verdict == QUIET else f"  {verdict}"
        lines.append(f"  {finding.test.value:<26} p {finding.p:<9.3g} level {level:.2g}{mark}")
        lines.append(f"    {finding.detail}")
        if verdict != QUIET:
            lines.append(f"    {finding.advice}")
    for test, reason in report.findings.untested:
        lines.append(f"  not tested: {test.value}: {reason}")
    lines.append(f"  most often: {report.most_often}")
    lines.append(
        f"verdict: {report.verdict} (p of all tests together {report.p:.3g}, alarm below"
        f" {report.alarm_level:.2g})"
    )
    lines.append(f"next step: {report.step}")
    return "\n".join(lines)

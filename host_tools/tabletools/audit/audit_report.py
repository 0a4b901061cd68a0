"""The audit of one machine: its tests, and the one-word verdict.

The alarm level keeps false alarms rare: with A audits a year, each raising a false alarm with a
chance of at most 1/A, a fair table gives at most one a year on average, even if the audits are
correlated. The level is shared between the tests of an audit by weight (weighted Bonferroni): most
of it to the test that finds a tilted wheel soonest.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tabletools.audit import chance
from tabletools.audit.audit_machines import Machine
from tabletools.audit.chance import Fit, Lean, Runs
from tabletools.audit.spins import Spins

QUIET, WATCH, ALARM = "quiet", "watch", "alarm"
AUDITS_PER_YEAR = 365  # one at the end of each gaming day
WATCH_LEVEL = 0.01
# With fewer, only a gross fault would show.
FEW = 1000
FIT, LEAN, DROP, SERIAL, RUNS = (
    "chi-square of fit",
    "Rayleigh on the wheel",
    "Rayleigh on the drop",
    "steps from spin to spin",
    "runs of one half",
)
_WEIGHTS = {FIT: 3, LEAN: 6, DROP: 2, SERIAL: 1, RUNS: 1}


@dataclass(frozen=True)
class Report:
    """The findings. Tests that the machine or the file does not allow are None."""

    machine: Machine
    spins: Spins
    counts: tuple[int, ...]
    chi_square: Fit
    rayleigh: Lean | None
    drop: Lean | None
    serial: Lean | None
    runs: Runs | None
    alarm_level: float

    @property
    def n(self) -> int:
        """Return the number of results audited."""
        return len(self.spins.places)

    def named_p(self) -> Iterator[tuple[str, float]]:
        """Yield the tests made, with the p of each."""
        yield FIT, self.chi_square.p
        for name, test in (
            (LEAN, self.rayleigh),
            (DROP, self.drop),
            (SERIAL, self.serial),
            (RUNS, self.runs),
        ):
            if test is not None:
                yield name, test.p

    @property
    def p(self) -> float:
        """Return the chance that a fair machine shows one of the tests at least this extreme."""
        tests = list(self.named_p())
        whole = sum(_WEIGHTS[name] for name, _p in tests)
        return min(1.0, min(p * whole / _WEIGHTS[name] for name, p in tests))

    @property
    def verdict(self) -> str:
        """Return quiet, watch or alarm."""
        if self.p < self.alarm_level:
            return ALARM
        return WATCH if self.p < WATCH_LEVEL else QUIET


def audit(spins: Spins, machine: Machine, audits_per_year: int = AUDITS_PER_YEAR) -> Report:
    """Audit at least one fall of a machine."""
    fallen = Counter(spins.places)
    counts = [fallen[place] for place in range(machine.fields)]
    is_round = machine.is_round
    has_order = is_round and spins.round is not None and len(spins.places) > 1
    half = machine.fields / 2
    return Report(
        machine=machine,
        spins=spins,
        counts=tuple(counts),
        chi_square=chance.fit(counts),
        rayleigh=chance.lean(counts) if is_round else None,
        drop=chance.lean_of_angles(spins.drops_deg) if spins.drops_deg else None,
        serial=chance.lean(chance.steps(spins.places, machine.fields)) if has_order else None,
        runs=chance.runs([place < half for place in spins.places]) if has_order else None,
        alarm_level=1 / audits_per_year,
    )


def as_record(report: Report) -> dict[str, object]:
    """Return the report as a record for JSON; a wheel without a name has none."""
    fit, lean = report.chi_square, report.rayleigh
    record: dict[str, object] = {
        "n": report.n,
        "chi_square": {"statistic": round(fit.statistic, 4), "df": fit.df, "p": fit.p},
    }
    if lean is not None:
        record["rayleigh"] = {
            "r": round(lean.r, 6),
            "angle_deg": round(lean.angle_deg, 2),
            "p": lean.p,
        }
    record["verdict"] = report.verdict
    if report.spins.wheel:
        record["wheel"] = report.spins.wheel
    return record


def as_text(report: Report) -> str:
    """Return the report as text."""
    spins, fields = report.spins, report.machine.fields
    name = spins.wheel or report.machine.name
    since = f" since its last move ({spins.before} before it)" if spins.moves else ""
    lines = [f"{name}: {report.n} results{since}, {spins.voids} rounds without a result"]
    for test, p in report.named_p():
        lines.append(f"  {test:<24} p {p:<10.3g}{_detail(report, test)}")
    often = sorted(range(fields), key=lambda place: -report.counts[place])[:3]
    places = ", ".join(f"{report.machine.labels[k]} ({report.counts[k]})" for k in often)
    lines.append(f"  most often: {places}; expected {report.n / fields:.1f} each")
    lines.append(f"verdict: {report.verdict} (p of all tests together {report.p:.3g})")
    lines.append(f"next step: {_step(report)}")
    return "\n".join(lines)


def _detail(report: Report, test: str) -> str:
    if test == FIT:
        fit = report.chi_square
        return f"{fit.statistic:.1f} over {fit.df} degrees of freedom, {fit.method}"
    if test == LEAN and report.rayleigh is not None:
        lean, fields = report.rayleigh, report.machine.fields
        place = round(lean.angle_deg / 360 * fields) % fields
        label = report.machine.labels[place]
        return f"r {lean.r:.4f} towards {lean.angle_deg:.0f} deg, {label}"
    if test == DROP and report.drop is not None:
        return f"r {report.drop.r:.4f} towards {report.drop.angle_deg:.0f} deg of the rim"
    if test == RUNS and report.runs is not None:
        return f"{report.runs.runs} runs, {report.runs.expected:.1f} expected"
    return ""


def _step(report: Report) -> str:
    if report.verdict == ALARM:
        return "take the machine out of play; check level, rotor, frets and ball first"
    if report.verdict == WATCH:
        return "check the level today and audit again tomorrow"
    if report.n < FEW:
        return f"none; fewer than {FEW} results show only a gross fault"
    return "none"

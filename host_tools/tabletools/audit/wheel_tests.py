"""The tests of a wheel: fields, sectors, newest results, order, rim, and groups of results."""

from typing import TYPE_CHECKING

from tabletools.audit import bias_mixture, chance, sector_scan
from tabletools.audit.audit_machines import Machine
from tabletools.audit.chance import Fit, Lean
from tabletools.audit.error_budget import Test
from tabletools.audit.findings import (
    GROUP_LEAST,
    Answer,
    Finding,
    Findings,
    Untested,
    groups,
    sort,
    worst,
)
from tabletools.audit.sector_scan import Scan
from tabletools.audit.spins import Spins

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

NO_ORDER = "the order of play is not known: no round column"
_GROUPS = {"croupier": Test.CROUPIER, "ball": Test.BALL, "direction": Test.DIRECTION}


def wheel_findings(
    spins: Spins, places: "Places", counts: "Places", machine: Machine, fit: Fit, lean: Lean
) -> Findings:
    """Make each test that the results of this wheel allow."""
    most = chance.fullest(counts)
    sector = sector_scan.scan(counts)
    towards = machine.labels[round(lean.angle_deg / 360 * machine.fields) % machine.fields]
    newest = sector_scan.newest_counts(
        places if spins.round is not None else places[:0], machine.fields
    )
    answers: list[Finding | Untested] = [
        _mixture(counts, newest, machine),
        Finding(
            Test.FULLEST,
            most.p,
            f"{machine.labels[most.place]}: {most.count}, {most.expected:.1f} expected",
        ),
        Finding(Test.SECTOR, sector.p, _sector(sector, machine)),
        _newest(spins, newest, machine),
        Finding(Test.LEAN, lean.p, f"r {lean.r:.4f} towards {lean.angle_deg:.0f} deg, {towards}"),
        Finding(Test.FIT, fit.p, fit_text(fit)),
        *_order(spins, places, machine),
        *_rim(spins),
        *(_group(spins, places, machine, column) for column in _GROUPS),
    ]
    return sort(answers)


def fit_text(fit: Fit) -> str:
    """Return a chi-square of fit in words."""
    return f"{fit.statistic:.1f} over {fit.df} degrees of freedom, {fit.method}"


def _sector(scan: Scan, machine: Machine) -> str:
    fields = scan.fields(machine.labels)
    return f"{fields}: {scan.count}, {scan.expected:.1f} expected"


def _mixture(counts: "Places", newest: "Places", machine: Machine) -> Finding:
    """Test all biases together; the detail and the advice are those of the likeliest."""
    import numpy as np

    mixture = bias_mixture.mixture(np.concatenate((counts[None], newest)))
    names = " ".join(machine.labels[place] for place in mixture.places(machine.fields))
    bias = f"{names}: {mixture.count}, {mixture.expected:.1f} expected"
    cause = Test.SECTOR if mixture.width > 1 else Test.FULLEST
    if not mixture.width:
        bias, cause = f"the side of {names}", Test.LEAN
    if mixture.is_late:
        bias, cause = f"newest {mixture.window}: {bias}", Test.NEWEST
    detail = f"{mixture.ratio:.3g} times as likely as by chance; most of all {bias}"
    return Finding(Test.MIXTURE, mixture.p, detail, cause)


def _newest(spins: Spins, newest: "Places", machine: Machine) -> Finding | Untested:
    if spins.round is None:
        return Untested(Test.NEWEST, NO_ORDER)
    scan = sector_scan.scan_newest(newest)
    if scan is None:
        least = 2 * sector_scan.SHORTEST_WINDOW
        return Untested(Test.NEWEST, f"fewer than {least} results")
    detail = f"newest {scan.window}: {_sector(scan, machine)}"
    return Finding(Test.NEWEST, scan.p, detail)


def _order(spins: Spins, places: "Places", machine: Machine) -> list[Finding | Untested]:
    if spins.round is None:
        return [Untested(Test.STEPS, NO_ORDER), Untested(Test.RUNS, NO_ORDER)]
    if len(places) < 2:
        return [Untested(test, "fewer than 2 results") for test in (Test.STEPS, Test.RUNS)]
    lean = chance.lean(chance.steps(places, machine.fields))
    step = round(lean.angle_deg / 360 * machine.fields) % machine.fields
    steps = Finding(Test.STEPS, lean.p, f"r {lean.r:.4f} towards {step} fields clockwise")
    runs = chance.runs(places < (machine.fields + 1) // 2)
    if runs is None:
        return [steps, Untested(Test.RUNS, "fewer than 10 results in a half")]
    detail = f"{runs.runs} runs, {runs.expected:.1f} expected"
    return [steps, Finding(Test.RUNS, runs.p, detail)]


def _rim(spins: Spins) -> list[Finding | Untested]:
    if not spins.drops_deg:
        reason = "no drop angles: no drop_deg column"
        return [Untested(Test.DROP, reason), Untested(Test.DRIFT, reason)]
    lean = chance.lean_of_angles(spins.drops_deg)
    detail = f"r {lean.r:.4f} towards {lean.angle_deg:.0f} deg of the rim"
    drop = Finding(Test.DROP, lean.p, detail)
    if spins.round is None:
        return [drop, Untested(Test.DRIFT, NO_ORDER)]
    drift = chance.drift(spins.drops_deg)
    if drift is None:
        return [drop, Untested(Test.DRIFT, f"fewer than {chance.DRIFT_LEAST} drop angles")]
    moved = f"{drift.before_deg:.0f} deg, after {drift.after} drops {drift.after_deg:.0f} deg"
    return [drop, Finding(Test.DRIFT, drift.p, moved)]


def _group(spins: Spins, places: "Places", machine: Machine, column: str) -> Finding | Untested:
    """Test the results of each croupier, ball or direction that has enough; p of the worst."""
    import numpy as np

    test = _GROUPS[column]
    members = spins.groups.get(column)
    if not members:
        return Untested(test, f"no {column} column")
    names, codes = groups(members)
    totals = np.bincount(codes)
    large = [k for k, name in enumerate(names) if name and totals[k] >= GROUP_LEAST]
    if len(names) < 2 or not large:
        needed = f"needs 2, and one with {GROUP_LEAST} results"
        return Untested(test, f"{len(names)} in the column {column}: {needed}")
    answers: list[Answer] = []
    for k in large:
        is_own = codes == k
        scan = sector_scan.scan_group(np.bincount(places[is_own], minlength=machine.fields))
        answers.append((scan.p, f"{names[k]}: {_sector(scan, machine)}"))
        if spins.round is not None:
            follows = is_own[1:] & is_own[:-1]
            steps = ((places[1:] - places[:-1]) % machine.fields)[follows]
            if len(steps) >= GROUP_LEAST:
                own = chance.lean(np.bincount(steps, minlength=machine.fields).tolist())
                answers.append((own.p, f"{names[k]}: steps from spin to spin, r {own.r:.4f}"))
    return worst(test, answers)

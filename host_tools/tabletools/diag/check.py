"""One check: the value found, the limits, and the code of a failure."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import msgspec

from tabletools.decode import Record
from tabletools.decode.sensor_samples import QUANTITIES, SensorSample

PASS, FAIL, SKIP = "pass", "fail", "skip"
ABOUT_ONCE = 1  # frames damaged by joining in the middle of one
MEMORY_LEAST = 16_384
WAITING_MOST = 27  # of 32: a round takes five
ANSWER_MOST_MS = 500
_NO_LIMIT = 60_000  # of pulses: as many as a table counts
# What a table measures without a code for it; and what to do where its board cannot measure it.
_UNNAMED = {"supply": 1006, "temperature": 1007}
_UNMEASURED = {
    "supply": "this board measures none: at its terminals, 4.75 to 5.25 V",
    "temperature": "this board measures none",
}
_UNJUDGED = {
    "pulses": "judged with --self-test",
    "raw_span": "judged with --self-test",
    "active": "maintenance_open, of this test or before it",
}


@dataclass(frozen=True)
class Check:
    """name: of what was checked. verdict: PASS, FAIL or SKIP: reported but not judged.

    value None: not known. low, high: limits of a pass, None for an open side. code: of a failure,
    see tabletools.explain. note: further facts, or why nothing was judged.
    """

    name: str
    verdict: str
    value: int | None = None
    unit: str = ""
    low: int | None = None
    high: int | None = None
    code: int | None = None
    note: str = ""

    def limits(self) -> str:
        """The limits of a pass, as text."""
        if self.low is None or self.high is None:
            only = (f"from {self.low}", self.low), (f"to {self.high}", self.high)
            return "".join(text for text, bound in only if bound is not None)
        return str(self.low) if self.low == self.high else f"{self.low}..{self.high}"


def judged(
    name: str,
    value: int | None,
    unit: str,
    limits: tuple[int | None, int | None],
    code: int,
) -> Check:
    """Return a check of a figure: between the limits it passes."""
    low, high = limits
    if value is None:
        return Check(name, SKIP, None, unit, low, high, note="not known")
    fits = (low is None or value >= low) and (high is None or value <= high)
    return Check(name, PASS if fits else FAIL, value, unit, low, high, None if fits else code)


def of_sample(sample: SensorSample) -> Check:
    """Return the table's report and verdict on one of its sensors."""
    what, unit = QUANTITIES[sample.quantity]
    low, high = (sample.low, sample.high) if sample.has_limits else (None, None)
    if sample.quantity == "pulses" and high is not None and high >= _NO_LIMIT:
        high = None
    notes = [] if sample.level is None else [f"line {('off', 'on')[sample.level]}"]
    if sample.is_none:
        notes.append("none")
    if sample.verdict == SKIP:
        notes.append(_UNJUDGED.get(sample.quantity, ""))
    note = ", ".join(note for note in notes if note)
    name = f"{(sample.sensor or 'table').replace('_', ' ')}: {what}"
    code = sample.code
    if sample.verdict == FAIL:
        code = code or _UNNAMED.get(sample.quantity)
    value = None if sample.is_none else sample.value
    return Check(name, sample.verdict, value, unit, low, high, code, note)


def of_samples(samples: Sequence[SensorSample]) -> list[Check]:
    """Return the checks of a whole self-test, and of what the table's board does not measure."""
    reported = {sample.quantity for sample in samples}
    missing = [
        Check(f"table: {QUANTITIES[quantity][0]}", SKIP, note=note)
        for quantity, note in _UNMEASURED.items()
        if quantity not in reported
    ]
    return [of_sample(sample) for sample in samples] + missing


def of_link(frames: int, bad: int, answers_ms: list[int]) -> list[Check]:
    """Check the line to the table. bad: frames damaged or missing; answers: in ms."""
    most = max(ABOUT_ONCE, frames // 1000)
    slowest = max(answers_ms) if answers_ms else None
    return [
        judged("link: frames damaged or missing", bad, f"of {frames + bad}", (0, most), 1001),
        judged("link: slowest answer", slowest, "ms", (0, ANSWER_MOST_MS), 1002),
    ]


class Counters(msgspec.Struct, frozen=True):
    """What a heartbeat counts of the table itself."""

    edges_lost: int
    frames_skipped: int
    unacknowledged: int
    faults: int
    free_bytes: int | None
    largest_free_bytes: int | None
    uptime_ms: int


def of_heartbeat(beat: Record, faults_reported: bool) -> list[Check]:
    """Check the table's counters. faults_reported: active faults are separate checks."""
    counters, no_limit = msgspec.convert(beat, Counters), "no limit applies"
    checks = [
        judged("edges lost since boot", counters.edges_lost, "edges", (0, 0), 501),
        judged("memory free", counters.free_bytes, "bytes", (MEMORY_LEAST, None), 1003),
        _note("memory free in one piece", counters.largest_free_bytes, "bytes", no_limit),
        judged("records waiting", counters.unacknowledged, "records", (0, WAITING_MOST), 1005),
        _note("frames refused by the table", counters.frames_skipped, "since boot", no_limit),
        _note("running since boot", counters.uptime_ms // 1000, "s", no_limit),
    ]
    if not faults_reported and counters.faults:
        note = "which: --self-test, or tabletool monitor PORT"
        checks.append(Check("active faults", FAIL, counters.faults, "", 0, 0, None, note))
    return checks


def _note(name: str, value: int | None, unit: str, note: str) -> Check:
    return Check(name, SKIP, value, unit, note=note)


def as_record(check: Check) -> dict[str, Any]:
    """One check as JSON-ready data."""
    return asdict(check)

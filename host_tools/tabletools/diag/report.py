"""The checks of one table as a list for users, as a page for its file, as data for programs."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from itertools import groupby
from typing import Any

from tabletools.decode import Record
from tabletools.decode.core_messages import Identity
from tabletools.diag.advice import Step, advice_of, first_steps
from tabletools.diag.check import FAIL, PASS, SKIP, Check, as_record
from tabletools.explain import BY_NUMBER

FAILED = 6
"""Exit code of a diagnosis with a failed check."""
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 15px/1.4 sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em }}
table {{ border-collapse: collapse; width: 100% }}
td, th {{ border-bottom: 1px solid #bbb; padding: .25em .6em; text-align: left }}
.fail td {{ font-weight: bold }} .fail td:first-child {{ color: #b00020 }} .skip {{ color: #555 }}
</style></head><body>
<h1>{title}</h1>
<p>{identity}</p><p>Written {written}. {total}</p>
<h2>What to do first</h2>
<ol>
{steps}
</ol>
<h2>Checks</h2>
<table><tr><th>verdict</th><th>check</th><th>value</th><th>limits</th><th>note</th></tr>
{rows}
</table>
<p>Checked by: ____________________ &nbsp; Date: ______________</p>
</body></html>
"""


def who(identity: Record) -> dict[str, Any]:
    """The identity of a table, as data."""
    table = Identity.of_record(identity)
    return {
        "device": table.device,
        "boot": table.boot,
        "role": table.role,
        "board": table.board,
        "firmware": table.firmware,
        "schema": f"0x{table.schema:08X}",
        "reset_cause": table.reset_cause,
        "authenticated": table.authenticated,
        "key_number": table.key_number,
    }


def failed(checks: Sequence[Check]) -> list[Check]:
    """Those that failed."""
    return [check for check in checks if check.verdict == FAIL]


def data(identity: Record, checks: Sequence[Check]) -> dict[str, Any]:
    """The report as JSON-ready data; a failure has the cause and remedy of its code and value."""
    rows = []
    for check in checks:
        row = as_record(check)
        reason = BY_NUMBER.get(check.code or 0)
        if reason is not None:
            row["reason"] = reason.name
        advice = advice_of(check, checks) if check.verdict == FAIL else None
        if advice is not None:
            row |= {"cause": advice.cause, "remedy": advice.remedy}
        rows.append(row)
    counts = {
        verdict: sum(check.verdict == verdict for check in checks)
        for verdict in (PASS, FAIL, SKIP)
    }
    steps = [
        {
            "cause": step.advice.cause,
            "remedy": step.advice.remedy,
            "checks": [check.name for check in step.checks],
        }
        for step in first_steps(checks)
    ]
    return {"table": who(identity), "first": steps, "checks": rows, "counts": counts}


def lines(identity: Record, checks: Sequence[Check], *, is_measurement: bool = False) -> list[str]:
    """The report as lines: identity, what to do first, a line per check, the sum.

    What could not be judged is one line, but for a measurement, whose figures are its result.
    """
    steps = first_steps(checks)
    text = [_identity(identity), *_steps(steps)]
    for check in checks:
        if check.verdict == SKIP and not is_measurement:
            continue
        text.append(_line(check))
        text += [
            f"      see {number}{_code_if_cause(check, step)}"
            for number, step in enumerate(steps, 1)
            if any(check is each for each in step.checks)
        ]
    if not is_measurement and any(check.verdict == SKIP for check in checks):
        text.append(_unjudged(checks))
    return [*text, _total(checks)]


def html(identity: Record, checks: Sequence[Check], written: datetime) -> str:
    """The report as one page that needs no other file. written: with a time zone."""
    table = Identity.of_record(identity)
    steps = [
        f"<li>{escape(step.advice.remedy)}<br>{escape(step.advice.cause)}"
        f" ({escape(_names(step))})</li>"
        for step in first_steps(checks)
    ]
    return _PAGE.format(
        title=f"Table {table.device}, diagnosis",
        identity=escape(_identity(identity)),
        written=written.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        total=_total(checks),
        steps="\n".join(steps) or "<li>Nothing: no check failed.</li>",
        rows="\n".join(_cells(check) for check in checks),
    )


def _cells(check: Check) -> str:
    value = "" if check.value is None else f"{check.value} {check.unit}".rstrip()
    note = check.note
    if check.verdict == FAIL and (reason := BY_NUMBER.get(check.code or 0)) is not None:
        note = ", ".join(part for part in (f"{reason.number} {reason.name}", note) if part)
    cells = (check.verdict.upper(), check.name, value, check.limits(), note)
    return (
        f'<tr class="{check.verdict}">'
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + "</tr>"
    )


def _identity(identity: Record) -> str:
    table = Identity.of_record(identity)
    trust = f"key {table.key_number}" if table.authenticated else "UNAUTHENTICATED"
    return (
        f"table {table.device}, {table.role} on {table.board}, firmware {table.firmware},"
        f" boot {table.boot} ({table.reset_cause}), {trust}"
    )


def _steps(steps: Sequence[Step]) -> Iterator[str]:
    if steps:
        yield "What to do first:"
    for number, step in enumerate(steps, 1):
        yield f"  {number}. {step.advice.remedy}"
        yield f"     {step.advice.cause} ({_names(step)})"


def _code_if_cause(check: Check, step: Step) -> str:
    """The code of a check, where it says why the check failed."""
    reason = BY_NUMBER.get(check.code or 0)
    is_cause = reason is not None and reason.cause == step.advice.cause
    return f": {reason.number} {reason.name}" if reason is not None and is_cause else ""


def _names(step: Step) -> str:
    return ", ".join(dict.fromkeys(check.name for check in step.checks))


def _unjudged(checks: Sequence[Check]) -> str:
    """What was not judged in one line: by reason, equal names once."""
    rows = [check for check in checks if check.verdict == SKIP]
    parts = []
    for reason, group in groupby(sorted(rows, key=_why), key=_why):
        names = [_figure(check) for check in group]
        distinct = list(dict.fromkeys(names))
        parts.append(f"{', '.join(distinct)}" + (f": {reason}" if reason else ""))
    return f"SKIP  {len(rows)} not judged: {'; '.join(parts)}"


def _why(check: Check) -> str:
    return check.note.removeprefix("line on, ").removeprefix("line off, ")


def _figure(check: Check) -> str:
    """A sensor without its value where it may become a verdict; a pure figure with it."""
    if check.value is None or "judged" in check.note or check.name.startswith("array: pocket"):
        return check.name
    return f"{check.name} {check.value} {check.unit}".rstrip()


def _total(checks: Sequence[Check]) -> str:
    skipped = sum(check.verdict == SKIP for check in checks)
    return f"{len(checks)} checks: {len(failed(checks))} failed, {skipped} not judged"


def _line(check: Check) -> str:
    value = "" if check.value is None else f"{check.value} {check.unit}".rstrip()
    limits = f"({check.limits()})" if check.limits() else ""
    parts = [f"{check.verdict.upper():<5} {check.name:<36}", value, limits, check.note]
    return "  ".join(part for part in parts if part).rstrip()

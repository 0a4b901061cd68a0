"""The checks of one table as a list for users and as data for programs."""

from collections.abc import Sequence
from typing import Any

from tabletools.decode import Record
from tabletools.decode.core_messages import Identity
from tabletools.diag.check import FAIL, PASS, SKIP, Check, as_record
from tabletools.explain import BY_NUMBER

FAILED = 6
"""Exit code of a diagnosis with a failed check."""


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
    """The report as JSON-ready data; a failure has the cause and remedy of its code."""
    rows = []
    for check in checks:
        reason = BY_NUMBER.get(check.code or 0)
        row = as_record(check)
        if reason is not None:
            row |= {"reason": reason.name, "cause": reason.cause, "remedy": reason.remedy}
        rows.append(row)
    counts = {
        verdict: sum(check.verdict == verdict for check in checks)
        for verdict in (PASS, FAIL, SKIP)
    }
    return {"table": who(identity), "checks": rows, "counts": counts}


def lines(identity: Record, checks: Sequence[Check]) -> list[str]:
    """The report as lines: identity, one line per check, cause and remedy under each failure."""
    table = Identity.of_record(identity)
    trust = f"key {table.key_number}" if table.authenticated else "UNAUTHENTICATED"
    text = [
        f"table {table.device}, {table.role} on {table.board}, firmware {table.firmware},"
        f" boot {table.boot} ({table.reset_cause}), {trust}"
    ]
    for check in checks:
        text.append(_line(check))
        reason = BY_NUMBER.get(check.code or 0)
        if reason is not None:
            text.append(f"      {reason.number} {reason.name}: {reason.cause}")
            text.append(f"      {reason.remedy}")
    total = f"{len(checks)} checks"
    bad, skipped = len(failed(checks)), sum(check.verdict == SKIP for check in checks)
    text.append(f"{total}: {bad} failed, {skipped} not judged")
    return text


def _line(check: Check) -> str:
    value = "" if check.value is None else f"{check.value} {check.unit}".rstrip()
    limits = f"({check.limits()})" if check.limits() else ""
    parts = [f"{check.verdict.upper():<5} {check.name:<36}", value, limits, check.note]
    return "  ".join(part for part in parts if part).rstrip()

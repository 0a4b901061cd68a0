"""Reason codes as text: cause, remedy, rule and severity, by number or name."""

from difflib import get_close_matches
from typing import Any

from tablespec.reasons import CHECKS, REASONS, Reason
from tabletools.errors import ToolError

SEVERITY = {1: "play again", 2: "the croupier acts", 3: "a technician acts"}
EFFECT = {
    "void": "ends the round: nothing is decided and the bets stand",
    "fault": "voids an open round, and locks the table until measurements show its cause is gone",
    "check": "found by `tabletool diag`: ends nothing and locks nothing",
}
ALL = (*REASONS, *CHECKS)
BY_NUMBER = {reason.number: reason for reason in ALL}
BY_NAME = {reason.name: reason for reason in ALL}


def find(code: str) -> Reason:
    """Return the reason with that number or name. Raises ToolError with the nearest ones."""
    word = code.strip().lower().replace("-", "_").replace(" ", "_")
    if word.isdecimal() and int(word) in BY_NUMBER:
        return BY_NUMBER[int(word)]
    if word in BY_NAME:
        return BY_NAME[word]
    raise ToolError(
        f"no reason code {code!r}: did you mean {', '.join(_nearest(word))}?",
        limit=f"numbers {ALL[0].number}..{ALL[-1].number}",
        step="list them all with `tabletool explain --list`",
    )


def _nearest(word: str) -> list[str]:
    if word.isdecimal():
        close = sorted(ALL, key=lambda reason: (abs(reason.number - int(word)), reason.number))
    else:
        names = get_close_matches(word, BY_NAME, n=3, cutoff=0.0)
        close = [BY_NAME[name] for name in names]
    return [f"{reason.number} {reason.name}" for reason in close[:3]]


def as_record(reason: Reason) -> dict[str, Any]:
    """One reason as JSON-ready data."""
    return {
        "code": reason.number,
        "name": reason.name,
        "kind": reason.kind,
        "severity": reason.severity,
        "cause": reason.cause,
        "remedy": reason.remedy,
        "rule": reason.rule,
    }


def as_text(reason: Reason) -> list[str]:
    """Return one reason as text lines, number first."""
    return [
        f"{reason.number} {reason.name}",
        f"  effect:   {reason.kind}: {EFFECT[reason.kind]}",
        f"  severity: {reason.severity} ({SEVERITY[reason.severity]})",
        f"  cause:    {reason.cause}",
        f"  remedy:   {reason.remedy}",
        f"  rule:     {reason.rule}",
    ]

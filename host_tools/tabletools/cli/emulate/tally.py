"""Counts what the table reported of the spins, and compares it with what happened."""

from collections import Counter
from typing import Any

from tabletools import explain
from tabletools.errors import ToolError


class Tally:
    """Counts numbers and voids. words: see Emulator."""

    def __init__(self, words: tuple[str, str, str]) -> None:
        self._words = words
        self._true = 0
        self._numbers = 0
        self._voids: Counter[int] = Counter()

    def add(self, spin: Any) -> None:
        """Count one spin."""
        if spin.reason is not None:
            self._voids[spin.reason] += 1
            return
        self._numbers += 1
        self._true += spin.reported == spin.true

    def line(self, spin: Any) -> str:
        """One line of one spin."""
        fault = f" ({spin.fault})" if spin.fault else ""
        if spin.reason is None:
            return f"round {spin.ended.round}: {spin.reported}, actually {spin.true}{fault}"
        return f"round {spin.ended.round}: void {named(spin.reason)}{fault}"

    @staticmethod
    def facts(spin: Any) -> dict[str, Any]:
        """One spin as JSON-ready data."""
        return {
            "round": spin.ended.round,
            "reported": spin.reported if spin.reason is None else None,
            "true": spin.true,
            "void": spin.reason,
            "fault": spin.fault or None,
        }

    def sums(self) -> dict[str, Any]:
        """All spins as JSON-ready data."""
        void = self._voids.total()
        return {
            "rounds": self._numbers + void,
            "reported": self._numbers,
            "true": self._true,
            "void": dict(sorted(self._voids.items())),
        }

    def sum(self) -> str:
        """Return one line for all spins."""
        void = self._voids.total()
        reasons = ", ".join(
            f"{count} x {named(code)}" for code, count in sorted(self._voids.items())
        )
        rounds, reported, true = self._words
        return (
            f"{_count(self._numbers + void, rounds)}: {_count(self._numbers, reported)},"
            f" {self._true} {true}, {void} void" + (f": {reasons}" if reasons else "")
        )


def _count(number: int, plural: str) -> str:
    return f"{number} {plural.removesuffix('s') if number == 1 else plural}"


def named(code: int) -> str:
    """Return number and name of a reason."""
    return f"{code} {explain.find(str(code)).name}"


def refuse_errors(errors: list[str], fault: str | None) -> None:
    """Raise ToolError if the program on the board wrote errors that no fault provoked."""
    if errors and fault not in ("task_stopped", "memory_short", "mixed"):
        raise ToolError(
            "the program on the board wrote: " + errors[0].strip().replace("\n", " | "),
            cause="a defect of the firmware",
            step="keep the seed and report it",
        )

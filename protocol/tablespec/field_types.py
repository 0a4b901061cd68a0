"""Field types of the wire: a construct type with unit, range, unknown value and meaning.

Knows no message. A field is range-checked when parsed and when built, because construct alone
accepts an unmapped enum value and MicroPython's struct truncates silently.
"""

from dataclasses import dataclass
from typing import Any

from construct import (
    Bytes,
    Construct,
    Int8sl,
    Int8ul,
    Int16ul,
    Int32sl,
    Int32ul,
    ValidationError,
    Validator,
)

Names = tuple[tuple[int, str], ...]

_FORMATS: dict[str, Construct] = {
    "B": Int8ul,
    "H": Int16ul,
    "I": Int32ul,
    "b": Int8sl,
    "i": Int32sl,
}


@dataclass(frozen=True)
class FieldFacts:
    """The facts about one field besides its construct type.

    code: struct letter, or "8s" for 8 raw bytes. low..high: inclusive range of a known value.
    unknown: the value that means "not known", outside low..high, or None when it must be known.
    names: pairs (value, name) of an enumeration, which then lists exactly the allowed values.
    since: minor version in which the field was appended. One appended later than 1.0 needs an
    unknown value, which a reader fills in when an older sender leaves the field out.
    """

    code: str
    unit: str
    low: int
    high: int
    unknown: int | None
    names: Names
    since: int
    meaning: str


class Ranged(Validator):  # type: ignore[misc]
    """A construct type that refuses a value its facts do not allow, both ways."""

    def __init__(self, subcon: Construct, facts: FieldFacts) -> None:
        super().__init__(subcon)
        self.facts = facts

    def _validate(self, obj: Any, context: Any, path: str) -> bool:
        facts = self.facts
        if facts.code.endswith("s"):
            return True
        if obj == facts.unknown:
            return True
        if facts.names:
            return any(obj == value for value, _ in facts.names)
        return bool(facts.low <= obj <= facts.high)

    def _decode(self, obj: Any, context: Any, path: str) -> Any:
        if not self._validate(obj, context, path):
            limit = f"{self.facts.low}..{self.facts.high}"
            raise ValidationError(f"value {obj} is outside {limit}", path=path)
        return obj


def number(
    code: str,
    unit: str,
    low: int,
    high: int,
    meaning: str,
    *,
    unknown: int | None = None,
    since: int = 0,
) -> Ranged:
    """An integer field of struct letter `code` in `unit`, allowed low..high or `unknown`."""
    facts = FieldFacts(code, unit, low, high, unknown, (), since, meaning)
    return Ranged(_FORMATS[code], facts)


def choice(
    code: str, names: Names, meaning: str, *, unknown: int | None = None, since: int = 0
) -> Ranged:
    """An enumeration: only the values in `names`, or `unknown`, pass."""
    values = [value for value, _ in names]
    facts = FieldFacts(code, "", min(values), max(values), unknown, names, since, meaning)
    return Ranged(_FORMATS[code], facts)


def raw(length: int, unit: str, meaning: str, *, since: int = 0) -> Ranged:
    """`length` raw bytes; every content is allowed."""
    facts = FieldFacts(f"{length}s", unit, 0, 255, None, (), since, meaning)
    return Ranged(Bytes(length), facts)

"""The range in which a table accepts the value of a configuration key, for measured values."""

from collections.abc import Mapping
from dataclasses import dataclass

from tabletools.errors import ToolError
from tablewire import settings


@dataclass(frozen=True)
class KeyRange:
    """low, high: the least and the greatest value."""

    low: int
    high: int

    def __contains__(self, value: int) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"

    def nearest(self, value: int) -> int:
        """Return the value of the range that is nearest to this one."""
        return min(max(value, self.low), self.high)


def range_of(number: int) -> KeyRange:
    """Return the range of the key of that number."""
    low, high, _ = settings.limits(number)
    return KeyRange(low, high)


def verify_ranges(keys: Mapping[int, int], *, cause: str, step: str) -> None:
    """Raise ToolError for a measured value that no table accepts. keys: values by number."""
    for key, value in keys.items():
        if value not in range_of(key):
            # Imported here: physical models run the rest on PyPy 3.9, which tablespec does not.
            from tablespec.names import KEY_NAMES

            raise ToolError(
                f"{KEY_NAMES[key - 1]} would be {value}",
                limit=str(range_of(key)),
                cause=cause,
                step=step,
            )

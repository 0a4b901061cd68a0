"""From one configuration to another, one value at a time, each step a valid configuration."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tablespec.config_keys import KEYS, ORDERS, Key
from tabletools.errors import ToolError
from tablewire.settings import clash


@dataclass(frozen=True)
class Change:
    """One value to set."""

    key: Key
    before: int
    after: int


def changes(now: Sequence[int], wanted: Sequence[int]) -> Iterator[Change]:
    """Yield the differences in an order a table accepts: it refuses contradictions at any moment.

    Both by key number and valid. A value blocked by another waits until that one has moved; there
    is always one that is not blocked.
    """
    values = list(now)
    left = [key for key in KEYS if now[key.number] != wanted[key.number]]
    while left:
        key = next(key for key in left if clash(_with(values, key, wanted)) is None)
        yield Change(key, values[key.number], wanted[key.number])
        values = _with(values, key, wanted)
        left.remove(key)


def verify(values: list[int], where: str) -> None:
    """Raise ToolError when two of these values contradict each other."""
    order = clash(values)
    if order is None:
        return
    lower, upper = (KEYS[number - 1] for number in order[:2])
    rule = next(o for o in ORDERS if (o.lower, o.upper) == (lower.name, upper.name))
    raise ToolError(
        f"{lower.name} = {values[lower.number]} contradicts {upper.name} = {values[upper.number]}",
        where=where,
        limit=f"{lower.name} at most {values[upper.number] - rule.gap}",
        cause=rule.why,
        step="change one of the two",
    )


def _with(values: Sequence[int], key: Key, wanted: Sequence[int]) -> list[int]:
    changed = list(values)
    changed[key.number] = wanted[key.number]
    return changed

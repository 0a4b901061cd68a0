"""Whether configuration values are valid: each in its range, without contradictions.

values: by key number, values[0] unused. The same rules on the device and on the host.
"""

from .config import LIMITS, ORDERS

COUNT = len(LIMITS) // 3


def limits(number: int) -> tuple:
    """(low, high, factory value) of an existing configuration key."""
    return LIMITS[3 * number - 3 : 3 * number]


def entry(number: int) -> "tuple | None":
    """(low, high, factory value) of a configuration key, None if it does not exist."""
    return limits(number) if 1 <= number <= COUNT else None


def factory() -> list:
    """The values of a table before any is set."""
    return [0] + [LIMITS[place] for place in range(2, len(LIMITS), 3)]


def completed(values: "list | tuple") -> list:
    """Stored values as `values` above; keys added later have the factory value."""
    return [0] + list(values) + factory()[len(values) + 1 :]


def clash(values: "list | tuple") -> "tuple | None":
    """The first (lower, upper, gap) of ORDERS that is violated, None if none is."""
    for place in range(0, len(ORDERS), 3):
        if values[ORDERS[place]] + ORDERS[place + 2] > values[ORDERS[place + 1]]:
            return ORDERS[place : place + 3]
    return None


def leeway(values: "list | tuple", number: int) -> tuple:
    """(low, high) of what a key may be set to while the other values stay the same."""
    low, high, _ = limits(number)
    for place in range(0, len(ORDERS), 3):
        lower, upper, gap = ORDERS[place : place + 3]
        if number == lower:
            high = min(high, values[upper] - gap)
        elif number == upper:
            low = max(low, values[lower] + gap)
    return low, high


def is_valid(values: "list | tuple") -> bool:
    """Whether there is a value for every key, in its range, without contradictions."""
    if len(values) != COUNT + 1:
        return False
    for number in range(1, COUNT + 1):
        if not LIMITS[3 * number - 3] <= values[number] <= LIMITS[3 * number - 2]:
            return False
    return clash(values) is None

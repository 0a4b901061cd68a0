"""Whether configuration values may stand: each in its range, and none against another.

values: by key number, values[0] unused. The same rules on the device and on the host.
"""

from .config import LIMITS, ORDERS

COUNT = len(LIMITS) // 3


def limits(number: int) -> tuple:
    """(low, high, factory value) of a configuration key there is."""
    return LIMITS[3 * number - 3 : 3 * number]


def entry(number: int) -> "tuple | None":
    """(low, high, factory value) of a configuration key, None when there is no such."""
    return limits(number) if 1 <= number <= COUNT else None


def factory() -> list:
    """The values a table has before anybody sets one."""
    return [0] + [LIMITS[place] for place in range(2, len(LIMITS), 3)]


def completed(values: "list | tuple") -> list:
    """Stored values as `values` above; keys that came after them have the factory's."""
    return [0] + list(values) + factory()[len(values) + 1 :]


def clash(values: "list | tuple") -> "tuple | None":
    """The first (lower, upper, gap) of ORDERS that does not hold, None when all do."""
    for order in ORDERS:
        if values[order[0]] + order[2] > values[order[1]]:
            return order
    return None


def leeway(values: "list | tuple", number: int) -> tuple:
    """(low, high) of what a key may be set to while the other values stay as they are."""
    low, high, _ = limits(number)
    for lower, upper, gap in ORDERS:
        if number == lower:
            high = min(high, values[upper] - gap)
        elif number == upper:
            low = max(low, values[lower] + gap)
    return low, high


def is_valid(values: "list | tuple") -> bool:
    """Whether there is a value for every key, in its range, and none contradicts another."""
    if len(values) != COUNT + 1:
        return False
    for number in range(1, COUNT + 1):
        if not LIMITS[3 * number - 3] <= values[number] <= LIMITS[3 * number - 2]:
            return False
    return clash(values) is None

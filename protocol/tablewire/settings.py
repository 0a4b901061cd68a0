"""Whether configuration values may stand: each in its range, and none against another.

values: by key number, values[0] unused. The same rules on the device and on the host.
"""

from .config import KEYS, ORDERS


def entry(number: int) -> "tuple | None":
    """(key, name, low, high, factory value) of a configuration key, None when there is no such."""
    return KEYS[number - 1] if 1 <= number <= len(KEYS) else None


def factory() -> list:
    """The values a table has before anybody sets one."""
    return [0] + [key[4] for key in KEYS]


def clash(values: "list | tuple") -> "tuple | None":
    """The first (lower, upper, gap) of ORDERS that does not hold, None when all do."""
    for order in ORDERS:
        if values[order[0]] + order[2] > values[order[1]]:
            return order
    return None


def leeway(values: "list | tuple", number: int) -> tuple:
    """(low, high) of what a key may be set to while the other values stay as they are."""
    _, _, low, high, _ = KEYS[number - 1]
    for lower, upper, gap in ORDERS:
        if number == lower:
            high = min(high, values[upper] - gap)
        elif number == upper:
            low = max(low, values[lower] + gap)
    return low, high


def is_valid(values: "list | tuple") -> bool:
    """Whether there is a value for every key, in its range, and none contradicts another."""
    if len(values) != len(KEYS) + 1:
        return False
    for key in KEYS:
        if not key[2] <= values[key[0]] <= key[3]:
            return False
    return clash(values) is None

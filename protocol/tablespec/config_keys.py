"""Every configuration key, by its number, and which values contradict each other."""

from dataclasses import replace

from tablespec.core import controller_keys as core
from tablespec.core.controller_keys import Key, Order
from tablespec.roles import PLAYED

__all__ = ["KEYS", "ORDERS", "Key", "Order"]

_MEANING = ", ".join(f"{role.number} {role.name.replace('_', ' ')}" for role in PLAYED)

KEYS: tuple[Key, ...] = tuple(
    sorted(
        (
            Key(1, "role", "", 1, len(PLAYED), 1, _MEANING),
            *core.KEYS,
            *(replace(key, role=role.name) for role in PLAYED for key in role.keys),
        ),
        key=lambda key: key.number,
    )
)

# Values in their ranges that contradict each other. Any valid set can be changed into any other
# one value at a time (raise the upper first, lower the lower first).
ORDERS: tuple[Order, ...] = tuple(order for role in PLAYED for order in role.orders)

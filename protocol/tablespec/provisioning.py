"""Creates a configuration for a new controller. The rigs' machines run it too, for their tests."""

from tablespec.names import KEY_NAMES
from tablewire.settings import clash, factory, is_valid
from tablewire.slots import CONFIGURATION, pack_slot


def configuration(**changed: int) -> bytes:
    """A configuration copy with factory values except those named. Write it to both slots.

    Raises ValueError for an unknown name, a value out of range, and values that contradict.
    """
    values = factory()
    for name, value in changed.items():
        if name not in KEY_NAMES:
            raise ValueError(f"no configuration key named {name}")
        values[KEY_NAMES.index(name) + 1] = value
    order = clash(values)
    if order is not None:
        lower, upper = KEY_NAMES[order[0] - 1], KEY_NAMES[order[1] - 1]
        raise ValueError(f"{lower} + {order[2]} is above {upper}")
    if not is_valid(values):
        raise ValueError(f"out of range: {changed}")
    return pack_slot(CONFIGURATION, 1, values[1:])

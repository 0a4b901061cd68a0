"""Creates a configuration for a new controller, on a host: a device never imports this."""

from .names import KEY_NAMES
from .settings import clash, factory, is_valid
from .slots import CONFIGURATION, pack_slot


def configuration(**changed: int) -> bytes:
    """A configuration copy with factory values except those named. Write it to both slots.

    Raises ValueError for an unknown name, a value out of range, and values that contradict.
    """
    values = factory()
    for name, value in changed.items():
        if name not in KEY_NAMES:
            raise ValueError("no configuration key named %s" % name)
        values[KEY_NAMES.index(name) + 1] = value
    order = clash(values)
    if order is not None:
        names = (KEY_NAMES[order[0] - 1], order[2], KEY_NAMES[order[1] - 1])
        raise ValueError("%s + %d is above %s" % names)
    if not is_valid(values):
        raise ValueError("out of range: %s" % changed)
    return pack_slot(CONFIGURATION, 1, values[1:])

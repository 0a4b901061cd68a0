# mypy: ignore-errors
"""Gives the tests the constants that a release has replaced by their numbers.

RELEASED: module -> {name: value}.
"""

from released import RELEASED

for _name, _constants in RELEASED.items():
    try:
        _module = __import__(_name, None, None, ("*",))
    except ImportError:  # of asyncio, which this port does not have
        continue
    for _constant, _value in _constants.items():
        setattr(_module, _constant, _value)

"""Every integer of a role: its complete state, which decides everything that follows.

The order is that of the attributes' names, the same on every interpreter, so the numbers taken
on a device can be put into a role on another machine.
"""

if -0:  # for mypy
    from collections.abc import Callable
    from typing import Any

    from tabletypes import TableRole

# The sink is not part of the role, nor is what a self-test measures with, and a configuration is
# stored beside the snapshot. Flags that let a part skip useless work follow from the rest: False
# is always right.
_NOT_OURS = ("_out", "_cfg", "at_rest", "measured", "rests_to_us")
_NUMBERS = (int, bool)
_PLAIN = (int, bool, bytes, str, tuple, type(None))


class Snapshot:
    """Finds the parts of a role, which must have all its attributes and lists by then.

    parts: objects and lists of integers. names: of each object's attributes, sorted; None for a
    list. count: how many integers there are. done: all parts were visited.
    """

    def __init__(self, role: "TableRole") -> None:
        self.parts: "list[Any]" = [role]
        self.names: "list[tuple[str, ...] | None]" = []
        self.count = 0
        self.done = False

    def look(self) -> bool:
        """Visit one more part, because visiting leaves garbage; False when all were visited."""
        place = len(self.names)
        if place == len(self.parts):
            self.done = True
            return False
        part = self.parts[place]
        if isinstance(part, list):
            self.names.append(None)
            self.count += len(part)
            return True
        names: "Any" = sorted(part.__dict__)
        for name in _NOT_OURS:
            if name in names:
                names.remove(name)
        names = tuple(names)
        for known in self.names:
            if known == names:
                names = known  # one for all of a kind
        self.names.append(names)
        for name in names:
            value = getattr(part, name)
            if isinstance(value, _NUMBERS):
                self.count += 1
            else:
                self._add(value)
        return True

    def _add(self, value: object) -> None:
        if isinstance(value, list) and not (value and isinstance(value[0], _NUMBERS)):
            for item in value:
                self._add(item)
        elif not isinstance(value, _PLAIN):
            for known in self.parts:
                if known is value:
                    return
            self.parts.append(value)

    def give(self, take: "Callable[[int], object]") -> None:
        """Pass each integer to take(value), in order. Allocates nothing."""
        for place in range(len(self.parts)):
            part = self.parts[place]
            names = self.names[place]
            if names is None:
                for value in part:
                    take(value)
            else:
                for name in names:
                    value = getattr(part, name)
                    if isinstance(value, _NUMBERS):
                        take(value)

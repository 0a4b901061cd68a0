"""Fakes for the tests of the decisions: a sink that remembers, a configuration, a table."""

from tablelogic.core.ticks import MASK
from tablespec.names import KEY_NAMES
from tablewire import messages as m
from tablewire import settings

# Ten seconds before the 30-bit clock wraps: scripts that start here run across it.
START_US = MASK + 1 - 10000000


def factory(**changed):
    """The configuration as the role takes it: values by key number, factory ones unless named."""
    values = settings.factory()
    for name, value in changed.items():
        number = KEY_NAMES.index(name) + 1
        low, high, _ = settings.limits(number)
        assert low <= value <= high, name
        values[number] = value
    return values


class Sink:
    """Remembers what the role reported, as (name, values). room: the answer to may_open."""

    def __init__(self):
        self.reported = []
        self.room = True

    def may_open(self):
        return self.room

    def round_opened(self, values):
        self.reported.append(("round_opened", list(values)))

    def bets_closed(self, values):
        self.reported.append(("bets_closed", list(values)))

    def result(self, values):
        self.reported.append(("result", list(values)))

    def void(self, values):
        self.reported.append(("void", list(values)))

    def record(self, ident, values):
        if self.room:
            self.reported.append((ident, list(values)))
        return self.room

    def fault_raised(self, values):
        self.reported.append(("fault_raised", list(values)))

    def fault_cleared(self, values):
        self.reported.append(("fault_cleared", list(values)))

    def state(self, values):
        self.reported.append(("state", list(values)))

    def names(self):
        """What was reported but changes of phase, names only."""
        return [name for name, _ in self.reported if name != "state"]

    def values(self, name):
        """The values of the only record of that name."""
        matches = [values for kind, values in self.reported if kind == name]
        assert len(matches) == 1, (name, self.reported)
        return matches[0]


class Orders:
    """A round that only notes what parts ask of it, as tuples beginning with the verb."""

    def __init__(self, phase=m.PHASE_BETS_OPEN):
        self.phase = phase
        self.now_ms = 0
        self.count = 1  # as if a fault were active, so that clearing is asked
        self.faults = self
        self.asked = []

    def void(self, reason, sensor):
        self.asked.append(("void", reason, sensor))

    def raise_fault(self, code, sensor, value, limit):
        self.asked.append(("raise", code, sensor, value, limit))

    def clear_fault(self, code):
        self.asked.append(("clear", code))

    def take(self):
        """What was asked since the last call."""
        asked, self.asked = self.asked, []
        return asked

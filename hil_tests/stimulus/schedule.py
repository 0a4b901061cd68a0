# mypy: ignore-errors
"""The edges to play, as steps: a time and the levels of all channels from then on. Pure."""

from array import array

from lines import Refused

CHANNELS = 12
DEPTH = 4096
# Two steps of the PIO program are so far apart at least: its five instructions at 1 MHz.
GAP_US = 5
# Times fit a small integer of MicroPython: 17 minutes.
_LONGEST_US = (1 << 30) - 1


class Schedule:
    """Edges in the order of their times. late_us: the most an edge was put off by the one before
    it, because less than GAP_US lay between them."""

    def __init__(self) -> None:
        self._times = array("I", [0] * DEPTH)
        self._masks = array("H", [0] * DEPTH)
        self.clear(0)

    def clear(self, mask: int) -> None:
        """No edges; the channels stand at the bits of mask."""
        if not 0 <= mask < 1 << CHANNELS:
            raise Refused("range")
        self.idle = self._mask = mask
        self.steps = self.edges = self.late_us = 0
        self._last_us = -1

    def add(self, t_us: int, channel: int, level: int) -> None:
        """An edge, not before the last one. Raises Refused."""
        if not (0 <= t_us <= _LONGEST_US and 0 <= channel < CHANNELS and level in (0, 1)):
            raise Refused("range")
        if t_us < self._last_us:
            raise Refused("order")
        if t_us != self._last_us:
            if self.steps == DEPTH:
                raise Refused("full")
            at_us = t_us
            if self.steps:
                at_us = max(t_us, self._times[self.steps - 1] + GAP_US)
            self.late_us = max(self.late_us, at_us - t_us)
            self._times[self.steps] = at_us
            self.steps += 1
            self._last_us = t_us
        bit = 1 << channel
        self._mask = self._mask | bit if level else self._mask & ~bit
        self._masks[self.steps - 1] = self._mask
        self.edges += 1

    def step(self, number: int) -> tuple:
        """(time in us, levels) of a step."""
        return self._times[number], self._masks[number]

    def words(self, number: int) -> tuple:
        """What the PIO program takes for a step: its wait, then the levels.

        It waits wait + GAP_US from one step to the next; the first counts from its start.
        """
        t_us, mask = self.step(number)
        before = self._times[number - 1] if number else 0
        return max(0, t_us - before - GAP_US), mask

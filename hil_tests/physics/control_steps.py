"""The control steps of a controller and the looks between them, for models with quick sensors.

A step every 40 ms passes the edges and a reading of the converter to the role; where the role
asks for it, there is another step at once, or a look between two. Other tasks delay both.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tablelogic.core import role as core

TICK_MS = 40.0
START_US = (1 << 30) - 9_000_000  # the clock wraps while a model is played
_MASK = (1 << 30) - 1
# From a step or a look to the next, ms, by what the role answers (tabledev.app.tasks).
_PAUSES_MS = {core.WATCHFUL: 20.0, core.URGENT: 3.0, core.CLOSE: 5.0, core.SAMPLE: 5.0}
_OTHERS_MS = 12.0  # what another task takes at most; one of ten looks waits for one


class Steps:
    """role: see physics.making; read(now): what the converter reads. now: ms."""

    def __init__(self, role: Any, rng: random.Random, read: Callable[[float], int]) -> None:
        self.now = 0.0
        self.edges: list[tuple[float, int, int]] = []
        self._role, self._rng, self._read = role, rng, read
        self._due = 0.0

    @property
    def now_us(self) -> int:
        """Now on the controller's clock."""
        return int(self.now * 1000) + START_US & _MASK

    def switch(self, time_s: float, sensor: int, level: int) -> None:
        """Have an input switch at a time to come."""
        self.edges.append((time_s, sensor, level))
        self.edges.sort(key=lambda edge: edge[0])

    def level(self, sensor: int, level: int) -> int:
        """As a ring: the level of a sensor after the edges that wait."""
        for t, place, to in self.edges:
            if t > self.now:
                break
            level = to if place == sensor else level
        return level

    def has_rise(self, sensors: tuple[int, ...]) -> bool:
        """As a ring: whether one of these rises among them."""
        return any(
            t <= self.now and sensor in sensors and level for t, sensor, level in self.edges
        )

    def step(self) -> None:
        """Look until the next control step, and make it."""
        role, peak = self._role, -1
        self._due += TICK_MS
        answer = role.urgency(self)
        while answer:
            if answer == core.SAMPLE:
                peak = max(peak, self._read(self.now))
            pause = _PAUSES_MS[answer]
            if self.now + pause >= self._due:
                break
            late = self._rng.uniform(0.0, _OTHERS_MS) if self._rng.random() < 0.1 else 0.3
            self.now += pause + late
            answer = role.urgency(self)
            if answer == core.URGENT:
                self._due = self.now
        self.now = max(self.now, self._due)
        self._due = self.now
        while self.edges and self.edges[0][0] <= self.now:
            t, sensor, level = self.edges.pop(0)
            role.edge(sensor, level, int(t * 1000) + START_US & _MASK)
        if role.wants_analog():
            role.analog(peak if peak >= 0 else self._read(self.now))
        role.tick(self.now_us)

"""Closed-form motion on a circle, and the exact times at which it crosses marks.

Positions are turns (not wrapped), times are seconds as floats. Nothing here is stepped: each
crossing time is solved from the equation of motion, so a 30 s spin costs a few milliseconds.
Knows nothing of balls, rotors or pins.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

NEVER = math.inf


class Segment(Protocol):
    """One stretch of motion that does not change direction."""

    @property
    def start(self) -> float: ...

    @property
    def end(self) -> float: ...

    @property
    def direction(self) -> int:
        """Return +1 rising, -1 falling, 0 at rest."""

    def position(self, t: float) -> float: ...

    def speed(self, t: float) -> float: ...

    def time_at(self, x: float) -> float:
        """Return when x is reached, NEVER if it is not; x lies ahead in the direction."""


@dataclass(frozen=True, slots=True)
class Uniform:
    """Motion under a constant acceleration; accel 0 and speed 0 is rest."""

    start: float
    x0: float
    v0: float = 0.0
    accel: float = 0.0
    end: float = NEVER

    @property
    def direction(self) -> int:
        lead = self.v0 or self.accel
        return (lead > 0) - (lead < 0)

    def position(self, t: float) -> float:
        tau = t - self.start
        return self.x0 + tau * (self.v0 + 0.5 * self.accel * tau)

    def speed(self, t: float) -> float:
        return self.v0 + self.accel * (t - self.start)

    def time_at(self, x: float) -> float:
        distance = x - self.x0
        v0, accel = self.v0, self.accel
        square = v0 * v0 + 2 * accel * distance
        if square < 0:
            return NEVER
        # v0 + v(x) in the denominator is the stable form of the quadratic's first root.
        speed = math.sqrt(square)
        total = v0 + speed if (v0 or accel) > 0 else v0 - speed
        return self.start + 2 * distance / total if total else NEVER


@dataclass(frozen=True, slots=True)
class Coast:
    """A free rotor: it loses the fraction 1 - exp(-drag) of its speed in each turn."""

    start: float
    x0: float
    v0: float
    drag: float
    end: float = NEVER

    @property
    def direction(self) -> int:
        return (self.v0 > 0) - (self.v0 < 0)

    def position(self, t: float) -> float:
        slowed = math.log1p(self.drag * abs(self.v0) * (t - self.start))
        return self.x0 + self.direction * slowed / self.drag

    def speed(self, t: float) -> float:
        return self.v0 / (1 + self.drag * abs(self.v0) * (t - self.start))

    def time_at(self, x: float) -> float:
        return self.start + math.expm1(self.drag * abs(x - self.x0)) / (self.drag * abs(self.v0))


class Motion:
    """Segments laid end to end; the last one lasts for ever."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = list(segments)

    def segment(self, t: float) -> Segment:
        """Return the segment in force at t (the later one on a seam); earlier ones are dropped."""
        while len(self.segments) > 1 and self.segments[0].end <= t:
            self.segments.pop(0)
        return self.segments[0]

    def position(self, t: float) -> float:
        """Return the position at t, not before the last time asked for."""
        return self.segment(t).position(t)

    def speed(self, t: float) -> float:
        """Return the speed in turns a second at t, not before the last time asked for."""
        return self.segment(t).speed(t)

    def redirect(self, t: float, segments: Sequence[Segment]) -> None:
        """Let other segments hold from t on; the first of them starts at t."""
        current = self.segment(t)
        assert isinstance(current, Uniform | Coast)
        self.segments = [replace(current, end=t), *segments]


def follow(start: float, x0: float, v0: float, legs: Sequence[tuple[float, float]]) -> Motion:
    """Return uniform legs (acceleration, seconds) laid end to end, then rest or steady motion."""
    segments: list[Segment] = []
    for accel, seconds in legs:
        leg = Uniform(start, x0, v0, accel, start + seconds)
        segments.append(leg)
        start, x0, v0 = leg.end, leg.position(leg.end), leg.speed(leg.end)
    final = 0.0 if abs(v0) < 1e-9 else v0
    return Motion([*segments, Uniform(start, x0, final)])


# One mark: place on the circle in [0, 1), what it switches, +1 or -1 when passed upwards.
Mark = tuple[float, int, int]
Crossing = tuple[float, int, int]


class Crossings:
    """Follows one motion and tells when it passes each mark of a circle."""

    def __init__(self, motion: Motion, marks: Sequence[Mark], now: float) -> None:
        self.motion = motion
        self._marks = sorted((place % 1.0, key, step) for place, key, step in marks)
        self._now = now
        x = motion.position(now)
        turn = math.floor(x)
        self._turn = turn
        # Index of the next mark above x; the one below it is _next - 1.
        self._next = bisect_right([mark[0] for mark in self._marks], x - turn)

    def covered(self) -> dict[int, int]:
        """Return for each key how many of its spans lie over the present place."""
        count: dict[int, int] = {}
        first: dict[int, int] = {}
        for index, (_place, key, step) in enumerate(self._marks):
            first.setdefault(key, step)
            if index < self._next:
                count[key] = count.get(key, 0) + step
        # A span across the seam of the circle shows as a first mark that ends one.
        return {key: count.get(key, 0) + (step < 0) for key, step in first.items()}

    def until(self, t: float) -> list[Crossing]:
        """Return (time, key, +1 | -1) of each crossing from the last call up to t."""
        crossings: list[Crossing] = []
        while self._now < t:
            segment = self.motion.segment(self._now)
            stop, direction = min(t, segment.end), segment.direction
            if direction > 0:
                self._rise(segment, stop, crossings)
            elif direction < 0:
                self._fall(segment, stop, crossings)
            self._now = stop
        return crossings

    def _rise(self, segment: Segment, stop: float, crossings: list[Crossing]) -> None:
        marks, index, turn = self._marks, self._next, self._turn
        time_at, start = segment.time_at, segment.start
        while True:
            if index == len(marks):
                index, turn = 0, turn + 1
            place, key, step = marks[index]
            when = time_at(turn + place)
            if when > stop:
                break
            crossings.append((when if when > start else start, key, step))
            index += 1
        self._next, self._turn = index, turn

    def _fall(self, segment: Segment, stop: float, crossings: list[Crossing]) -> None:
        marks, index, turn = self._marks, self._next, self._turn
        time_at, start = segment.time_at, segment.start
        while True:
            if index == 0:
                index, turn = len(marks), turn - 1
            place, key, step = marks[index - 1]
            when = time_at(turn + place)
            if when > stop:
                break
            crossings.append((when if when > start else start, key, -step))
            index -= 1
        self._next, self._turn = index, turn

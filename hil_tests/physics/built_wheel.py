"""The wheel as it was built and its sensors: what moves in, edges and closed switches out.

Mounting as host_tools/docs/HARDWARE.md describes it: ring sensors at stator angle 0, a quarter of
a pitch apart; the index between the last pocket and pocket 0; rim sensors at angles of their own;
the head beside the rotor. Angles in turns, clockwise. Pocket k of n is at stator angle
(k - P) / n, where P is the rotor's place: it rises while the rotor turns counter-clockwise.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

ROTOR_A, ROTOR_B, INDEX, RIM_1, RIM_2, HEAD = range(1, 7)
RIMS = RIM_1, RIM_2, 14, 15
Edge = tuple[float, int, int]  # time in s, sensor, level
Change = tuple[float, int]  # time in s, level


@dataclass
class Build:
    """One wheel. Half widths in pockets; rim_arc: turns over which the ball covers a rim sensor.

    jitter_s: of each edge by itself, lag_s: of both edges of a pulse alike, at most.
    head_off: how far the head sits from where the configuration has it, in pockets. ring_b: where
    sensor B is over the magnet of pocket 0. index_at: where the index is over each magnet of its
    track. lost: pockets without a ring magnet. misses: share of its pulses that a sensor misses.
    marks: what else on the rotor covers a sensor: which, where and half how wide.
    """

    pockets: int = 37
    rims: tuple[float, ...] = (0.0, 0.25)
    rim_arc: float = 0.010
    ring_half: float = 0.25
    index_half: float = 0.125
    head_half: float = 0.22
    head: float = 0.5
    head_off: float = 0.0
    rise_s: float = 0.0003
    fall_s: float = 0.0004
    jitter_s: float = 0.00008
    lag_s: float = 0.0
    missed: float = 0.0003
    placing: list[float] = field(default_factory=list)
    ring_b: float = 0.25
    index_at: tuple[float, ...] = (-0.5,)
    lost: frozenset[int] = frozenset()
    misses: dict[int, float] = field(default_factory=dict)
    marks: tuple[tuple[int, float, float], ...] = ()


def draw_build(rng: random.Random, rims: int = 2) -> Build:
    """Draw a wheel and its mounting, within HARDWARE.md. rims: how many sensors."""
    pockets = rng.choice((37, 38))
    places = [0.0, rng.uniform(31, 149) / 360]
    if rims > 2:
        places = [0.0, *(k / rims + rng.uniform(-15, 15) / 360 for k in range(1, rims))]
    return Build(
        pockets=pockets,
        rims=tuple(places),
        rim_arc=rng.uniform(2.8, 6.5) / 360,
        ring_half=rng.uniform(0.13, 0.32),
        index_half=rng.uniform(0.10, 0.16),
        head_half=rng.uniform(0.16, 0.30),
        head=rng.random(),
        rise_s=rng.uniform(0.00002, 0.0005),
        fall_s=rng.uniform(0.00002, 0.0005),
        jitter_s=rng.uniform(0.00003, 0.0002),
        lag_s=0.002 * rng.random() ** 3,
        placing=[rng.gauss(0.0, 0.012) for _ in range(pockets)],
    )


class Rotor:
    """The rotor from time 0 on: rpm (clockwise positive), w' = -(dry + wet * w)."""

    def __init__(self, rng: random.Random, pockets: int, rpm: float) -> None:
        self.pockets = pockets
        self.way = 1 if rpm > 0 else -1
        self._speed = abs(rpm) / 60
        self._wet = rng.uniform(0.001, 0.005)
        self._dry = rng.uniform(0.0, 0.00025)
        self._start = rng.random() * pockets

    def turned(self, t: float) -> float:
        """Turns since time 0, never less than 0."""
        k, c = self._wet, self._dry / self._wet
        return (self._speed + c) * (1 - math.exp(-k * t)) / k - c * t

    def place(self, t: float) -> float:
        """P: which pocket is at stator angle 0."""
        return self._start - self.way * self.turned(t) * self.pockets

    def pocket_at(self, t: float, angle: float) -> int:
        """The pocket at a stator angle."""
        return round(self.place(t) + angle * self.pockets) % self.pockets

    def when(self, turned: float, near: float) -> float:
        """When it has turned so far; near: a guess."""
        t = near
        for _ in range(8):
            speed = (self._speed + self._dry / self._wet) * math.exp(-self._wet * t)
            step = (self.turned(t) - turned) / max(speed - self._dry / self._wet, 1e-4)
            t -= step
            if abs(step) < 1e-8:
                break
        return t

    def crossings(self, place: float, half: float, from_s: float, to_s: float) -> list[Change]:
        """(time, level) of a sensor that is covered while P is within half of place, mod n."""
        crossings = []
        n = self.pockets
        first, last = self.place(from_s), self.place(to_s)
        low, high = min(first, last), max(first, last)
        k = math.floor((low - place) / n) - 1
        near = from_s
        marks = []
        while place + k * n - half < high:
            for place_x, sign in ((place + k * n - half, 1), (place + k * n + half, -1)):
                if low < place_x < high:
                    turned = (self._start - place_x) * self.way / n
                    marks.append((turned, 1 if sign == -self.way else 0))
            k += 1
        for turned, level in sorted(marks):
            near = self.when(turned, near)
            crossings.append((near, level))
        return crossings


class TurnedRotor(Rotor):
    """One that a hand stops at turns_s, and turns the other way after a pause."""

    def __init__(self, before: Rotor, after: Rotor, turns_s: float, pause_s: float) -> None:
        vars(self).update(vars(after))
        self._before, self._after = before, after
        self._turns_s, self._starts_s = turns_s, turns_s + pause_s
        after._start = before.place(turns_s)
        self._start = after._start

    def place(self, t: float) -> float:
        """P, before and after."""
        if t < self._starts_s:
            return self._before.place(min(t, self._turns_s))
        return self._after.place(t - self._starts_s)

    def crossings(self, place: float, half: float, from_s: float, to_s: float) -> list[Change]:
        """Those of one way, and then of the other."""
        until_s, later = min(to_s, self._turns_s), self._starts_s
        changes = []
        if from_s < until_s:
            changes = self._before.crossings(place, half, from_s, until_s)
        if to_s > later:
            first = max(from_s - later, 0.0)
            after = self._after.crossings(place, half, first, to_s - later)
            changes += [(t + later, level) for t, level in after]
        return changes


class Lines:
    """Collects what covers sensors, and gives the edges of the lines."""

    def __init__(self, rng: random.Random, build: Build) -> None:
        self._rng = rng
        self._build = build
        self._covers: dict[int, list[tuple[float, float]]] = {ROTOR_A: [], ROTOR_B: [], INDEX: []}

    def cover(self, sensor: int, from_s: float, to_s: float) -> None:
        """Something covers the sensor."""
        if to_s > from_s:
            self._covers.setdefault(sensor, []).append((from_s, to_s))

    def smear(self, sensor: int, by_s: float, *, last: bool) -> None:
        """Let the beginning or the end of one pulse of a sensor be by_s later."""
        covers = self._covers[sensor]
        number = self._rng.randrange(len(covers))
        from_s, to_s = covers[number]
        if last:
            to_s = max(to_s + by_s, from_s + 0.0025)
        else:
            from_s = min(from_s + by_s, to_s - 0.0025)
        covers[number] = from_s, to_s

    def edges(self) -> list[Edge]:
        """Every edge in time order: covers that overlap are one pulse."""
        edges = []
        for sensor, covers in self._covers.items():
            misses = self._build.misses.get(sensor, 0.0)
            covers.sort()
            if not covers:
                continue
            start, end = covers[0]
            for more in [*covers[1:], (math.inf, math.inf)]:
                if more[0] <= end:
                    end = max(end, more[1])
                    continue
                if misses and self._rng.random() < misses:
                    start, end = more
                    continue
                b, j = self._build, self._rng.random
                lag_s = j() * b.lag_s
                rise = start + b.rise_s + lag_s + j() * b.jitter_s
                fall = max(end + b.fall_s + lag_s + j() * b.jitter_s, rise + 1e-5)
                edges.append((rise, sensor, 1))
                if fall < 1e6:
                    edges.append((fall, sensor, 0))
                start, end = more
        edges.sort()
        return edges


def rotor_marks(build: Build) -> list[tuple[int, float, float]]:
    """Whatever on the rotor covers a sensor: which, where and half how wide, in pockets."""
    marks = []
    for k in range(build.pockets):
        if k not in build.lost:
            place = k + (build.placing[k] if build.placing else 0.0)
            marks.append((ROTOR_A, place, build.ring_half))
            marks.append((ROTOR_B, place + build.ring_b, build.ring_half))
    marks += [(INDEX, place, build.index_half) for place in build.index_at]
    return marks + list(build.marks)


def ring(build: Build, rotor: Rotor, lines: Lines, to_s: float) -> None:
    """Ring and index while the rotor turns."""
    for sensor, place, half in rotor_marks(build):
        cover(rotor, lines, sensor, place, half, 0.0, to_s)


def under_head(
    build: Build, rotor: Rotor, lines: Lines, pocket: int, from_s: float, to_s: float
) -> None:
    """A ball is in a pocket from from_s to to_s, and passes the head."""
    place = pocket - build.head * build.pockets - build.head_off
    cover(rotor, lines, HEAD, place, build.head_half, from_s, to_s)


def cover(
    rotor: Rotor, lines: Lines, sensor: int, place: float, half: float, from_s: float, to_s: float
) -> None:
    """Cover a sensor whenever a place of the rotor comes over it, half so wide."""
    n = rotor.pockets
    off = (rotor.place(from_s) - place + n / 2) % n - n / 2
    start = from_s if abs(off) < half else None
    for t, level in rotor.crossings(place, half, from_s, to_s):
        if level:
            start = t
        elif start is not None:
            lines.cover(sensor, start, t)
            start = None
    if start is not None:
        lines.cover(sensor, start, to_s)

"""Sensor lines: from the bodies that cover a sensor to noisy events on its pin.

A Line receives the true level of its sensor and writes the level changes of the pin, with delay,
jitter, bounce, missed and spurious pulses. Each has its own random source, so its noise does not
depend on how time is cut into windows. A Bank is all lines of one machine. Times are integer
microseconds since power-on.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .motion import Crossing, Crossings, Mark, Motion
from .planned import Planned

PinEvent = tuple[int, int, int]

# A hall switch answers 15-20 us after the field; jitter comes on top.
_LATENCY_US = 15
# One or two extra pairs of edges, all of them 0.1-2 ms after the edge.
_BOUNCE_FIRST_US = (100, 600)
_BOUNCE_WIDTH_US = (50, 400)
_GLITCH_WIDTH_US = (20, 300)


@dataclass(frozen=True, slots=True)
class Noise:
    """How good the sensors of a table are.

    jitter_us: spread of an edge's delay, uniform from 0. placement: standard deviation of a ring
    magnet's place, in pockets. bounce: share of edges followed by one or two extra pairs of edges.
    missed_tick, missed_pass: share of ring pulses and of ball passes the sensor does not see.
    glitches_per_hour: single spurious pulses on each line.
    """

    jitter_us: int = 60
    placement: float = 0.012
    bounce: float = 0.03
    missed_tick: float = 1e-5
    missed_pass: float = 3e-4
    glitches_per_hour: float = 6.0


LEVELS = {
    "none": Noise(0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "healthy": Noise(),
    "worn": Noise(200, 0.025, 0.15, 5e-5, 2e-3, 30.0),
}


class Line:
    """One sensor line: true levels in, level changes of the pin out (appended to `out`).

    lag_us: by how much both edges of a pulse are late at most, each pulse by its own share of it.
    """

    def __init__(
        self, pin: int, rng: random.Random, noise: Noise, missed: float, out: list[PinEvent]
    ) -> None:
        self.pin = pin
        self.level = 0
        self.lag_us = 0
        self._pulse_lag_us = 0
        self._rng = rng
        self._out = out
        self._jitter_us = noise.jitter_us
        self._bounce = noise.bounce
        self._missed = noise.bounce + missed
        self._glitch_rate = noise.glitches_per_hour / 3.6e9
        self._skipping = False
        self._last_us = -1
        self._held: int | None = None
        # Pulses besides the truth, (start, end), and the end of the one going on.
        self._pulses: list[tuple[int, int]] = []
        self._pulse_end_us: int | None = None
        self._natural_us = self._next_glitch(0)

    def feed(self, t_us: int, level: int) -> None:
        """Take note that the sensor is covered (1) or free (0) from t_us on."""
        rng = self._rng
        if self._jitter_us:
            t_us += _LATENCY_US + int(rng.random() * self._jitter_us)
        if self.lag_us:
            if level:
                self._pulse_lag_us = int(rng.random() * self.lag_us)
            t_us += self._pulse_lag_us
        if t_us <= self._last_us:
            t_us = self._last_us + 1
        if self._pulse_end_us is not None or (self._pulses and self._pulses[0][0] <= t_us):
            self.settle(t_us)
        self._last_us = t_us
        self.level = level
        if self._held is not None:
            return
        if self._skipping:
            self._skipping = False
            return
        chance = rng.random()
        if chance < self._missed:
            if chance < self._bounce:
                self._chatter(t_us)
            elif level:
                # A weak pulse is lost whole: the line cannot fall where it never rose.
                self._skipping = True
                return
        # The level written now also ends a pulse that is still going on.
        self._pulse_end_us = None
        self._out.append((t_us, self.pin, level))

    def settle(self, t_us: int) -> None:
        """Write what happens on the line besides the truth up to t_us."""
        while True:
            if self._pulse_end_us is not None:
                if self._pulse_end_us > t_us:
                    return
                self._put(self._pulse_end_us, self._level())
                self._pulse_end_us = None
            if not self._pulses or self._pulses[0][0] > t_us:
                return
            start, self._pulse_end_us = heapq.heappop(self._pulses)
            self._put(start, 1 - self._level())
            if start == self._natural_us:
                self._natural_us = self._next_glitch(self._pulse_end_us)

    def hold(self, t_us: int, level: int) -> None:
        """Break the sensor: its line stays at the level whatever it covers."""
        self.settle(t_us)
        self._held = level
        # What an edge just before was still to show, it shows no more.
        self._out[:] = [each for each in self._out if each[1] != self.pin or each[0] <= t_us]
        self._put(t_us, level)

    def release(self, t_us: int) -> None:
        """Repair the sensor."""
        self._held = None
        self._skipping = False
        self._put(t_us, self.level)

    def disturb(self, t_us: int, *, pulses: int, period_us: int) -> None:
        """Couple a burst of interference into the line, half of each period long."""
        for start in range(t_us, t_us + pulses * period_us, period_us):
            heapq.heappush(self._pulses, (start, start + max(1, period_us // 2)))

    def _level(self) -> int:
        if self._held is not None:
            return self._held
        return 0 if self._skipping else self.level

    def _put(self, t_us: int, level: int) -> None:
        self._out.append((t_us, self.pin, level))

    def _chatter(self, t_us: int) -> None:
        for _ in range(self._rng.choice((1, 1, 1, 2))):
            start = t_us + self._rng.randint(*_BOUNCE_FIRST_US)
            t_us = start + self._rng.randint(*_BOUNCE_WIDTH_US)
            heapq.heappush(self._pulses, (start, t_us))

    def _next_glitch(self, t_us: int) -> int:
        """Draw the next spurious pulse of a healthy line and return its start."""
        if not self._glitch_rate:
            return -1
        start = t_us + int(-math.log(1.0 - self._rng.random()) / self._glitch_rate) + 1
        heapq.heappush(self._pulses, (start, start + self._rng.randint(*_GLITCH_WIDTH_US)))
        return start


# What the rig plays: [t_us, kind, where, what]: "pin" and its level, "adc" and raw, "spi" and hex.
Event = list[Any]


class Agenda:
    """What will happen to a machine, and when; now_us: the present."""

    def __init__(self) -> None:
        self.now_us = 0
        self._due: Planned[Callable[[int], None]] = Planned()

    def schedule(self, t_us: int, act: Callable[[int], None]) -> None:
        """Have an act done at its time, between the edges."""
        self._due.add(max(t_us, self.now_us), act)

    def pass_to(self, t_us: int, until: Callable[[int], None]) -> None:
        """Let time pass to t_us: until(t) runs the machine up to each act, and to the end."""
        for when, act in self._due.take(t_us):
            until(when)
            self.now_us = when
            act(when)
        until(t_us)
        self.now_us = t_us

    def clear_agenda(self) -> None:
        """Nothing that was about to happen happens."""
        self._due.forget()


class Bank:
    """Lines with sensors (pin: share of pulses missed), and contacts, which are switched clean."""

    def __init__(
        self,
        missed: Mapping[int, float],
        contacts: Sequence[int],
        seed: int | str,
        quality: Noise,
    ) -> None:
        self._written: list[PinEvent] = []
        self.lines = {
            pin: Line(pin, random.Random(f"{seed}/line {pin}"), quality, share, self._written)
            for pin, share in missed.items()
        }
        self._cover = dict.fromkeys(missed, 0)
        self._bodies: list[Crossings] = []
        self._levels = dict.fromkeys((*missed, *contacts), 0)
        self._other: list[Event] = []

    def add(self, t_us: int, motion: Motion, marks: list[Mark]) -> Crossings:
        """Put a body on the machine; it covers the sensors under it at once."""
        body = Crossings(motion, marks, t_us / 1e6)
        self._bodies.append(body)
        for pin, covered in body.covered().items():
            self.shift(t_us, pin, covered)
        return body

    def remove(self, t_us: int, body: Crossings) -> None:
        """Take a body away; sensors under it become free."""
        self._bodies.remove(body)
        for pin, covered in body.covered().items():
            self.shift(t_us, pin, -covered)

    def set_input(self, t_us: int, pin: int, level: int) -> None:
        """Set a contact."""
        self._written.append((t_us, pin, level))

    def disturb(self, t_us: int, pins: tuple[int, ...], *, pulses: int, period_us: int) -> None:
        """Couple a burst of interference into the lines."""
        for pin in pins:
            self.lines[pin].disturb(t_us, pulses=pulses, period_us=period_us)

    def note(self, event: Event) -> None:
        """Note an event of something that is no pin."""
        self._other.append(event)

    def run(self, t_us: int) -> None:
        """Let time pass up to t_us."""
        crossings: list[Crossing] = []
        for body in self._bodies:
            crossings += body.until(t_us / 1e6)
        crossings.sort()
        shift = self.shift
        for when, pin, step in crossings:
            shift(int(when * 1e6), pin, step)
        for line in self.lines.values():
            line.settle(t_us)

    def take(self, t_us: int) -> list[Event]:
        """Return the events up to t_us that were not yet taken, in time order."""
        written = self._written
        written.sort()
        keep = [event for event in written if event[0] > t_us]
        levels = self._levels
        events: list[Event] = []
        for when, pin, level in written[: len(written) - len(keep)]:
            if levels[pin] != level:
                levels[pin] = level
                events.append([when, "pin", pin, level])
        written[:] = keep
        if self._other:
            events += self._other
            events.sort(key=_time_of)
            self._other.clear()
        return events

    def uncover(self, t_us: int, pin: int) -> None:
        """Take everything off a sensor that shift put on it."""
        self.shift(t_us, pin, -self._cover[pin])

    def shift(self, t_us: int, pin: int, step: int) -> None:
        """Let one thing more (step 1) or less (-1) cover a sensor."""
        before = self._cover[pin]
        self._cover[pin] = after = before + step
        if (before > 0) != (after > 0):
            self.lines[pin].feed(t_us, int(after > 0))


def _time_of(event: Event) -> int:
    when: int = event[0]
    return when

"""The sensor lines of a machine: from the bodies that cover them to events on the pins.

The machine tells which bodies there are and what its contacts show; the events come out in time
order, the same however time is cut up. Times are integer microseconds since power-on.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hil_tests.emulators.core.motion import Crossing, Crossings, Mark, Motion
from hil_tests.emulators.noise import Line, Noise, PinEvent

# What the rig plays: [t_us, kind, where, what]: "pin" and its level, "adc" and raw, "spi" and hex.
Event = list[Any]


class Agenda:
    """What becomes of a machine, and when; now_us: the present."""

    def __init__(self) -> None:
        self.now_us = 0
        self._due: list[tuple[int, int, Callable[[int], None]]] = []
        self._order = 0

    def schedule(self, t_us: int, act: Callable[[int], None]) -> None:
        """Have an act done at its time, between the edges."""
        self._order += 1
        heapq.heappush(self._due, (max(t_us, self.now_us), self._order, act))

    def pass_to(self, t_us: int, until: Callable[[int], None]) -> None:
        """Let time pass to t_us: until(t) runs the machine up to each act, and to the end."""
        while self._due and self._due[0][0] <= t_us:
            when, _order, act = heapq.heappop(self._due)
            until(when)
            self.now_us = when
            act(when)
        until(t_us)
        self.now_us = t_us


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
        self._shown = dict.fromkeys((*missed, *contacts), 0)
        self._other: list[Event] = []

    def add(self, t_us: int, motion: Motion, marks: list[Mark]) -> Crossings:
        """Put a body on the machine; it covers what it stands over at once."""
        body = Crossings(motion, marks, t_us / 1e6)
        self._bodies.append(body)
        for pin, covered in body.covered().items():
            self._shift(t_us, pin, covered)
        return body

    def remove(self, t_us: int, body: Crossings) -> None:
        """Take a body away; sensors under it go free."""
        self._bodies.remove(body)
        for pin, covered in body.covered().items():
            self._shift(t_us, pin, -covered)

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
        found: list[Crossing] = []
        for body in self._bodies:
            found += body.until(t_us / 1e6)
        found.sort()
        for when, pin, step in found:
            self._shift(int(when * 1e6), pin, step)
        for line in self.lines.values():
            line.settle(t_us)

    def take(self, t_us: int) -> list[Event]:
        """Return the events up to t_us that were not yet taken, in time order."""
        written = self._written
        written.sort()
        keep = [event for event in written if event[0] > t_us]
        shown = self._shown
        events: list[Event] = []
        for when, pin, level in written[: len(written) - len(keep)]:
            if shown[pin] != level:
                shown[pin] = level
                events.append([when, "pin", pin, level])
        written[:] = keep
        if self._other:
            events += self._other
            events.sort(key=_time_of)
            self._other.clear()
        return events

    def _shift(self, t_us: int, pin: int, step: int) -> None:
        before = self._cover[pin]
        self._cover[pin] = after = before + step
        if (before > 0) != (after > 0):
            self.lines[pin].feed(t_us, int(after > 0))


def _time_of(event: Event) -> int:
    when: int = event[0]
    return when

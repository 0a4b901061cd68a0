"""The physical dice tray: dice, beams, the plates of the far wall, the camera, in virtual time.

Hands act on it (lift, throw, put back ...), time passes with `events_until`, and the events of
the sensors come out. A die is a body with a place and times: over the throw line, against the
wall, at rest. Integer microseconds since power-on.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hil_tests.emulators.die import Die
from hil_tests.emulators.noise import LEVELS, Line, PinEvent
from hil_tests.emulators.tray_camera import TrayCamera

# Pins of the emulated board (boards/emulated/WIRING.md).
PLACE, LINE, PLATE_1, PLATE_2, PLATE_3, EDGE = 2, 3, 4, 5, 6, 7
BUTTON, TILT, DOME, MAINTENANCE = 8, 9, 10, 21
PLATES = (PLATE_1, PLATE_2, PLATE_3)
LINES = (PLACE, LINE, *PLATES, EDGE)
FRAME_US = 250_000
# The circuit of a plate makes of each hit a pulse; hits within it make it longer.
HIT_PULSE_US = 5_000
Event = list[Any]
Act = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Flight:
    """One die of a throw, times after the release. plate: of the wall, None: it falls short.

    line_us, line_width_us: over the throw line, None: past it. again_us: second contact of the
    same die with the wall after the first, 0 for none. rest_us: it lies still. die: as it lies
    then, None where no camera sees it.
    """

    line_us: int | None
    line_width_us: int
    wall_us: int
    plate: int | None
    again_us: int
    rest_us: int
    die: Die | None


class Tray:
    """One tray with its sensors; deterministic for a seed. dice: that belong to it."""

    def __init__(
        self, seed: int | str, dice: int, *, large: bool = False, noise: str = "healthy"
    ) -> None:
        self.dice = dice
        self.now_us = 0
        self.camera = TrayCamera(seed, large=large, noise=noise)
        quality = LEVELS[noise]
        self._written: list[PinEvent] = []
        self.lines = {
            pin: Line(pin, random.Random(f"{seed}/line {pin}"), quality, 0.0, self._written)
            for pin in LINES
        }
        self._cover = dict.fromkeys(LINES, 0)
        self._shown = dict.fromkeys((*LINES, BUTTON, TILT, DOME, MAINTENANCE), 0)
        self._agenda: list[tuple[int, int, Act]] = []
        self._order = 0
        self.at_place = dice
        self.lying: list[Die] = []
        self.flying = 0
        self._frames: list[Event] = []
        self._frame_us = 0
        self._shift(0, PLACE, 1)

    # --- time -------------------------------------------------------------------------------

    def events_until(self, t_us: int) -> list[Event]:
        """Let time pass to t_us and return the events since the last call, in time order."""
        while self._agenda and self._agenda[0][0] <= t_us:
            when, _order, act = heapq.heappop(self._agenda)
            self._pass(when)
            act(when)
        self._pass(t_us)
        return self._take(t_us)

    def schedule(self, t_us: int, act: Act) -> None:
        """Have an act done at its time, between the edges."""
        self._order += 1
        heapq.heappush(self._agenda, (max(t_us, self.now_us), self._order, act))

    def _pass(self, t_us: int) -> None:
        while self._frame_us + FRAME_US <= t_us:
            self._frame_us += FRAME_US
            taken = self.camera.expose(self.lying, self.flying)
            if taken is not None:
                self._frames.append([self._frame_us, "frame", 0, taken])
        for line in self.lines.values():
            line.settle(t_us)
        self.now_us = t_us

    # --- hands ------------------------------------------------------------------------------

    def lift(self) -> None:
        """Somebody takes the dice at the thrower's place into his hand."""
        if self.at_place:
            self.at_place = 0
            self._shift(self.now_us, PLACE, -1)

    def put_back(self) -> None:
        """The croupier brings the dice to the thrower's place, those in flight too."""
        self.lying = []
        self.flying = 0
        self._agenda.clear()
        for pin in (LINE, *PLATES, EDGE):
            self._shift(self.now_us, pin, -self._cover[pin])
        if not self.at_place:
            self.at_place = self.dice
            self._shift(self.now_us, PLACE, 1)

    def throw(self, flights: list[Flight]) -> None:
        """The dice leave the hand now."""
        now = self.now_us
        self.flying += len(flights)
        for flight in flights:
            if flight.line_us is not None:
                self._pulse(now + flight.line_us, LINE, flight.line_width_us)
            if flight.plate is not None:
                self._pulse(now + flight.wall_us, PLATES[flight.plate], HIT_PULSE_US)
                if flight.again_us:
                    at = now + flight.wall_us + flight.again_us
                    self._pulse(at, PLATES[flight.plate], HIT_PULSE_US)
            self.schedule(now + flight.rest_us, self._landing(flight))

    def _landing(self, flight: Flight) -> Act:
        def land(_when: int) -> None:
            self.flying -= 1
            if flight.die is not None:
                self.lying = [*self.lying, flight.die]

        return land

    def cross_edge(self, width_us: int) -> None:
        """Something goes through an edge beam for that long."""
        self._pulse(self.now_us, EDGE, width_us)

    def _pulse(self, t_us: int, pin: int, width_us: int) -> None:
        self.schedule(t_us, lambda when: self._shift(when, pin, 1))
        self.schedule(t_us + width_us, lambda when: self._shift(when, pin, -1))

    # --- sensors ----------------------------------------------------------------------------

    @property
    def sensors(self) -> Tray:
        """Return what holds the sensor lines."""
        return self

    def disturb(self, t_us: int, pins: tuple[int, ...], *, pulses: int, period_us: int) -> None:
        """Couple a burst of interference into the lines."""
        for pin in pins:
            self.lines[pin].disturb(t_us, pulses=pulses, period_us=period_us)

    def set_input(self, t_us: int, pin: int, level: int) -> None:
        """Set a contact of the table."""
        self._written.append((t_us, pin, level))

    def _shift(self, t_us: int, pin: int, step: int) -> None:
        before = self._cover[pin]
        self._cover[pin] = after = before + step
        if (before > 0) != (after > 0):
            self.lines[pin].feed(t_us, int(after > 0))

    def _take(self, t_us: int) -> list[Event]:
        written = sorted(self._written)
        keep = [event for event in written if event[0] > t_us]
        events: list[Event] = []
        for when, pin, level in written[: len(written) - len(keep)]:
            if self._shown[pin] != level:
                self._shown[pin] = level
                events.append([when, "pin", pin, level])
        self._written[:] = keep
        events += self._frames
        self._frames.clear()
        events.sort(key=lambda event: event[0])
        return events

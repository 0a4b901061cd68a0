"""The sensors of a wheel: from what covers them to events on the pins and shift registers.

Sensors hold the lines, the pocket switches and the bodies that may cover them. The wheel tells
which bodies there are; the events come out in time order, the same however time is cut up.
"""

from __future__ import annotations

import random
from typing import Any

from . import geometry as g
from .geometry import Geometry
from .motion import Crossing, Crossings, Mark, Motion
from .noise import LEVELS, Line, PinEvent

# What the rig plays: [t_us, "pin", number, level] or [t_us, "spi", id, hex].
Event = list[Any]


def ring_marks(geometry: Geometry, spread: list[float], missing: frozenset[int]) -> list[Mark]:
    """Return the marks of ring and index on the rotor, in turns of P / pockets.

    spread: displacement of each pocket's magnet, in pockets. missing: magnets that fell off.
    """
    n, half = geometry.pockets, g.RING_HALF_WIDTH
    marks: list[Mark] = []
    for k in range(n):
        if k in missing:
            continue
        for pin, centre in ((g.ROTOR_A, k + spread[k]), (g.ROTOR_B, k + 0.25 + spread[k])):
            marks.append(((centre - half) / n, pin, 1))
            marks.append(((centre + half) / n, pin, -1))
    index = geometry.index_offset - 0.5
    marks.append(((index - g.INDEX_HALF_WIDTH) / n, g.INDEX, 1))
    marks.append(((index + g.INDEX_HALF_WIDTH) / n, g.INDEX, -1))
    return marks


def rim_marks(geometry: Geometry, arc: float) -> list[Mark]:
    """Return the marks of the rim sensors for a body that covers `arc` turns of the rim."""
    places = ((g.RIM_1, 0.0), (g.RIM_2, geometry.rim_2_deg / 360))
    return [
        mark
        for pin, place in places
        for mark in ((place - arc / 2, pin, 1), (place + arc / 2, pin, -1))
    ]


def head_marks(geometry: Geometry, pocket: int) -> list[Mark]:
    """Return the marks of the reader head for a ball in the pocket, in turns of P / pockets."""
    n = geometry.pockets
    centre = pocket / n - geometry.head_deg / 360
    half = g.HEAD_HALF_WIDTH / n
    return [(centre - half, g.HEAD, 1), (centre + half, g.HEAD, -1)]


class Sensors:
    """All sensor lines of one wheel and the bodies that cover them."""

    def __init__(self, geometry: Geometry, seed: int | str, noise: str) -> None:
        self.geometry = geometry
        quality = LEVELS[noise]
        self._written: list[PinEvent] = []
        self.lines: dict[int, Line] = {}
        for pin in g.SENSOR_PINS:
            missed = quality.missed_pass if pin in (g.RIM_1, g.RIM_2) else quality.missed_tick
            rng = random.Random(f"{seed}/line {pin}")
            self.lines[pin] = Line(pin, rng, quality, missed, self._written)
        placing = random.Random(f"{seed}/magnets")
        self.spread = [placing.gauss(0, quality.placement) for _ in range(geometry.pockets)]
        self._cover = dict.fromkeys(g.SENSOR_PINS, 0)
        self._bodies: list[Crossings] = []
        self._switches: dict[int, int] = {}
        self._shown = dict.fromkeys((*g.SENSOR_PINS, *g.INPUT_PINS), 0)
        self._array: list[Event] = []
        self._note_array(0)

    def add(self, t_us: int, motion: Motion, marks: list[Mark]) -> Crossings:
        """Put a body on the wheel; it covers what it stands over at once."""
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

    def close_switch(self, t_us: int, pocket: int) -> None:
        """Let one more ball (or magnet) lie on the pocket's switch."""
        self._switches[pocket] = self._switches.get(pocket, 0) + 1
        self._note_array(t_us)

    def open_switch(self, t_us: int, pocket: int) -> None:
        """Let one ball less lie on the pocket's switch."""
        self._switches[pocket] -= 1
        self._note_array(t_us)

    def set_input(self, t_us: int, pin: int, level: int) -> None:
        """Set a contact of the table: button, tilt or dome."""
        self._written.append((t_us, pin, level))

    def disturb(self, t_us: int, pins: tuple[int, ...], *, pulses: int, period_us: int) -> None:
        """Couple a burst of interference into the lines."""
        for pin in pins:
            self.lines[pin].disturb(t_us, pulses=pulses, period_us=period_us)

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
        if self._array:
            events += self._array
            events.sort(key=_time_of)
            self._array.clear()
        return events

    def _shift(self, t_us: int, pin: int, step: int) -> None:
        before = self._cover[pin]
        self._cover[pin] = after = before + step
        if (before > 0) != (after > 0):
            self.lines[pin].feed(t_us, int(after > 0))

    def _note_array(self, t_us: int) -> None:
        if not self.geometry.has_array:
            return
        bits = bytearray(g.ARRAY_BYTES)
        for pocket, count in self._switches.items():
            if count > 0:
                bits[pocket >> 3] |= 1 << (pocket & 7)
        self._array.append([t_us, "spi", g.ARRAY_SPI, bits.hex()])


def _time_of(event: Event) -> int:
    when: int = event[0]
    return when

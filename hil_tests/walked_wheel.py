"""A roulette wheel with a technician at it, for the walk of `tabletool diag --calibrate pockets`.

The wheel is geometry: sensors at their places, a rotor that hands turn and stop, a ball that hands
lay into pockets; it reaches the firmware's self test, on this interpreter, through a mounting. The
technician does what the walk says. What a self test makes of it is the firmware's alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from hil_tests.emulators.roulette.mounting import (
    HEAD,
    INDEX,
    LINES,
    RIM_1,
    RIM_2,
    RIM_3,
    RIM_4,
    RING_A,
    RING_B,
    Mounting,
)
from tabledev.app.self_test import self_test
from tablelogic.roulette.table import Roulette
from tablespec.roles.roulette import RIM_ANGLES
from tabletools import decode
from tabletools.decode import Record
from tabletools.diag.mounting import Wheel
from tablewire import diagnosis, settings
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.framing import Receiver
from tablewire.names import KEY_NAMES
from tablewire.sender import Sender

TURNS_A_SECOND = 14 / 60
TICK_US = 40_000
MASK = (1 << 30) - 1
HEAD_AT = 0.5  # turns clockwise from the index
RIMS = (RIM_1, RIM_2, RIM_3, RIM_4)
RIMS_AT = {2: (0, 0.25), 3: (0, 1 / 3, 2 / 3), 4: (0, 0.25, 0.5, 0.75)}  # by how many there are
RING_HALF, INDEX_HALF, HEAD_HALF = 0.25, 0.125, 0.22  # in pockets
POCKET_SENSORS = {"array": 1, "head": 2, "both": 3}
_DIRECTIONS = {1: "clockwise", -1: "counter_clockwise"}


class _Sink:
    """No round opens while a technician is at the table."""

    def may_open(self) -> bool:
        return False

    def fault_raised(self, values: list[int]) -> None:
        pass

    def fault_cleared(self, values: list[int]) -> None:
        pass

    def state(self, values: list[int]) -> None:
        pass


class WalkedWheel:
    """numbers: as printed on the wheel, clockwise from pocket 0. rims: sensors at the rim.

    See diag.walk.Table.
    """

    def __init__(
        self, numbers: Sequence[str], sensor: str, mounting: Mounting, rims: int = 2
    ) -> None:
        self.numbers = numbers
        self.said: list[str] = []
        self._mounting = mounting
        self.keys = {
            "wheel": 1 if len(numbers) == 37 else 2,
            "reading_direction": 0,
            "pocket_sensor": POCKET_SENSORS[sensor],
            "index_offset": 0,
            "head_angle_mdeg": int(HEAD_AT * 360_000),
            "rim_sensors": rims,
        }
        self._rims = dict(zip(RIMS, RIMS_AT[rims], strict=False))
        for name, place in zip(RIM_ANGLES, RIMS_AT[rims][1:], strict=False):
            self.keys[name] = round(place * 360_000)
        for name, wrong in mounting.keys.items():
            self.keys[name] = wrong(self.keys[name], len(numbers))
        self._cfg = list(settings.factory())
        for name, value in self.keys.items():
            self._cfg[KEY_NAMES.index(name) + 1] = value
        self._role: Any = Roulette(self._cfg, _Sink())
        self._now_us = 0
        self._place = (
            3.4  # P: which pocket is at angle 0; it falls while the rotor turns clockwise
        )
        self._turns = 0.0  # a second, clockwise
        self._ball: int | None = 9
        self._lays: tuple[int, int | None] | None = None  # when, and into which pocket
        self._fingers: list[tuple[int, int, int]] = []  # time, line, level
        self._edges_to: Any = self._role.edge
        self._levels = dict.fromkeys(LINES, 0)
        for sensor_number in self._levels:
            self._show(sensor_number, int(self._is_over(sensor_number, self._place)), 0)

    def wheel(self) -> Wheel:
        """How the table is configured, for the walk."""
        keys = self.keys
        return Wheel(
            keys["wheel"],
            keys["reading_direction"],
            keys["pocket_sensor"],
            keys["index_offset"],
            tuple(keys[name] for name in RIM_ANGLES[: len(self._rims) - 1]),
        )

    # --- diag.walk.Table ---------------------------------------------------------------------

    def now_s(self) -> float:
        return self._now_us / 1e6

    def direction(self) -> str | None:
        return _DIRECTIONS.get(self._role.rotor_direction)

    def say(self, text: str) -> None:
        """Do it."""
        self.said.append(text)
        turns = "urn the rotor" in text
        self._turns = TURNS_A_SECOND if turns else 0.0
        if text.startswith("Take everything out"):
            self._ball = None
        if finger := re.search(r"rim sensor ([1-4])", text):
            line = RIMS[int(finger[1]) - 1]
            for k in range(3):
                at = self._now_us + (k + 1) * 1_000_000
                self._fingers += [(at, line, 1), (at + 80_000, line, 0)]
        if text.startswith("Throw the ball"):
            self._throw()
        if laid := re.search(r"Ball into (\w+)", text):
            self._ball = None
            pocket = self.numbers.index(laid[1]) if laid[1] in self.numbers else None
            self._lays = self._now_us + 700_000, pocket

    def look(self, watch_ms: int) -> list[Record]:
        """See diag.walk.Table: a self test of the firmware."""
        sender, receiver = Sender(1, 1), Receiver()
        sender.role = m.ROLE_ROULETTE
        found: list[Record] = []

        def send_volatile(ident: int, values: list[int]) -> None:
            for frame in receiver.feed(sender.build(ident, values)):
                assert isinstance(frame, Frame)
                if frame.type == diagnosis.SENSOR_SAMPLE:
                    found.append(decode.record(frame))

        inputs = [
            SimpleNamespace(sensor=place, level=lambda place=place: self._levels[place])
            for place in self._levels
        ]
        table = SimpleNamespace(
            hal=SimpleNamespace(
                inputs=inputs,
                analog=SimpleNamespace(read=lambda: 0),
                clock=SimpleNamespace(ticks_ms=lambda: self._now_us // 1000),
                array=SimpleNamespace(read=self._read_array),
                supplies=lambda: (None, None),
            ),
            engine=SimpleNamespace(role=self._role, edge=self._role.edge, tap=self._tap),
            store=SimpleNamespace(config=self._cfg, faults=()),
            transmitter=SimpleNamespace(send_volatile=send_volatile),
            sight=None,
        )
        steps: Any = self_test(table, watch_ms)
        for _ in steps:
            self._run(2 * TICK_US)
        return found

    def _throw(self) -> None:
        """The ball runs clockwise, from 1.7 turns a second and slower by 0.1 each second."""
        self._ball = None
        passes = [(lap + at, line) for lap in range(1, 11) for line, at in self._rims.items()]
        for turned, line in passes:
            after_s = (1.7 - math.sqrt(1.7**2 - 2 * 0.1 * turned)) / 0.1
            at = self._now_us + 500_000 + int(after_s * 1e6)
            self._fingers += [(at, line, 1), (at + 12_000, line, 0)]

    # --- the wheel ---------------------------------------------------------------------------

    def _tap(self, edge: Any) -> None:
        self._edges_to = edge or self._role.edge

    def _read_array(self, bits: bytearray) -> None:
        closed = 0 if self._ball is None else 1 << self._ball
        shown = self._mounting.bits(closed, len(self.numbers))
        for place in range(5):
            bits[place] = shown >> (8 * place) & 255

    def _middle(self, line: int) -> tuple[float, float, int]:
        """Where P is when the line's sensor is over its magnet or ball: place, half width, every
        so many pockets."""
        n = len(self.numbers)
        if line == INDEX:
            return -0.5, INDEX_HALF, n
        if line == HEAD:
            return (self._ball or 0) - HEAD_AT * n, HEAD_HALF, n
        return (0.0 if line == RING_A else 0.25), RING_HALF, 1

    def _is_over(self, line: int, place: float) -> bool:
        if line in RIMS or (line == HEAD and self._ball is None):
            return False
        middle, half, every = self._middle(line)
        return abs((place - middle + every / 2) % every - every / 2) < half

    def _show(self, line: int, level: int, t_us: int) -> None:
        place, shown = self._mounting.line(line, level)
        if self._levels[place] != shown:
            self._levels[place] = shown
            self._edges_to(place, shown, t_us & MASK)

    def _run(self, us: int) -> None:
        """Let time pass, in whole ticks."""
        end_us = self._now_us + us
        edges = self._crossings(us / 1e6) + [f for f in self._fingers if f[0] < end_us]
        self._fingers = [f for f in self._fingers if f[0] >= end_us]
        edges.sort()
        at = 0
        while self._now_us < end_us:
            self._now_us += TICK_US
            while at < len(edges) and edges[at][0] <= self._now_us:
                t_us, line, level = edges[at]
                self._show(line, level, t_us)
                at += 1
            self._role.tick(self._now_us & MASK)
        if self._lays and self._now_us >= self._lays[0]:
            self._ball, self._lays = self._lays[1], None
            self._show(HEAD, int(self._is_over(HEAD, self._place)), self._now_us)

    def _crossings(self, seconds: float) -> list[tuple[int, int, int]]:
        speed = -self._turns * len(self.numbers)  # of P
        start, self._place = self._place, self._place + speed * seconds
        found: list[tuple[int, int, int]] = []
        for line in (RING_A, RING_B, INDEX, HEAD):
            if not speed or (line == HEAD and self._ball is None):
                continue
            middle, half, every = self._middle(line)
            for edge, level in ((middle + half, 1), (middle - half, 0)):  # P falls
                k = math.floor((start - edge) / every)
                while edge + k * every > self._place:
                    t_s = (edge + k * every - start) / speed
                    if 0 <= t_s < seconds:
                        found.append((self._now_us + int(t_s * 1e6), line, level))
                    k -= 1
        return found

"""A roulette wheel with a technician at it, for the walk of `tabletool diag --calibrate pockets`.

The wheel is geometry: sensors at their places, a rotor that hands turn and stop, a ball that hands
lay into pockets; it reaches the firmware's self test, on this interpreter, through a mounting. The
technician does what the walk says. What a self test makes of it is the firmware's alone.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from hil_tests.physics.built_wheel import RIMS, Build, rotor_marks
from tabledev.app.self_test import self_test
from tableemulator.machines.roulette.mounting_faults import HEAD, LINES, Mounting
from tablelogic.roulette.roulette import Roulette
from tablespec.names import KEY_NAMES
from tablespec.roles.roulette import RIM_ANGLES
from tabletools import decode
from tabletools.decode.sensor_samples import SensorSample
from tabletools.diag.roulette.mounting_checks import Wheel
from tablewire import diagnosis, settings
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.framing import Receiver
from tablewire.sender import Sender

TURNS_A_SECOND = 14 / 60
REACTS_S = 2.0  # until a rotor that turned before has stopped, and turns as it should
LAPS = 15
TICK_US = 40_000
MASK = (1 << 30) - 1
PLACING = 0.012  # pockets by which ring magnets are off their places, standard deviation
RIMS_AT = {2: (0, 0.25), 3: (0, 1 / 3, 2 / 3), 4: (0, 0.25, 0.5, 0.75)}  # by how many there are
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

    seed: of what its magnets and sensors do at random.

    See diag.roulette.walk.Table.
    """

    def __init__(
        self,
        numbers: Sequence[str],
        sensor: str,
        mounting: Mounting,
        rims: int = 2,
        seed: int = 0,
    ) -> None:
        self.numbers = numbers
        self.said: list[str] = []
        self._mounting = mounting
        self._rng = random.Random(f"{seed}/{mounting.name}")
        build = Build(len(numbers), rims=RIMS_AT[rims])
        build.placing = [self._rng.gauss(0.0, PLACING) for _ in numbers]
        self.keys = {
            "wheel": 1 if len(numbers) == 37 else 2,
            "reading_direction": 0,
            "pocket_sensor": POCKET_SENSORS[sensor],
            "index_offset": 0,
            "head_angle_mdeg": int(build.head * 360_000),
            "rim_sensors": rims,
        }
        for name, place in zip(RIM_ANGLES, build.rims[1:], strict=False):
            self.keys[name] = round(place * 360_000)
        for name, wrong in mounting.keys.items():
            self.keys[name] = wrong(self.keys[name], len(numbers))
        mounting.build(build)
        self._build = build
        self._marks = rotor_marks(build)
        self._cfg = list(settings.factory())
        for name, value in self.keys.items():
            self._cfg[KEY_NAMES.index(name) + 1] = value
        sink: Any = _Sink()
        self._role: Any = Roulette(self._cfg, sink)
        self._now_us = 0
        self._place = (
            3.4  # P: which pocket is at angle 0; it falls while the rotor turns clockwise
        )
        self._turns = 0.0  # a second, clockwise
        self._starts: list[tuple[int, float]] = []  # when it turns how
        self._ball: int | None = 9
        self._lays: tuple[int, int | None] | None = None  # when, and into which pocket
        self._fingers: list[tuple[int, int, int]] = []  # time, line, level
        self._edges_to: Any = self._role.edge
        self._missing: set[int] = set()  # lines whose present pulse is missed
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
            tuple(keys[name] for name in RIM_ANGLES[: len(self._build.rims) - 1]),
        )

    # --- diag.roulette.walk.Table -------------------------------------------------------------

    def now_s(self) -> float:
        return self._now_us / 1e6

    def direction(self) -> str | None:
        return _DIRECTIONS.get(self._role.rotor_direction)

    def say(self, text: str) -> None:
        """Do it."""
        self.said.append(text)
        self._starts = [(self._now_us + int(REACTS_S / 2 * 1e6), 0.0)]
        if "urn the rotor" in text:
            way = -1 if "counter-clockwise" in text else 1
            self._starts.append((self._now_us + int(REACTS_S * 1e6), way * TURNS_A_SECOND))
        if text.startswith("Take everything out"):
            self._ball = None
        if finger := re.search(r"rim sensor ([1-4])", text):
            line = RIMS[int(finger[1]) - 1]
            for k in range(3):
                time_us = self._now_us + (k + 1) * 1_000_000
                self._fingers += [(time_us, line, 1), (time_us + 80_000, line, 0)]
        if text.startswith("Throw the ball"):
            self._throw()
        if laid := re.search(r"Ball into (\w+)", text):
            self._ball = None
            pocket = self.numbers.index(laid[1]) if laid[1] in self.numbers else None
            self._lays = self._now_us + 700_000, pocket

    def look(self, watch_ms: int) -> list[SensorSample]:
        """See diag.roulette.walk.Table: a self test of the firmware."""
        sender, receiver = Sender(1, 1), Receiver()
        sender.role = m.ROLE_ROULETTE
        samples: list[SensorSample] = []

        def send_volatile(ident: int, values: list[int]) -> None:
            for frame in receiver.feed(sender.build(ident, values)):
                assert isinstance(frame, Frame)
                if frame.type == diagnosis.SENSOR_SAMPLE:
                    samples.append(SensorSample.of_record(decode.record(frame)))

        inputs = [
            SimpleNamespace(sensor=place, level=lambda place=place: self._levels[place])
            for place in self._levels
        ]
        table: Any = SimpleNamespace(
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
        return samples

    def _throw(self) -> None:
        """The ball runs clockwise, from two turns a second and slower by 0.12 each second."""
        self._ball = None
        start = self._rng.random()
        for lap in range(LAPS):
            for line, place in zip(RIMS, self._build.rims, strict=False):
                turned = lap + (place - start) % 1.0
                after_s = (2.0 - math.sqrt(4.0 - 0.24 * turned)) / 0.12
                time_us = self._now_us + 500_000 + int(after_s * 1e6)
                self._fingers += [(time_us, line, 1), (time_us + 12_000, line, 0)]

    # --- the wheel ---------------------------------------------------------------------------

    def _tap(self, edge: Any) -> None:
        self._edges_to = edge or self._role.edge

    def _read_array(self, bits: bytearray) -> None:
        closed = 0 if self._ball is None else 1 << self._ball
        wired = self._mounting.bits(closed, len(self.numbers))
        for place in range(5):
            bits[place] = wired >> (8 * place) & 255

    def _over(self) -> list[tuple[int, float, float]]:
        """What the rotor has for each line: which, where and half how wide, in pockets."""
        if self._ball is None:
            return self._marks
        build = self._build
        place = self._ball - (build.head * build.pockets + build.head_off)
        return [*self._marks, (HEAD, place, build.head_half)]

    def _is_over(self, line: int, place: float) -> bool:
        n = self._build.pockets
        return any(
            each == line and abs((place - middle + n / 2) % n - n / 2) < half
            for each, middle, half in self._over()
        )

    def _show(self, line: int, level: int, t_us: int) -> None:
        if level and self._rng.random() < self._build.misses.get(line, 0.0):
            self._missing.add(line)
        if line in self._missing:
            if not level:
                self._missing.remove(line)
            return
        place, level_there = self._mounting.line(line, level)
        if self._levels[place] != level_there:
            self._levels[place] = level_there
            self._edges_to(place, level_there, t_us & MASK)

    def _run(self, us: int) -> None:
        """Let time pass, in whole ticks."""
        end_us = self._now_us + us
        if self._starts and self._now_us >= self._starts[0][0]:
            self._turns = self._starts.pop(0)[1]
        edges = self._crossings(us / 1e6) + [f for f in self._fingers if f[0] < end_us]
        self._fingers = [f for f in self._fingers if f[0] >= end_us]
        edges.sort()
        index = 0
        while self._now_us < end_us:
            self._now_us += TICK_US
            while index < len(edges) and edges[index][0] <= self._now_us:
                t_us, line, level = edges[index]
                self._show(line, level, t_us)
                index += 1
            self._role.tick(self._now_us & MASK)
        if self._lays and self._now_us >= self._lays[0]:
            self._ball, self._lays = self._lays[1], None
            self._show(HEAD, int(self._is_over(HEAD, self._place)), self._now_us)

    def _crossings(self, seconds: float) -> list[tuple[int, int, int]]:
        n = self._build.pockets
        start, moved = self._place, -self._turns * n * seconds  # P falls clockwise
        self._place += moved
        crossings: list[tuple[int, int, int]] = []
        if not moved:
            return crossings
        way, length = (1, moved) if moved > 0 else (-1, -moved)
        for line, middle, half in self._over():
            for edge, level in ((middle - way * half, 1), (middle + way * half, 0)):
                ahead = (edge - start) * way % n
                if ahead < length:
                    after_us = int(ahead / length * seconds * 1e6)
                    crossings.append((self._now_us + after_us, line, level))
        return crossings

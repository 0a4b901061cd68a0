"""An independent physical model of the way of a drawn ball: air, gate, two readers, tube.

Places in mm from the inner beam, outwards; speeds in m/s, which is mm/ms; times in ms. A ball is
drawn along by air as fast as the air lets it, touches its neighbours, and bounces at its stop.
A reader reads a tag that has been in its field for some ms, and says so four times a second.
Shares no constant and no code with tableemulator.machines.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

STEP_MS = 0.5
SAYS_MS = 250.0
BYTE_MS = 10 / 9.6
INNER, OUTER, TUBE = 0, 1, 2
GUST_MS = 60.0  # how long a gust lasts, on average
RACKED_MS = 1_000.0  # a ball has lain at its stop, before the machine makes room for the next


class Tag(NamedTuple):
    """What is printed on a ball, and its set."""

    number: int
    ball_set: int


@dataclass
class Build:
    """One machine. outer, exit_reader, tube, stop: places. chord: half of what a beam sees.

    air: its speed; spread: of balls; lag_ms: a ball takes it on; bend: share left behind the bend.
    bounce: share of the speed kept at the stop. reach: of a reader, read_ms: it needs for a tag.
    flicker, damage: share of edges, of lines. rough: spread of the gusts.
    """

    outer: float
    exit_reader: float
    tube: float
    stop: float
    radius: float
    chord: float
    air: float
    spread: float
    lag_ms: float
    bend: float
    bounce: float
    reach: float
    read_ms: float
    flicker: float
    damage: float
    rough: float


def draw_build(rng: random.Random) -> Build:
    """Draw a machine built within the requirements."""
    tube, radius = rng.uniform(450.0, 900.0), rng.uniform(19.0, 20.0)
    return Build(
        outer=rng.uniform(10.0, 20.0),
        exit_reader=rng.uniform(110.0, 200.0),
        tube=tube,
        stop=tube + rng.uniform(80.0, 200.0),
        radius=radius,
        chord=math.sqrt(radius**2 - rng.uniform(0.0, 4.0) ** 2),
        air=rng.uniform(0.7, 1.4),
        spread=rng.uniform(0.03, 0.08),
        lag_ms=rng.uniform(50.0, 120.0),
        bend=rng.uniform(0.55, 0.95),
        bounce=rng.uniform(0.15, 0.4),
        reach=rng.uniform(28.0, 45.0),
        read_ms=rng.uniform(6.0, 15.0),
        flicker=rng.choice((0.02, 0.2)),
        damage=rng.choice((0.002, 0.02)),
        rough=rng.choice((0.0, 0.05, 0.1)),
    )


class Ball:
    """A ball on its way. air: what draws it, negative: back. hand: called at each step.

    held: it has the speed that a hand gives it. left: it has been wholly outside the gate.
    mute: no reader reads its tag. gust: share by which the air differs now.
    """

    def __init__(self, tag: Tag, x: float, v: float, air: float) -> None:
        self.tag = tag
        self.x = x
        self.v = v
        self.air = air
        self.hand: Callable[[Ball], None] | None = None
        self.held = self.left = self.mute = False
        self.gust = 0.0
        self.rested_ms = -1.0


class Reader:
    """One of two. blind: it reads nothing. fields: of each ball in its field, since when."""

    def __init__(self, letter: str, place: float, rng: random.Random) -> None:
        self.letter = letter
        self.place = place
        self.blind = False
        self.count = rng.randrange(256)
        self.last = Tag(rng.randrange(1, 80), 0)
        self.fields: dict[Ball, float] = {}
        self._heard: set[Ball] = set()

    def look(self, build: Build, balls: list[Ball]) -> None:
        """A step: one tag after the other is read, each once while it stays."""
        for ball in balls:
            away = abs(ball.x - self.place)
            if away > build.reach * 1.2:
                self.fields.pop(ball, None)
                self._heard.discard(ball)
            elif away < build.reach and ball not in self._heard and not (self.blind or ball.mute):
                self.fields[ball] = self.fields.get(ball, 0.0) + STEP_MS
                if self.fields[ball] >= build.read_ms * len(self.fields):
                    self._heard.add(ball)
                    self.read(ball.tag)

    def read(self, tag: Tag) -> None:
        """It has read a tag."""
        self.count = (self.count + 1) % 256
        self.last = tag

    def restart(self) -> None:
        """Its supply was cut for a moment."""
        self.count, self.last = 0, Tag(0, 0)

    def line(self) -> bytes:
        """What it says."""
        text = f"{self.letter},{self.count},{self.last.number},{self.last.ball_set}"
        check = 0
        for byte in text.encode():
            check ^= byte
        return f"{text}*{check:02X}\n".encode()


class Way:
    """Everything between gate and stop, while time passes.

    edges: (ms, beam, level) that nobody took yet. lines: (ms, bytes) the same. dead: beams that
    see nothing. rack: balls behind the stop. back: balls that are in the chamber again.
    left, rested: tags, in order; a ball that went back is in neither.
    """

    def __init__(self, rng: random.Random, build: Build) -> None:
        self.rng, self.build = rng, build
        self.t = 0.0
        self.balls: list[Ball] = []
        self.edges: list[tuple[float, int, int]] = []
        self.lines: list[tuple[float, bytes]] = []
        self.dead: set[int] = set()
        self.rack: list[Tag] = []
        self.back: list[Tag] = []
        self.left: list[Tag] = []
        self.rested: list[Tag] = []
        self.places = (0.0, build.outer, build.tube)
        self.at_exit = Reader("E", build.exit_reader, rng)
        self.at_tube = Reader("T", build.stop, rng)
        self._covered = [0, 0, 0]
        self._says_ms = rng.uniform(0.0, SAYS_MS)

    def speed(self) -> float:
        """Of the air for one ball."""
        return self.build.air * math.exp(self.rng.gauss(0.0, self.build.spread))

    def rise(self, tag: Tag, behind: float = 0.0) -> Ball:
        """Let a ball rise to the gate; behind: so far behind another."""
        air = self.speed()
        start = -self.build.chord - 25.0 - behind
        ball = Ball(tag, start, air * self.rng.uniform(0.4, 0.8), air)
        self.balls.append(ball)
        return ball

    def run(self, until: float) -> None:
        """Let time pass."""
        while self.balls and self.t < until:
            self._step()
        self.t = until
        while self._says_ms < until:
            self._say()

    def _say(self) -> None:
        for reader in (self.at_exit, self.at_tube):
            line = bytearray(reader.line())
            if self.rng.random() < self.build.damage:
                line[self.rng.randrange(len(line) - 1)] ^= 1 << self.rng.randrange(7)
            self._says_ms += SAYS_MS / 2
            self.lines.append((self._says_ms + len(line) * BYTE_MS, bytes(line)))

    def _step(self) -> None:
        build, balls = self.build, self.balls
        self.t += STEP_MS
        if self._says_ms < self.t:
            self._say()
        for ball in balls:
            self._move(ball)
        balls.sort(key=lambda ball: ball.x)
        for index in range(len(balls) - 1):
            low, high = balls[index], balls[index + 1]
            close = 2 * build.radius - (high.x - low.x)
            if close > 0 and not (low.held and high.held):
                self._touch(low, high, close)
        for beam, place in enumerate(self.places):
            level = int(any(abs(ball.x - place) < build.chord for ball in balls))
            if level != self._covered[beam]:
                self._covered[beam] = level
                self._edge(beam, level)
        self.at_exit.look(build, balls)
        self.at_tube.look(build, balls)
        self._settle()

    def _move(self, ball: Ball) -> None:
        build = self.build
        if ball.hand:
            ball.hand(ball)
        if not ball.held:
            if self.rng.random() < STEP_MS / GUST_MS:
                ball.gust = self.rng.gauss(0.0, build.rough)
            air = ball.air * (build.bend if ball.x > build.tube * 0.6 else 1.0) * (1 + ball.gust)
            ball.v += (air - ball.v) * STEP_MS / build.lag_ms
        ball.x += ball.v * STEP_MS
        if ball.x >= build.stop and ball.v > 0 and not ball.held:
            ball.x = build.stop
            ball.v = -ball.v * build.bounce if ball.v > 0.1 else 0.0

    def _touch(self, low: Ball, high: Ball, close: float) -> None:
        if high.rested_ms >= 0 or high.held:
            low.x -= close
            low.v = min(low.v, 0.0 if high.rested_ms >= 0 else high.v)
        elif low.held:
            high.x += close
            high.v = max(high.v, low.v)
        else:
            low.x -= close / 2
            high.x += close / 2
            if low.v > high.v:
                middle, apart = (low.v + high.v) / 2, (low.v - high.v) * 0.3 / 2
                low.v, high.v = middle - apart, middle + apart

    def _settle(self) -> None:
        build = self.build
        for ball in list(self.balls):
            if not ball.left and ball.x > build.outer + build.chord:
                ball.left = True
                self.left.append(ball.tag)
            if ball.rested_ms < 0 and ball.x > build.stop - 1.0 and abs(ball.v) < 0.05:
                ball.rested_ms = self.t
                self.rested.append(ball.tag)
            if ball.rested_ms >= 0 and self.t > ball.rested_ms + RACKED_MS and not ball.held:
                self.balls.remove(ball)
                self.rack.append(ball.tag)
            if ball.x < -build.chord - 40.0 and ball.v < 0:
                self.balls.remove(ball)
                self.back.append(ball.tag)
                if ball.left:
                    self.left.remove(ball.tag)

    def _edge(self, beam: int, level: int) -> None:
        if beam in self.dead:
            return
        rng, t = self.rng, self.t + self.rng.random() * STEP_MS
        if rng.random() < self.build.flicker:
            self.edges += [(t - 1.4, beam, level), (t - 0.7, beam, 1 - level)]
        self.edges.append((t, beam, level))


def calibrated(build: Build, seed: str) -> dict[str, int]:
    """Return what a technician calibrates, by name of the key: of twenty balls.

    Their length over the distance of the beams is taken from the edges of each.
    """
    way = Way(random.Random(seed), build)
    passages_ms, ratios = [], []
    for _ in range(20):
        ball = way.rise(Tag(1, 0))
        while ball.x < build.outer + build.chord + 1.0:
            way.run(way.t + STEP_MS)
        way.balls.clear()
        inner, outer = (
            [t for t, sensor, _ in way.edges if sensor == beam] for beam in (INNER, OUTER)
        )
        way.edges.clear()
        inside_ms = inner[-1] - inner[0] + outer[-1] - outer[0]
        between_ms = outer[0] - inner[0] + outer[-1] - inner[-1]
        passages_ms.append(inner[-1] - inner[0])
        ratios.append(100 * inside_ms / between_ms)
    return {
        "ball_ms": round(statistics.median(passages_ms)),
        "ball_ratio": round(statistics.median(ratios)),
    }

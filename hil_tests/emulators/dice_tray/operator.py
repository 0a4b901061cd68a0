"""The thrower and the croupier of a dice tray: pick up, throw, bring the dice back.

hc2023 4:1(3): thrown within five seconds, with one hand, all at once, from the head end, against
the far wall. A plan may be bent by a mishap before it is carried out.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hil_tests.emulators.dice_tray.model import Flight
from hil_tests.emulators.die import Die
from hil_tests.emulators.tray_camera import TrayCamera

Act = Callable[[Any], None]

WAIT_S = (2.0, 5.0)
HELD_S = (0.8, 4.2)
BACK_S = (1.0, 2.0)
# Metres from the hand: throw line, far wall. Metres a second; deviation from die to die.
LINE_M, WALL_M = 0.3, 1.8
SPEED = (2.8, 3.8)
SPEED_SPREAD = 0.08
RELEASE_SPREAD_S = 0.008
DIE_M = 0.016
# Across the wall, metres: width of a plate, spread of the dice.
PLATE_M, ACROSS_M = 0.2, 0.13
AGAIN = 0.25  # share of hits at which a tumbling die touches the wall twice
ROLL_S = (0.5, 1.5)
APART = 1.5  # die edges between the middles of dice at rest
MARGIN_PX = 20


@dataclass(slots=True)
class ThrowPlan:
    """One round as the hands mean to play it, times in microseconds since power-on.

    flights: of the dice, None when nobody throws. incidents: what else befalls, (time, act).
    repair: what a technician does afterwards. fault: the mishap's name.
    """

    rng: random.Random
    camera: TrayCamera
    lift_us: int
    throw_us: int
    flights: list[Flight] | None
    incidents: list[tuple[int, Act]] = field(default_factory=list)
    repair: Act | None = None
    fault: str | None = None
    lifts: bool = True

    @property
    def thrown(self) -> list[Flight]:
        """Return the flights of a plan in which somebody throws."""
        assert self.flights is not None
        return self.flights

    def after(self, throw_s: float, act: Act) -> None:
        """Have something happen that many seconds after the throw."""
        self.incidents.append((self.throw_us + int(throw_s * 1e6), act))

    def befall(self, after_release_s: float, act: Act) -> None:
        """Have happen what befalls any table: a throw is four times shorter than a spin."""
        self.after(after_release_s / 4, act)

    def bend(self, place: int, **changed: Any) -> None:
        """Change the flight of one die."""
        self.thrown[place] = dataclasses.replace(self.thrown[place], **changed)

    def part_hits(self) -> None:
        """Let each die hit a plate of its own, so that only what is meant goes wrong."""
        for place in range(len(self.thrown)):
            self.bend(place, plate=place % 3, again_us=0)

    def steps(self) -> list[tuple[int, Act]]:
        """Return everything that happens in the round, in time order."""
        hands: list[tuple[int, Act]] = []
        if self.lifts:
            hands.append((self.lift_us, lambda scene: scene.wheel.lift()))
        if self.flights is not None:
            flights = list(self.flights)
            hands.append((self.throw_us, lambda scene: scene.wheel.throw(flights)))
        return sorted(hands + self.incidents, key=lambda step: step[0])


class Thrower:
    """Draws one plan after the other; deterministic for a seed."""

    def __init__(self, seed: int | str, camera: TrayCamera, dice: int) -> None:
        self._rng = random.Random(f"{seed}/thrower")
        self._camera = camera
        self._dice = dice

    def plan(self, opened_us: int) -> ThrowPlan:
        """Return how the dice are thrown in a round that opened at opened_us."""
        rng = self._rng
        lift_us = opened_us + int(rng.uniform(*WAIT_S) * 1e6)
        throw_us = lift_us + int(rng.uniform(*HELD_S) * 1e6)
        flights = draw_flights(rng, self._camera, self._dice)
        return ThrowPlan(rng, self._camera, lift_us, throw_us, flights)

    def back_us(self, ended_us: int) -> int:
        """Return when the dice are back at the thrower's place."""
        return ended_us + int(self._rng.uniform(*BACK_S) * 1e6)


@dataclass(frozen=True, slots=True)
class Run:
    """One die in the air: when it leaves the hand, m/s, metres from the middle of the wall."""

    left_s: float
    speed: float
    across: float


def draw_aim(rng: random.Random) -> tuple[float, float]:
    """Draw where a throw goes, metres from the middle of the wall, and how fast."""
    return rng.gauss(0, 0.05), rng.uniform(*SPEED)


def draw_run(rng: random.Random, aim: float, speed: float) -> Run:
    """Draw the flight of one die of a throw."""
    own = speed * max(0.85, rng.gauss(1, SPEED_SPREAD))
    left_s = max(0.0, rng.gauss(2.5 * RELEASE_SPREAD_S, RELEASE_SPREAD_S))
    return Run(left_s, own, aim + rng.gauss(0, ACROSS_M))


def draw_again(rng: random.Random) -> int:
    """Draw how long after its hit a tumbling die touches the wall again, us; 0: it does not."""
    return rng.randint(3_000, 10_000) if rng.random() < AGAIN else 0


def plate_of(across: float, plates: int = 3) -> int:
    """Return the plate hit there; so many of them, of one width, make the wall."""
    return min(plates - 1, max(0, math.floor(across * plates / (3 * PLATE_M) + plates / 2)))


def draw_flights(rng: random.Random, camera: TrayCamera, dice: int) -> list[Flight]:
    """Draw a healthy throw: every die over the line, against the wall, back past the line."""
    aim, speed = draw_aim(rng)
    found: list[Flight] = []
    for die in draw_dice(rng, camera, dice):
        run = draw_run(rng, aim, speed)
        wall_us = int((run.left_s + WALL_M / run.speed) * 1e6)
        found.append(
            Flight(
                line_us=int((run.left_s + LINE_M / run.speed) * 1e6),
                line_width_us=int(DIE_M * rng.uniform(1.0, 1.6) / run.speed * 1e6),
                wall_us=wall_us,
                plate=plate_of(run.across),
                again_us=draw_again(rng),
                rest_us=wall_us + int(rng.uniform(*ROLL_S) * 1e6),
                die=die,
            )
        )
    return found


def draw_dice(rng: random.Random, camera: TrayCamera, dice: int, line: int = 36) -> list[Die]:
    """Draw dice at rest past the line, apart from each other and from the edges."""
    places: list[tuple[float, float]] = []
    while len(places) < dice:
        x = rng.uniform(MARGIN_PX, 160 - MARGIN_PX)
        y = rng.uniform(line + MARGIN_PX, 120 - MARGIN_PX)
        if all(math.hypot(x - a, y - b) > APART * camera.px for a, b in places):
            places.append((x, y))
        elif rng.random() < 0.01:
            places.clear()
    return [
        camera.placed(
            Die(0, 0, rng.randint(1, 6), rng.uniform(0, math.tau), camera.style,
                spin=rng.randint(0, 3)),
            x, y,
        )
        for x, y in places
    ]  # fmt: skip

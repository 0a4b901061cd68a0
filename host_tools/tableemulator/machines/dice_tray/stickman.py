"""The thrower and the croupier of a dice tray and one throw: planned, played, compared.

hc2023 4:1(3): thrown within five seconds, with one hand, all at once, from the head end, against
the far wall. Then the croupier brings the dice back.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tableemulator.machines.core.harness import Act, Controller, Harness, Plan, Played
from tableemulator.machines.dice_tray.physical_tray import Flight, Tray, TrayCamera, TraySetup
from tableemulator.machines.dice_tray.rendering import Die
from tablespec.tray_file import FILES
from tablewire.dice_tray import DICE_RESULT

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


@dataclass(slots=True, kw_only=True)
class ThrowPlan(Plan):
    """One throw. flights: of the dice, None when nobody throws."""

    camera: TrayCamera
    lift_us: int
    throw_us: int
    flights: list[Flight] | None
    lifts: bool = True

    @property
    def thrown(self) -> list[Flight]:
        """Return the flights of a plan in which somebody throws."""
        assert self.flights is not None
        return self.flights

    def after(self, throw_s: float, act: Act) -> None:
        """Have something happen so many seconds after the throw."""
        self.incidents.append((self.throw_us + int(throw_s * 1e6), act))

    def add_incident(self, seconds: float, act: Act) -> None:
        """Have happen what can happen at any table: a throw is four times shorter than a spin."""
        self.after(seconds / 4, act)

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
            hands.append((self.lift_us, lambda table: table.tray.lift()))
        if self.flights is not None:
            flights = list(self.flights)
            hands.append((self.throw_us, lambda table: table.tray.throw(flights)))
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
        return ThrowPlan(
            rng=rng, camera=self._camera, lift_us=lift_us, throw_us=throw_us, flights=flights
        )

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
    flights: list[Flight] = []
    for die in draw_dice(rng, camera, dice):
        run = draw_run(rng, aim, speed)
        wall_us = int((run.left_s + WALL_M / run.speed) * 1e6)
        flights.append(
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
    return flights


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
            Die(
                0,
                0,
                rng.randint(1, 6),
                rng.uniform(0, math.tau),
                camera.style,
                spin=rng.randint(0, 3),
            ),
            x,
            y,
        )
        for x, y in places
    ]


# After a round ended: the technician's repair, and until when the dice are followed.
REPAIR_US = 3_000_000
AFTER_US = 1_500_000
MOST_DICE = 6
# Hits of one plate that the factory's hit_gap_ms and the second touch of a die can join.
TOGETHER_US = 25_000


@dataclass(frozen=True, slots=True)
class Thrown(Played):
    """What physically happened in one round, and what the table reported of it.

    dice: that lie in view at the end of the round, from low to high. held_s: in the hand; hits:
    dice that touched the wall; None where nothing was thrown. doubtful: two hits of one plate came
    too near to each other to be distinguished.
    """

    dice: tuple[int, ...]
    held_s: float | None
    hits: int | None
    doubtful: bool = False

    def truth(self) -> dict[str, object]:
        """Return the truth record: what happened, whatever the table reported."""
        held = None if self.held_s is None else round(self.held_s, 3)
        return {"dice": list(self.dice), "held_s": held, "hits": self.hits, "fault": self.fault}

    @property
    def reported(self) -> str | None:
        """Return what the table reported, None for a void."""
        if self.reason is not None:
            return None
        return _name(tuple(face for face in self.ended.values[:MOST_DICE] if face))

    @property
    def true(self) -> str:
        """Return what happened, in the same words."""
        return _name(self.dice)


class TrayTable(Harness):
    """One dice tray. noise: of its sensors; options: see Harness."""

    results = (DICE_RESULT,)

    def __init__(
        self,
        controller: Controller,
        setup: TraySetup,
        seed: int | str,
        *,
        noise: str = "healthy",
        **options: Any,
    ) -> None:
        self.setup = setup
        self.tray = Tray(seed, setup.dice, large=setup.large, noise=noise, lights=setup.lights)
        self._thrower = Thrower(seed, self.tray.camera, setup.dice)
        if not setup.host:
            self._measure(controller)
        super().__init__(controller, self.tray, seed, **options)

    def spin(
        self, inject: Callable[[ThrowPlan], None] | None = None, name: str | None = None
    ) -> Thrown:
        """Play one round from its opening until result or void; then the dice are brought back."""
        self._begin_round()
        plan = self._thrower.plan(self.now_us)
        if inject is not None:
            plan.fault = name
            plan.part_hits()
            inject(plan)
        for when, act in plan.steps():
            self.schedule(when, act)
        ended_us, ended = self._until_ended(plan)
        dice = tuple(sorted(die.value for die in self.tray.lying))
        if ended.type == DICE_RESULT:
            self.tray.camera.note_result()
        self._follow(plan, ended_us)
        self._verify_one_end()
        flights = plan.flights
        return Thrown(
            dice=dice,
            held_s=None if flights is None else (plan.throw_us - plan.lift_us) / 1e6,
            hits=None if flights is None else sum(f.plate is not None for f in flights),
            fault=plan.fault,
            ended=ended,
            faults=tuple(self._faults),
            doubtful=flights is not None and _are_doubtful(flights),
        )

    def commission(self) -> None:
        """Take the dice away, measure the tray again, restart the board, put the dice back."""
        self.tray.lift()
        self._measure(self.controller)
        self.cut_power()
        self.schedule(self.now_us + 1_000_000, lambda table: table.tray.put_back())

    def _measure(self, controller: Controller) -> None:
        """Write the file of the tray under each light to the board."""
        camera = self.tray.camera
        for light in camera.lights:
            controller.write_file(FILES[light], camera.commissioned(light))

    def damage_tray_file(self) -> None:
        """The power fails, and the file of the tray does not survive it."""
        self.controller.write_file(FILES[0], self.tray.camera.commissioned()[:-1])
        self.cut_power()

    def _follow(self, plan: ThrowPlan, ended_us: int) -> None:
        self.schedule(self._thrower.back_us(ended_us), lambda table: table.tray.put_back())
        self._wait_until(ended_us + REPAIR_US)
        if plan.repair is not None:
            plan.repair(self)
        self._wait_until(ended_us + REPAIR_US + AFTER_US)


def _are_doubtful(flights: list[Flight]) -> bool:
    """Tell whether the wall shows fewer dice than hit it, each tumbling for ten milliseconds."""
    hits = sorted((flight.plate, flight.wall_us) for flight in flights if flight.plate is not None)
    return any(one[0] == two[0] and two[1] - one[1] < TOGETHER_US for one, two in pairwise(hits))


def _name(dice: tuple[int, ...]) -> str:
    return " ".join(map(str, dice))

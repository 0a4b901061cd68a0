"""The people at a draw machine, and one draw: planned, played, compared with what is true.

The machine starts its blower when bets open, opens its exit some time after no more bets and the
start of the blower, lets one ball after the other rise, and recalls them when the draw is over.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tableemulator.machines.core.harness import (
    OPEN_WITHIN_US,
    Act,
    Controller,
    Harness,
    Played,
)
from tableemulator.machines.draw_machine.physical_draw import (
    MIX_MS,
    RECALL_MS,
    DrawMachine,
    DrawSetup,
    Flight,
    Tag,
)
from tablewire import draw_machine as words
from tablewire import messages
from tablewire.codec import Frame

# Which ball rises at a place of the draw: the table is asked then.
Choice = Callable[[Any], Tag]

BLOWER_S = (0.5, 2.0)
EXIT_S = (0.5, 2.0)  # beyond the time the balls have to be mixed
GAP_S = (2.8, 3.8)
CALL_S = (0.8, 2.0)  # the last ball at rest to the host's word


@dataclass(slots=True)
class DrawPlan:
    """One draw as it is meant to be; times in seconds.

    balls: to come out. flights, choices: of the balls that are odd, by place from 0. blower_s:
    opening to the blower. exit_s: no more bets, or the blower if that came later, to the first
    ball. late: a ball more comes before the host's word. incidents: what else happens (place of
    the ball after which, seconds after, act). forgotten: recalled balls that stay behind at first.
    repair: what a technician does after the draw. silent: the host acknowledges nothing. fault:
    the fault's name.
    """

    rng: random.Random
    balls: int
    blower_s: float
    exit_s: float
    late: bool
    flights: dict[int, Flight] = field(default_factory=dict)
    choices: dict[int, Choice] = field(default_factory=dict)
    incidents: list[tuple[int, float, Act]] = field(default_factory=list)
    opening: list[tuple[float, Act]] = field(default_factory=list)
    forgotten: int = 0
    silent: bool = False
    repair: Act | None = None
    fault: str | None = None

    @property
    def place(self) -> int:
        """Return a place in the middle of the draw: not the first, not the last ball."""
        return self.rng.randint(1, max(self.balls - 2, 1))

    def strike(self, **odd: Any) -> None:
        """Have one ball fly oddly."""
        self.flights[self.place] = Flight(**odd)

    def add_incident(self, act: Act, *, seconds: float = 1.0) -> None:
        """Have something happen that long after a ball in the middle of the draw rose."""
        self.incidents.append((self.place, seconds, act))


class Croupier:
    """Draws one plan after the other; deterministic for a seed."""

    def __init__(self, seed: int | str, *, mix_s: float) -> None:
        self._rng = random.Random(f"{seed}/draws")
        self._mix_s = mix_s

    def plan(self, balls: int) -> DrawPlan:
        """Return how a draw of so many balls goes."""
        rng = self._rng
        blower_s = rng.uniform(*BLOWER_S)
        exit_s = self._mix_s + rng.uniform(*EXIT_S)
        return DrawPlan(rng, balls, blower_s, exit_s, rng.random() < 0.3)


# After a draw ended: the technician's repair; between two recalled balls; what settles it.
REPAIR_US, RECALL_US, SETTLE_US = 1_500_000, 170_000, 1_000_000
# What a person clears by counting the balls.
CHECKED = frozenset(
    {
        words.DUPLICATE_BALL,
        words.FOREIGN_BALL,
        words.BALLS_MISSING,
        words.BALLS_EXTRA,
        words.NOT_COUNTED,
    }
)


@dataclass(frozen=True, slots=True)
class BallDraw(Played):
    """What physically happened in one draw, and what the table reported of it.

    rested: numbers of the balls that came to lie in the tube by its end, in order. balls: reported
    one by one.
    """

    rested: tuple[int, ...]
    balls: tuple[tuple[int, int], ...]

    def truth(self) -> dict[str, object]:
        """Return the truth record: what happened, whatever the table reported."""
        return {"rested": list(self.rested), "fault": self.fault}

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of the result in their reported order; () for another set."""
        reported = tuple(number for _, number in self.balls[: self.ended.values[0]])
        bits = int.from_bytes(self.ended.values[5], "little")
        return reported if bits == sum(1 << (number - 1) for number in set(reported)) else ()

    @property
    def reported(self) -> str | None:
        """Return what the table reported, None for a void."""
        return None if self.reason is not None else _words(self.numbers)

    @property
    def true(self) -> str:
        """Return what happened, as many balls as the table said, in the same words."""
        counted = self.ended.values[0] if self.reason is None else len(self.rested)
        return _words(self.rested[:counted])


def _words(numbers: tuple[int, ...]) -> str:
    return f"{len(numbers)} balls: {' '.join(str(number) for number in numbers)}"


class DrawTable(Harness):
    """One draw machine. noise: of its sensors; options: see Harness."""

    end_within_us = 420_000_000  # ninety balls

    def __init__(
        self,
        controller: Controller,
        setup: DrawSetup,
        seed: int | str,
        *,
        noise: str = "healthy",
        **options: Any,
    ) -> None:
        self.setup = setup
        self.machine = DrawMachine(setup.balls, seed, noise=noise)
        self._rng = random.Random(f"{seed}/table")
        self._croupier = Croupier(seed, mix_s=MIX_MS / 1000)
        self._reported: list[tuple[int, int]] = []
        self._closed = 0, 0  # round of the last no more bets, and when
        self._blows_us = 0  # start of the blower in this draw
        super().__init__(controller, self.machine, seed, **options)

    def spin(
        self, inject: Callable[[DrawPlan], None] | None = None, name: str | None = None
    ) -> BallDraw:
        """Play one draw from its opening until result or void, and recall the balls."""
        if self._has_host:
            self.wait_for_others(
                lambda: self._opened is not None or self._wants_count,
                "open a round or ask for a count",
            )
        self._count_balls()
        number = self._begin_round()
        balls = self.setup.draws or self._rng.randint(4, min(self.setup.balls, 40))
        plan = self._croupier.plan(balls)
        if inject is not None:
            plan.fault = name
            inject(plan)
        self._reported, self.machine.came = [], []
        acknowledged = self._acknowledge
        self._acknowledge = acknowledged and not plan.silent
        self._blows_us = self.now_us + int(plan.blower_s * 1e6)
        self.schedule(self._blows_us, lambda table: table.machine.blow(on=True))
        for seconds, act in plan.opening:
            self.schedule(self.now_us + int(seconds * 1e6), act)
        if self._closed[0] == number:  # whoever comes late finds no more bets
            self._open_exit(plan)
        ended_us, ended = self._until_ended(plan)
        self._acknowledge = acknowledged
        rested = tuple(tag.number for tag in self.machine.came)
        self._follow(plan, ended_us)
        self._verify_one_end()
        faults, balls_reported = tuple(self._faults), tuple(self._reported)
        return BallDraw(plan.fault, ended, faults, rested, balls_reported)

    # --- a draw -----------------------------------------------------------------------------

    def _read(self, when: int, frame: Frame) -> None:
        known = (frame.boot, frame.counter) in self._counters
        super()._read(when, frame)
        if known:
            return
        if frame.type == words.BALL_DRAWN:
            self._reported.append((frame.values[0], frame.values[1]))
        elif frame.type == messages.BETS_CLOSED:
            self._closed = frame.round, when
            if self._plan is not None:
                self._open_exit(self._plan)

    def _open_exit(self, plan: DrawPlan) -> None:
        """Have the first ball rise once blower and no more bets have lasted."""
        mixed_us = max(self._closed[1], self._blows_us) + int(plan.exit_s * 1e6)
        self.schedule(mixed_us, lambda table: table._rise(plan, 0))

    def _rise(self, plan: DrawPlan, place: int) -> None:
        """Let the ball of a place rise, then have the next one follow."""
        if self._plan is not plan:
            return
        choice = plan.choices.get(place)
        self.machine.draw(plan.flights.get(place), choice(self) if choice else None)
        for after_s, seconds, act in plan.incidents:
            if after_s == place:
                self.schedule(self.now_us + int(seconds * 1e6), act)
        next_us = self.now_us + int(plan.rng.uniform(*GAP_S) * 1e6)
        if place + 1 < plan.balls + (plan.late and not self.setup.draws):
            self.schedule(next_us, lambda table: table._rise(plan, place + 1))
        elif not self.setup.draws and plan.balls < self.setup.balls:
            call_us = next_us + int(plan.rng.uniform(*CALL_S) * 1e6)
            called = plan.balls if plan.late else 0
            if self._has_host:  # else whoever reads the port is the host
                self.schedule(call_us, lambda table: table.order(words.END_DRAW, called))

    # --- after it ---------------------------------------------------------------------------

    def _follow(self, plan: DrawPlan, ended_us: int) -> None:
        self.machine.blow(on=False)
        self._wait_until(max(ended_us, self.now_us) + REPAIR_US)
        if plan.repair is not None:
            plan.repair(self)
        if plan.fault is not None:
            self.machine.clear()
        balls = self.machine.tube[: plan.forgotten]
        self._recall(balls)
        if balls:
            self._wait_until(self.now_us + RECALL_MS * 1000 + SETTLE_US)
            self._recall([])
        self._wait_until(self.now_us + SETTLE_US)
        self._count_balls()

    def _recall(self, balls: list[Any]) -> None:
        for tag in [tag for tag in self.machine.tube if tag not in balls]:
            self._wait_until(self.now_us + RECALL_US)
            self.machine.recall(tag)

    @property
    def _wants_count(self) -> bool:
        return bool(self.active_faults & CHECKED)

    def _count_balls(self) -> None:
        """Have a person count the balls in the chamber, if the table asks for it."""
        if self._wants_count and self._has_host:
            self.order(words.DECLARE_BALLS, len(self.machine.chamber))
            self.wait(
                lambda: not self._wants_count, OPEN_WITHIN_US, "accept the count of its balls"
            )

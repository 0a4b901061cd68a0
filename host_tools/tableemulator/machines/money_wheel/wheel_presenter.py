"""The croupier of a money wheel and one turn: planned, played, compared with what is true.

He sets the wheel in motion, pushes it once more and lets it run down. hc2023 2:5(2): the wheel
gets a second spin before it comes to rest. Speeds are turns a second.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tableemulator.machines.core.harness import Act, Controller, Harness, Plan, Played
from tableemulator.machines.money_wheel.physical_money_wheel import MoneyWheel, MoneyWheelSetup
from tablewire import messages

WAIT_S = (2.0, 5.0)
FIRST = (0.15, 0.35)
BETWEEN_S = (1.2, 2.5)
SECOND = (0.7, 1.15)
PUSH_S = (0.5, 0.9)
CATCH_S = (0.9, 1.6)


@dataclass(slots=True, kw_only=True)
class TurnPlan(Plan):
    """One turn. first, second: speeds after the two pushes, 0 for none. direction: 1 clockwise.

    touched: when a hand came to the resting wheel, and the segment under the flapper until then.
    """

    direction: int
    first_us: int
    first: float
    second_us: int
    second: float
    push_s: float
    touched: tuple[int, int] | None = None

    @property
    def way(self) -> int:
        """Return the sign of P's motion: it rises while the wheel turns counter-clockwise."""
        return -self.direction

    def add_incident(self, seconds: float, act: Act) -> None:
        """Have something happen so many seconds after the second push."""
        self.incidents.append((self.second_us + int(seconds * 1e6), act))

    def when(self, is_time: Callable[[Any], bool], act: Act) -> None:
        """Have something happen as soon after the second push as is_time(table) holds."""

        def look(table: Any) -> None:
            if is_time(table):
                act(table)
            else:
                table.schedule(table.now_us + 20_000, look)

        self.add_incident(1.5, look)

    def steps(self) -> list[tuple[int, Act]]:
        """Return everything that happens in the round, in time order."""
        hands: list[tuple[int, Act]] = []
        for when, speed in ((self.first_us, self.first), (self.second_us, self.second)):
            if speed:
                hands.append((when, _push(self.way * speed, self.push_s)))
        return sorted(hands + self.incidents, key=lambda step: step[0])


class WheelCroupier:
    """Draws one plan after the other; deterministic for a seed."""

    def __init__(self, seed: int | str) -> None:
        self._rng = random.Random(f"{seed}/croupier")

    def plan(self, opened_us: int) -> TurnPlan:
        """Return how he plays a round that opened at opened_us."""
        rng = self._rng
        first_us = opened_us + _draw_us(rng, WAIT_S)
        return TurnPlan(
            rng=rng,
            direction=rng.choice((1, -1)),
            first_us=first_us,
            first=rng.uniform(*FIRST),
            second_us=first_us + _draw_us(rng, BETWEEN_S),
            second=rng.uniform(*SECOND),
            push_s=rng.uniform(*PUSH_S),
        )

    def after_void(self, voided_us: int) -> tuple[int, Act]:
        """Return when and how he stops a wheel whose round is void."""
        return voided_us + _draw_us(self._rng, CATCH_S), _stop


def _push(speed: float, seconds: float) -> Act:
    return lambda table: table.wheel.push(speed, seconds=seconds)


def _stop(table: Any) -> None:
    if table.wheel.speed():
        table.wheel.push(0.0, seconds=1.0)


def _draw_us(rng: random.Random, seconds: tuple[float, float]) -> int:
    return int(rng.uniform(*seconds) * 1e6)


# After a round ended: the technician's repair, and the longest a wheel is let run after it.
REPAIR_US = 3_000_000
REST_WITHIN_US = 90_000_000
# A hand at the resting wheel shows once it has moved it by half a segment, at the tick after that.
UNSEEN_US = 400_000


@dataclass(frozen=True, slots=True)
class Turn(Played):
    """What physically happened in one round, and what the table reported of it.

    segment: under the flapper at rest, None while it turns. turns: since the second push.
    """

    segment: int | None
    pays: int | None
    turns: float
    direction: int

    def truth(self) -> dict[str, object]:
        """Return the truth record: what happened, whatever the table reported."""
        return {
            "segment": self.segment,
            "pays": self.pays,
            "turns": round(self.turns, 2),
            "direction": self.direction,
            "fault": self.fault,
        }

    @property
    def reported(self) -> str | None:
        """Return what the table reported, None for a void."""
        if self.reason is not None:
            return None
        return f"{self.ended.values[0]} (segment {self.ended.values[1]})"

    @property
    def true(self) -> str:
        """Return what happened, in the same words."""
        return f"{self.pays} (segment {self.segment})"


class MoneyWheelTable(Harness):
    """One money wheel. noise: of its sensors; options: see Harness."""

    def __init__(
        self,
        controller: Controller,
        setup: MoneyWheelSetup,
        seed: int | str,
        *,
        noise: str = "healthy",
        **options: Any,
    ) -> None:
        self.setup = setup
        self.wheel = MoneyWheel(setup.pins, seed, index_offset=setup.index_offset, noise=noise)
        self._croupier = WheelCroupier(seed)
        super().__init__(controller, self.wheel, seed, **options)

    def spin(
        self, inject: Callable[[TurnPlan], None] | None = None, name: str | None = None
    ) -> Turn:
        """Play one round from its opening until result or void, and let the wheel come to rest."""
        self._begin_round()
        plan = self._croupier.plan(self.now_us)
        if inject is not None:
            plan.fault = name
            inject(plan)
        begun: list[float] = []
        self.schedule(plan.second_us, lambda table: begun.append(table.wheel.place()))
        for when, act in plan.steps():
            self.schedule(when, act)
        ended_us, ended = self._until_ended(plan)
        place = self.wheel.place()
        is_at_rest = not self.wheel.speed()
        segment = self.wheel.segment() if is_at_rest else None
        is_void = ended.type == messages.ROUND_VOID
        if plan.touched and not is_void and ended_us - plan.touched[0] < UNSEEN_US:
            # It came too late: the result was that of the wheel as it had lain.
            plan.fault, segment = None, plan.touched[1]
        self._follow(plan, ended_us, void=is_void)
        self._verify_one_end()
        return Turn(
            segment=segment,
            pays=None if segment is None else self.setup.layout[segment],
            turns=abs(place - begun[0]) / self.setup.pins if begun else 0.0,
            direction=plan.direction,
            fault=plan.fault,
            ended=ended,
            faults=tuple(self._faults),
        )

    def _follow(self, plan: TurnPlan, ended_us: int, *, void: bool = True) -> None:
        if void:
            self.schedule(*self._croupier.after_void(ended_us))
        self._wait_until(ended_us + REPAIR_US)
        if plan.repair is not None:
            plan.repair(self)
        self.wait(lambda: not self.wheel.speed(), REST_WITHIN_US, "let the wheel come to rest")

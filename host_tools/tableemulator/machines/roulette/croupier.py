"""The croupier of a roulette table and one spin: planned, played, compared with what is true.

He follows what the table shows: bets open, he picks up the ball, pushes the rotor in the other
direction than last time and throws the ball against it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tableemulator.machines.core.harness import Act, Controller, Harness, Plan, Played
from tableemulator.machines.roulette.ball_rim import Rim
from tableemulator.machines.roulette.physical_wheel import Geometry, Throw, Wheel, draw_throw
from tablewire import messages

PICK_UP_S = (1.5, 2.5)
PUSH_S = (0.6, 1.2)
THROW_S = (5.5, 9.0)
CATCH_S = (0.9, 1.6)
ROTOR_RPM = (9.5, 18.0)


@dataclass(slots=True, kw_only=True)
class SpinPlan(Plan):
    """One spin. rotor_rpm: clockwise positive. throw: None if no ball is thrown."""

    geometry: Geometry
    pick_up_us: int
    push_us: int
    release_us: int
    rotor_rpm: float
    throw: Throw | None

    @property
    def rotor_direction(self) -> int:
        """Return the direction the rotor is pushed in."""
        return 1 if self.rotor_rpm > 0 else -1

    @property
    def ball_direction(self) -> int:
        """Return the direction of the throw, or the one a throw would have had."""
        return self.throw.direction if self.throw else -self.rotor_direction

    def add_incident(self, seconds: float, act: Act) -> None:
        """Have something happen so many seconds after the release."""
        self.incidents.append((self.release_us + int(seconds * 1e6), act))

    def steps(self) -> list[tuple[int, Act]]:
        """Return everything that happens in the round, in time order."""
        hands: list[tuple[int, Act]] = [
            (self.pick_up_us, _pick_up),
            (self.push_us, lambda table: table.wheel.push_rotor(self.rotor_rpm)),
        ]
        throw = self.throw
        if throw is not None:
            hands.append((self.release_us, lambda table: _release(table, throw)))
        return sorted(hands + self.incidents, key=lambda step: step[0])


class Croupier:
    """Draws one plan after the other; deterministic for a seed."""

    def __init__(self, geometry: Geometry, seed: int | str, rim: Rim) -> None:
        self._geometry = geometry
        self._rim = rim
        self._rng = random.Random(f"{seed}/croupier")
        self._direction = self._rng.choice((1, -1))
        # Apart: whether a healthy spin is void is up to the table, not to the ball.
        self._catching = random.Random(f"{seed}/catch")

    def plan(self, opened_us: int) -> SpinPlan:
        """Return how he plays a round that opened at opened_us."""
        rng = self._rng
        self._direction = -self._direction
        pick_up_us = opened_us + _draw_us(rng, PICK_UP_S)
        return SpinPlan(
            rng=rng,
            geometry=self._geometry,
            pick_up_us=pick_up_us,
            push_us=pick_up_us + _draw_us(rng, PUSH_S),
            release_us=opened_us + _draw_us(rng, THROW_S),
            rotor_rpm=self._direction * rng.uniform(*ROTOR_RPM),
            throw=draw_throw(rng, -self._direction, self._rim),
        )

    def after_void(self, voided_us: int) -> tuple[int, Act]:
        """Return when and how he stops a ball whose round is void."""
        return voided_us + _draw_us(self._catching, CATCH_S), _catch


def _pick_up(table: RouletteTable) -> None:
    table.wheel.take_away(table.ball)


def _release(table: RouletteTable, throw: Throw) -> None:
    """Throw the ball; where it meets the rotor does not depend on where the rotor is now.

    So the pocket does not depend on when the round opened: a table with a key, whose frames are
    longer, opens at other times and sees the same balls.
    """
    throw.drift = -table.wheel.rotor.position(table.now_us / 1e6) % 1.0
    table.wheel.launch(table.ball, throw)


def _catch(table: RouletteTable) -> None:
    if not table.ball.at_rest:
        table.wheel.take_away(table.ball)


def _draw_us(rng: random.Random, seconds: tuple[float, float]) -> int:
    return int(rng.uniform(*seconds) * 1e6)


@dataclass(frozen=True, slots=True)
class Spin(Played):
    """What physically happened in one spin, and what the table reported."""

    pocket: str | None
    circuits: float
    ball_direction: int
    rotor_direction: int

    def truth(self) -> dict[str, object]:
        """Return the truth record: what happened, whatever the table reported."""
        return {
            "pocket": self.pocket,
            "circuits": round(self.circuits, 1),
            "ball_direction": self.ball_direction,
            "rotor_direction": self.rotor_direction,
            "fault": self.fault,
        }

    @property
    def reported(self) -> str | None:
        """Return the number the table reported, as it is printed; None for a void."""
        if self.reason is not None:
            return None
        number: int = self.ended.values[0]
        return "00" if number == 37 else str(number)

    @property
    def true(self) -> str | None:
        """Return the number in which the ball rests."""
        return self.pocket


# After a round ended: the technician's repair, and until when the ball's fate is followed.
REPAIR_US = 3_000_000
FOLLOW_US = 4_500_000


class RouletteTable(Harness):
    """One table. noise: of its sensors; options: see Harness."""

    def __init__(
        self,
        controller: Controller,
        geometry: Geometry,
        seed: int | str,
        *,
        noise: str = "healthy",
        **options: Any,
    ) -> None:
        self.geometry = geometry
        self.wheel = Wheel(geometry, seed, noise=noise)
        self.ball = self.wheel.ball
        self._croupier = Croupier(geometry, seed, self.wheel.rim)
        super().__init__(controller, self.wheel, seed, **options)

    def spin(
        self, inject: Callable[[SpinPlan], None] | None = None, name: str | None = None
    ) -> Spin:
        """Play one round from its opening until result or void and the ball's fate are known."""
        self._begin_round()
        self.ball.laps = 0.0
        plan = self._croupier.plan(self.now_us)
        if inject is not None:
            plan.fault = name
            inject(plan)
        for when, act in plan.steps():
            self.schedule(when, act)
        ended_us, ended = self._until_ended(plan)
        circuits = self._follow(plan, ended_us, void=ended.type == messages.ROUND_VOID)
        self._verify_one_end()
        number = None
        if self.ball.at_rest and self.ball.pocket is not None:
            number = self.geometry.order[self.ball.pocket]
        return Spin(
            pocket=number,
            circuits=circuits,
            ball_direction=plan.ball_direction,
            rotor_direction=plan.rotor_direction,
            fault=plan.fault,
            ended=ended,
            faults=tuple(self._faults),
        )

    def _follow(self, plan: SpinPlan, ended_us: int, *, void: bool = True) -> float:
        """After the round's end repair what broke, follow the ball.

        Returns the spin's circuits: a repair may roll the ball again.
        """
        if void:
            self.schedule(*self._croupier.after_void(ended_us))
        self._wait_until(ended_us + REPAIR_US)
        circuits = self.ball.laps
        if plan.repair is not None:
            plan.repair(self)
        self._wait_until(ended_us + FOLLOW_US)
        return circuits

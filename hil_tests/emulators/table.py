"""A whole emulated roulette table: wheel, croupier, controller board and pit host."""

from __future__ import annotations

from typing import Any

from hil_tests.emulators.core.harness import Controller, Harness
from hil_tests.emulators.geometry import Geometry
from hil_tests.emulators.roulette.faults import Mishap
from hil_tests.emulators.roulette.model import Wheel
from hil_tests.emulators.roulette.operator import Croupier, SpinPlan
from hil_tests.emulators.spin import Spin as Spin
from tablewire import messages

# After a round ended: the technician's repair, and until when the ball's fate is followed.
REPAIR_US = 3_000_000
FOLLOW_US = 4_500_000


class Table(Harness):
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
        self._croupier = Croupier(geometry, seed)
        super().__init__(controller, self.wheel, seed, **options)

    def spin(self, mishap: Mishap | None = None, name: str | None = None) -> Spin:
        """Play one round from its opening until result or void and the ball's fate are known."""
        self._begin_round()
        self.ball.laps = 0.0
        plan = self._croupier.plan(self.now_us)
        if mishap is not None:
            plan.fault = name
            mishap(plan)
        for when, act in plan.steps():
            self.schedule(when, act)
        ended_us, ended = self._until_ended()
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

    def _follow(self, plan: SpinPlan, ended_us: int, *, void: bool) -> float:
        """Clear the hands' plans after the round's end, mend what broke, follow the ball.

        Returns the spin's circuits: a repair may roll the ball anew.
        """
        self._agenda.clear()
        if void:
            self.schedule(*self._croupier.after_void(ended_us))
        self._wait_until(ended_us + REPAIR_US)
        circuits = self.ball.laps
        if plan.repair is not None:
            plan.repair(self)
        self._wait_until(ended_us + FOLLOW_US)
        return circuits

"""A whole emulated money wheel: wheel, croupier, controller board and pit host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hil_tests.emulators.big_wheel_hands import TurnPlan, WheelCroupier
from hil_tests.emulators.core.harness import Controller, Harness
from hil_tests.emulators.money_wheel.model import BigWheel
from hil_tests.emulators.played import Played
from tablewire import messages

_LAYOUT_52 = (
    "1 3 5 1 10 1 3 1 5 1 3 1 20 45 1 3 1 5 1 3 1 10 1 5 3 1 1 3 5 1 10 1 3 1 5 1 3 1 20 45 1 "
    "3 1 5 1 3 1 10 1 5 3 1 "
)
_LAYOUT_54 = (
    "1 2 5 1 2 1 10 1 2 1 5 20 1 2 1 40 2 1 5 1 2 1 10 2 1 1 5 2 1 2 1 10 1 2 1 5 1 2 20 1 40 "
    "2 1 5 1 2 1 10 1 2 1 5 2 1 "
)
# What is painted on the segments, clockwise from the index: the house's own order.
LAYOUTS = {
    pins: tuple(int(word) for word in text.split())
    for pins, text in {
        52: _LAYOUT_52,
        54: _LAYOUT_54,
    }.items()
}
# After a round ended: the technician's repair, and the longest a wheel is let run after it.
REPAIR_US = 3_000_000
REST_WITHIN_US = 90_000_000
# A hand at the resting wheel shows once it has moved it by half a segment, at the tick after that.
UNSEEN_US = 400_000


@dataclass(frozen=True, slots=True)
class BigWheelSetup:
    """One money wheel as it was built: pins 52 or 54; index_offset: see BigWheel."""

    pins: int = 52
    index_offset: int = 0

    @property
    def keys(self) -> dict[str, int]:
        """Return the configuration keys it needs, by name."""
        return {
            "role": messages.ROLE_MONEY_WHEEL,
            "segments": 1 if self.pins == 52 else 2,
            "pin_offset": self.index_offset,
        }

    @property
    def meta(self) -> dict[str, object]:
        """Return what a capture says of it."""
        return {"table": "money_wheel", "segments": self.pins}

    @property
    def layout(self) -> tuple[int, ...]:
        """Return what each segment pays."""
        return LAYOUTS[self.pins]


@dataclass(frozen=True, slots=True)
class Turn(Played):
    """What physically happened in one round, and what the table said of it.

    segment: under the flapper at rest, None while it turns. turns: since the second push.
    """

    segment: int | None
    pays: int | None
    turns: float
    direction: int

    def truth(self) -> dict[str, object]:
        """Return the truth record: what happened, whatever the table said."""
        return {
            "segment": self.segment,
            "pays": self.pays,
            "turns": round(self.turns, 2),
            "direction": self.direction,
            "fault": self.fault,
        }

    @property
    def told(self) -> str | None:
        """Return what the table said, None for a void."""
        if self.reason is not None:
            return None
        return f"{self.ended.values[0]} (segment {self.ended.values[1]})"

    @property
    def true(self) -> str:
        """Return what happened, in the same words."""
        return f"{self.pays} (segment {self.segment})"


class BigWheelTable(Harness):
    """One money wheel. noise: of its sensors; options: see Harness."""

    def __init__(
        self,
        controller: Controller,
        setup: BigWheelSetup,
        seed: int | str,
        *,
        noise: str = "healthy",
        **options: Any,
    ) -> None:
        self.setup = setup
        self.wheel = BigWheel(setup.pins, seed, index_offset=setup.index_offset, noise=noise)
        self._croupier = WheelCroupier(seed)
        super().__init__(controller, self.wheel, seed, **options)

    def spin(
        self, mishap: Callable[[TurnPlan], None] | None = None, name: str | None = None
    ) -> Turn:
        """Play one round from its opening until result or void, and let the wheel come to rest."""
        self._begin_round()
        plan = self._croupier.plan(self.now_us)
        if mishap is not None:
            plan.fault = name
            mishap(plan)
        begun: list[float] = []
        self.schedule(plan.second_us, lambda scene: begun.append(scene.wheel.place()))
        for when, act in plan.steps():
            self.schedule(when, act)
        ended_us, ended = self._until_ended()
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

    def _follow(self, plan: TurnPlan, ended_us: int, *, void: bool) -> None:
        self._agenda.clear()
        if void:
            self.schedule(*self._croupier.after_void(ended_us))
        self._wait_until(ended_us + REPAIR_US)
        if plan.repair is not None:
            plan.repair(self)
        self._wait(lambda: not self.wheel.speed(), REST_WITHIN_US, "let the wheel come to rest")

"""A whole emulated dice tray: dice, thrower, croupier, camera, controller board and pit host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hil_tests.emulators.core.harness import Controller, Harness
from hil_tests.emulators.dice_tray.model import Flight, Tray
from hil_tests.emulators.dice_tray.operator import Thrower, ThrowPlan
from tablewire import messages
from tablewire.codec import Frame
from tablewire.dice_tray import DICE_RESULT

# After a round ended: the technician's repair, and until when the dice are followed.
REPAIR_US = 3_000_000
AFTER_US = 1_500_000
MOST_DICE = 6
# Hits of one plate that the factory's hit_gap_ms and the second touch of a die can join.
TOGETHER_US = 25_000


@dataclass(frozen=True, slots=True)
class TraySetup:
    """One tray as it was built. dice: 1 to 6; large: frames of 320 x 240 px."""

    dice: int = 3
    large: bool = False

    @property
    def keys(self) -> dict[str, int]:
        """Return the configuration keys it needs, by name."""
        size = 2 if self.large else 1
        return {"role": messages.ROLE_DICE_TRAY, "dice": self.dice, "frame_size": size}

    @property
    def meta(self) -> dict[str, object]:
        """Return what a capture says of it."""
        return {"table": "dice", "dice": self.dice}


@dataclass(frozen=True, slots=True)
class Thrown:
    """What physically happened in one round, and what the table said of it.

    dice: that lie in view at the end of the round, from low to high. held_s: in the hand; hits:
    dice that touched the wall; None where nothing was thrown. doubtful: two hits of one plate came
    too near to each other to be told apart.
    """

    dice: tuple[int, ...]
    held_s: float | None
    hits: int | None
    fault: str | None
    ended: Frame
    faults: tuple[int, ...]
    doubtful: bool = False

    def truth(self) -> dict[str, object]:
        """Return the truth record: what happened, whatever the table said."""
        held = None if self.held_s is None else round(self.held_s, 3)
        return {"dice": list(self.dice), "held_s": held, "hits": self.hits, "fault": self.fault}

    @property
    def reason(self) -> int | None:
        """Return the code of the void, None if the table gave faces."""
        if self.ended.type == DICE_RESULT:
            return None
        reason: int = self.ended.values[0]
        return reason

    @property
    def told(self) -> str | None:
        """Return what the table said, None for a void."""
        if self.reason is not None:
            return None
        return _named(tuple(face for face in self.ended.values[:MOST_DICE] if face))

    @property
    def true(self) -> str:
        """Return what happened, in the same words."""
        return _named(self.dice)


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
        self.wheel = Tray(seed, setup.dice, large=setup.large, noise=noise)
        self._thrower = Thrower(seed, self.wheel.camera, setup.dice)
        super().__init__(controller, self.wheel, seed, **options)

    def spin(
        self, mishap: Callable[[ThrowPlan], None] | None = None, name: str | None = None
    ) -> Thrown:
        """Play one round from its opening until result or void; then the dice are brought back."""
        self._begin_round()
        plan = self._thrower.plan(self.now_us)
        if mishap is not None:
            plan.fault = name
            plan.part_hits()
            mishap(plan)
        for when, act in plan.steps():
            self.schedule(when, act)
        ended_us, ended = self._until_ended()
        dice = tuple(sorted(die.value for die in self.wheel.lying))
        if ended.type == DICE_RESULT:
            self.wheel.camera.note_result()
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

    def _follow(self, plan: ThrowPlan, ended_us: int) -> None:
        self._agenda.clear()
        self.schedule(self._thrower.back_us(ended_us), lambda scene: scene.wheel.put_back())
        self._wait_until(ended_us + REPAIR_US)
        if plan.repair is not None:
            plan.repair(self)
        self._wait_until(ended_us + REPAIR_US + AFTER_US)


def _are_doubtful(flights: list[Flight]) -> bool:
    """Tell whether the wall shows fewer dice than hit it, each tumbling for ten milliseconds."""
    hits = sorted((flight.plate, flight.wall_us) for flight in flights if flight.plate is not None)
    return any(one[0] == two[0] and two[1] - one[1] < TOGETHER_US for one, two in pairwise(hits))


def _named(dice: tuple[int, ...]) -> str:
    return " ".join(map(str, dice))

"""A whole emulated draw machine: machine, people, controller board and pit host."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hil_tests.emulators.ball_hands import CALL_S, GAP_S, Croupier, DrawPlan
from hil_tests.emulators.core.harness import OPEN_WITHIN_US, Controller, Harness, TableStalled
from hil_tests.emulators.draw_machine.model import OUR_SET, BallMachine
from tablewire import draw_machine as words
from tablewire import messages
from tablewire.codec import Frame

MIX_MS, RECALL_MS = 3_000, 5_000
# After a draw ended: the technician's repair; between two recalled balls; what settles it.
REPAIR_US, RECALL_US, SETTLE_US = 1_500_000, 170_000, 1_000_000
# What a person clears by counting the balls.
CHECKED = frozenset({
    words.DUPLICATE_BALL, words.FOREIGN_BALL, words.BALLS_MISSING, words.BALLS_EXTRA,
    words.NOT_COUNTED,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class DrawSetup:
    """One machine: balls it has; draws: how many come out, 0 until somebody has won (Bingo)."""

    balls: int = 80
    draws: int = 20

    @property
    def keys(self) -> dict[str, int]:
        """Return the configuration keys it needs, by name."""
        return {
            "role": messages.ROLE_DRAW_MACHINE,
            "balls": self.balls,
            "draw_count": self.draws,
            "ball_set": OUR_SET,
            "max_bet_ms": 5_000,
            "mix_ms": MIX_MS,
            "transit_ms": 1_700,
            "ball_read_ms": 1_000,
            "ball_wait_ms": 10_000,
            "recall_ms": RECALL_MS,
            "result_hold_ms": 500,
        }

    @property
    def meta(self) -> dict[str, object]:
        """Return what a capture says of it."""
        return {"table": "draw_machine", "balls": self.balls, "draws": self.draws}


@dataclass(frozen=True, slots=True)
class BallDraw:
    """What physically happened in one draw, and what the table said of it.

    rested: numbers of the balls that came to lie in the tube by its end, in order. balls: told
    one by one.
    """

    rested: tuple[int, ...]
    fault: str | None
    ended: Frame
    faults: tuple[int, ...]
    balls: tuple[tuple[int, int], ...]

    def truth(self) -> dict[str, object]:
        """Return the truth record: what happened, whatever the table said."""
        return {"rested": list(self.rested), "fault": self.fault}

    @property
    def reason(self) -> int | None:
        """Return the code of the void, None if the table gave numbers."""
        if self.ended.type == words.DRAW_RESULT:
            return None
        reason: int = self.ended.values[0]
        return reason

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of the result, in the order they were told; () for another set."""
        told = tuple(number for _, number in self.balls[: self.ended.values[0]])
        bits = int.from_bytes(self.ended.values[5], "little")
        return told if bits == sum(1 << (number - 1) for number in set(told)) else ()

    @property
    def told(self) -> str | None:
        """Return what the table said, None for a void."""
        return None if self.reason is not None else _words(self.numbers)

    @property
    def true(self) -> str:
        """Return what happened, as many balls as the table said, in the same words."""
        counted = self.ended.values[0] if self.reason is None else len(self.rested)
        return _words(self.rested[:counted])


def _words(numbers: tuple[int, ...]) -> str:
    return f"{len(numbers)} balls: {' '.join(str(number) for number in numbers)}"


class DrawTable(Harness):
    """One draw machine. noise: of its sensors; options: see Harness. standing: codes that do."""

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
        self.machine = BallMachine(setup.balls, seed, noise=noise)
        self.standing: set[int] = set()
        self._rng = random.Random(f"{seed}/table")
        self._croupier = Croupier(seed, mix_s=MIX_MS / 1000)
        self._plan: DrawPlan | None = None
        self._told: list[tuple[int, int]] = []
        super().__init__(controller, self.machine, seed, **options)

    def spin(
        self, mishap: Callable[[DrawPlan], None] | None = None, name: str | None = None
    ) -> BallDraw:
        """Play one draw from its opening until result or void, and recall the balls."""
        waits = "open a round or ask for a count"
        if self._has_host:
            self._wait(
                lambda: bool(self._opened or self.standing & CHECKED), OPEN_WITHIN_US, waits
            )
        self._count_balls()
        self._begin_round()
        balls = self.setup.draws or self._rng.randint(4, min(self.setup.balls, 40))
        plan = self._croupier.plan(balls)
        if mishap is not None:
            plan.fault = name
            mishap(plan)
        self._told, self.machine.came = [], []
        self._plan = plan
        acknowledged = self._acknowledge
        self._acknowledge = acknowledged and not plan.silent
        self.schedule(self.now_us + int(plan.blower_s * 1e6), lambda s: s.machine.blow(on=True))
        for seconds, act in plan.opening:
            self.schedule(self.now_us + int(seconds * 1e6), act)
        ended_us, ended = self._until_ended()
        self._plan = None
        self._acknowledge = acknowledged
        rested = tuple(tag.number for tag in self.machine.came)
        self._follow(plan, ended_us)
        self._verify_one_end()
        faults, balls_told = tuple(self._faults), tuple(self._told)
        return BallDraw(rested, plan.fault, ended, faults, balls_told)

    # --- a draw -----------------------------------------------------------------------------

    def _read(self, when: int, frame: Frame) -> None:
        known = (frame.boot, frame.counter) in self._seen
        super()._read(when, frame)
        if known:
            return
        if frame.type == messages.FAULT_RAISED:
            self.standing.add(frame.values[0])
        elif frame.type == messages.FAULT_CLEARED:
            self.standing.discard(frame.values[0])
        elif frame.type == words.BALL_DRAWN:
            self._told.append((frame.values[0], frame.values[1]))
        elif frame.type == messages.BETS_CLOSED and self._plan is not None:
            plan = self._plan
            self.schedule(when + int(plan.exit_s * 1e6), lambda scene: scene._rise(plan, 0))

    def _rise(self, plan: DrawPlan, place: int) -> None:
        """Let the ball of a place rise, then have the next one follow."""
        if self._plan is not plan:
            return
        choice = plan.choices.get(place)
        self.machine.draw(plan.flights.get(place), choice(self) if choice else None)
        for at, seconds, act in plan.incidents:
            if at == place:
                self.schedule(self.now_us + int(seconds * 1e6), act)
        next_us = self.now_us + int(plan.rng.uniform(*GAP_S) * 1e6)
        if place + 1 < plan.balls + (plan.late and not self.setup.draws):
            self.schedule(next_us, lambda scene: scene._rise(plan, place + 1))
        elif not self.setup.draws and plan.balls < self.setup.balls:
            call_us = next_us + int(plan.rng.uniform(*CALL_S) * 1e6)
            called = plan.balls if plan.late else 0
            if self._has_host:  # else whoever reads the port is the host
                self.schedule(call_us, lambda scene: scene.order(words.END_DRAW, called))

    # --- after it ---------------------------------------------------------------------------

    def _follow(self, plan: DrawPlan, ended_us: int) -> None:
        self._agenda.clear()
        self.machine.blow(on=False)
        self._wait_until(max(ended_us, self.now_us) + REPAIR_US)
        if plan.repair is not None:
            plan.repair(self)
        if plan.fault is not None:
            self.machine.clear()
        kept = self.machine.tube[: plan.forgotten]
        self._recall(kept)
        if kept:
            self._wait_until(self.now_us + RECALL_MS * 1000 + SETTLE_US)
            self._recall([])
        self._wait_until(self.now_us + SETTLE_US)
        self._count_balls()

    def _recall(self, kept: list[Any]) -> None:
        for tag in [tag for tag in self.machine.tube if tag not in kept]:
            self._wait_until(self.now_us + RECALL_US)
            self.machine.recall(tag)

    def _count_balls(self) -> None:
        """Have a person count the balls in the chamber, if the table asks for it."""
        if not self.standing & CHECKED or not self._has_host:
            return
        self.order(words.DECLARE_BALLS, len(self.machine.chamber))
        self._wait_until(self.now_us + SETTLE_US)
        if self.standing & CHECKED:
            raise TableStalled(f"the table does not take the count: {sorted(self.standing)}")

"""The croupier at a money wheel: sets it in motion, pushes it once more, and lets it run down.

hc2023 2:5(2): the wheel gets a second spin before it stands still. A plan may be bent by a mishap
before it is carried out. Speeds are turns a second.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Act = Callable[[Any], None]

WAIT_S = (2.0, 5.0)
FIRST = (0.15, 0.35)
BETWEEN_S = (1.2, 2.5)
SECOND = (0.7, 1.15)
PUSH_S = (0.5, 0.9)
CATCH_S = (0.9, 1.6)


@dataclass(slots=True)
class TurnPlan:
    """One round as the hands mean to play it, times in microseconds since power-on.

    first, second: speeds after the two pushes, 0 for none. direction: 1 clockwise. incidents: what
    else befalls, (time, act). repair: what a technician does afterwards. fault: the mishap's name.
    touched: when a hand came to the resting wheel, and the segment under the flapper until then.
    """

    rng: random.Random
    direction: int
    first_us: int
    first: float
    second_us: int
    second: float
    push_s: float
    incidents: list[tuple[int, Act]] = field(default_factory=list)
    repair: Act | None = None
    fault: str | None = None
    touched: tuple[int, int] | None = None

    @property
    def way(self) -> int:
        """Return the sign of P's motion: it rises while the wheel turns counter-clockwise."""
        return -self.direction

    def befall(self, after_push_s: float, act: Act) -> None:
        """Have something happen that many seconds after the second push."""
        self.incidents.append((self.second_us + int(after_push_s * 1e6), act))

    def when(self, is_time: Callable[[Any], bool], act: Act) -> None:
        """Have something happen as soon after the second push as is_time(table) holds."""

        def look(scene: Any) -> None:
            if is_time(scene):
                act(scene)
            else:
                scene.schedule(scene.now_us + 20_000, look)

        self.befall(1.5, look)

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
    return lambda scene: scene.wheel.push(speed, seconds=seconds)


def _stop(scene: Any) -> None:
    if scene.wheel.speed():
        scene.wheel.push(0.0, seconds=1.0)


def _draw_us(rng: random.Random, seconds: tuple[float, float]) -> int:
    return int(rng.uniform(*seconds) * 1e6)

"""What machine and people do in one draw, drawn at random and timed; a mishap may bend it.

The machine starts its blower when bets open, opens its exit some time after no more bets, lets one
ball after the other rise, and recalls them when the draw is over.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hil_tests.emulators.ball_readers import Tag
from hil_tests.emulators.draw_machine.model import Flight

Act = Callable[[Any], None]
# Which ball rises at a place of the draw: the table is asked then.
Choice = Callable[[Any], Tag]

BLOWER_S = (0.5, 2.0)
EXIT_S = (0.5, 2.0)  # beyond the time the balls have to be mixed
GAP_S = (2.8, 3.8)
CALL_S = (0.8, 2.0)  # the last ball at rest to the host's word


@dataclass(slots=True)
class DrawPlan:
    """One draw as it is meant to be. Times in microseconds since power-on, or seconds.

    balls: to come out. flights, choices: of the balls that are odd, by place from 0. blower_s:
    opening to the blower. exit_s: no more bets to the first ball. late: a ball more comes before
    the host's word. incidents: what else befalls (place of the ball after which, seconds after,
    act). forgotten: recalled balls that stay behind at first. repair: what a technician does after
    the draw. silent: the host acknowledges nothing. fault: the mishap's name.
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

    def befall(self, act: Act, *, seconds: float = 1.0) -> None:
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

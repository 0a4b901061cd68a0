"""The croupier: what the hands at the table do in one round, drawn at random and timed.

He follows what the table shows: bets open, he picks up the ball, pushes the rotor in the other
direction than last time and throws the ball against it. A plan may be bent by a mishap before it
is carried out. Knows nothing of frames; the table harness tells him what was shown.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from hil_tests.emulators.flight import Throw, draw_throw
from hil_tests.emulators.geometry import Geometry
from hil_tests.emulators.roulette.model import Ball, Wheel

PICK_UP_S = (1.5, 2.5)
PUSH_S = (0.6, 1.2)
THROW_S = (5.5, 9.0)
CATCH_S = (0.9, 1.6)
REPAIR_S = 3.0
ROTOR_RPM = (9.5, 18.0)


class Scene(Protocol):
    """What hands can reach: the wheel, the ball in play, and what surrounds the controller."""

    wheel: Wheel
    ball: Ball

    def cut_power(self, *, damage: bool = False, full: bool = False) -> None:
        """Interrupt the power; damage: the stored configuration is spoilt by it."""

    def restore_configuration(self) -> None:
        """Write the configuration anew and start the controller."""

    def rot_memory(self) -> None:
        """Let both copies of a critical record on the flash rot."""

    def boot_release(self, *, behind: int) -> None:
        """Boot a program so many releases older than the newest that ran."""

    def order(self, ident: int, *values: int) -> None:
        """Send a command of the host."""

    def intrude(self) -> None:
        """Send a command that voids the round and that no host has sealed."""

    def order_void(self) -> None:
        """Send the pit host's command that voids the round."""

    def stop_task(self) -> None:
        """Make a task of the controller's program end."""


Act = Callable[[Scene], None]


@dataclass(slots=True)
class SpinPlan:
    """One round as the hands mean to play it, times in microseconds since power-on.

    rotor_rpm: clockwise positive. throw: None if no ball is thrown. incidents: what else befalls,
    (time, act). repair: what a technician does after the round. fault: the mishap's name.
    """

    rng: random.Random
    geometry: Geometry
    pick_up_us: int
    push_us: int
    release_us: int
    rotor_rpm: float
    throw: Throw | None
    incidents: list[tuple[int, Act]] = field(default_factory=list)
    repair: Act | None = None
    fault: str | None = None

    @property
    def rotor_direction(self) -> int:
        """Return the direction the rotor is pushed in."""
        return 1 if self.rotor_rpm > 0 else -1

    @property
    def ball_direction(self) -> int:
        """Return the direction of the throw, or the one a throw would have had."""
        return self.throw.direction if self.throw else -self.rotor_direction

    def befall(self, after_release_s: float, act: Act) -> None:
        """Have something happen that many seconds after the release."""
        self.incidents.append((self.release_us + int(after_release_s * 1e6), act))

    def steps(self) -> list[tuple[int, Act]]:
        """Return everything that happens in the round, in time order."""
        hands: list[tuple[int, Act]] = [
            (self.pick_up_us, _pick_up),
            (self.push_us, lambda scene: scene.wheel.push_rotor(self.rotor_rpm)),
        ]
        throw = self.throw
        if throw is not None:
            hands.append((self.release_us, lambda scene: scene.wheel.launch(scene.ball, throw)))
        return sorted(hands + self.incidents, key=lambda step: step[0])


class Croupier:
    """Draws one plan after the other; deterministic for a seed."""

    def __init__(self, geometry: Geometry, seed: int | str) -> None:
        self._geometry = geometry
        self._rng = random.Random(f"{seed}/croupier")
        self._direction = self._rng.choice((1, -1))

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
            throw=draw_throw(rng, -self._direction),
        )

    def after_void(self, voided_us: int) -> tuple[int, Act]:
        """Return when and how he stops a ball whose round is void."""
        return voided_us + _draw_us(self._rng, CATCH_S), _catch


def _pick_up(scene: Scene) -> None:
    scene.wheel.take_away(scene.ball)


def _catch(scene: Scene) -> None:
    if not scene.ball.at_rest:
        scene.wheel.take_away(scene.ball)


def _draw_us(rng: random.Random, seconds: tuple[float, float]) -> int:
    return int(rng.uniform(*seconds) * 1e6)

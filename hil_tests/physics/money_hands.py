"""Hands at a money wheel that take or give little: soft, short, or just before it rests."""

from __future__ import annotations

import math
from collections.abc import Callable

from hil_tests.physics.money_wheel import Force, Turn, Wheel


def _share(turn: Turn, share: float, first: float, turns: float) -> None:
    """From a speed on, for so many turns, a hand gives this share of the friction, or takes it."""
    ends = math.nan

    def force(wheel: Wheel) -> float:
        nonlocal ends
        build, place = wheel.build, wheel.x * turn.way
        if math.isnan(ends):
            if wheel.t < turn.second_s + 1.5 or wheel.v > first * build.pins:
                return 0.0
            ends, turn.number = place + turns * build.pins, None
        return share * build.friction if place < ends and wheel.v > 0 else 0.0

    turn.force = force


def soft_drag(turn: Turn) -> None:
    """A hand drags at the rim all the time: 1.1 to 1.25 times the friction."""
    rng = turn.rng
    _share(turn, -rng.uniform(0.1, 0.25), rng.uniform(0.6, 1.0), math.inf)


def soft_drag_in_part(turn: Turn) -> None:
    """The same for one to three turns, or as far as it still runs."""
    rng = turn.rng
    _share(turn, -rng.uniform(0.1, 0.25), rng.uniform(0.3, 0.9), rng.uniform(1.0, 3.0))


def soft_help(turn: Turn) -> None:
    """A hand helps it all the time: 0.75 to 0.9 times the friction."""
    rng = turn.rng
    _share(turn, rng.uniform(0.1, 0.25), rng.uniform(0.6, 1.0), math.inf)


def soft_help_in_part(turn: Turn) -> None:
    """The same for one to three turns, or as far as it still runs."""
    rng = turn.rng
    _share(turn, rng.uniform(0.1, 0.25), rng.uniform(0.3, 0.9), rng.uniform(1.0, 3.0))


def dabs(turn: Turn) -> None:
    """Three to six short touches of 1.5 to 4 times the friction."""
    rng = turn.rng
    start, begins = rng.uniform(0.15, 0.6), math.nan
    touches, after = [], 0.0
    for _ in range(rng.randint(3, 6)):
        after += rng.uniform(0.3, 1.2)
        touches.append((after, after + rng.uniform(0.05, 0.15), rng.uniform(1.5, 4.0)))

    def force(wheel: Wheel) -> float:
        nonlocal begins
        if math.isnan(begins):
            if wheel.t < turn.second_s + 1.5 or wheel.v > start * wheel.build.pins:
                return 0.0
            begins = wheel.t
        since = wheel.t - begins
        for low, high, times in touches:
            if low <= since < high and wheel.v > 0:
                turn.number = None
                return -times * wheel.build.friction
        return 0.0

    turn.force = force


def _near_rest(turn: Turn, pins: float, act: Callable[[Wheel], float]) -> Force:
    """Act once the wheel has the energy for so many pins more."""
    is_begun = False

    def force(wheel: Wheel) -> float:
        nonlocal is_begun
        build = wheel.build
        if not is_begun:
            energy = 2 * build.friction * pins
            if wheel.t < turn.second_s + 1.5 or wheel.v * wheel.v > energy:
                return 0.0
            is_begun = True
        wheel.lifts = 1.0
        return act(wheel) if wheel.v > 0 else 0.0

    return force


def finger_before_rest(turn: Turn) -> None:
    """A finger at the rim drags or drives the wheel over part of its last five segments."""
    rng = turn.rng
    times = rng.choice((-1, -1, 1)) * rng.uniform(0.5, 2.0)
    length, start = rng.uniform(0.5, 2.0), math.nan

    def act(wheel: Wheel) -> float:
        nonlocal start
        if math.isnan(start):
            start, turn.number = wheel.x, None
        return times * wheel.build.friction if abs(wheel.x - start) < length else 0.0

    turn.force = _near_rest(turn, rng.uniform(1.0, 5.0), act)


def finger_at_the_flapper(turn: Turn) -> None:
    """A finger presses the flapper on, or lifts it off, one or two of the last five pins."""
    rng = turn.rng
    lifts = rng.choice((0.0, rng.uniform(1.5, 3.0)))
    bend = rng.choice((1.0, -0.4))
    length, start = rng.uniform(1.0, 2.0), math.nan

    def act(wheel: Wheel) -> float:
        nonlocal start
        if math.isnan(start):
            start, turn.number = wheel.x, None
        if abs(wheel.x - start) < length:
            wheel.lifts, wheel.lifted = lifts, bend
        return 0.0

    turn.force = _near_rest(turn, rng.uniform(1.0, 5.0), act)


KINDS: dict[str, Callable[[Turn], None]] = {
    "soft drag": soft_drag,
    "soft drag in part": soft_drag_in_part,
    "soft help": soft_help,
    "soft help in part": soft_help_in_part,
    "dabs": dabs,
    "finger before rest": finger_before_rest,
    "finger at the flapper": finger_at_the_flapper,
}

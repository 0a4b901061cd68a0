"""What goes wrong at a money wheel, as physics: each function bends one planned turn.

See mishaps.py. Nothing here sets a flag or names a code; `repair` is what a technician does.
"""

from __future__ import annotations

import math
from typing import Any

from hil_tests.emulators.big_wheel_hands import TurnPlan
from hil_tests.emulators.money_wheel.model import INDEX, PIN_A, PIN_B

STEADY_S = (3.0, 7.0)
# Slow enough that a wheel may come to rest within two segments: 20 degrees a second.
SLOW = 20 / 360


def _is_slow(scene: Any) -> bool:
    speed = abs(scene.wheel.speed())
    return bool(0 < speed < SLOW)


def _rests(scene: Any) -> bool:
    return not scene.wheel.speed()


def weak_push(plan: TurnPlan) -> None:
    """The second push is good for two to three turns only."""
    plan.first = min(plan.first, 0.2)
    plan.second = math.sqrt(2 * 0.043 * plan.rng.uniform(2.0, 2.9))


def hangs_on_pin(plan: TurnPlan) -> None:
    """The flapper hangs on the pin the wheel comes to rest at."""
    plan.when(_is_slow, lambda scene: scene.wheel.come_to_rest(_pin_ahead(scene, -0.01)))


def rests_past_pin(plan: TurnPlan) -> None:
    """The wheel comes to rest right behind a pin it has just passed.

    So near that it is in doubt even where a worn wheel's magnet is misplaced by a tenth of a
    segment: four times their spread, and twice what the controller allows for.
    """
    offset = plan.rng.uniform(0.08, 0.15)
    plan.when(_is_slow, lambda scene: scene.wheel.come_to_rest(_pin_ahead(scene, offset)))


def _pin_ahead(scene: Any, past: float) -> float:
    """Return the coordinate `past` segments behind the next pin but one in the direction."""
    way = 1 if scene.wheel.speed() > 0 else -1
    return float(way * (math.floor(scene.wheel.place() * way) + 2 + past))


def braked(plan: TurnPlan) -> None:
    """A hand brakes the wheel to half its speed."""
    plan.befall(plan.rng.uniform(*STEADY_S), lambda scene: scene.wheel.brake(0.5))


def braked_to_rest(plan: TurnPlan) -> None:
    """A hand stops the wheel while it still turns briskly."""
    plan.befall(plan.rng.uniform(*STEADY_S), lambda scene: scene.wheel.push(0.0, seconds=0.6))


def pushed_again(plan: TurnPlan) -> None:
    """Somebody gives the wheel a third push."""

    # The first one goes round far enough to be counted.
    plan.first, plan.second = 0.4, 0.7
    plan.second_us = plan.first_us + 2_600_000

    def push(scene: Any) -> None:
        scene.wheel.push(plan.way * 0.9)

    plan.befall(plan.rng.uniform(*STEADY_S), push)


def moved_at_rest(plan: TurnPlan) -> None:
    """A hand turns the resting wheel on to the next segment before the result is told."""

    def turn_on(scene: Any) -> None:
        plan.touched = (scene.now_us, scene.wheel.segment())
        scene.wheel.shift(plan.way * 1.0)

    def wait(scene: Any) -> None:
        scene.schedule(scene.now_us + 1_700_000, turn_on)

    plan.when(_rests, wait)


def turned_back(plan: TurnPlan) -> None:
    """A hand turns the wheel the other way before it comes to rest."""
    plan.when(_is_slow, lambda scene: scene.wheel.push(-plan.way * 0.2, seconds=0.3))


def torn_round(plan: TurnPlan) -> None:
    """The second push is far too hard: 81 to 87 rpm."""
    plan.second = plan.rng.uniform(1.35, 1.45)


def driven(plan: TurnPlan) -> None:
    """Something keeps the wheel turning; the technician takes it away."""
    plan.befall(4.0, lambda scene: scene.wheel.keep_turning(scene.wheel.speed()))
    plan.repair = lambda scene: scene.wheel.push(0.0, seconds=2.0)


def nobody_spins(plan: TurnPlan) -> None:
    """Nobody sets the wheel in motion."""
    plan.first = plan.second = 0.0


def pin_magnet_lost(plan: TurnPlan) -> None:
    """One pin has lost its magnet."""
    missing = frozenset((plan.rng.randrange(52),))
    plan.befall(-2.0, lambda scene: scene.wheel.refit(missing))
    plan.repair = lambda scene: scene.wheel.refit(frozenset())


def index_magnet_lost(plan: TurnPlan) -> None:
    """The index magnet has fallen off."""
    plan.befall(-2.0, lambda scene: scene.wheel.refit(frozenset(), index=False))
    plan.repair = lambda scene: scene.wheel.refit(frozenset())


def flapper_comes_off(plan: TurnPlan) -> None:
    """The flapper has come off its axle and no pin bends it."""

    def set_stiff(stiff: bool) -> Any:
        return lambda scene: setattr(scene.wheel, "stiff", stiff)

    plan.incidents.append((plan.first_us - 500_000, set_stiff(True)))
    plan.repair = set_stiff(False)


def flapper_wire_cut(plan: TurnPlan) -> None:
    """The wire of the flapper's sensor is cut."""
    plan.befall(plan.rng.uniform(*STEADY_S), lambda scene: setattr(scene.wheel, "held_raw", 0))
    plan.repair = lambda scene: setattr(scene.wheel, "held_raw", None)


def pin_sensor_dies(plan: TurnPlan) -> None:
    """Pin sensor B answers no more."""
    plan.befall(
        plan.rng.uniform(*STEADY_S),
        lambda scene: scene.wheel.sensors.lines[PIN_B].hold(scene.wheel.now_us, 0),
    )

    def mend(scene: Any) -> None:
        scene.wheel.sensors.lines[PIN_B].release(scene.wheel.now_us)
        scene.wheel.push(plan.way * 0.1)

    plan.repair = mend


def interference(plan: TurnPlan) -> None:
    """A spark couples a short burst into the sensors' cables, faster than any pin."""
    plan.befall(
        plan.rng.uniform(*STEADY_S),
        lambda scene: scene.wheel.sensors.disturb(
            scene.wheel.now_us, (PIN_A, PIN_B, INDEX), pulses=40, period_us=500
        ),
    )

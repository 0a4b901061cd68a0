"""What goes wrong at a money wheel, as physics, and the code the table must report.

Faults of power, flash, program and host are those of every table; here are the ones in which the
wheel takes part, and enough of the others to show that they reach this role.
"""

from __future__ import annotations

import math
from typing import Any

from tableemulator.machines.core import fault_actions as common
from tableemulator.machines.core.fault_actions import Fault
from tableemulator.machines.money_wheel.physical_money_wheel import INDEX, PIN_A, PIN_B
from tableemulator.machines.money_wheel.wheel_presenter import TurnPlan
from tablewire import codes
from tablewire import money_wheel as words

# Slow enough that a wheel may come to rest within two segments: 20 degrees a second.
SLOW = 20 / 360


def _is_slow(table: Any) -> bool:
    speed = abs(table.wheel.speed())
    return bool(0 < speed < SLOW)


def _rests(table: Any) -> bool:
    return not table.wheel.speed()


def weak_push(plan: TurnPlan) -> None:
    """The second push is good for two to three turns only."""
    plan.first = min(plan.first, 0.2)
    plan.second = math.sqrt(2 * 0.043 * plan.rng.uniform(2.0, 2.9))


def hangs_on_pin(plan: TurnPlan) -> None:
    """The flapper hangs on the pin the wheel comes to rest at."""
    plan.when(_is_slow, lambda table: table.wheel.come_to_rest(_pin_ahead(table, -0.01)))


def rests_at_pin(plan: TurnPlan) -> None:
    """The wheel comes to rest so near before a pin that the flapper is two thirds bent.

    A worn wheel's magnet may be misplaced so that the pin counts as passed.
    """
    offset = 1 - plan.rng.uniform(0.034, 0.042)
    plan.when(_is_slow, lambda table: table.wheel.come_to_rest(_pin_ahead(table, offset)))


def _pin_ahead(table: Any, past: float) -> float:
    """Return the coordinate `past` segments behind the next pin but one in the direction."""
    way = 1 if table.wheel.speed() > 0 else -1
    return float(way * (math.floor(table.wheel.place() * way) + 2 + past))


def brake(plan: TurnPlan) -> None:
    """A hand brakes the wheel to half its speed."""
    plan.while_running(lambda table: table.wheel.brake(0.5))


def braked_to_rest(plan: TurnPlan) -> None:
    """A hand stops the wheel while it still turns briskly."""
    plan.while_running(lambda table: table.wheel.push(0.0, seconds=0.6))


def pushed_again(plan: TurnPlan) -> None:
    """Somebody gives the wheel a third push."""

    # The first one goes round far enough to be counted.
    plan.first, plan.second = 0.4, 0.7
    plan.second_us = plan.first_us + 2_600_000

    def push(table: Any) -> None:
        table.wheel.push(plan.way * 0.9)

    plan.while_running(push)


def moved_at_rest(plan: TurnPlan) -> None:
    """A hand turns the resting wheel on to the next segment before the result is reported."""

    def turn_on(table: Any) -> None:
        plan.touched = (table.now_us, table.wheel.segment())
        table.wheel.shift(plan.way * 1.0)

    def wait(table: Any) -> None:
        table.schedule(table.now_us + 1_700_000, turn_on)

    plan.when(_rests, wait)


def turned_back(plan: TurnPlan) -> None:
    """A hand turns the wheel the other way before it comes to rest."""
    plan.when(_is_slow, lambda table: table.wheel.push(-plan.way * 0.2, seconds=0.3))


def torn_round(plan: TurnPlan) -> None:
    """The second push is far too hard: 81 to 87 rpm."""
    plan.second = plan.rng.uniform(1.35, 1.45)


def driven(plan: TurnPlan) -> None:
    """Something keeps the wheel turning; the technician takes it away."""
    plan.add_incident(4.0, lambda table: table.wheel.keep_turning(table.wheel.speed()))
    plan.repair = lambda table: table.wheel.push(0.0, seconds=2.0)


def nobody_spins(plan: TurnPlan) -> None:
    """Nobody sets the wheel in motion."""
    plan.first = plan.second = 0.0


def pin_magnet_lost(plan: TurnPlan) -> None:
    """One pin has lost its magnet."""
    missing = frozenset((plan.rng.randrange(52),))
    plan.add_incident(-2.0, lambda table: table.wheel.refit(missing))
    plan.repair = lambda table: table.wheel.refit(frozenset())


def index_magnet_lost(plan: TurnPlan) -> None:
    """The index magnet has fallen off."""
    plan.add_incident(-2.0, lambda table: table.wheel.refit(frozenset(), index=False))
    plan.repair = lambda table: table.wheel.refit(frozenset())


def flapper_comes_off(plan: TurnPlan) -> None:
    """The flapper has come off its axle and no pin bends it."""

    def set_stiff(stiff: bool) -> Any:
        return lambda table: setattr(table.wheel, "stiff", stiff)

    plan.incidents.append((plan.first_us - 500_000, set_stiff(True)))
    plan.repair = set_stiff(False)


def flapper_wire_cut(plan: TurnPlan) -> None:
    """The wire of the flapper's sensor is cut."""
    plan.while_running(lambda table: setattr(table.wheel, "held_raw", 0))
    plan.repair = lambda table: setattr(table.wheel, "held_raw", None)


def pin_sensor_dies(plan: TurnPlan) -> None:
    """Pin sensor B answers no more."""
    plan.while_running(
        lambda table: table.wheel.sensors.lines[PIN_B].hold(table.wheel.now_us, 0),
    )

    def repair(table: Any) -> None:
        table.wheel.sensors.lines[PIN_B].release(table.wheel.now_us)
        table.wheel.push(plan.way * 0.1)

    plan.repair = repair


def interference(plan: TurnPlan) -> None:
    """A spark couples a short burst into the sensors' cables, faster than any pin."""
    plan.while_running(
        lambda table: table.wheel.sensors.disturb(
            table.wheel.now_us, (PIN_A, PIN_B, INDEX), pulses=40, period_us=500
        ),
    )


FAULTS: tuple[Fault, ...] = (
    Fault(
        "short_turn", words.SHORT_TURN, "wheel",
        "pushed too weakly for four turns", weak_push,
    ),
    Fault(
        "flapper_on_pin", words.FLAPPER_ON_PIN, "flapper",
        "hangs on the pin at which the wheel comes to rest", hangs_on_pin,
    ),
    Fault("obstructed", words.OBSTRUCTED, "wheel", "braked by a hand", brake),
    Fault(
        "stopped_by_hand", words.OBSTRUCTED, "wheel",
        "stopped by a hand while it runs", braked_to_rest,
    ),
    Fault("third_push", words.OBSTRUCTED, "wheel", "pushed a third time", pushed_again),
    Fault(
        "moved_at_rest", words.OBSTRUCTED, "wheel",
        "turned on by one segment before the result", moved_at_rest,
    ),
    Fault(
        "wheel_reversed", words.WHEEL_REVERSED, "wheel",
        "a hand turns it back before it comes to rest", turned_back,
    ),
    Fault("runaway", words.RUNAWAY, "wheel", "pushed to 81 to 87 rpm", torn_round),
    Fault("never_stopped", words.NEVER_STOPPED, "wheel", "something drives it", driven),
    Fault("not_spun", words.NOT_SPUN, "wheel", "no one pushes it", nobody_spins),
    Fault(
        "boundary_stop", words.BOUNDARY_STOP, "wheel",
        "comes to rest with the flapper bent by a pin, not on top of it", rests_at_pin,
    ),
    Fault("pins_lost", words.PINS_LOST, "pins", "one magnet is gone", pin_magnet_lost),
    Fault(
        "pin_index_lost", words.PIN_INDEX_LOST, "index",
        "its magnet has fallen off", index_magnet_lost,
    ),
    Fault(
        "flapper_stiff", words.FLAPPER_STIFF, "flapper",
        "has come off, no pin bends it", flapper_comes_off,
    ),
    Fault(
        "flapper_lost", words.FLAPPER_LOST, "flapper's sensor",
        "its wire is cut", flapper_wire_cut,
    ),
    Fault(
        "sensor_stuck", codes.SENSOR_STUCK, "pin sensor B",
        "stops responding while A continues", pin_sensor_dies,
    ),
    Fault(
        "sensor_implausible", codes.SENSOR_IMPLAUSIBLE, "pin sensors",
        "a spark couples a burst of pulses into their cables", interference,
    ),
    common.TILT,
    common.DOME_OPEN,
    common.CALLED_OFF,
    common.CROUPIER_BUTTON,
    Fault(
        "system_interruption", codes.SYSTEM_INTERRUPTION, "power",
        "fails while the wheel turns", common.power_cut,
    ),
    common.TASK_STOPPED,
    common.MEMORY_SHORT,
    common.MEMORY_DAMAGED,
    common.MAINTENANCE_OPEN,
)  # fmt: skip

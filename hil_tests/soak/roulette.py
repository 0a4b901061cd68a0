"""The soak of roulette: both wheels, each pocket sensor, sensors and index in random places."""

from __future__ import annotations

import random

from hil_tests.soak.soak_run import Built, Part
from tableemulator.fault_catalogue import Fault
from tableemulator.machines.roulette.croupier import Spin
from tableemulator.machines.roulette.physical_wheel import ORDERS, POCKET_SENSORS, Geometry

# Circuits of a number (rulebook R-4), and how far a ball's width on a sensor may make them more.
CIRCUITS = 7.0
BALL_WIDTH = 0.01
KINDS = [(wheel, sensor) for wheel in ORDERS for sensor in POCKET_SENSORS]


def build(rng: random.Random, number: int) -> Built:
    """Draw a table; the kinds take turns."""
    wheel, sensor = KINDS[number % len(KINDS)]
    rims = rng.choice((2, 2, 3, 4))
    geometry = Geometry(
        wheel,
        sensor,
        head_deg=rng.randrange(360),
        rim_2_deg=rng.randint(30, 150) if rims == 2 else None,
        index_offset=rng.randrange(len(ORDERS[wheel])),
        clockwise=rng.random() < 0.5,
        rim_sensors=rims,
    )
    noise = rng.choice(("healthy", "worn"))
    return Built(geometry, noise, {"close_on_ball": rng.randrange(2)})


def wrong_number(spin: Spin, fault: Fault | None, geometry: Geometry) -> str:
    """Return what is wrong with a number, "" if nothing is.

    It must be where the ball rests, of a spin without fault, with seven true circuits, no more
    claimed than were made, and both directions as they were.
    """
    if spin.reason is not None:
        return ""
    number, index, _sensor, _readings, centi, ball, rotor = spin.ended.values[:7]
    reported = "00" if number == 37 else str(number)
    if fault is not None:
        return f"number {reported} in spite of {fault.name}"
    if reported != spin.pocket or geometry.order[index] != spin.pocket:
        return f"number {reported} at index {index}, truly {spin.pocket}"
    if spin.circuits + BALL_WIDTH < max(centi / 100, CIRCUITS):
        return f"{centi / 100} circuits, truly {spin.circuits:.2f}"
    if (ball, rotor) != (spin.ball_direction, spin.rotor_direction):
        return f"ball {ball}, rotor {rotor}, truly {spin.ball_direction}, {spin.rotor_direction}"
    return ""


# Rims vary by up to a fifth.
PART = Part(build, wrong_number, voids=0.01)

"""The soak of the dice tray: throws of two or three dice."""

from __future__ import annotations

import random

from hil_tests.soak.soak_run import Built, Part
from tableemulator.fault_catalogue import Fault
from tableemulator.machines.dice_tray.physical_tray import TraySetup
from tableemulator.machines.dice_tray.stickman import Thrown
from tablewire.dice_tray import WALL_MISSED


def build(rng: random.Random, _number: int) -> Built:
    """Draw a table."""
    noise = rng.choice(("healthy", "worn"))
    changed = {"close_on_pickup": rng.randrange(2)}
    return Built(TraySetup(rng.randint(2, 3), lights=rng.random() < 0.5), noise, changed)


def excuse(thrown: Thrown) -> str:
    """Two dice on one plate at once are counted as one: the throw is void."""
    return "hits_together" if thrown.reason == WALL_MISSED and thrown.doubtful else ""


def wrong_dice(thrown: Thrown, fault: Fault | None, _setup: TraySetup) -> str:
    """Return what is wrong with the reported faces, "" if nothing is.

    They must be those that lie in view, all of them, of a throw without fault in which every die
    hit the wall, within five seconds.
    """
    if thrown.reason is not None:
        return ""
    if fault is not None:
        return f"dice {thrown.reported} in spite of {fault.name}"
    if thrown.reported != thrown.true or thrown.hits != len(thrown.dice):
        return f"dice {thrown.reported}, truly {thrown.true}, {thrown.hits} at the wall"
    return "" if (thrown.held_s or 0.0) <= 5.0 else f"held for {thrown.held_s} s"


PART = Part(build, wrong_dice, excuse)

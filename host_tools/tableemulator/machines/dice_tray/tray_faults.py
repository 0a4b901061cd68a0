"""What goes wrong at a dice tray, as physics, and the code the table must report.

Nothing here sets a flag or names a code but where a person reports what he saw. Faults of power,
flash, program and host are those of every table.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from tableemulator.machines.core import fault_actions as common
from tableemulator.machines.core.board_pins import BUTTON
from tableemulator.machines.core.fault_actions import Fault
from tableemulator.machines.core.harness import Act
from tableemulator.machines.dice_tray.physical_tray import EDGE, LINE, PLACE, PLATES
from tableemulator.machines.dice_tray.rendering import Die
from tableemulator.machines.dice_tray.stickman import ThrowPlan
from tablewire import codes
from tablewire import dice_tray as words

# After the throw: the dice still roll; they lie still and are not yet read.
ROLLING_S = (0.3, 0.6)


def _camera(name: str, value: object) -> Act:
    return lambda table: setattr(table.tray.camera, name, value)


def _break_camera(plan: ThrowPlan, name: str, bad: object, good: object) -> None:
    plan.after(plan.rng.uniform(*ROLLING_S), _camera(name, bad))
    plan.repair = _camera(name, good)


# --- the throw ------------------------------------------------------------------------------


def hesitates(plan: ThrowPlan) -> None:
    """The thrower keeps the dice in his hand for 5.2 to 7 seconds."""
    plan.throw_us = plan.lift_us + int(plan.rng.uniform(5.2, 7.0) * 1e6)


def throws_after_another(plan: ThrowPlan) -> None:
    """One die leaves the hand 0.3 to 0.6 seconds after the others."""
    late_us = int(plan.rng.uniform(0.3, 0.6) * 1e6)
    last = plan.thrown[-1]
    assert last.line_us is not None
    plan.bend(-1, line_us=last.line_us + late_us, wall_us=last.wall_us + late_us,
              rest_us=last.rest_us + late_us)  # fmt: skip


def throws_from_the_side(plan: ThrowPlan) -> None:
    """The dice are thrown from the long side of the table and never cross the line."""
    for place in range(len(plan.thrown)):
        plan.bend(place, line_us=None)


def falls_short(plan: ThrowPlan) -> None:
    """One die rolls to rest without reaching the far wall."""
    plan.bend(plan.rng.randrange(len(plan.thrown)), plate=None)


def jumps_off(plan: ThrowPlan) -> None:
    """A die bounces off the wall and over the edge of the table."""
    place = plan.rng.randrange(len(plan.thrown))
    flight = plan.thrown[place]
    plan.bend(place, die=None)
    width_us = int(plan.rng.uniform(5e3, 16e3))
    plan.after(flight.wall_us / 1e6 + 0.2, lambda table: table.tray.cross_edge(width_us))


def leans(plan: ThrowPlan) -> None:
    """One die comes to rest against something and leans by 29 or 30 degrees."""
    style = plan.camera.style
    if style.body > 128:
        die = Die(-0.955, 1.0, 6, 0.83, style, 0.5, 4.0, 0.18, spin=1)
    else:
        die = Die(-1.045, 0.091, 4, 0.5, style, 0.52, 3.66, 0.18, spin=2)
    plan.bend(0, die=die)
    for place, x in ((1, 110), (2, 138)):
        if place < len(plan.thrown):
            plan.bend(place, die=plan.camera.placed(Die(0, 0, 3, die.turn, style), x, 78))


def stays_at_the_wall(plan: ThrowPlan) -> None:
    """One die comes to rest on the dice line or between it and the wall."""
    die = plan.thrown[0].die
    assert die is not None
    x, y = (
        80 + die.x * plan.camera.px,
        plan.rng.choice((plan.rng.uniform(22, 25), plan.rng.uniform(34, 38))),
    )
    plan.bend(0, die=plan.camera.placed(die, x, y))


def one_too_few(plan: ThrowPlan) -> None:
    """A die vanishes under the rail, where no camera sees it."""
    plan.bend(0, die=None)


def nobody_throws(plan: ThrowPlan) -> None:
    """Nobody picks the dice up."""
    plan.flights, plan.lifts = None, False


def pips_worn(plan: ThrowPlan) -> None:
    """The pips of one die are worn: nearly of its own colour."""
    die = plan.thrown[0].die
    assert die is not None
    style = dataclasses.replace(die.style, pip=die.style.body + 3)
    plan.bend(0, die=dataclasses.replace(die, style=style))


def is_of_another_set(plan: ThrowPlan) -> None:
    """One die is of another set: a fifth smaller."""
    die = plan.thrown[0].die
    assert die is not None
    plan.bend(0, die=dataclasses.replace(die, size=0.8))


def shines(plan: ThrowPlan) -> None:
    """A lamp is mirrored along the edge of one die, too bright for the camera."""
    die = plan.thrown[0].die
    assert die is not None
    plan.bend(0, die=dataclasses.replace(die, style=dataclasses.replace(die.style, gloss=255.0)))


def lie_on_each_other(plan: ThrowPlan) -> None:
    """One die comes to rest half on another."""
    style = plan.camera.style
    if style.body > 128:
        low = Die(-0.909, 0.818, 2, 0.81, style, spin=3)
        top = Die(-0.149, 0.968, 1, 1.03, style, lift=1.0, spin=3)
    else:
        low = Die(-0.909, 0.818, 3, 0.51, style, spin=3)
        top = Die(-0.059, 0.918, 3, 0.8, style, lift=1.0, spin=3)
    plan.bend(0, die=low)
    plan.bend(1, die=top)
    if len(plan.thrown) > 2:
        plan.bend(2, die=plan.camera.placed(dataclasses.replace(low, turn=0.3), 130, 60))


def keeps_rolling(plan: ThrowPlan) -> None:
    """One die spins on its corner and does not come to rest."""
    plan.bend(0, rest_us=120_000_000)


def hold_still(plan: ThrowPlan) -> None:
    """Somebody lays a photograph of the round before under the lens: nothing in it has moved.

    At a table that gave no faces yet there is none, so the throw stays healthy.
    """

    def lay(table: Any) -> None:
        if not table.tray.camera.show_last():
            plan.fault = None

    plan.after(0.1, lay)
    plan.repair = lambda table: table.tray.camera.show_last(False)


# --- people ---------------------------------------------------------------------------------


def _presses(plan: ThrowPlan, count: int) -> None:
    start_s = plan.rng.uniform(*ROLLING_S)
    for press in range(count):
        plan.after(start_s + 0.35 * press, common.set_input(BUTTON, 1))
        plan.after(start_s + 0.35 * press + 0.15, common.set_input(BUTTON, 0))


def calls_off(plan: ThrowPlan) -> None:
    """The croupier calls the round off by holding the table button for two seconds."""
    plan.after(0.5, common.set_input(BUTTON, 1))
    plan.after(2.5, common.set_input(BUTTON, 0))
    plan.repair = common.set_input(BUTTON, 0)


def two_hands(plan: ThrowPlan) -> None:
    """The croupier sees both hands at the dice and presses twice."""
    _presses(plan, 2)


def die_breaks(plan: ThrowPlan) -> None:
    """The croupier sees that a die has broken and presses three times."""
    _presses(plan, 3)


def die_is_odd(plan: ThrowPlan) -> None:
    """The croupier sees an irregular die and presses four times."""
    _presses(plan, 4)


def hand_over_the_dice(plan: ThrowPlan) -> None:
    """Somebody's arm reaches in over the dice before they are read."""
    rest_s = max(flight.rest_us for flight in plan.thrown) / 1e6
    plan.after(rest_s - 0.2, _camera("hand", True))
    plan.repair = _camera("hand", False)


def hand_over_the_edge(plan: ThrowPlan) -> None:
    """A player reaches over the edge while the dice roll."""
    plan.after(plan.rng.uniform(*ROLLING_S), lambda table: table.tray.cross_edge(600_000))


# --- camera and lines -----------------------------------------------------------------------


def cover_lens(plan: ThrowPlan) -> None:
    """Somebody lays a sheet of paper over the lens."""
    _break_camera(plan, "cover", 180, None)


def knock_camera(plan: ThrowPlan) -> None:
    """The camera is knocked aside by six pixels."""
    _break_camera(plan, "moved_px", 6, 0)


def lose_focus(plan: ThrowPlan) -> None:
    """The lens is turned out of focus."""
    _break_camera(plan, "blur", 8, 1)


def lose_the_tray(plan: ThrowPlan) -> None:
    """A power cut damages the file of the tray; a technician measures the tray again."""
    plan.while_running(lambda table: table.damage_tray_file())
    plan.repair = lambda table: table.commission()


def light_out(plan: ThrowPlan) -> None:
    """The light over the table goes out."""
    _break_camera(plan, "lit", 0.03, 1.0)


def unplug_camera(plan: ThrowPlan) -> None:
    """The camera's plug is pulled."""
    _break_camera(plan, "stopped", True, False)


def camera_hangs(plan: ThrowPlan) -> None:
    """The camera gives the same picture for ever."""
    _break_camera(plan, "frozen", True, False)


def _break_line(plan: ThrowPlan, pin: int, after_s: float) -> None:
    plan.after(after_s, lambda table: table.tray.sensors.lines[pin].hold(table.tray.now_us, 1))
    plan.repair = lambda table: table.tray.sensors.lines[pin].release(table.tray.now_us)


def cover_line(plan: ThrowPlan) -> None:
    """Something lies in the throw line."""
    _break_line(plan, LINE, 0.5)


def short_plate(plan: ThrowPlan) -> None:
    """The circuit of a wall plate hangs."""
    _break_line(plan, PLATES[1], 0.4)


def short_place_beam(plan: ThrowPlan) -> None:
    """The pick-up beam shows dice where none lie."""
    _break_line(plan, PLACE, (plan.lift_us - plan.throw_us) / 1e6 - 0.5)

    def repair(table: Any) -> None:
        table.tray.sensors.lines[PLACE].release(table.tray.now_us)
        table.tray.lift()
        table.schedule(table.now_us + 1_000_000, lambda table: table.tray.put_back())

    plan.repair = repair


def interference(plan: ThrowPlan) -> None:
    """A spark couples a burst of pulses into the cables, faster than any dice.

    160 edges in 8 ms: more than dice make, fewer than the ring of edges holds.
    """
    pins = (LINE, *PLATES, EDGE)
    plan.after(
        plan.rng.uniform(*ROLLING_S),
        lambda table: table.tray.sensors.disturb(
            table.tray.now_us, pins, pulses=16, period_us=500
        ),
    )


FAULTS: tuple[Fault, ...] = (
    Fault(
        "late_throw", words.LATE_THROW, "dice",
        "kept in the hand for more than five seconds", hesitates,
    ),
    Fault(
        "two_hands", words.TWO_HANDS, "table button",
        "pressed twice: both hands were at the dice", two_hands,
    ),
    Fault(
        "not_together", words.NOT_TOGETHER, "dice",
        "one is thrown after the others", throws_after_another,
    ),
    Fault(
        "not_from_head", words.NOT_FROM_HEAD, "dice",
        "thrown from the long side of the table", throws_from_the_side,
    ),
    Fault(
        "wall_missed", words.WALL_MISSED, "dice",
        "one falls short of the far wall", falls_short,
    ),
    Fault("off_table", words.OFF_TABLE, "dice", "one jumps over the edge", jumps_off),
    Fault("die_cocked", words.DIE_COCKED, "dice", "one leans", leans),
    Fault(
        "die_broken", words.DIE_BROKEN, "table button",
        "pressed three times: a die has broken", die_breaks,
    ),
    Fault(
        "die_irregular", words.DIE_IRREGULAR, "table button",
        "pressed four times: a die looks wrong", die_is_odd,
    ),
    Fault(
        "line_not_passed", words.LINE_NOT_PASSED, "dice",
        "one stays on the dice line or behind it", stays_at_the_wall,
    ),
    Fault(
        "no_motion_proof", words.NO_MOTION_PROOF, "camera",
        "sees a photograph of the round before", hold_still,
    ),
    Fault(
        "camera_covered", words.CAMERA_COVERED, "camera",
        "a sheet of paper over the lens", cover_lens,
    ),
    Fault(
        "camera_moved", words.CAMERA_MOVED, "camera",
        "knocked aside", knock_camera,
    ),
    Fault("camera_dark", words.CAMERA_DARK, "light", "goes out", light_out),
    Fault(
        "dice_count_wrong", words.DICE_COUNT_WRONG, "dice",
        "one lies under the rail", one_too_few,
    ),
    Fault(
        "camera_stopped", words.CAMERA_STOPPED, "camera",
        "unplugged", unplug_camera,
    ),
    Fault(
        "camera_frozen", words.CAMERA_STOPPED, "camera",
        "sends the same picture again and again", camera_hangs,
    ),
    Fault("not_thrown", words.NOT_THROWN, "dice", "no one takes them", nobody_throws),
    Fault("face_unsure", words.FACE_UNSURE, "dice", "the pips of one are worn", pips_worn),
    Fault(
        "never_rested", words.NEVER_RESTED, "dice",
        "one spins on its corner", keeps_rolling,
    ),
    Fault(
        "tray_obstructed", words.TRAY_OBSTRUCTED, "camera",
        "an arm over the dice", hand_over_the_dice,
    ),
    Fault(
        "reached_in", words.TRAY_OBSTRUCTED, "edge beams",
        "a player reaches in while the dice roll", hand_over_the_edge,
    ),
    Fault(
        "dice_not_apart", words.DICE_NOT_APART, "dice",
        "one lies on another", lie_on_each_other,
    ),
    Fault(
        "not_commissioned", words.NOT_COMMISSIONED, "flash",
        "a power cut damages the file of the tray", lose_the_tray,
        void_code=codes.SYSTEM_INTERRUPTION,
    ),
    Fault(
        "die_size", words.DIE_SIZE, "dice",
        "one is of another set, and smaller", is_of_another_set,
    ),
    Fault(
        "die_shines", words.DIE_SHINES, "light",
        "is mirrored in one die", shines,
    ),
    Fault(
        "picture_blurred", words.PICTURE_BLURRED, "camera",
        "out of focus", lose_focus,
    ),
    Fault(
        "line_stuck", codes.SENSOR_STUCK, "throw line",
        "something lies in it", cover_line,
    ),
    Fault("wall_stuck", codes.SENSOR_STUCK, "far wall", "a plate sticks", short_plate),
    Fault(
        "place_stuck", codes.SENSOR_STUCK, "pick-up beam",
        "shows dice where none lie", short_place_beam,
    ),
    Fault(
        "sensor_implausible", codes.SENSOR_IMPLAUSIBLE, "beams",
        "a spark couples a burst of pulses into their cables", interference,
    ),
    common.TILT,
    common.DOME_OPEN,
    common.CALLED_OFF,
    dataclasses.replace(common.CROUPIER_BUTTON, inject=calls_off),
    Fault(
        "system_interruption", codes.SYSTEM_INTERRUPTION, "power",
        "fails while the dice roll", common.power_cut,
    ),
    common.TASK_STOPPED,
    common.MEMORY_SHORT,
    common.MEMORY_DAMAGED,
    common.MAINTENANCE_OPEN,
)  # fmt: skip

"""The fault catalogue of the dice tray: see faults.py.

Faults of power, flash, program and host are those of every table; here stand the ones in which
dice, beams or camera take part, and enough of the others to show that they reach this role.
"""

from __future__ import annotations

from hil_tests.emulators.dice_tray import faults as mishaps
from hil_tests.emulators.roulette import faults as any_table
from hil_tests.faults import (
    CALLED_OFF,
    DOME_OPEN,
    MAINTENANCE_OPEN,
    MEMORY_DAMAGED,
    TASK_STOPPED,
    TILT,
    Fault,
)
from tablewire import codes
from tablewire import dice_tray as words

FAULTS: tuple[Fault, ...] = (
    Fault(
        "late_throw", words.LATE_THROW, "dice",
        "kept in the hand for more than five seconds", mishaps.hesitates,
    ),
    Fault(
        "two_hands", words.TWO_HANDS, "table button",
        "pressed twice: both hands were at the dice", mishaps.two_hands,
    ),
    Fault(
        "not_together", words.NOT_TOGETHER, "dice",
        "one is thrown after the others", mishaps.throws_after_another,
    ),
    Fault(
        "not_from_head", words.NOT_FROM_HEAD, "dice",
        "thrown from the long side of the table", mishaps.throws_from_the_side,
    ),
    Fault(
        "wall_missed", words.WALL_MISSED, "dice",
        "one falls short of the far wall", mishaps.falls_short,
    ),
    Fault("off_table", words.OFF_TABLE, "dice", "one jumps over the edge", mishaps.jumps_off),
    Fault("die_cocked", words.DIE_COCKED, "dice", "one leans", mishaps.leans),
    Fault(
        "die_broken", words.DIE_BROKEN, "table button",
        "pressed three times: a die has broken", mishaps.die_breaks,
    ),
    Fault(
        "die_irregular", words.DIE_IRREGULAR, "table button",
        "pressed four times: a die looks wrong", mishaps.die_is_odd,
    ),
    Fault(
        "line_not_passed", words.LINE_NOT_PASSED, "dice",
        "one stays on the dice line or behind it", mishaps.stays_at_the_wall,
    ),
    Fault(
        "no_motion_proof", words.NO_MOTION_PROOF, "camera",
        "sees a photograph of the round before", mishaps.never_moved,
    ),
    Fault(
        "camera_covered", words.CAMERA_COVERED, "camera",
        "a sheet of paper over the lens", mishaps.lens_covered,
    ),
    Fault(
        "camera_moved", words.CAMERA_MOVED, "camera",
        "knocked aside", mishaps.camera_knocked,
    ),
    Fault("camera_dark", words.CAMERA_DARK, "light", "goes out", mishaps.light_out),
    Fault(
        "dice_count_wrong", words.DICE_COUNT_WRONG, "dice",
        "one lies under the rail", mishaps.one_too_few,
    ),
    Fault(
        "camera_stopped", words.CAMERA_STOPPED, "camera",
        "unplugged", mishaps.camera_unplugged,
    ),
    Fault(
        "camera_frozen", words.CAMERA_STOPPED, "camera",
        "gives one picture for ever", mishaps.camera_hangs,
    ),
    Fault("not_thrown", words.NOT_THROWN, "dice", "nobody takes them", mishaps.nobody_throws),
    Fault("face_unsure", words.FACE_UNSURE, "dice", "the pips of one are worn", mishaps.pips_worn),
    Fault(
        "never_rested", words.NEVER_RESTED, "dice",
        "one spins on its corner", mishaps.keeps_rolling,
    ),
    Fault(
        "tray_obstructed", words.TRAY_OBSTRUCTED, "camera",
        "an arm over the dice", mishaps.hand_over_the_dice,
    ),
    Fault(
        "reached_in", words.TRAY_OBSTRUCTED, "edge beams",
        "a player reaches in while the dice roll", mishaps.hand_over_the_edge,
    ),
    Fault(
        "dice_not_apart", words.DICE_NOT_APART, "dice",
        "one lies on another", mishaps.lie_on_each_other,
    ),
    Fault(
        "line_stuck", codes.SENSOR_STUCK, "throw line",
        "something lies in it", mishaps.line_covered,
    ),
    Fault("wall_stuck", codes.SENSOR_STUCK, "far wall", "a plate hangs", mishaps.plate_shorted),
    Fault(
        "place_stuck", codes.SENSOR_STUCK, "pick-up beam",
        "shows dice where none lie", mishaps.place_beam_shorted,
    ),
    Fault(
        "sensor_implausible", codes.SENSOR_IMPLAUSIBLE, "beams",
        "a spark couples a burst of pulses into their cables", mishaps.interference,
    ),
    TILT,
    DOME_OPEN,
    CALLED_OFF,
    Fault(
        "croupier_button", codes.CROUPIER_VOID, "table button",
        "held for two seconds to call the round off", mishaps.calls_off,
    ),
    Fault(
        "system_interruption", codes.SYSTEM_INTERRUPTION, "power",
        "fails while the dice roll", any_table.power_cut,
    ),
    TASK_STOPPED,
    MEMORY_DAMAGED,
    MAINTENANCE_OPEN,
)  # fmt: skip

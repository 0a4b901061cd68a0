"""The fault catalogue of the money wheel: see faults.py.

Faults of power, flash, program and host are those of every table; here stand the ones in which
the wheel takes part, and enough of the others to show that they reach this role.
"""

from __future__ import annotations

from hil_tests.emulators.money_wheel import faults as mishaps
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
from tablewire import money_wheel as words

FAULTS: tuple[Fault, ...] = (
    Fault(
        "short_turn", words.SHORT_TURN, "wheel",
        "pushed too weakly for four turns", mishaps.weak_push,
    ),
    Fault(
        "flapper_on_pin", words.FLAPPER_ON_PIN, "flapper",
        "hangs on the pin at which the wheel comes to rest", mishaps.hangs_on_pin,
    ),
    Fault("obstructed", words.OBSTRUCTED, "wheel", "braked by a hand", mishaps.braked),
    Fault(
        "stopped_by_hand", words.OBSTRUCTED, "wheel",
        "stopped by a hand while it runs", mishaps.braked_to_rest,
    ),
    Fault("third_push", words.OBSTRUCTED, "wheel", "pushed a third time", mishaps.pushed_again),
    Fault(
        "moved_at_rest", words.OBSTRUCTED, "wheel",
        "turned on by one segment before the result", mishaps.moved_at_rest,
    ),
    Fault(
        "wheel_reversed", words.WHEEL_REVERSED, "wheel",
        "a hand turns it back before it comes to rest", mishaps.turned_back,
    ),
    Fault("runaway", words.RUNAWAY, "wheel", "pushed to 81 to 87 rpm", mishaps.torn_round),
    Fault("never_stopped", words.NEVER_STOPPED, "wheel", "something drives it", mishaps.driven),
    Fault("not_spun", words.NOT_SPUN, "wheel", "nobody pushes it", mishaps.nobody_spins),
    Fault(
        "boundary_stop", words.BOUNDARY_STOP, "wheel",
        "comes to rest right behind a pin", mishaps.rests_past_pin,
    ),
    Fault("pins_lost", words.PINS_LOST, "pins", "one magnet is gone", mishaps.pin_magnet_lost),
    Fault(
        "pin_index_lost", words.PIN_INDEX_LOST, "index",
        "its magnet has fallen off", mishaps.index_magnet_lost,
    ),
    Fault(
        "flapper_stiff", words.FLAPPER_STIFF, "flapper",
        "has come off, no pin bends it", mishaps.flapper_comes_off,
    ),
    Fault(
        "flapper_lost", words.FLAPPER_LOST, "flapper's sensor",
        "its wire is cut", mishaps.flapper_wire_cut,
    ),
    Fault(
        "sensor_stuck", codes.SENSOR_STUCK, "pin sensor B",
        "answers no more while A goes on", mishaps.pin_sensor_dies,
    ),
    Fault(
        "sensor_implausible", codes.SENSOR_IMPLAUSIBLE, "pin sensors",
        "a spark couples a burst of pulses into their cables", mishaps.interference,
    ),
    TILT,
    DOME_OPEN,
    CALLED_OFF,
    Fault(
        "croupier_button", codes.CROUPIER_VOID, "table button",
        "held for two seconds to call the round off", any_table.voided_at_table,
    ),
    Fault(
        "system_interruption", codes.SYSTEM_INTERRUPTION, "power",
        "fails while the wheel turns", any_table.power_cut,
    ),
    TASK_STOPPED,
    MEMORY_DAMAGED,
    MAINTENANCE_OPEN,
)  # fmt: skip

"""Faults: what can go wrong, how it is played, and the code the table must report.

Each fault is an action that bends the plan of one round, as physics: none sets a flag or names a
code, and `repair` is what a technician does afterwards. Those here can happen at any table; each
role's own are in its *_faults.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tablewire import codes, messages

from . import board_pins
from .harness import Act, Plan


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. where: what is tampered with. inject: bends one planned round.

    code: the number expected. void_code: the reason of the void, where it differs from code; the
    code then shows as an active fault raised beside it. voids: False where the round ends with
    its result all the same. keyed: only a table with a key can report it. is_drawn: mixed faults
    include it. changed: configuration it needs, by key.
    """

    name: str
    code: int
    where: str
    what: str
    inject: Callable[[Any], None]
    void_code: int | None = None
    voids: bool = True
    keyed: bool = False
    is_drawn: bool = True
    changed: Mapping[str, int] = field(default_factory=dict, hash=False)

    @property
    def reason(self) -> int | None:
        """Return the reason of the void the round must end with, None for a result."""
        return (self.void_code or self.code) if self.voids else None


# --- actions --------------------------------------------------------------------------------


def set_input(pin: int, level: int) -> Act:
    """Return the act that sets a contact of the table."""
    return lambda table: table.model.sensors.set_input(table.model.now_us, pin, level)


def hold_input(plan: Plan, pin: int) -> None:
    """A contact is closed while the machine runs; the technician opens it."""
    plan.while_running(set_input(pin, 1))
    plan.repair = set_input(pin, 0)


def leaned_on(plan: Plan) -> None:
    hold_input(plan, board_pins.TILT)


def lift_dome(plan: Plan) -> None:
    hold_input(plan, board_pins.DOME)


def turn_key(plan: Plan) -> None:
    hold_input(plan, board_pins.MAINTENANCE)


def voided_from_pit(plan: Plan) -> None:
    plan.while_running(lambda table: table.order_void())


def voided_at_table(plan: Plan) -> None:
    """The croupier holds the table button for two seconds."""
    start_s = plan.draw_running_s()
    plan.add_incident(start_s, set_input(board_pins.BUTTON, 1))
    plan.add_incident(start_s + 2.0, set_input(board_pins.BUTTON, 0))
    plan.repair = set_input(board_pins.BUTTON, 0)


def power_cut(plan: Plan) -> None:
    plan.while_running(lambda table: table.cut_power())


def power_cut_spoils_flash(plan: Plan) -> None:
    """The stored configuration does not survive the power cut."""
    plan.while_running(lambda table: table.cut_power(damage=True))
    plan.repair = lambda table: table.restore_configuration()


def power_cut_with_full_journal(plan: Plan) -> None:
    """The journal holds what an absent host never acknowledged."""
    plan.while_running(lambda table: table.cut_power(full=True))


def program_fails(plan: Plan) -> None:
    plan.while_running(lambda table: table.stop_task())


def memory_runs_out(plan: Plan) -> None:
    plan.while_running(lambda table: table.stop_task(memory=True))


def stranger_on_the_line(plan: Plan) -> None:
    """While bets are open: later the round is finished first, and then the table locks."""
    plan.add_incident(-0.5, lambda table: table.intrude())
    plan.repair = lambda table: table.order(messages.CLEAR_FAULT, codes.LINK_TAMPERED)


def memory_rots(plan: Plan) -> None:
    """Flash rots, and the croupier calls the round off."""

    def rot(table: Any) -> None:
        table.rot_memory()
        table.order_void()

    plan.while_running(rot)
    plan.repair = lambda table: table.order(messages.CLEAR_FAULT, codes.MEMORY_DAMAGED)


def locked_from_pit(plan: Plan) -> None:
    """The host locks the table after an attestation; the technician clears it after a match."""
    plan.while_running(lambda table: table.order(messages.LOCK))
    plan.repair = lambda table: table.order(messages.CLEAR_FAULT, codes.FIRMWARE_MISMATCH)


def older_program(plan: Plan) -> None:
    """After a power cut the table boots a program older than the newest that ran."""
    plan.while_running(lambda table: table.boot_release(behind=1))
    plan.repair = lambda table: table.boot_release(behind=0)


# --- faults of any table --------------------------------------------------------------------

TILT = Fault("tilt", codes.TILT, "table", "someone leans on it", leaned_on)
DOME_OPEN = Fault("dome_open", codes.DOME_OPEN, "table", "its door is opened", lift_dome)
CALLED_OFF = Fault(
    "croupier_void",
    codes.CROUPIER_VOID,
    "host",
    "the round is voided by command",
    voided_from_pit,
)
CROUPIER_BUTTON = Fault(
    "croupier_button",
    codes.CROUPIER_VOID,
    "table button",
    "held for two seconds to void the round",
    voided_at_table,
)
TASK_STOPPED = Fault(
    "task_stopped",
    codes.TASK_STOPPED,
    "program",
    "a task ends with an error",
    program_fails,
)
MEMORY_SHORT = Fault(
    "memory_short",
    codes.MEMORY_SHORT,
    "program",
    "a task finds no contiguous memory",
    memory_runs_out,
)
MEMORY_DAMAGED = Fault(
    "memory_damaged",
    codes.MEMORY_DAMAGED,
    "flash",
    "both copies of the active faults decay; the round is also called off",
    memory_rots,
    void_code=codes.CROUPIER_VOID,
)
MAINTENANCE_OPEN = Fault(
    "maintenance_open",
    codes.MAINTENANCE_OPEN,
    "maintenance switch",
    "someone turns the key in the controller box",
    turn_key,
)

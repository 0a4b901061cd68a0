"""The fault catalogue: what can go wrong at a roulette table, and the code the table must give.

Each fault is injected as physics (hil_tests/emulators/mishaps.py). For every roulette code there
is at least one fault. The code shows as the reason of the void; where void_code is given, it shows
as a standing fault raised beside a void for that other reason.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tablespec.reasons import REASONS
from tablewire import codes, roulette

from .emulators import line_mishaps, memory_mishaps, service_mishaps
from .emulators.roulette import faults as mishaps

# Share of spins with a fault when faults are drawn at random.
MIXED_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. where: what is tampered with. inject: bends one planned spin.

    code: the number expected. void_code: the reason of the void, where it differs from code.
    keyed: only a table with a key can tell it.
    """

    name: str
    code: int
    where: str
    what: str
    inject: Callable[[Any], None]
    void_code: int | None = None
    keyed: bool = False

    @property
    def reason(self) -> int:
        """Return the reason of the void the spin must end with."""
        return self.void_code or self.code


# What befalls a table of any kind alike.
TILT = Fault("tilt", codes.TILT, "table", "someone leans on it", mishaps.leaned_on)
DOME_OPEN = Fault("dome_open", codes.DOME_OPEN, "table", "its door is opened", mishaps.dome_lifted)
CALLED_OFF = Fault(
    "croupier_void", codes.CROUPIER_VOID, "host",
    "the round is called off by command", mishaps.voided_from_pit,
)  # fmt: skip
TASK_STOPPED = Fault(
    "task_stopped", codes.TASK_STOPPED, "program",
    "a task ends with an error", mishaps.program_fails,
)  # fmt: skip
MEMORY_DAMAGED = Fault(
    "memory_damaged", codes.MEMORY_DAMAGED, "flash",
    "both copies of the faults that stand rot; the round is called off besides",
    memory_mishaps.memory_rots, void_code=codes.CROUPIER_VOID,
)  # fmt: skip
MAINTENANCE_OPEN = Fault(
    "maintenance_open", codes.MAINTENANCE_OPEN, "maintenance switch",
    "somebody turns the key in the controller box", service_mishaps.key_turned,
)  # fmt: skip

FAULTS: tuple[Fault, ...] = (
    Fault(
        "short_spin", roulette.SHORT_SPIN, "ball",
        "thrown too weakly for seven circuits", mishaps.weak_throw,
    ),
    Fault(
        "wrong_direction", roulette.BALL_WITH_ROTOR, "ball",
        "thrown the way the rotor turns", mishaps.throw_with_rotor,
    ),
    Fault(
        "no_pocket", roulette.NO_POCKET, "ball",
        "hits a deflector and leaves the wheel", mishaps.jumps_out,
    ),
    Fault(
        "foreign_object", roulette.FOREIGN_OBJECT, "rim",
        "a chip slides in the rim against the ball", mishaps.chip_in_rim,
    ),
    Fault(
        "second_ball", roulette.SECOND_BALL, "pocket",
        "another ball is laid into a pocket, the first just in its own", mishaps.second_ball,
    ),
    Fault(
        "second_ball_early", roulette.SECOND_BALL, "pocket",
        "another ball is flicked into a pocket, the first bouncing", mishaps.second_ball_early,
    ),
    Fault(
        "ball_removed", roulette.BALL_REMOVED, "ball",
        "a hand takes the ball out of the track while it is fast", mishaps.taken_from_track,
    ),
    Fault(
        "ball_not_sensed", roulette.BALL_NOT_SENSED, "ball",
        "a hand lays the ball into a pocket, nothing runs on the rim", mishaps.dropped_into_pocket,
    ),
    Fault(
        "ball_stuck", roulette.BALL_STUCK, "ball",
        "a sticky track holds the ball on the rim, crawling", mishaps.crawls,
    ),
    Fault(
        "ball_stuck_on_sensor", roulette.BALL_STUCK, "ball",
        "a sticky track stops the ball on a rim sensor", mishaps.rests_on_sensor,
    ),
    Fault(
        "launch_failed", roulette.LAUNCH_FAILED, "ball",
        "jumps out of the track in its first two laps", mishaps.flies_off,
    ),
    Fault(
        "slow_launch", roulette.SLOW_LAUNCH, "ball",
        "let go so gently that its first lap takes over 1.1 s", mishaps.gentle_throw,
    ),
    Fault(
        "foreign_magnet", roulette.FOREIGN_MAGNET, "pocket",
        "a magnet is brought under a pocket while the ball runs", mishaps.magnet_under_pocket,
    ),
    Fault(
        "rotor_stopped", roulette.ROTOR_STOPPED, "rotor",
        "a hand stops the rotor while the ball runs", mishaps.rotor_held,
    ),
    Fault(
        "rotor_slow", roulette.ROTOR_SLOW, "rotor",
        "hardly pushed: 3 to 4.8 rpm", mishaps.rotor_pushed_weakly,
    ),
    Fault(
        "rotor_fast", roulette.ROTOR_FAST, "rotor",
        "pushed to 34 to 42 rpm", mishaps.rotor_pushed_hard,
    ),
    Fault(
        "rotor_reversed", roulette.ROTOR_REVERSED, "rotor",
        "a hand turns it the other way while the ball runs", mishaps.rotor_turned_back,
    ),
    Fault(
        "index_lost", roulette.INDEX_LOST, "index sensor",
        "answers no more", mishaps.index_dies,
    ),
    Fault(
        "tick_lost", roulette.TICK_LOST, "rotor ring",
        "one magnet has fallen off", mishaps.ring_magnet_lost,
    ),
    Fault(
        "sensor_stuck", codes.SENSOR_STUCK, "rim sensor 2",
        "answers no more; mended, the ball is rolled past it", mishaps.rim_dies,
    ),
    Fault(
        "rim_shorted", codes.SENSOR_STUCK, "rim sensor 1",
        "its line stays high", mishaps.rim_shorted,
    ),
    Fault(
        "ring_dead", codes.SENSOR_STUCK, "ring sensor B",
        "answers no more while A ticks on", mishaps.ring_dies,
    ),
    Fault(
        "sensor_implausible", codes.SENSOR_IMPLAUSIBLE, "rim sensors",
        "a spark couples a burst of pulses into their cables", mishaps.interference,
    ),
    TILT,
    Fault("dome_open", codes.DOME_OPEN, "table", "the dome is lifted", mishaps.dome_lifted),
    Fault(
        "croupier_void", codes.CROUPIER_VOID, "host",
        "the spin is called off by command", mishaps.voided_from_pit,
    ),
    Fault(
        "croupier_button", codes.CROUPIER_VOID, "table button",
        "held for two seconds to call the spin off", mishaps.voided_at_table,
    ),
    Fault(
        "system_interruption", codes.SYSTEM_INTERRUPTION, "power",
        "fails while the ball runs", mishaps.power_cut,
    ),
    Fault(
        "edges_lost", codes.EDGES_LOST, "all sensor cables",
        "thousands of edges within 10 ms", mishaps.interference_storm,
    ),
    Fault(
        "not_configured", codes.NOT_CONFIGURED, "flash",
        "the power fails and spoils the stored configuration", mishaps.power_cut_spoils_flash,
        void_code=codes.SYSTEM_INTERRUPTION,
    ),
    TASK_STOPPED,
    Fault(
        "journal_full", codes.JOURNAL_FULL, "host",
        "the power fails on a table that waits for its host with a full journal",
        memory_mishaps.power_cut_with_full_journal, void_code=codes.SYSTEM_INTERRUPTION,
    ),
    Fault(
        "memory_damaged", codes.MEMORY_DAMAGED, "flash",
        "both copies of the faults that stand rot; the spin is called off besides",
        memory_mishaps.memory_rots, void_code=codes.CROUPIER_VOID,
    ),
    Fault(
        "link_tampered", codes.LINK_TAMPERED, "line",
        "a stranger sends a command that no host has sealed", line_mishaps.stranger_on_the_line,
        keyed=True,
    ),
    MAINTENANCE_OPEN,
    Fault(
        "firmware_mismatch", codes.FIRMWARE_MISMATCH, "host",
        "the host found another program on the flash and locks the table",
        service_mishaps.locked_from_pit,
    ),
    Fault(
        "firmware_rollback", codes.FIRMWARE_ROLLBACK, "flash",
        "the power fails; the flash says that a newer release ran before",
        service_mishaps.older_program, void_code=codes.SYSTEM_INTERRUPTION,
    ),
)  # fmt: skip

BY_NAME = {fault.name: fault for fault in FAULTS}


def draw(
    rng: random.Random, *, keyed: bool = False, catalogue: tuple[Fault, ...] = FAULTS
) -> Fault | None:
    """Draw a fault or a healthy spin; keyed: for a table with a key."""
    fitting = [fault for fault in catalogue if keyed or not fault.keyed]
    return rng.choice(fitting) if rng.random() < MIXED_SHARE else None


def find(name: str, catalogue: tuple[Fault, ...] = FAULTS) -> Fault:
    """Return the fault of that name, or the first one for the reason of that name or number.

    Raises KeyError if there is neither.
    """
    for fault in catalogue:
        if fault.name == name:
            return fault
    numbers = [r.number for r in REASONS if name in (r.name, str(r.number))]
    for fault in catalogue:
        if fault.code in numbers:
            return fault
    raise KeyError(name)

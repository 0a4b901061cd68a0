"""Every mounting fault of a roulette wheel: does it play wrong numbers, and does the walk name it?

    python -m hil_tests.mounted_wrong --rounds 8 [--seed 1] [--fault NAME]

One line a fault and pocket sensor: what became of healthy rounds of hil_tests.physics at a wheel
that is mounted so, and what the walk of `tabletool diag --calibrate pockets` says of it. Exit code
1: a fault plays wrong numbers and passes the walk.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from hil_tests.physics import device, spin_rounds
from hil_tests.physics.kinds import RIGHT, VOID, WRONG, Judged
from hil_tests.physics.making import MakeRole, alone
from hil_tests.walked_wheel import WalkedWheel
from tableemulator.machines.roulette.mounting_faults import BY_NAME, FAULTS, Mounting
from tableemulator.machines.roulette.physical_wheel import ORDERS
from tabletools.diag.check import FAIL, Check
from tabletools.diag.roulette.walk import walk

# What the walk has to say of each: a piece of a failed check's note.
NAMED = {
    "registers_exchanged": "registers 2 and 3 are exchanged",
    "registers_backwards": "the chain of registers begins at its other end",
    "bits_backwards": "the inputs of each register are wired backwards",
    "shifted_on": "one place late",
    "shifted_back": "one place early",
    "array_turned": "one pocket too far forward",
    "array_mirrored": "reading_direction = 1 corrects it",
    "switches_exchanged": "pocket 4 (number 4) and pocket 5 (number 21) are exchanged",
    "switch_dead": "pocket 12 (number 13): its switch is dead",
    "switch_shorted": "pocket 12 (number 13): its switch is shorted",
    "switches_shorted": "pocket 20 (number 24): its switch is shorted",
    "switches_joined": "pocket 12 (number 13) and pocket 13 (number 36) close together",
    "register_dead": "register 2 reports nothing (pockets 8 to 15)",
    "array_dead": "no switch closed",
    "array_shorted": "the data line is shorted",
    "array_reversed": "nearly all switches are closed: they are reversed",
    "ring_exchanged": "ring sensors A and B are exchanged",
    "ring_and_index_exchanged": "rotor a and index are exchanged",
    "rims_exchanged": "rim 1 and rim 2 are exchanged",
    "rims_3_and_4_exchanged": "rim 3 and rim 4 are exchanged",
    "ring_and_rims_exchanged": "ring sensors A and B are exchanged",
    "ring_and_rim_exchanged": "rotor a and rim 1 are exchanged",
    "rim_and_head_exchanged": "rim 2 and head are exchanged",
    "ring_a_reversed": "or the input of one is reversed",
    "ring_reversed": "the inputs of both ring sensors are reversed",
    "index_reversed": "wherever the rotor stops: its input is reversed",
    "rim_reversed": "active with nothing at it: its input is reversed",
    "head_reversed": "active with nothing at it: its input is reversed",
    "ring_b_dead": "0 pulses: the sensor is dead",
    "head_dead": "0 pulses: the sensor is dead",
    "reading_direction": "reading_direction = 0 corrects it",
    "wheel_size": "wheel = 1 corrects it",
    "index_one_on": "index_offset = 0 corrects it",
    "head_angle": "index_offset = 35 corrects it",
    "rim_angle": "rim_angle_mdeg = 90000",
    "rim_3_angle": "rim_3_angle_mdeg = 240000",
    "array_turned_back": "one pocket too far back",
    "rim_mirrored": "rim 2 is 270 degrees clockwise of rim 1, not 90",
    "head_half_a_pocket": "--calibrate reader_offset corrects head_angle_mdeg",
    "head_low": "too long or too short for a ball",
    "head_high": "too long or too short for a ball",
    "head_misses": "of the turns passed it unseen",
    "head_sees_rotor": "head sees the rotor",
    "index_half_on": "the index magnet is not half way between two ring magnets",
    "index_half_back": "the index magnet is not half way between two ring magnets",
    "index_third_on": "the index magnet is not half way between two ring magnets",
    "index_third_back": "the index magnet is not half way between two ring magnets",
    "index_twice": "two magnets on the track of the index",
    "index_upside_down": "index: line: 0 pulses",
    "index_loose": "of the turns have no index",
    "magnet_lost": "the ring lacks 1 magnet",
    "magnets_lost": "the ring lacks 2 magnets",
    "magnet_aside": "a ring magnet is off its place",
    "magnet_extra": "the ring has 1 magnet too many",
    "ring_a_misses": "rotor a misses",
    "ring_b_misses": "rotor b misses",
    "ring_a_weak": "rotor a misses",
    "ring_b_weak": "rotor b misses",
    "ring_b_at_a": "a quarter of a pitch",
    "ring_b_half_on": "a quarter of a pitch",
    "rim_1_misses": "rim 1 missed",
    "rim_2_misses": "rim 2 missed",
    "rim_2_misses_most": "rim 2 missed",
    "rim_sees_rotor": "rim 2 sees the rotor",
    "rim_sees_frets": "rim 1 sees the rotor",
    "rim_1_dead": "rim 1: line: 0 pulses",
    "rims_dead": "rim 2: line: 0 pulses",
    "halls_dead": "no ring sensor works",
    "ring_a_dead": "rotor a: line: 0 pulses",
    "index_dead": "index: line: 0 pulses",
    "rim_and_index_exchanged": "rim 1 and index are exchanged",
    "index_and_head_exchanged": "index and head are exchanged",
    "ring_b_reversed": "or the input of one is reversed",
    "rim_2_reversed": "rim 2: at rest",
}


class Tried(NamedTuple):
    """A fault at a wheel with these pocket sensors. rounds: by verdict. failed: of the walk."""

    fault: str
    sensor: str
    rounds: Counter[str]
    failed: list[str]

    @property
    def is_named(self) -> bool:
        """Whether a failed check says which fault it is."""
        return any(NAMED[self.fault] in text for text in self.failed)

    def __str__(self) -> str:
        played = ", ".join(f"{n} {verdict}" for verdict, n in sorted(self.rounds.items()))
        said = "named" if self.is_named else "fails" if self.failed else "passes"
        return f"{self.fault:26}{self.sensor:7}{said:8}{played}"


def walked(
    mounting: Mounting, sensor: str, wheel: str = "single", rims: int = 2, seed: int = 0
) -> list[Check]:
    """Return the checks of a walk round a wheel that is mounted so."""
    table = WalkedWheel(ORDERS[wheel], sensor, mounting, max(rims, mounting.rims), seed)
    return walk(table, table.wheel())


def failures(mounting: Mounting, sensor: str) -> list[str]:
    """Return what each failed check of such a walk says."""
    checks = walked(mounting, sensor)
    return [f"{check.name}: {check.note}" for check in checks if check.verdict == FAIL]


def played(fault: str, sensor: str, seed: str, make: MakeRole = alone) -> tuple[Judged, str]:
    """Play a healthy round at such a wheel, which may never end it; also returns which wheel.

    The number is compared as it is printed on the wheel.
    """
    mounting = BY_NAME[fault]
    spin = spin_rounds.draw(spin_rounds.healthy, seed, sensor, mounting.rims)
    mounting.build(spin.build)
    outcome = device.play(spin, mounting, make)
    wheel = "single" if spin.build.pockets == 37 else "double"
    text = f"{outcome}, true index {spin.number}"
    if outcome.number is None:
        return Judged(VOID, text, outcome.reason), wheel
    reported = "00" if outcome.number == 37 else str(outcome.number)
    is_right = reported == ORDERS[wheel][spin.number or 0]
    return Judged(RIGHT if is_right else WRONG, text), wheel


def try_fault(fault: str, seed: int, count: int) -> Iterator[Tried]:
    """Yield what becomes of a fault, by pocket sensor."""
    for sensor in BY_NAME[fault].sensors:
        names = (f"{seed}/mounting/{fault}/{sensor}/{each}" for each in range(count))
        verdicts = Counter(played(fault, sensor, name)[0].verdict for name in names)
        yield Tried(fault, sensor, verdicts, failures(BY_NAME[fault], sensor))


def main() -> int:
    """Print the table, and what is left to find."""
    parser = argparse.ArgumentParser(prog="mounted_wrong")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fault", choices=sorted(NAMED))
    options = parser.parse_args()
    every: list[Tried] = []
    for fault in FAULTS:
        if options.fault in (None, fault.name):
            for each in try_fault(fault.name, options.seed, options.rounds):
                print(each, flush=True)
                every.append(each)
    faults = {each.fault for each in every}
    wrong = {each.fault for each in every if each.rounds[WRONG]}
    unnamed = {each.fault for each in every if not each.is_named}
    passing = [each for each in every if each.rounds[WRONG] and not each.failed]
    print(
        f"{len(faults)} faults: {len(wrong)} play wrong numbers, the walk names"
        f" {len(faults - unnamed)}; not named: {', '.join(sorted(unnamed)) or 'none'};"
        f" wrong numbers, and the walk passes: {len(passing)}"
    )
    return 1 if passing else 0


if __name__ == "__main__":
    sys.exit(main())

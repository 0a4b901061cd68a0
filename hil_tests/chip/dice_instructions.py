"""How many instructions the dice reader of a release takes for a frame, on a Cortex-M3 under QEMU.

    python -m hil_tests.chip.dice_instructions

The emulator counts each instruction as a nanosecond (`-icount shift=0`). On an RP2350 of 150 MHz
a frame takes as long as these instructions would at one cycle each, or longer.
"""

import json
import sys
from random import Random

from hil_tests.chip import armv7m, micropython_build, qemu
from tableemulator.machines.dice_tray.physical_tray import TrayCamera
from tableemulator.machines.dice_tray.stickman import draw_dice

CLOCK_MHZ = 150
_SEED = 4
_LIMIT_S = 600.0
_COUNTED = ("-icount", "shift=0")
_READ = """
import gc, json, time
from tablelogic.tray_reader.reader import Reader
from tablelogic.tray_reader.rig import Rig
reader = Reader(Rig(open('/tray', 'rb').read()))
grey = open('/frame', 'rb').read()
steps, took, reason = reader.steps(grey, {dice}), [], None
while reason is None:
    gc.collect()
    begun = time.ticks_us()
    try:
        next(steps)
    except StopIteration as end:
        reason = end.value
    took.append(time.ticks_diff(time.ticks_us(), begun))
print(json.dumps([reason, reader.values, took]))
"""


def counted(dice: int, *, is_large: bool) -> tuple[list[int], list[float]]:
    """Return the faces read and the millions of instructions of each step. Raises QemuError."""
    camera = TrayCamera(_SEED, large=is_large)
    lying = draw_dice(Random(_SEED), camera, dice)
    exposure = camera.expose(lying, 0)
    assert exposure is not None
    files = {
        **armv7m.released_files(),
        "/time.py": (armv7m.DEVICE / "time.py").read_bytes(),
        "/tray": camera.commissioned(),
        "/frame": exposure.greys(),
        "/main.py": _READ.format(dice=dice).encode(),
    }
    elf = micropython_build.built(None, print).qemu
    printed = qemu.run(elf, files, "/main.py", ["", ".frozen"], _LIMIT_S, _COUNTED)
    reason, values, took_us = json.loads(printed)
    if values != sorted(die.value for die in lying):
        raise qemu.QemuError(f"read {values or reason}")
    return values, [us / 1000 for us in took_us]


def main() -> int:
    """Print a line for each number of dice and size of frames."""
    for dice in (3, 6):
        for is_large in (False, True):
            values, steps = counted(dice, is_large=is_large)
            whole = sum(steps)
            print(
                f"{dice} dice of {44 if is_large else 22} px, {values}: {whole:.1f} million"
                f" instructions in {len(steps)} steps, the longest {max(steps):.1f};"
                f" {whole / CLOCK_MHZ:.2f} s at {CLOCK_MHZ} MHz"
            )
            if "--steps" in sys.argv:
                print("  " + " ".join(f"{step:.1f}" for step in steps))
    return 0


if __name__ == "__main__":
    sys.exit(main())

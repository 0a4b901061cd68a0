"""`make chip`: the shipped program on emulated chips, under MicroPython built from source.

On the instruction set of the reference board under QEMU: its unittests, its native code, a round
of each role. Then on an emulated RP2040, with pins, lines, flash and the time that code takes.

    python -m hil_tests.chip [--micropython FOLDER] [--role ROLE] [--flash worst] [--spare BYTES]
        [--faults] [--qemu] [--prompt MS]
    python -m hil_tests.chip --build | --is-built

Exit code 0: every check passed, or with --is-built, the image is in the cache. What the rig cannot
play is printed as left out.
"""

import argparse
import dataclasses
import io
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import board_files
from hil_tests.chip import armv7m, dice_speed, flashing, micropython_build, prompt_life, unix
from hil_tests.chip.measure import DEVICE, KEY, Figures, measure
from hil_tests.rigs.rig_states import RigBroken, RigState
from hil_tests.rigs.rp2040_board import FLASH_TIMES_US
from hil_tests.rigs.rp2040js import BOARD, Rp2040Rig, report
from hil_tests.rp2040_controller import latches
from tableemulator.machines import ROLES, emulator
from tabletools import flash
from tabletools.keys import Key, Keyring
from tabletools.release import files_of, make_keys, read_private, sign, write


def main(words: Sequence[str]) -> int:
    """Build or find the image, run everything, print the figures."""
    options = _options(words)
    if options.is_built:
        return 0 if micropython_build.cache(options.micropython).is_whole else 1
    assert isinstance(sys.stdout, io.TextIOWrapper)
    sys.stdout.reconfigure(line_buffering=True)  # it takes minutes, often into a file
    try:
        built = micropython_build.built(
            options.micropython, lambda text: print(f"chip: {text}", flush=True)
        )
    except micropython_build.BuildError as error:
        print(f"chip: error: {error}", file=sys.stderr)
        return 2
    print(f"chip: {built.uf2}; not run, as no emulator has its chip: {built.pico2.name}")
    if options.build:
        return 0
    played = [options.role] if options.role else list(ROLES)
    problems = armv7m.run_all(built.qemu, played, print, with_tests=options.role is None)
    if not options.qemu:
        problems += _on_rp2040(built, options)
    for problem in problems:
        print(f"chip: FAIL: {problem}")
    print("chip: " + (f"{len(problems)} failed" if problems else "passed"))
    return 1 if problems else 0


def _on_rp2040(built: micropython_build.Built, options: argparse.Namespace) -> list[str]:
    """Everything that runs there, and on the 32-bit program; the problems."""
    print("\n".join(report()))
    problems: list[str] = []
    if options.role is None:
        problems += unix.run_all(built.unix, print)
        problems += dice_speed.read_all(built, print)
    roles = [options.role] if options.role else FITTING
    for role in roles:
        problems += flashing.flash_all(built, role, options.flash, print)
    try:
        began = time.monotonic()
        rig = Rp2040Rig(
            RigState(None),
            built.uf2,
            built.rom,
            flash_times=options.flash,
            latches=latches(board_files.load(BOARD).data),
            taken_bytes=options.spare,
        )
        print(
            f"{rig.reported}; flash times: {options.flash}; taken from the heap: {options.spare}"
        )
        print(f"the program was put on over the prompt in {time.monotonic() - began:.0f} s")
        with tempfile.TemporaryDirectory() as folder:
            release, keys = _release(Path(folder), rig.image), _keyring(Path(folder))
            for role in roles:
                problems += _print(
                    measure(rig, emulator(role), release, keys, faults=options.faults)
                )
        if prompt_life.ROLE in roles and options.prompt:
            problems += prompt_life.play_all(rig, prompt_life.cases(options.prompt), print)
    except RigBroken as error:
        problems.append(str(error))
    return problems


# All five hundred take 40 minutes of the processor: ten of them.
_PROMPT_MS = 500
# `flash` refuses the others on this board.
FITTING = [role for role in ROLES if role not in flash.kind_of(BOARD).unfit]


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m hil_tests.chip", description=__doc__)
    parser.add_argument(
        "--micropython",
        type=Path,
        metavar="FOLDER",
        help="a checkout with its submodules [Debian's sources]",
    )
    parser.add_argument(
        "--role", choices=list(ROLES), help="this one only, without the unittests and dice frames"
    )
    parser.add_argument(
        "--flash",
        choices=list(FLASH_TIMES_US),
        default="typical",
        help="how long flash takes [typical]",
    )
    parser.add_argument(
        "--spare",
        type=int,
        default=0,
        metavar="BYTES",
        help="to be left of the heap: so much is taken first [0]",
    )
    parser.add_argument(
        "--faults", action="store_true", help="play every fault of a role, too: some take minutes"
    )
    parser.add_argument(
        "--prompt",
        type=int,
        default=_PROMPT_MS,
        metavar="MS",
        help=f"from one Control-C of the matrix to the next; 0 plays none of it [{_PROMPT_MS}]",
    )
    parser.add_argument("--qemu", action="store_true", help="what runs under QEMU alone")
    parser.add_argument("--build", action="store_true", help="build the image, run nothing")
    parser.add_argument(
        "--is-built", action="store_true", help="exit code 1 unless the image is in the cache"
    )
    return parser.parse_args(words)


def _release(folder: Path, image: dict[str, bytes]) -> list[str]:
    """A signed release of what the rig puts on, as options of `attest` and `diag`."""
    manifest = folder / "release.json"
    private, public = make_keys(folder / "house")
    _, built = flash.build(flash.kind_of(BOARD))
    built = dataclasses.replace(built, files=files_of(image))
    write(manifest, built, sign(built, read_private(private)))
    return ["--manifest", str(manifest), "--key", str(public)]


def _keyring(folder: Path) -> Path:
    ring = Keyring(folder / "keys.json")
    ring.add(DEVICE, Key(*KEY))
    return ring.file


def _print(figures: Figures) -> list[str]:
    print(f"\n{figures.role}")
    for what, value in figures.rows:
        print(f"  {what:28} {value}")
    for what in figures.left:
        print(f"  left out: {what}")
    return [f"{figures.role}: {problem}" for problem in figures.problems]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

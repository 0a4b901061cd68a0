"""Rig `rp2040js`: the program of a Pico on an emulated RP2040, with the user's MicroPython.

    RIG=rp2040js UF2=FILE BOOTROM=FILE .venv/bin/pytest hil_tests/test_rp2040_spins.py
    python -m hil_tests.rigs.rp2040js

The image, its file system, its interrupts and the time its code takes are those of the chip; what
is not is in rp2040_board.LIMITS, which the second command prints. The program is put on over the
prompt, as `tabletool flash` does it, once a run; each table begins with that flash.
"""

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from hil_tests.rigs.boot_rom import rom_of
from hil_tests.rigs.rig_states import LINKED, PLAYING, READY, RigState
from hil_tests.rigs.rp2040_board import LIMITS, BoardHalted, Rp2040Board
from hil_tests.rigs.rp2040_ports import PROMPT, BoardPorts
from hil_tests.rigs.uf2 import FLASH_BYTES, UF2Error, flash_of
from tableemulator.board.process import BoardDiedError, BoardHungError
from tableemulator.machines import Setup
from tableemulator.machines.core.harness import TableStalled
from tableemulator.shipped_controller import configuration, key_copy
from tabletools import flash
from tabletools.errors import ToolError
from tabletools.flash.compiler import BYTECODE, BYTECODE_BITS

NAME = "rp2040js"
BOARD = "rpi_pico"
HOW = f"RIG={NAME} UF2=FILE BOOTROM=FILE .venv/bin/pytest hil_tests/test_rp2040_spins.py"
GET = (
    "UF2: micropython.org/download/RPI_PICO; BOOTROM: b1.elf or b2.elf of the releases of"
    " raspberrypi/pico-bootrom-rp2040"
)
_MAIN = "/main.py"
_TAKE = b"taken = bytearray(%d)\n"
# From power-on to a prompt, with a file system to be made.
_START_US = 2_000_000
_FAILURES = (
    BoardHalted,
    BoardDiedError,
    BoardHungError,
    TableStalled,
    ToolError,
    UF2Error,
    OSError,
    ValueError,
)
Result = TypeVar("Result")


class Rp2040Rig:
    """image: content of the flash with MicroPython alone; rom: of the chip; flash_times,
    latches: of the tables' boards, see rp2040_board.

    image: the program, path on the board: content. taken_bytes: of the heap, in one piece, before
    the program begins; it has to run with so much less.
    reported: what the interpreter said it is, once it has answered. notes: what its programs asked
    for and the emulator does not have, and how often.
    """

    def __init__(
        self,
        state: RigState,
        image: Path,
        rom: Path,
        *,
        flash_times: str = "none",
        latches: Mapping[int, int] | None = None,
        taken_bytes: int = 0,
    ) -> None:
        self.reported = ""
        self.image = dict(flash.build(flash.kind_of(BOARD))[0])
        if taken_bytes:
            self.image[_MAIN] = _TAKE % taken_bytes + self.image[_MAIN]
        self._latches = latches
        self._flash_times = flash_times
        self.notes: Counter[str] = Counter()
        self._state = state
        self._tables: dict[tuple[bytes, bytes], bytes] = {}
        state.enter(LINKED)
        content = self.guarded(lambda: flash_of(_read(image, "UF2")))
        self._rom = self.guarded(lambda: _rom_of(rom))
        self._flash = self._with(content, self._program)
        state.enter(READY)

    def board(
        self,
        setup: Setup,
        key: tuple[int, bytes] | None = None,
        changed: Mapping[str, int] | None = None,
    ) -> Rp2040Board:
        """A table's board, provisioned and switched on.

        key: its number and its 32 bytes; changed: keys of its configuration beside the setup's.

        Raises RigBroken, for good.
        """
        self._state.enter(PLAYING)
        copies = (configuration(setup, **(changed or {})), key_copy(*key) if key else b"")
        if copies not in self._tables:
            files = dict.fromkeys(flash.CONFIGURATION_FILES, copies[0])
            files |= dict.fromkeys(flash.KEY_FILES, copies[1]) if key else {}
            files[_MAIN] = self.image[_MAIN]
            put = self._with(self._flash, lambda prompt: write(prompt, files))
            self._tables[copies] = put
        self._state.enter(READY)
        return Rp2040Board(
            self._tables[copies],
            self._rom,
            flash_times=self._flash_times,
            latches=self._latches,
        )

    def switch_off(self, board: Rp2040Board) -> None:
        """A table's board has done its work."""
        self.notes.update(dict(board.notes))
        board.close()

    def guarded(self, act: Callable[[], Result]) -> Result:
        """What act returns; when it fails, the rig is broken. Raises RigBroken."""
        try:
            return act()
        except _FAILURES as error:
            raise self._state.fail(str(error)) from error

    def _program(self, prompt: flash.Prompt) -> None:
        """Everything but main.py: the board stays at its prompt."""
        survey = prompt.survey()
        self.reported = f"{survey.machine}, MicroPython {'.'.join(map(str, survey.version))}"
        if survey.bytecode & BYTECODE_BITS != BYTECODE:
            raise ValueError(f"{self.reported} does not run what mpy-cross here compiles: {GET}")
        image = {path: data for path, data in self.image.items() if path != _MAIN}
        write(prompt, image)
        left = flash.plan_of(prompt.survey(), image, {})
        if not left.is_empty:
            raise OSError(f"{len(left.copies)} files are not in the flash as they were sent")

    def _with(self, content: bytes, act: Callable[[flash.Prompt], None]) -> bytes:
        """The flash after something was done at the prompt of a board with that flash."""
        with Rp2040Board(content, self._rom) as board:
            self.guarded(lambda: board.play([], _START_US))

            def at_prompt() -> None:
                with BoardPorts(board), flash.opened(PROMPT) as prompt:
                    act(prompt)

            self.guarded(at_prompt)
            return board.flash(FLASH_BYTES)


def write(prompt: flash.Prompt, files: Mapping[str, bytes]) -> None:
    """Write files, with the folders they need."""
    for folder in flash.plan_of(prompt.survey(), dict(files), {}).folders:
        prompt.make_folder(folder)
    for path, data in files.items():
        prompt.write(path, data)


def _read(path: Path, variable: str) -> bytes:
    if not path.is_file():
        raise ValueError(f"{variable}={'' if path == Path() else path} names no file; {GET}")
    return path.read_bytes()


def _rom_of(path: Path) -> bytes:
    data = _read(path, "BOOTROM")
    try:
        return rom_of(data)
    except ValueError as error:
        raise ValueError(f"BOOTROM={path}: {error}; {GET}") from error


def asked(notes: Mapping[str, int]) -> list[str]:
    """What a run asked for in vain, a line each."""
    return [
        "asked for in this run and not there:",
        *(f"  {n} x {what}" for what, n in notes.items()),
    ]


def report() -> list[str]:
    """What this rig cannot show, a line each."""
    return [f"rig {NAME} does not emulate:", *(f"  {line}" for line in LIMITS)]


if __name__ == "__main__":
    print("\n".join([*report(), "", HOW, GET]))
    sys.exit(0)

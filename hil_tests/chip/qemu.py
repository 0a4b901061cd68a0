"""A Cortex-M3 under QEMU (MPS2, AN385) with MicroPython's port for it.

The reference board's own chip, an RP2350, has no emulator. This core runs the same files: the
release is compiled for armv7m, with the dice reader's loops in native code.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tableemulator.board.romfs import rom_of

PROGRAM = "qemu-system-arm"
MISSING = f"no {PROGRAM} here; get it with: apt install qemu-system-arm"
# PSRAM of the board, 16 MiB.
_ROM_AT = 0x2100_0000
# The raw REPL runs this; the reset ends the emulator. A module is read into the heap, as a board
# reads it from its flash, where one of a ROM would run in place.
_RUN = """
import io, machine, sys, uctypes, vfs
class Files:
    def __init__(self, rom):
        self.stat, self._open = rom.stat, rom.open
    def mount(self, readonly, mkfs):
        pass
    def open(self, path, mode):
        file = self._open(path, mode)
        return io.BytesIO(file.read()) if "b" in mode else file
try:
    vfs.mount(Files(vfs.VfsRom(uctypes.bytearray_at({at}, {size}))), "/")
    sys.path[:] = {search}
    exec(open({path!r}).read())
except BaseException as error:
    sys.print_exception(error)
machine.reset()
"""
_BEGUN = b"OK"


class QemuError(Exception):
    """The emulator did not run the program to its end; the text says how it went."""


def is_there() -> bool:
    """Whether it is installed; MISSING says how to get it."""
    return shutil.which(PROGRAM) is not None


def run(
    elf: Path,
    files: Mapping[str, bytes],
    path: str,
    search: list[str],
    limit_s: float,
    options: Sequence[str] = (),
) -> str:
    """Run one of the files on a machine of its own; return what it printed. Raises QemuError.

    files: path from "/": content. search: sys.path. options: more of the emulator's.
    """
    rom = rom_of(files)
    with tempfile.NamedTemporaryFile(suffix=".romfs") as file:
        file.write(rom)
        file.flush()
        words = [
            PROGRAM,
            "-machine",
            "mps2-an385",
            "-display",
            "none",
            "-monitor",
            "none",
            "-semihosting",
            "-serial",
            "stdio",
            "-kernel",
            str(elf),
            "-device",
            f"loader,file={file.name},addr={_ROM_AT:#x},force-raw=on",
            *options,
        ]
        code = _RUN.format(at=_ROM_AT, size=len(rom), search=search, path=path)
        try:
            done = subprocess.run(
                words,
                input=b"\x01" + code.encode() + b"\x04",
                capture_output=True,
                timeout=limit_s,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise QemuError(f"no end within {limit_s:g} s: {_tail(error.stdout)}") from error
    if done.returncode or _BEGUN not in done.stdout:
        raise QemuError(f"exit code {done.returncode}: {_tail(done.stdout + done.stderr)}")
    return done.stdout.partition(_BEGUN)[2].decode().replace("\r\n", "\n")


def _tail(output: bytes | None) -> str:
    return (output or b"").decode(errors="replace").strip()[-2000:]

"""MicroPython for the Pico and for a 32-bit computer, built from source into a cache.

The cache lies outside the tree (XDG_CACHE_HOME, or .cache of the user) and is named for the pinned
sources and for this file: what is there already is used, and nothing of it is ever committed.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from hil_tests.chip import sources
from hil_tests.chip.sources import SourceError
from hil_tests.rigs.uf2 import FLASH_AT, uf2_of

_BUILD_S = 1800
_TOOLS = {
    "arm-none-eabi-gcc": "gcc-arm-none-eabi libnewlib-arm-none-eabi"
    " libstdc++-arm-none-eabi-newlib",
    "cmake": "cmake",
    "ninja": "ninja-build",
    "gcc": "gcc gcc-multilib",
    "dpkg-deb": "dpkg",
}
# As the stock image, but for the drivers of sensors that no table has (of micropython-lib).
_MANIFEST = 'freeze("$(PORT_DIR)/modules")\ninclude("$(MPY_DIR)/extmod/asyncio")\n'
# No library of this computer is asked for: none of it is 32-bit.
_UNIX = (
    "MICROPY_FORCE_32BIT=1", "MICROPY_PY_FFI=0", "MICROPY_PY_BTREE=0", "MICROPY_PY_SSL=0",
    "MICROPY_SSL_MBEDTLS=0", "FROZEN_MANIFEST=",
)  # fmt: skip


class BuildError(Exception):
    """The image cannot be built here; the text says what failed and what to do."""


@dataclass(frozen=True)
class Built:
    """uf2: MicroPython for the Pico; rom: the boot ROM of its chip; unix: MicroPython as a 32-bit
    program of this computer."""

    uf2: Path
    rom: Path
    unix: Path

    @property
    def is_whole(self) -> bool:
        """Whether all of it is there."""
        return all(file.is_file() for file in (self.uf2, self.rom, self.unix))


def cached(given: Path | None = None) -> Built:
    """Where the build of the pinned sources, or of a checkout that is given, is kept."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    made = Path(__file__).read_bytes() + Path(sources.__file__).read_bytes()
    name = sha256(made + str(given or "").encode()).hexdigest()[:12]
    folder = base / "tablewire" / "chip" / name
    return Built(folder / "RPI_PICO.uf2", folder / "b1.bin", folder / "micropython-32")


def built(given: Path | None, say: Callable[[str], None]) -> Built:
    """The build from the cache, made first where it is not there. Raises BuildError."""
    found = cached(given)
    if found.is_whole:
        return found
    _verify_tools()
    folder = found.uf2.parent
    folder.mkdir(parents=True, exist_ok=True)
    try:
        found.rom.write_bytes(sources.boot_rom(folder))
        say("fetching the sources of MicroPython")
        tree = given or sources.tree(folder)
    except SourceError as error:
        raise BuildError(str(error)) from error
    say("building mpy-cross")
    _run(["make", "-C", str(tree / "mpy-cross"), _jobs()], folder)
    say("building MicroPython for this computer, 32-bit")
    _build_unix(tree, folder, found.unix)
    say("building MicroPython for the Pico")
    _build_pico(tree, folder, found.uf2)
    return found


def _verify_tools() -> None:
    missing = [packages for tool, packages in _TOOLS.items() if shutil.which(tool) is None]
    if missing:
        raise BuildError(f"the compilers are missing: apt install {' '.join(missing)}")


def _build_unix(tree: Path, folder: Path, program: Path) -> None:
    build = folder / "build-unix"
    _run(["make", "-C", str(tree / "ports" / "unix"), _jobs(), f"BUILD={build}", *_UNIX], folder)
    shutil.copy(build / "micropython", program)


def _build_pico(tree: Path, folder: Path, uf2: Path) -> None:
    build, port = folder / "build-pico", tree / "ports" / "rp2"
    manifest = folder / "manifest.py"
    manifest.write_text(_MANIFEST)
    _run(
        ["cmake", "-S", str(port), "-B", str(build), "-G", "Ninja", "-DMICROPY_BOARD=RPI_PICO",
         f"-DMICROPY_BOARD_DIR={port / 'boards' / 'RPI_PICO'}",
         f"-DMICROPY_FROZEN_MANIFEST={manifest}", "-DPICO_NO_PICOTOOL=1"],
        folder,
    )  # fmt: skip
    _run(["ninja", "-C", str(build)], folder)
    uf2.write_bytes(uf2_of((build / "firmware.bin").read_bytes(), FLASH_AT))


def _jobs() -> str:
    return f"-j{os.cpu_count() or 1}"


def _run(words: Sequence[str], folder: Path) -> None:
    log = folder / "build.log"
    with log.open("ab") as output:
        try:
            subprocess.run(words, stdout=output, stderr=output, timeout=_BUILD_S, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            raise BuildError(f"{words[0]} failed; its output is in {log}") from error

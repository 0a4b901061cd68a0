"""MicroPython for the Pico, for QEMU and for a 32-bit computer, built from source into a cache.

The cache is outside the tree (XDG_CACHE_HOME, or .cache of the user) and is named for the pinned
sources and for this file: what is there already is used, and nothing of it is ever committed.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path

from hil_tests.chip import sources
from hil_tests.chip.sources import SourceError
from hil_tests.rigs.uf2 import FLASH_AT, RP2040, RP2350, uf2_of

_BUILD_S = 1800
_TOOLS = {
    "arm-none-eabi-gcc": "gcc-arm-none-eabi libnewlib-arm-none-eabi"
    " libstdc++-arm-none-eabi-newlib",
    "cmake": "cmake",
    "ninja": "ninja-build",
    "gcc": "gcc",
    "dpkg-deb": "dpkg",
}
# As the stock image, but for the drivers of sensors that no table has (of micropython-lib).
# Of an RP2350, whose RAM ends with 8 KiB for the stacks, too.
LARGE_RAM_BYTES = 520 * 1024
_LARGE_RAM = (("LENGTH = 256k", "LENGTH = 512k"), ("0x2004", "0x2008"))
_MANIFEST = 'freeze("$(PORT_DIR)/modules")\ninclude("$(MPY_DIR)/extmod/asyncio")\n'
# No library of this computer is asked for: none of it is 32-bit.
_UNIX = (
    "MICROPY_FORCE_32BIT=1",
    "MICROPY_PY_FFI=0",
    "MICROPY_PY_BTREE=0",
    "MICROPY_PY_SSL=0",
    "MICROPY_SSL_MBEDTLS=0",
    "FROZEN_MANIFEST=",
)
# Of the machine's 4 MiB: a test of the dice reader takes more than the 140 KiB of the port.
_QEMU = ("BOARD=MPS2_AN385", f"MICROPY_HEAP_SIZE={3 << 20}", "FROZEN_MANIFEST=")


class BuildError(Exception):
    """The image cannot be built here; the text says what failed and what to do."""


@dataclass(frozen=True)
class Built:
    """uf2: MicroPython for the Pico; rom: the boot ROM of its chip; unix: MicroPython as a 32-bit
    program of this computer; large: uf2 linked for an RP2040 with the RAM of an RP2350, which no
    board has; pico2: for the Pico 2, which no emulator here runs; qemu: for an emulated Cortex-M3,
    whose instructions a Pico 2 has too."""

    uf2: Path
    rom: Path
    unix: Path
    large: Path
    pico2: Path
    qemu: Path

    @property
    def is_whole(self) -> bool:
        """Whether all of it is there."""
        return all(getattr(self, each.name).is_file() for each in fields(self))


def cache(checkout: Path | None = None) -> Built:
    """Where the build of the pinned sources, or of a checkout that is given, is kept."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    recipe = Path(__file__).read_bytes() + Path(sources.__file__).read_bytes()
    name = sha256(recipe + str(checkout or "").encode()).hexdigest()[:12]
    folder = base / "tablewire" / "chip" / name
    names = (
        "RPI_PICO.uf2",
        "b1.bin",
        "micropython-32",
        "RPI_PICO-large.uf2",
        "RPI_PICO2.uf2",
        "MPS2_AN385.elf",
    )
    return Built(*(folder / name for name in names))


def built(checkout: Path | None, say: Callable[[str], None]) -> Built:
    """The build from the cache, made first where it is not there. Raises BuildError."""
    image = cache(checkout)
    if image.is_whole:
        return image
    _verify_tools()
    folder = image.uf2.parent
    folder.mkdir(parents=True, exist_ok=True)
    try:
        image.rom.write_bytes(sources.boot_rom(folder))
        say("fetching the sources of MicroPython")
        tree = checkout or sources.tree(folder)
    except SourceError as error:
        raise BuildError(str(error)) from error
    say("building mpy-cross")
    _run(["make", "-C", str(tree / "mpy-cross"), _jobs()], folder)
    say("building MicroPython for this computer, 32-bit")
    _build_port(tree, folder, "unix", "micropython", image.unix, _UNIX)
    say("building MicroPython for QEMU")
    _build_port(tree, folder, "qemu", "firmware.elf", image.qemu, _QEMU)
    for board, family, file, has_large_ram in (
        ("RPI_PICO", RP2040, image.uf2, False),
        ("RPI_PICO", RP2040, image.large, True),
        ("RPI_PICO2", RP2350, image.pico2, False),
    ):
        say(f"building {file.stem}")
        _build_board(tree, folder, board, file, family, has_large_ram=has_large_ram)
    return image


def _verify_tools() -> None:
    missing = [packages for tool, packages in _TOOLS.items() if shutil.which(tool) is None]
    if not missing and not _makes_32_bit():
        missing = ["gcc-multilib"]
    if missing:
        raise BuildError(f"the compilers are missing: apt install {' '.join(missing)}")


def _makes_32_bit() -> bool:
    """Whether gcc links a program of 32 bits: it comes without the libraries for that."""
    program = ["gcc", "-m32", "-x", "c", "-o", os.devnull, "-"]
    done = subprocess.run(
        program,
        input=b"#include <stdio.h>\nint main(void){return 0;}",
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode == 0


def _build_port(
    tree: Path, folder: Path, port: str, product: str, program: Path, options: Sequence[str]
) -> None:
    build = folder / f"build-{port}"
    _run(["make", "-C", str(tree / "ports" / port), _jobs(), f"BUILD={build}", *options], folder)
    shutil.copy(build / product, program)


def _build_board(
    tree: Path, folder: Path, board: str, uf2: Path, family: int, *, has_large_ram: bool
) -> None:
    build, port = folder / f"build-{uf2.stem}", tree / "ports" / "rp2"
    manifest = folder / "manifest.py"
    manifest.write_text(_MANIFEST)
    options = [
        f"-DMICROPY_BOARD={board}",
        f"-DMICROPY_BOARD_DIR={port / 'boards' / board}",
        f"-DMICROPY_FROZEN_MANIFEST={manifest}",
        "-DPICO_NO_PICOTOOL=1",
    ]
    if has_large_ram:
        script = folder / "large_ram.ld"
        text = (port / "memmap_mp_rp2040.ld").read_text()
        for small, large in _LARGE_RAM:
            text = text.replace(small, large)
        script.write_text(text)
        options.append(f"-DMICROPY_BOARD_LINKER_SCRIPT={script}")
    _run(["cmake", "-S", str(port), "-B", str(build), "-G", "Ninja", *options], folder)
    _run(["ninja", "-C", str(build)], folder)
    uf2.write_bytes(uf2_of((build / "firmware.bin").read_bytes(), FLASH_AT, family))


def _jobs() -> str:
    return f"-j{os.cpu_count() or 1}"


def _run(words: Sequence[str], folder: Path) -> None:
    log = folder / "build.log"
    with log.open("ab") as output:
        try:
            subprocess.run(words, stdout=output, stderr=output, timeout=_BUILD_S, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            raise BuildError(f"{words[0]} failed; its output is in {log}") from error

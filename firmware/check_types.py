"""Types of the firmware against MicroPython's own library: a part of `make check`.

mypy reads the stubs of the interpreter and of the RP2 port in place of CPython's: of machine and
rp2, and of time, gc, os and asyncio as a board has them. The rules are those of pyproject.toml.

The stubs are links in a folder beside mypy's cache, for mypy takes no folder of site-packages as
a source of types. Exit code 1 when mypy objects, or when the stubs are not installed.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STUBS = ("micropython-rp2-stubs", "micropython-stdlib-stubs")
FIRMWARE = ("firmware/tablelogic", "firmware/tabledev", "firmware/main.py", "firmware/boot.py")
_CACHE = ROOT / ".mypy_cache" / "micropython"


def link_stubs(folder: Path, names: Sequence[str] = STUBS) -> None:
    """Link every stub of these distributions into a folder. Raises SystemExit without them."""
    for name in names:
        try:
            files = metadata.files(name) or []
        except metadata.PackageNotFoundError as error:
            raise SystemExit(
                f"check_types: error: {name} is not installed; run make setup"
            ) from error
        for file in files:
            if file.suffix != ".py" and ".dist-info" not in file.parts[0]:
                _link(folder / file, Path(str(file.locate())))


def _link(link: Path, target: Path) -> None:
    if link.is_symlink() and link.readlink() == target:
        return
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(target)


def check(paths: Sequence[str] = FIRMWARE, cache: Path = _CACHE) -> tuple[int, str]:
    """Return mypy's exit code and what it printed about these files."""
    stubs = cache / "stubs"
    link_stubs(stubs)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file",
        "pyproject.toml",
        "--custom-typeshed-dir",
        str(stubs),
        "--cache-dir",
        str(cache / "cache"),
        *paths,
    ]
    environment = {**os.environ, "MYPYPATH": str(stubs)}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def main() -> int:
    """Print what mypy says of the firmware; return the exit code."""
    code, text = check()
    print(text, end="")
    return code


if __name__ == "__main__":
    sys.exit(main())

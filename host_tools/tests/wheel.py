"""The wheel as its users have it: made from the source archive, in a venv beside no checkout."""

import os
import subprocess
import sys
import sysconfig
import tarfile
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
_BUILD = "import sys; from setuptools import build_meta as b; getattr(b, sys.argv[1])(sys.argv[2])"


def built(folder: Path) -> Path:
    """Make the source archive of this checkout, and the wheel from it; returns the wheel."""
    _build("build_sdist", ROOT, folder)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as source:
        source.extractall(folder, filter="data")
    _build("build_wheel", folder / archive.name.removesuffix(".tar.gz"), folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def _build(step: str, source: Path, target: Path) -> None:
    command = [sys.executable, "-c", _BUILD, step, str(target)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def requirements(extras: frozenset[str]) -> list[str]:
    """Every package that an installation with these extras has, the program left out."""
    wanted = [("tablewire", extras)]
    known: dict[str, str] = {}
    while wanted:
        name, own_extras = wanted.pop()
        for line in distribution(name).requires or []:
            needed = Requirement(line)
            if needed.name.lower() not in known and _applies(needed, own_extras):
                known[needed.name.lower()] = needed.name
                wanted.append((needed.name, frozenset(needed.extras)))
    return sorted(known)


def _applies(needed: Requirement, extras: frozenset[str]) -> bool:
    marker = needed.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""})


class Installation:
    """A venv with the wheel and links to the installed packages of some extras, nothing else."""

    def __init__(self, folder: Path, wheel: Path, *extras: str) -> None:
        self.bin = folder / "venv" / "bin"
        self.packages = requirements(frozenset(extras))
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True
        )
        install = ["install", "-q", "--no-deps", "--no-index", "--no-compile", str(wheel)]
        pip = [sys.executable, "-m", "pip", "--python", str(self.bin / "python")]
        subprocess.run([*pip, *install], check=True, capture_output=True)
        self.site = next((folder / "venv" / "lib").glob("*/site-packages"))
        for package in self.packages:
            self._link(package)

    def _link(self, package: str) -> None:
        """Link every file or folder at the top of a package."""
        tops = {file.parts[0] for file in distribution(package).files or []}
        for top in tops - {"..", "__pycache__"}:
            target = self.site / top
            if not target.exists():
                target.symlink_to(Path(sysconfig.get_paths()["platlib"]) / top)

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

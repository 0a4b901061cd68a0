"""Makes dist/: `make dist`. Wheel, source archive, and what a host installs, with hashes.

dist/requirements.txt names the wheel beside it and every package of a pit host, so that
`pip install --require-hashes -r requirements.txt` in that folder installs nothing else.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from host_tools.delivery.archives import unpack
from host_tools.delivery.packages import ROOT, closure, locked

HOST = frozenset({"pit", "dice", "audit"})
"""The extras of a pit host: it reads dice, and draws audits and replays in its console."""
_BUILD = "import sys; from setuptools import build_meta as b; getattr(b, sys.argv[1])(sys.argv[2])"


def make(folder: Path) -> Path:
    """Fill a folder; returns the wheel, which is made from the source archive."""
    folder.mkdir(parents=True, exist_ok=True)
    _build("build_sdist", ROOT, folder)
    (archive,) = folder.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as unpacked:
        unpack(archive, Path(unpacked))
        _build("build_wheel", Path(unpacked) / archive.name.removesuffix(".tar.gz"), folder)
    (wheel,) = folder.glob("*.whl")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    lines = f"./{wheel.name} --hash=sha256:{digest}\n{locked(closure(HOST))}"
    (folder / "requirements.txt").write_text(lines, encoding="ascii")
    return wheel


def _build(step: str, source: Path, target: Path) -> None:
    command = [sys.executable, "-c", _BUILD, step, str(target)]
    # A wheel of the same files is the same wheel: its times are those of the commit.
    times = {"SOURCE_DATE_EPOCH": _commit_s()}
    done = subprocess.run(
        command, cwd=source, check=False, env=os.environ | times, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"dist: error: {step} failed\n{done.stderr}")


def _commit_s() -> str:
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    """Make dist/ at the root of the checkout."""
    folder = ROOT / "dist"
    for old in folder.glob("*"):
        old.unlink()
    print(make(folder).relative_to(ROOT))


if __name__ == "__main__":
    main()

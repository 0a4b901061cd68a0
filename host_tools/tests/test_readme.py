"""README is true: every command it shows works, every file it points to is there.

test_wheel.py plays the tour.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = (ROOT / "host_tools/docs/TOUR.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent


def commands() -> list[str]:
    """Return the lines of all sh blocks, in the order in which the page is read."""
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line]


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run one line as a shell in folder would, with the program of this environment."""
    line = command.replace(".venv/bin/", f"{shlex.quote(str(BIN))}/")
    return subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "COLUMNS": "120"},
    )


def test_commands_run_in_their_order(tmp_path):
    """A newcomer who types each line after the other sees no error."""
    lines = [line for line in commands() if not line.startswith("make ")]
    assert lines
    for line in lines:
        done = run(line, tmp_path)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        assert done.stdout.strip(), line


def make_targets() -> set[str]:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"(?m)^([a-z]+):.*## ", makefile))


def test_make_targets_are_all_named():
    """The tour and the Makefile name the same targets; the README names some of them."""
    assert set(re.findall(r"(?m)^\| `make ([a-z]+)`", TOUR)) == make_targets() - {"help"}
    assert set(re.findall(r"`make ([a-z]+)`", README)) <= make_targets()
    assert {line.removeprefix("make ") for line in commands() if line.startswith("make ")} == {
        "run",
        "test",
    }


def test_help_lists_every_target():
    """`make help` gives each target one line."""
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(re.findall(r"(?m)^  make (\w+)", done.stdout)) == make_targets()


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#]+)\)", README))))
def test_links_lead_somewhere(target):
    """Each link names a file of this repository."""
    assert (ROOT / target).exists()


def test_folders_are_the_house():
    """The map names every room, and there are no others."""
    rows = set(re.findall(r"(?m)^\| \[?`(\w+)/`", README))
    assert rows == {"protocol", "firmware", "boards", "host_tools", "hil_tests"}
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    tops = {name.split("/")[0] for name in tracked if "/" in name}
    assert {top for top in tops if not top.startswith(".")} == rows

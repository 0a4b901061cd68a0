"""README and TOUR are true: every command they show works, every file they point to is there."""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = (ROOT / "host_tools/docs/TOUR.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent
# These run until they are interrupted: the table that is served, and what watches it.
ENDLESS = ("--serve", "monitor")


def commands() -> list[str]:
    """Return the lines of all sh blocks, in the order in which the pages are read."""
    blocks = re.findall(r"```sh\n(.*?)```", README + TOUR, re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line]


def is_endless(command: str) -> bool:
    return any(word in command.split() for word in ENDLESS)


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
    lines = [line for line in commands() if not line.startswith("make ") and not is_endless(line)]
    assert len(lines) >= 5
    for line in lines:
        done = run(line, tmp_path)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        assert done.stdout.strip() or "--out" in line, line


def test_a_served_table_is_watched(tmp_path):
    """The two lines that run until interrupted work together; the table ends without an error."""
    serve, watch = (line for line in commands() if is_endless(line))
    port = re.search(r":(\d+)$", serve)[1]
    assert watch.endswith(f":{port}")
    words = shlex.split(serve.replace(f":{port}", ":0"))
    table = subprocess.Popen(
        [str(BIN / Path(words[0]).name), *words[1:]],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with table:
        try:
            free = re.search(r"serving on .*:(\d+)\n", table.stdout.readline())[1]
            output = run(watch.replace(f":{port}", f":{free}") + " --once", tmp_path)
        finally:
            table.send_signal(signal.SIGINT)
        assert (output.returncode, "ONLINE" in output.stdout) == (0, True), (
            output.stdout + output.stderr
        )
        assert table.wait(timeout=30) == 0, table.stdout.read()


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

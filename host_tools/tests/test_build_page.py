"""BUILD.md is true: its commands run, in their order, from a board that has MicroPython alone."""

import json
import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

from hil_tests.thinned import soak_only
from tableemulator.board.stock import StockBoard
from tabletools.cli.diag import calibrations
from tabletools.diag.report import FAILED

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "host_tools/docs/BUILD.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent
STEPS = ["MicroPython on the board", "Buy", "Print", "Wire", "Flash", "Walk", "Play"]
# What each command of the page has to show, by its second word; nothing is wired to this board.
SHOWN = {
    "port /dev/ttyACM0": "1.29.0",
    "flash": "attests release",
    "port /dev/ttyUSB0": "key 1 verified",
    "config dump": "",
    "config diff": "",
    "diag": "checks:",
    "monitor": "",
    "collect": "",
    "evidence": "",
}


def commands(kind):
    """The lines of its blocks of a kind."""
    blocks = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line]


def test_the_steps_are_those_of_the_guide():
    """Seven, the first says how MicroPython gets onto a board; README leads here."""
    assert re.findall(r"(?m)^## \d\. (.+)$", PAGE) == STEPS
    first = PAGE.split("## 2.")[0]
    for word in ("BOOTSEL", "UF2", "esptool", "erase_flash", "write_flash 0"):
        assert word in first
    assert "(host_tools/docs/BUILD.md)" in README


def test_images_and_version_are_those_of_the_project():
    """Of each board that has one: its name, its image and the pinned release."""
    pinned = json.loads((ROOT / "package.json").read_text())["dependencies"]
    version = pinned["@micropython/micropython-webassembly-pyscript"].split("-")[0]
    assert version in PAGE
    assert set(re.findall(r"\d+\.\d+\.\d+", PAGE)) == {version}
    for file in ROOT.glob("boards/*/board.json"):
        facts = json.loads(file.read_text())
        if builds := facts["micropython"]["builds"]:
            assert f"| {facts['name']} | [{builds[0]}](" in PAGE
            assert f"micropython.org/download/{builds[0]})" in PAGE


def test_each_step_says_what_else_may_be_seen():
    """A table of what is seen and what to do then, in all but the step that prints."""
    parts = re.split(r"(?m)^## ", PAGE)[1:]
    for part in parts:
        if not part.startswith("3. Print"):
            assert re.search(r"(?m)^\| .*(see|happen).* \| then \|$", part), part[:20]


def test_what_is_not_run_is_there():
    """Options and calibrations that need hands exist, also where a sentence names them."""
    named = re.findall(r"`(tabletool [^`]+)`", PAGE)
    assert len(named) > 5
    for line in [*commands("text"), *named]:
        words = shlex.split(line)
        if words[0] == "tabletool":
            command = ("diag", "table") if words[1] == "diag" else (words[1],)
            for word in words:
                assert not word.startswith("--") or word in help_of(*command), line
            if "--calibrate" in words:
                assert words[words.index("--calibrate") + 1] in calibrations.WHATS, line


@cache
def help_of(*command):
    """What a command says of itself."""
    return subprocess.run(
        [str(BIN / "tabletool"), *command, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "400"},
    ).stdout


@soak_only
def test_commands_run_in_their_order(tmp_path):
    """From MicroPython alone to stored records; diag fails, since nothing is wired."""
    with StockBoard(speed=20) as board:
        for line in commands("sh"):
            (shown,) = [text for name, text in SHOWN.items() if line[10:].startswith(name)]
            words = line.replace("/dev/ttyACM0", board.prompt).replace("/dev/ttyUSB0", board.link)
            done = subprocess.run(
                ["sh", "-c", words.replace("tabletool", shlex.quote(str(BIN / "tabletool")), 1)],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
                env={**os.environ, "COLUMNS": "120", "HOME": str(tmp_path)},
            )
            codes = (0, FAILED) if line.startswith("tabletool diag") else (0,)
            assert done.returncode in codes, f"{line}\n{done.stdout}\n{done.stderr}"
            assert shown in done.stdout, f"{line}\n{done.stdout}"
    assert "What to do first" in (tmp_path / "table.html").read_text()

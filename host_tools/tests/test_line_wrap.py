"""Text fits the terminal: broken at words, never inside one, whole where a program reads it."""

import fcntl
import os
import struct
import subprocess
import sys
import termios

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil_tests.thinned import soaked
from tabletools.cli.line_wrap import wrapped

ROUND = (
    '{"rules":"hc2023","game":"roulette","variant":"french","bets":[{"id":"1","bet":"split",'
    '"numbers":["0","1"],"stake":500}],"outcome":{"pocket":"1"}}'
)
# All in one process, each with what follows on a line of its own.
PROGRAM = """
import shlex, sys
from tabletools.cli.main import run
from tabletools.cli.standard_streams import set_up
set_up()
for line in sys.stdin.read().splitlines():
    run(shlex.split(line))
"""
REPORTS = """\
emulate roulette --spins 1 --seed 7 --out a.capture --traces traces
decode a.capture
decode a.capture --json
explain short_spin
explain shortspin
explain --list
replay traces/{trace}
audit --power
settle round.json --table
settle round.json --text
decode missing.capture
port nowhere
keys list --keys missing.json
"""


@pytest.mark.parametrize(
    ("line", "width", "pieces"),
    [
        ("short", 10, ["short"]),
        ("one two three", 8, ["one two", "  three"]),
        (
            "  rule:  a text that goes on",
            18,
            ["  rule:  a text", "         that goes", "         on"],
        ),
        ("averylongwordthatfitsnowhere here", 10, ["averylongwordthatfitsnowhere", "  here"]),
        ('{"a": 1, "b": 2}', 8, ['{"a": 1, "b": 2}']),
        (
            "  tabletool settle rounds --table",
            20,
            ["  tabletool settle \\", "    rounds --table"],
        ),
    ],
)
def test_a_line_is_broken_at_words(line, width, pieces):
    """By hand: the rest stands below the last column that begins in the first half."""
    assert wrapped(line, width).split("\n") == pieces


@given(st.text("ab {.", max_size=120), st.integers(8, 60))
def test_no_word_is_lost_or_broken(line, width):
    """The words stay the same; a piece is too long only where it is one word."""
    pieces = wrapped(line, width).split("\n")
    assert " ".join(pieces).split() == line.split()
    for piece in pieces:
        assert len(piece) <= width or len(piece.split()) == 1 or line.startswith("{")


def on_terminal(columns, lines, folder):
    """What these commands print on a terminal with so many columns."""
    near, far = os.openpty()
    fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: text for name, text in os.environ.items() if name != "COLUMNS"}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=far,
        stderr=far,
        cwd=folder,
        env={**environment, "TERM": "xterm"},
    )
    os.close(far)
    process.stdin.write(lines.encode())
    process.stdin.close()
    output = b""
    with process:
        while data := read(near):
            output += data
    os.close(near)
    return output.decode().replace("\r\n", "\n")


def read(near):
    try:
        return os.read(near, 1 << 16)
    except OSError:  # the other end is closed
        return b""


@pytest.mark.parametrize("columns", [80, *soaked([120])])
def test_every_report_fits_the_terminal(columns, tmp_path):
    """No line is wider, but for JSON; the last word of each sentence is there."""
    (tmp_path / "round.json").write_text(ROUND + "\n", encoding="ascii")
    text = on_terminal(columns, REPORTS.format(trace="1382865454-1.trace"), tmp_path)
    assert "replay: agrees" in text
    assert "17:1" in text
    assert "next step: list them all" in text
    for line in text.splitlines():
        assert len(line) <= columns or line.startswith("{"), line


@pytest.mark.parametrize("columns", [80, *soaked([120])])
def test_every_help_fits_the_terminal(columns, tmp_path):
    """Sentences end where they end: nothing is cut with dots."""
    from host_tools.tests.command_tree import COMMANDS

    paths = [path.removeprefix("tabletool ") for path in COMMANDS if " " in path]
    text = on_terminal(columns, "".join(f"{path} --help\n" for path in paths), tmp_path)
    assert text.count("Usage:") == len(paths)
    for line in text.splitlines():
        assert len(line) <= columns or len(line.removesuffix("\\").split()) == 1, line
        assert not line.rstrip().endswith("...") or "[" in line or "Usage" in line, line


def test_long_work_shows_that_it_goes_on(tmp_path):
    """On a terminal, and gone when it is done; a pipe gets the result alone."""
    line = "emulate roulette --spins 2 --seed 7 --out a.capture\n"
    text = on_terminal(80, line, tmp_path)
    assert "playing" in text
    assert text.rstrip().endswith("2 spins: 2 numbers, 2 correct, 0 void")
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        command, input=f"{line.strip()} --force\n", capture_output=True, text=True, cwd=tmp_path
    )
    assert (done.stdout, done.stderr) == ("2 spins: 2 numbers, 2 correct, 0 void\n", "")

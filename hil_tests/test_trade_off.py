"""The table of what rim sensors cannot tell on a rough rim, and the page that has it."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path

import pytest

from hil_tests.physics import trade_off
from hil_tests.physics.device import configuration
from hil_tests.physics.spin_rounds import BALL, Rim, draw
from tablespec.names import KEY_NAMES
from tablewire import settings

HARDWARE = Path(__file__).parents[1] / "host_tools" / "docs" / "HARDWARE.md"
CELL = r"0|\d+\.\d % \(\d+\)"


def page() -> str:
    """Return the part of the page between the markers."""
    text = HARDWARE.read_text(encoding="utf-8")
    return text.partition("<!-- trade-off: begin -->\n")[2].partition("<!-- trade-off: end -->")[0]


def command() -> list[str]:
    """Return the options of the command that the page names."""
    [line] = re.findall(
        r"`python -m hil_tests\.physics\.trade_off ([^`]*)`",
        HARDWARE.read_text(encoding="utf-8").replace("\n", " "),
    )
    return shlex.split(line)


def rows(text: str) -> list[list[str]]:
    """Return the cells of each line of a table."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_command_of_the_page_prints_its_form(monkeypatch, capsys):
    """Its titles, its headings, and a row for each number of sensors and roughness played."""
    wanted = page()
    monkeypatch.setattr(trade_off, "ROUGHNESS", (0.1,))
    monkeypatch.setattr(trade_off, "RIM_SENSORS", (2,))
    assert trade_off.main([*command(), "--spins", "1", "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    spins = command()[command().index("--spins") + 1]
    for text, count in ((wanted, spins), (printed, "1")):
        titles = [line for line in text.splitlines() if line and not line.startswith("|")]
        assert titles == [f"{title}, {count} spins a cell:" for _, title in trade_off.BLOCKS]
    printed_rows = rows(printed)
    assert [line[:2] for line in printed_rows] == 2 * [
        printed_rows[0][:2],
        ["---", "---"],
        ["2", "10 %"],
    ]
    for line in (*printed_rows[::3], *rows(wanted)[:1]):
        assert line == list(trade_off.HEADINGS)
    assert all(re.fullmatch(CELL, cell) for line in printed_rows[2::3] for cell in line[2:])


def test_the_page_has_every_row():
    """Two blocks of each number of rim sensors on each rim, and a share in each cell."""
    lines = rows(page())
    expected = [
        [str(rims), f"{100 * rough:g} %"]
        for rims in trade_off.RIM_SENSORS
        for rough in trade_off.ROUGHNESS
    ]
    half = len(lines) // 2
    for block in (lines[:half], lines[half:]):
        assert block[0] == list(trade_off.HEADINGS)
        assert [line[:2] for line in block[2:]] == expected
        assert all(re.fullmatch(CELL, cell) for line in block[2:] for cell in line[2:])


def test_cells_are_shares_of_the_spins():
    """Healthy ones that are void count, and forged ones that have a number."""
    row = trade_off.Row(calibrated=False, rims=3, roughness=0.05)
    forged = [Counter(void=4) for _name in trade_off.FORGED]
    forged[0] = Counter(void=3, wrong=1)
    [_head, _rule, line] = trade_off.table([row], [Counter(right=3, void=1), *forged], 4)
    assert rows(line) == [["3", "5 %", "25.0 % (1)", "25.0 % (1)", *["0"] * (len(forged) - 1)]]


@pytest.mark.parametrize(
    ("roughness", "key"), [(0.0, 20), (0.05, 50), (0.30, 300)], ids=["smooth", "5", "30"]
)
def test_a_measured_wheel_has_the_keys_of_its_rim(roughness, key):
    """The law it was drawn with, in the units of the keys; other wheels have the factory's."""
    names = ("rim_roughness", "lap_steady", "lap_square")
    places = [KEY_NAMES.index(name) + 1 for name in names]
    spin = draw(BALL["short"], "1", "array", 2, Rim(roughness, calibrated=True))
    track, config = spin.track, configuration(spin, None)
    assert [config[place] for place in places] == [
        key,
        round(track.steady * 10_000),
        round(track.square * 10_000),
    ]
    assert settings.is_valid(config)
    spin = draw(BALL["short"], "1", "array", 2, Rim(roughness))
    factory = settings.factory()
    assert [configuration(spin, None)[place] for place in places] == [
        factory[place] for place in places
    ]


def test_every_forged_class_must_be_void():
    """Whatever is drawn: its truth is that every number is wrong."""
    for name in trade_off.FORGED:
        assert draw(BALL[name], "1", "array", 2, Rim(0.1)).number is None
    assert draw(BALL[trade_off.HEALTHY], "1", "array", 2, Rim(0.1)).number is not None

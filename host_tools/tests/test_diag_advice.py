"""Advice on a failure is chosen by what was measured, not by the code alone."""

import json
from datetime import UTC, datetime

import pytest

from host_tools.tests.diagnosed import Floor
from host_tools.tests.test_diag import IDENTITY
from tableemulator.machines.roulette import physical_wheel as g
from tableemulator.machines.roulette.physical_wheel import Geometry
from tabletools.cli.main import run
from tabletools.diag import report
from tabletools.diag.advice import first_steps
from tabletools.diag.check import FAIL, PASS, SKIP, Check
from tabletools.diag.report import FAILED
from tabletools.errors import USER

TILT_PIN, DOME_PIN = 9, 10  # of the emulated board: boards/emulated/board.py


def switches(*closed):
    """The rows of an array with these pockets closed."""
    rows = [Check("array: switches closed", FAIL, len(closed), "", 0, 1, 105)]
    return rows + [Check("array: pocket after the index", SKIP, pocket) for pocket in closed]


def only_step(*checks):
    """The one thing to do."""
    (step,) = first_steps(checks)
    return step.advice


@pytest.mark.parametrize(
    ("closed", "cause", "remedy"),
    [
        (range(40), "Its connector J5 is open", "Plug in J5"),
        (range(8, 16), "Whole registers read closed: 2", "register 2"),
        ([*range(8), *range(16, 24)], "Whole registers read closed: 1, 3", "register 1, 3"),
        ([3, 17], "Two switches are closed, pockets 3, 17", "Take every ball out"),
        (range(1, 9), "8 switches are closed", "Take every ball out"),
    ],
)
def test_closed_switches_are_balls_a_register_or_a_connector(closed, cause, remedy):
    """Forty of 37 pockets are no balls; eight of one register are its supply; two may be balls."""
    advice = only_step(*switches(*closed))
    assert cause in advice.cause
    assert remedy in advice.remedy


def test_two_open_loops_are_one_supply():
    """Both levels and both active faults are one thing to do; one alone is its own contact."""
    tilt, dome = (
        Check(f"{name}: level", FAIL, 1, "", 0, 0, code, "line on")
        for name, code in (("tilt", 401), ("dome", 402))
    )
    active = Check("tilt: fault active", FAIL, 1, "", 0, 0, 401)
    advice = only_step(tilt, dome, active)
    assert "24 V" in advice.remedy
    advice = only_step(dome, Check("dome: fault active", FAIL, 1, "", 0, 0, 402))
    assert advice.remedy.startswith("Close the dome")
    assert advice.remedy.endswith("dome_fitted = 0.")


@pytest.mark.parametrize(
    ("value", "note", "cause"),
    [
        (0, "line off", "unplugged"),
        (0, "line on", "at ground"),
        (5, "line off", "switched 5 times where 8 were due"),
    ],
)
def test_a_silent_line_is_not_one_that_misses(value, note, cause):
    """By its count and its level."""
    advice = only_step(Check("rotor a: pulses", FAIL, value, "", 8, None, 301, note))
    assert cause in advice.cause


@pytest.mark.parametrize(("value", "cause"), [(3900, "too weak"), (5600, "set too high")])
def test_a_supply_is_weak_or_high(value, cause):
    """4200 to 5400 mV pass."""
    assert cause in only_step(Check("table: supply", FAIL, value, "mV", 4200, 5400, 1006)).cause


@pytest.mark.parametrize(("value", "end"), [(0, "at ground"), (4095, "at 3.3 V")])
def test_a_converter_at_its_end_is_a_wire(value, end):
    """A flapper between 64 and 4031 moves; beyond, its wire is cut."""
    row = Check("flapper: highest reading", FAIL, value, "of 4095", 64, 4031, 611)
    assert end in only_step(row).cause


def test_a_blower_that_rests_is_no_cut_wire():
    """It reads 0 when it is off; its own code says what to do."""
    advice = only_step(Check("blower: highest reading", FAIL, 0, "of 4095", 300, 4095, 913))
    assert "wire is cut" not in advice.cause


def test_the_supply_comes_before_what_it_feeds():
    """A sensor without supply is silent too."""
    silent = Check("rim 1: pulses", FAIL, 0, "", 3, None, 301, "line off")
    loops = [Check(f"{n}: level", FAIL, 1, "", 0, 0, c) for n, c in (("tilt", 401), ("dome", 402))]
    weak = Check("table: supply", FAIL, 3900, "mV", 4200, 5400, 1006)
    steps = first_steps([silent, *loops, weak])
    assert [step.advice.source for step in steps] == ["table: supply", "24 V", "rim 1 line"]


def test_a_page_is_one_file_and_escapes_what_it_shows():
    """No script, no link to elsewhere; a note of a table is text."""
    checks = [Check("x: level", FAIL, 1, "", 0, 0, 402, "<script>alert(1)</script>")]
    checks.append(Check("y", PASS, 3, "mV", 1, 5))
    page = report.html(IDENTITY, checks, datetime(2026, 11, 29, 9, 0, tzinfo=UTC))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "http" not in page
    assert "2026-11-29 09:00 UTC" in page
    assert "<ol>\n<li>Close the dome" in page
    nothing = report.html(IDENTITY, checks[1:], datetime(2026, 11, 29, tzinfo=UTC))
    assert "Nothing: no check failed." in nothing


def unwired(table):
    """A board on a desk: the array reads all ones, both loops are open, nothing moves."""
    sensors = table.model.sensors
    sensors.note([table.now_us, "spi", g.ARRAY_SPI, "ff" * 5])
    for pin in (TILT_PIN, DOME_PIN):
        sensors.note([table.now_us, "pin", pin, 1])


def test_a_bare_board_has_to_be_wired(capsys, tmp_path):
    """Two things to do for five failures; what cannot be judged is one line; no second ball."""
    page = tmp_path / "table.html"
    with Floor(Geometry("single"), moved=lambda _: None, broken=unwired) as floor:
        assert run(["diag", floor.url, "--html", str(page)]) == FAILED
        text = capsys.readouterr().out
        assert run(["diag", floor.url, "--html", str(page)]) == USER
        assert "already exists" in capsys.readouterr().err
        assert run(["diag", floor.url, "--json", "--html", str(page), "--force"]) == FAILED
        answer = json.loads(capsys.readouterr().out)
    lines = text.splitlines()
    assert lines[1] == "What to do first:"
    assert lines[2].startswith("  1. Switch the 24 V supply on")
    assert lines[4].startswith("  2. Plug in J5")
    assert [line[:4] for line in lines].count("SKIP") == 1
    assert sum(line.startswith("FAIL") for line in lines) == 5
    assert "second_ball" not in text
    assert [step["checks"][0] for step in answer["first"]] == [
        "dome: level",
        "array: switches closed",
    ]
    assert "Plug in J5" in page.read_text()

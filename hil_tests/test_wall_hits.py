"""What the far wall counts of good throws: never too many, too few as often as documented."""

import math
from pathlib import Path

import pytest

from hil_tests import wall_hits
from hil_tests.decisions import SENSORS
from tableemulator.machines.dice_tray.physical_tray import LINE, PLATES, Tray
from tableemulator.machines.dice_tray.stickman import Thrower
from tablelogic.dice_tray.throw import Throw
from tabletools.cli.demo import menu, stand
from tablewire.settings import factory

HARDWARE = Path(wall_hits.__file__).parents[1] / "host_tools" / "docs" / "HARDWARE.md"


def test_one_die_is_one_hit() -> None:
    """Whether it tumbles or not; void_share() itself refuses a hit too many."""
    assert wall_hits.void_share(1, 3, throws=2_000) == 0


@pytest.mark.parametrize(
    ("touches", "hits"),
    [
        ([(0, 0), (9_000, 0)], 1),  # one that tumbles, or two together: taken for one
        ([(0, 0), (9_000, 0), (20_000, 0)], 1),  # each 11 ms and less after the one before
        ([(0, 0), (12_000, 0)], 2),
        ([(0, 0), (1_000, 1)], 2),
        ([(0, 0), (4_000, 0), (30_000, 0)], 2),  # two pulses in one, then another die
    ],
)
def test_touches_given_by_hand(touches: list[tuple[int, int]], hits: int) -> None:
    """Times in us, plates; a pulse lasts 5 ms, hit_gap_ms is 12."""
    assert wall_hits.counted(touches, 3) == hits


def test_what_hardware_tells_is_what_is_measured() -> None:
    """Two dice against three plates, as HARDWARE.md has it."""
    share = f"{100 * wall_hits.void_share(2, 3):.1f} %"
    assert reported(2) == share


def reported(dice: int) -> str:
    """The share of void throws against three plates that HARDWARE.md states."""
    rows = HARDWARE.read_text(encoding="utf-8").partition("\n| dice | 1 plate |")[2].splitlines()
    return next(row for row in rows if row.startswith(f"| {dice} |")).split(" | ")[2]


@pytest.fixture(scope="module")
def hits() -> list[int]:
    """What the table counts in 600 good throws of three dice, through its sensor lines."""
    tray = Tray(1, 3)
    tray.camera.stopped = True
    thrower = Thrower(1, tray.camera, 3)
    hits = []
    for _ in range(600):
        flights = thrower.plan(tray.now_us).thrown
        tray.throw(flights)
        throw = Throw(factory())
        for t_us, kind, pin, level in tray.events_until(tray.now_us + 3_000_000):
            if kind == "pin" and pin in (LINE, *PLATES):
                throw.edge(SENSORS[pin], level, t_us)
        hits.append(throw.hits)
        tray.put_back()
    return hits


def test_an_emulated_tray_misses_no_more_than_hardware_tells(hits: list[int]) -> None:
    """Three dice: within three standard deviations of 600 throws; never a hit too many."""
    share = sum(count < 3 for count in hits) / len(hits)
    expected = float(reported(3).removesuffix(" %")) / 100
    assert abs(share - expected) < 3 * math.sqrt(expected * (1 - expected) / len(hits))
    assert max(hits) == 3


def test_the_demo_seldom_voids_a_good_throw(hits: list[int]) -> None:
    """Its croupier watches the wall: only three dice at one place of it are too few."""
    [table] = [each for each in menu.TABLES if each.kind == "dice"]
    assert stand.setup_of(table).keys["dice"] == 3
    assert sum(count < table.changed["wall_hits"] for count in hits) / len(hits) < 0.02

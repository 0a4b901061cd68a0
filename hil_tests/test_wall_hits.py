"""What the far wall counts of good throws: never too many, and too few as often as is told."""

from pathlib import Path

import pytest

from hil_tests import wall_hits

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
def test_touches_told_by_hand(touches: list[tuple[int, int]], hits: int) -> None:
    """Times in us, plates; a pulse lasts 5 ms, hit_gap_ms is 12."""
    assert wall_hits.counted(touches, 3) == hits


def test_what_hardware_tells_is_what_is_measured() -> None:
    """Two dice against three plates, as HARDWARE.md has it."""
    share = f"{100 * wall_hits.void_share(2, 3):.1f} %"
    row = next(r for r in HARDWARE.read_text(encoding="utf-8").splitlines() if r[:5] == "| 2 |")
    assert row.split(" | ")[2] == share

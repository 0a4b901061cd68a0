"""The field of a disc magnet against its closed form, and the page that quotes what follows."""

import math
from pathlib import Path

import pytest

from hil_tests.magnets import (
    GAPS_MM,
    PITCHES_MM,
    TYPICAL_MT,
    Disc,
    pin_duty,
    pin_table,
    table,
)

HARDWARE = Path(__file__).parents[1] / "host_tools" / "docs" / "HARDWARE.md"


@pytest.mark.parametrize("disc", [Disc(5, 2), Disc(12, 3)])
@pytest.mark.parametrize("gap_mm", GAPS_MM)
def test_the_field_on_the_axis_is_that_of_the_closed_form(disc, gap_mm):
    """Br/2 (far / sqrt(r^2 + far^2) - near / sqrt(r^2 + near^2)), from the two faces."""
    radius, far = disc.diameter_mm / 2, gap_mm + disc.height_mm
    wanted = 595 * (far / math.hypot(radius, far) - gap_mm / math.hypot(radius, gap_mm))
    assert disc.field_mt(0, gap_mm) == pytest.approx(wanted, rel=0.01)


def test_far_away_it_is_a_dipole():
    """Beside a magnet, in its plane, the field is mu0 m / (4 pi d^3), against its own."""
    disc, far_mm = Disc(5, 2), 60
    volume = math.pi * 2.5**2 * 2
    assert disc.field_mt(far_mm, -1) == pytest.approx(
        -1190 * volume / (4 * math.pi * far_mm**3), rel=0.01
    )


def test_the_magnets_to_buy_are_on_for_half_of_a_pitch():
    """Within a twentieth at the gap that is named; 5 x 2 mm discs are on for a third."""
    for pitch in PITCHES_MM:
        assert Disc(12, 3).duty(pitch, 3, TYPICAL_MT) == pytest.approx(0.5, abs=0.05)
        for gap in GAPS_MM:
            assert Disc(12, 3).duty(pitch, gap, TYPICAL_MT) == pytest.approx(0.5, abs=0.07)
            assert Disc(5, 2).duty(pitch, gap, TYPICAL_MT) < 0.36


@pytest.mark.parametrize("gap_mm", GAPS_MM)
@pytest.mark.parametrize("pitch_mm", PITCHES_MM)
def test_a_stronger_grade_is_on_for_the_same_share(gap_mm, pitch_mm):
    """N52, 1.45 T, to a hundredth of a pitch: neighbours with the same pole raise both edges."""
    weak, strong = Disc(12, 3), Disc(12, 3, remanence_t=1.45)
    assert strong.field_mt(0, gap_mm) == pytest.approx(1.218 * weak.field_mt(0, gap_mm), rel=0.01)
    duties = [disc.duty(pitch_mm, gap_mm, TYPICAL_MT) for disc in (weak, strong)]
    assert duties[1] == pytest.approx(duties[0], abs=0.01)


@pytest.mark.parametrize(
    ("disc", "circles_mm"),
    [
        (Disc(12, 3), (500, 650)),
        (Disc(20, 5), (700, 1000)),
        (Disc(30, 5), (1150, 1400)),
    ],
)
def test_the_magnets_of_pins_are_on_for_half_of_a_segment(disc, circles_mm):
    """For 38 to 62 %, on the circles for which the page names them."""
    for circle_mm in circles_mm:
        assert pin_duty(disc, circle_mm) == pytest.approx(0.5, abs=0.12)


def test_the_page_has_the_tables():
    """As `python -m hil_tests.magnets` prints them."""
    page = HARDWARE.read_text(encoding="utf-8")
    assert "\n".join(table()) in page
    assert "\n".join(pin_table()) in page

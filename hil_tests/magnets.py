"""What a hall switch makes of a ring of disc magnets: the share of a pitch for which it is on.

    python -m hil_tests.magnets

Flux density of a disc magnetised along its axis, by the charges on its two faces; those of the
neighbours are added. A switch that comes on at `on_mt` and goes off at `off_mt` is on from one
edge to the other, whichever way the ring turns. The tables of host_tools/docs/HARDWARE.md are its
output.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

REMANENCE_T = 1.19  # N35
# DRV5023AJ, electrical characteristics: operate and release points, least, typical, most.
SWITCHES_MT = ((3.0, 1.0), (6.9, 3.2), (12.0, 6.4))
TYPICAL_MT = SWITCHES_MT[1]
# Pitch of a ring under the pockets of a rotor, smallest and largest.
PITCHES_MM = (31, 34)
GAPS_MM = (2, 3, 4)
# Diameters of the circle of a money wheel's pins, and how many pins.
PIN_CIRCLES_MM = (500, 600, 700, 900, 1200, 1400)
PINS = 52
PIN_GAP_MM = 3
_NEIGHBOURS = 3
_RADII, _ANGLES, _PLACES = 40, 80, 100


@cache
def _pieces(radius: float) -> tuple[Floats, Floats, Floats]:
    """Return the pieces of a face: their areas, places along the ring, and across it, squared."""
    radii = (np.arange(_RADII) + 0.5) / _RADII * radius
    angles = (np.arange(_ANGLES) + 0.5) / _ANGLES * 2 * np.pi
    far, around = np.meshgrid(radii, angles)
    areas = far * (radius / _RADII) * (2 * np.pi / _ANGLES)
    return areas, far * np.cos(around), (far * np.sin(around)) ** 2


@dataclass(frozen=True)
class Disc:
    """diameter_mm, height_mm: of the magnet. remanence_t: of its grade."""

    diameter_mm: float
    height_mm: float
    remanence_t: float = REMANENCE_T

    def field_mt(self, aside_mm: float, gap_mm: float) -> float:
        """Flux density along the axis, so far beside it and above the face."""
        areas, x, y_square = _pieces(self.diameter_mm / 2)
        square = (aside_mm - x) ** 2 + y_square
        total = 0.0
        for height, sign in ((gap_mm, 1), (gap_mm + self.height_mm, -1)):
            away = square + height**2
            total += sign * float(np.sum(areas * height / (away * np.sqrt(away))))
        return self.remanence_t / (4 * np.pi) * total * 1000

    def duty(self, pitch_mm: float, gap_mm: float, switch_mt: tuple[float, float]) -> float:
        """Share of a pitch for which a switch is on; 1 when it never goes off."""
        places = np.linspace(0, pitch_mm / 2, _PLACES)
        near = range(-_NEIGHBOURS, _NEIGHBOURS + 1)
        fields = [sum(self.field_mt(x + k * pitch_mm, gap_mm) for k in near) for x in places]
        edges = []
        for level in switch_mt:
            below = [x for x, field in zip(places, fields, strict=True) if field < level]
            edges.append(below[0] if below else pitch_mm / 2)
        return float(sum(edges)) / pitch_mm


PIN_DISCS = (Disc(12, 3), Disc(20, 5), Disc(30, 5))
DISCS = (Disc(5, 2), Disc(8, 3), Disc(10, 3), Disc(12, 3), Disc(15, 3))


def table() -> list[str]:
    """Rows of a Markdown table: a disc, its field, its duty at each gap and pitch."""
    heads = [f"{gap} mm, pitch {pitch} mm" for gap in GAPS_MM for pitch in PITCHES_MM]
    rows = ["| disc | on its axis at 3 mm | " + " | ".join(heads) + " |"]
    rows.append("|" + "---|" * (2 + len(heads)))
    for disc in DISCS:
        duties = [
            f"{disc.duty(pitch, gap, TYPICAL_MT):.0%}" for gap in GAPS_MM for pitch in PITCHES_MM
        ]
        name = f"{disc.diameter_mm:g} x {disc.height_mm:g} mm"
        rows.append(f"| {name} | {disc.field_mt(0, 3):.0f} mT | " + " | ".join(duties) + " |")
    return rows


def pin_duty(disc: Disc, circle_mm: float) -> float:
    """Share of a segment for which a switch over the pins' magnets is on."""
    return disc.duty(math.pi * circle_mm / PINS, PIN_GAP_MM, TYPICAL_MT)


def pin_table() -> list[str]:
    """Rows of a Markdown table: a disc, its duty on each circle of pins."""
    heads = [f"{circle} mm" for circle in PIN_CIRCLES_MM]
    rows = ["| disc | " + " | ".join(heads) + " |", "|" + "---|" * (1 + len(heads))]
    for disc in PIN_DISCS:
        duties = [f"{pin_duty(disc, circle):.0%}" for circle in PIN_CIRCLES_MM]
        name = f"{disc.diameter_mm:g} x {disc.height_mm:g} mm"
        rows.append(f"| {name} | " + " | ".join(duties) + " |")
    return rows


if __name__ == "__main__":
    print("\n".join([*table(), "", *pin_table()]))

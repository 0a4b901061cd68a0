"""The picture of `tabletool diag` in its reference: a wheel whose second rim sensor is dead.

`python -m host_tools.tests.diag_picture` writes docs/diag.svg.
"""

from pathlib import Path

from host_tools.tests.diagnosed import Floor, dead, spin
from tableemulator.machines.roulette import physical_wheel as g
from tableemulator.machines.roulette.physical_wheel import Geometry
from tabletools.cli.main import run

DOCS = Path(__file__).resolve().parents[1] / "docs"


def draw() -> None:
    """Write the picture."""
    with Floor(Geometry("single"), moved=spin, broken=dead(g.RIM_2)) as floor:
        words = ["--self-test", "--yes", "--for", "14", "--save-svg", str(DOCS / "diag.svg")]
        run(["diag", floor.url, *words])


if __name__ == "__main__":
    draw()

"""The recipe of a board: another maker's board with the chip and the header of a Pico 2."""

from host_tools.tests.recipes.runner import ROOT, Edit, Recipe

NEAREST = ROOT / "boards/rpi_pico2"
RIMS = '"GPIO27 (pin 32)", "GPIO28 (pin 34)"'
REFUSALS = (
    "test_a_role_that_does_not_run_on_the_board_is_refused_with_the_figures",
    "test_a_role_with_fast_edges_is_refused_on_a_board_with_soft_interrupts",
)
TEST = "boards/tests/test_boards.py"


def like_the_nearest(name: str) -> str:
    """A file of the nearest board, under the name of the new one."""
    text = (NEAREST / name).read_text(encoding="utf-8")
    text = text.replace('"rpi_pico2"', '"acme_2350"').replace("Raspberry Pi Pico 2", "Acme 2350")
    return text.replace('["RPI_PICO2"]', '["ACME_2350"]')


BOARD = Recipe(
    heading="A board",
    edits=(
        Edit("boards/acme_2350/board.json", "", like_the_nearest("board.json")),
        Edit("boards/acme_2350/board.py", "", like_the_nearest("board.py")),
        Edit(TEST, "PLACES = {\n", '    "acme_2350": {"0": "pin 1", "11": "pin 15"},\n'),
        Edit(TEST, "IMAGES = {", '"acme_2350": "ACME_2350", '),
        Edit(TEST, "MEMORY = {", '"acme_2350": (520, 4), '),
        Edit(TEST, "MORE_RIMS = {\n", f'    "acme_2350": ({RIMS}),\n'),
    ),
    play="""
from pathlib import Path
from tabletools import flash

kind = flash.kind_of("acme_2350")
print(kind.name, "INPUT_1" in (kind.folder / "WIRING.md").read_text())
""",
    printed="acme_2350 True\n",
    generators=("boards/wiring.py",),
    tests=(TEST, *(f"host_tools/tests/test_cli_flash.py::{name}" for name in REFUSALS)),
)

"""The ball-draw machine of Keno and Bingo: a blower, an exit gate, a tube, two readers."""

from tableemulator.machines.core.emulator import Emulator
from tableemulator.machines.draw_machine.draw_caller import DrawTable
from tableemulator.machines.draw_machine.draw_faults import FAULTS, fits
from tableemulator.machines.draw_machine.physical_draw import DrawSetup

EMULATOR = Emulator(
    role="draw_machine",
    setup=DrawSetup,
    table=DrawTable,
    faults=FAULTS,
    fits=fits,
    words=("draws", "results", "correct"),
    help="""Play draws of an emulated ball-draw machine, Keno or Bingo; options as for roulette.

    A Bingo draw ends when the host reports that a player has won; here after a random number of
    balls. Between two draws the balls are recalled and counted.
    """,
)

"""The dice tray: a throw line, a far wall of plates, a camera over the cloth."""

from tableemulator.machines.core.emulator import Emulator
from tableemulator.machines.dice_tray.physical_tray import TraySetup
from tableemulator.machines.dice_tray.stickman import TrayTable
from tableemulator.machines.dice_tray.tray_faults import FAULTS

EMULATOR = Emulator(
    role="dice_tray",
    setup=TraySetup,
    table=TrayTable,
    words=("throws", "readings", "correct"),
    faults=FAULTS,
    command="dice",
    help="""Play throws of an emulated dice tray; options as for roulette.

    Its camera sees drawn dice, read by the shipped program; a trace contains the picture too. The
    far wall has three plates: of four dice and more, two often hit one plate together, and the
    throw is void (705).
    """,
)

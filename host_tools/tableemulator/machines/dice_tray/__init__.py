"""The dice tray: a throw line, a far wall of plates, a camera over the cloth."""

from tableemulator.machines.core.emulator import Emulator
from tableemulator.machines.core.fault_actions import Fault
from tableemulator.machines.dice_tray.physical_tray import TraySetup
from tableemulator.machines.dice_tray.stickman import TrayTable
from tableemulator.machines.dice_tray.tray_faults import FAULTS
from tablewire.dice_tray import NOT_COMMISSIONED


def _fits(setup: TraySetup, fault: Fault) -> bool:
    """Only a table that reads the dice itself needs a commissioned tray."""
    return not (setup.host and fault.code == NOT_COMMISSIONED)


EMULATOR = Emulator(
    role="dice_tray",
    setup=TraySetup,
    table=TrayTable,
    words=("throws", "readings", "correct"),
    faults=FAULTS,
    command="dice",
    fits=_fits,
    help="""Play throws of an emulated dice tray; options as for roulette.

    Its camera sees drawn dice, read by the shipped program, for which the tray is commissioned; a
    trace contains the picture too. The far wall has three plates: of four dice and more, two often
    hit one plate together, and the throw is void (705).
    """,
)

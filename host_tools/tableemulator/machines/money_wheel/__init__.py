"""The money wheel: 52 or 54 segments, a flapper that brakes it pin by pin."""

from tableemulator.machines.core.emulator import Emulator
from tableemulator.machines.money_wheel.money_wheel_faults import FAULTS
from tableemulator.machines.money_wheel.physical_money_wheel import MoneyWheelSetup
from tableemulator.machines.money_wheel.wheel_presenter import MoneyWheelTable

EMULATOR = Emulator(
    role="money_wheel",
    setup=MoneyWheelSetup,
    table=MoneyWheelTable,
    words=("turns", "segments", "correct"),
    faults=FAULTS,
    help="Play rounds of an emulated money wheel (Big Wheel); options as for roulette.",
)

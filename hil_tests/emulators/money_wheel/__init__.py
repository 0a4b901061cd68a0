"""The money wheel: 52 or 54 segments, a flapper that brakes it pin by pin."""

from hil_tests.emulators.core.emulator import Emulator
from hil_tests.emulators.money_wheel.money_wheel_faults import FAULTS
from hil_tests.emulators.money_wheel.physical_money_wheel import MoneyWheelSetup
from hil_tests.emulators.money_wheel.wheel_presenter import MoneyWheelTable

EMULATOR = Emulator(
    role="money_wheel",
    setup=MoneyWheelSetup,
    table=MoneyWheelTable,
    faults=FAULTS,
    help="Play rounds of an emulated money wheel (Big Wheel); options as for roulette.",
)

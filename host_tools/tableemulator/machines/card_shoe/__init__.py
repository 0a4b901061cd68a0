"""The card shoe of a Punto Banco table: two gates, a sheet sensor, a reader of cards."""

from tableemulator.machines.card_shoe.physical_shoe import ShoeSetup
from tableemulator.machines.card_shoe.shoe_dealer import ShoeTable
from tableemulator.machines.card_shoe.shoe_faults import FAULTS
from tableemulator.machines.core.emulator import Emulator

EMULATOR = Emulator(
    role="card_shoe",
    setup=ShoeSetup,
    table=ShoeTable,
    words=("hands", "results", "correct"),
    faults=FAULTS,
    has_noise=False,
    help="""Play rounds of Punto Banco from an emulated shoe that reads its cards; options as before.

    The truth has the cards that left the shoe in each round, reported or not. A spin is a round.
    """,  # noqa: E501
)

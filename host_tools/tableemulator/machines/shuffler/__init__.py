"""The card shuffler of a card table: two light gates, or a line on which it reports itself."""

from tableemulator.machines.core.emulator import Emulator
from tableemulator.machines.shuffler.physical_shuffler import ShufflerSetup
from tableemulator.machines.shuffler.shuffler_dealer import ShufflerTable
from tableemulator.machines.shuffler.shuffler_faults import FAULTS, fits

EMULATOR = Emulator(
    role="shuffler",
    setup=ShufflerSetup,
    table=ShufflerTable,
    faults=FAULTS,
    fits=fits,
    words=("rounds", "ended", "with a deck counted correctly"),
    help="""Play rounds of an emulated card table with a shuffler; options as for roulette.

    Each round: a shuffle, the shoe released, bets, cards dealt. A fault happens to the next deck,
    shuffled while cards are dealt. Files contain counts and faults, never a card.
    """,
)

"""The roulette table: 37 or 38 pockets, rotor, rim and pocket sensors."""

from tableemulator.machines.core.emulator import Emulator
from tableemulator.machines.roulette.croupier import RouletteTable
from tableemulator.machines.roulette.physical_wheel import Geometry
from tableemulator.machines.roulette.roulette_faults import FAULTS, fits

EMULATOR = Emulator(
    role="roulette",
    setup=Geometry,
    table=RouletteTable,
    faults=FAULTS,
    fits=fits,
    mountings=Geometry.mountings,
    help="""Play spins of an emulated roulette table.

    Time is virtual: a spin of half a minute takes a moment. With --serve or --pty the table plays
    in real time until it is interrupted. With --key it needs a session; served, the reader of the
    port has to begin one and to acknowledge: a table has one host.
    """,
)

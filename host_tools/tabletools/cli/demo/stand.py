"""One emulated table of the demo: `python -m tabletools.cli.demo.stand KIND ID KEYFILE SEED`.

Each is a separate process, so that a busy one delays no other. Prints its port and plays until
SIGTERM or SIGINT, or until its parent process is gone.
"""

import os
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from tableemulator import fault_catalogue, play_session
from tableemulator.chips import device_of, program_of
from tableemulator.fault_catalogue import Fault
from tableemulator.machines import Setup, every_emulator
from tableemulator.machines.core.harness import FROM_TABLE
from tableemulator.machines.core.uart import Interrupted, Pace
from tableemulator.machines.dice_tray.physical_tray import TraySetup
from tableemulator.machines.roulette.physical_wheel import Geometry
from tabletools.cli.emulate.serving import caught_signals, opened_port, say_where
from tabletools.keys import Keyring

PORT = "127.0.0.1:0"
SETUPS: dict[str, Callable[[], Setup]] = {
    **{each.command: each.setup for each in every_emulator()},
    "roulette00": lambda: Geometry("double"),
    "dice": lambda: TraySetup(3, host=True),
}
# Changes to the configuration. Of three dice on three plates every fifth throw would be void
# (HARDWARE.md): here the croupier watches the wall. The next round opens when the host has
# read the picture.
CHANGED = {"dice": {"wall_hits": 2, "result_hold_ms": 20_000}}
# Faults provoked at a table of that kind: the round of the first, and the interval.
FAULTS = {"shuffler": ("jam_in", 2, 8)}


def main(kind: str, number: int, keys: Path, seed: int) -> None:
    """Play until stopped."""
    parent = os.getppid()
    key = Keyring(keys).all()[device_of(number)][-1]
    setup = SETUPS[kind]()
    with caught_signals() as caught, opened_port(PORT, pty=False) as port:

        def listen(_when: int, direction: str, data: bytes) -> None:
            if direction == FROM_TABLE:
                port.send(data)

        def is_over() -> bool:
            return bool(caught) or os.getppid() != parent

        with play_session.emulated_table(
            setup,
            seed,
            listen=listen,
            pace=Pace(port, is_over),
            acknowledge=False,
            key=(key.number, key.secret),
            files=program_of(number),
            changed=CHANGED.get(kind),
        ) as table:
            say_where(port, PORT)
            try:
                for fault in faults_of(kind, setup):
                    play_session.play(table, fault)
            except Interrupted:
                return


def faults_of(kind: str, setup: Setup) -> Iterator[Fault | None]:
    """Yield the fault of each round, endlessly."""
    name, first, every = FAULTS.get(kind, ("", 0, 1))
    fault = fault_catalogue.find(name, play_session.catalogue_of(setup)) if name else None
    for number in count(1):
        yield fault if fault and number % every == first else None


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))

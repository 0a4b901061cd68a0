"""One emulated table of the demo: `python -m tabletools.cli.demo.stand KIND ID KEYFILE SEED`.

Each is a separate process, so that a busy one delays no other. Prints its port and plays until
SIGTERM or SIGINT, or until its parent process is gone.
"""

import os
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from tableemulator import fault_catalogue, play_session
from tableemulator.chips import device_of, program_of
from tableemulator.fault_catalogue import Fault
from tableemulator.machines import Setup, every_emulator
from tableemulator.machines.core.harness import FROM_TABLE
from tableemulator.machines.core.uart import Interrupted, Pace
from tabletools.cli.demo.menu import TABLES, DemoTable
from tabletools.cli.emulate.serving import caught_signals, opened_port, say_where
from tabletools.keys import Keyring

PORT = "127.0.0.1:0"


def setup_of(table: DemoTable) -> Setup:
    """Return the machine of a table as it was built."""
    command = table.emulator or table.kind
    [emulator] = [each for each in every_emulator() if each.command == command]
    setup: Setup = emulator.setup(**table.setup)
    return setup


def main(kind: str, number: int, keys: Path, seed: int) -> None:
    """Play until stopped."""
    parent = os.getppid()
    key = Keyring(keys).all()[device_of(number)][-1]
    [demo_table] = [each for each in TABLES if each.kind == kind]
    setup = setup_of(demo_table)
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
            changed={**demo_table.changed},
        ) as table:
            say_where(port, PORT)
            try:
                for fault in faults_of(demo_table, setup):
                    play_session.play(table, fault)
            except Interrupted:
                return


def faults_of(table: DemoTable, setup: Setup) -> Iterator[Fault | None]:
    """Yield the fault of each round, endlessly."""
    name, first, every = table.fault or ("", 0, 1)
    fault = fault_catalogue.find(name, play_session.catalogue_of(setup)) if name else None
    for number in count(1):
        yield fault if fault and number % every == first else None


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))

"""Prints what a money wheel sees of each class of hands, calibrated and not, as in HARDWARE.md.

    python -m hil_tests.money_wheel_table [--turns 200] [--seed 41]

Of 100 turns: those with a hand that were paid, and those without that were void. On PyPy ten times
faster.
"""

import argparse
from collections import Counter
from collections.abc import Iterator

from hil_tests.physics.kinds import FALSE_VOID, VOID, WRONG, Kind, wheel_turns
from hil_tests.physics.making import alone

_ROW = "| {} |"


def share(kind: Kind, seed: int, turns: int) -> str:
    """How many percent of the turns ended as they should not."""
    names = (f"{seed}/{kind.machine}/{kind.name}/{each}" for each in range(turns))
    counts = Counter(kind.play(name, alone).verdict for name in names)
    hands = counts[WRONG] + counts[VOID]
    if kind.name == "healthy":
        return f"{100 * counts[FALSE_VOID] / turns:.1f}"
    return f"{100 * counts[WRONG] / hands:.1f}" if hands else "-"


def rows(seed: int, turns: int) -> Iterator[str]:
    """Yield the lines of the table."""
    kinds = {(kind.name, kind.machine): kind for kind in wheel_turns()}
    machines = list(dict.fromkeys(machine for _, machine in kinds))
    names = list(dict.fromkeys(name for name, _ in kinds))
    yield _ROW.format(" | ".join(["percent", *(name.split(", ", 1)[1] for name in machines)]))
    yield _ROW.format(" | ".join("---" for _ in ["", *machines]))
    for name in names:
        played = (kinds.get((name, machine)) for machine in machines)
        shares = (share(kind, seed, turns) if kind else "" for kind in played)
        yield _ROW.format(" | ".join([name, *shares]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="money_wheel_table")
    parser.add_argument("--turns", type=int, default=200, help="of each class")
    parser.add_argument("--seed", type=int, default=41)
    options = parser.parse_args()
    for line in rows(options.seed, options.turns):
        print(line, flush=True)

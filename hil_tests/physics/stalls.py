"""Healthy rounds at a board with soft interrupts, whose scheduler stops now and then.

    python -m hil_tests.physics.stalls [--rounds 60] [--machine roulette] [--stalls-ms 0 10 20 60]

An ESP32 calls the handler of a pin from the scheduler (micropython #4214), so an edge gets the
time at which that runs, and the level that the pin has then. It waits for a collection, an erase
of the flash, a long call of C; eight calls wait, and what comes beyond them is lost
(MICROPY_SCHEDULER_DEPTH of ports/esp32). Here one stall begins in each second, at random.
"""

import argparse
import random
import sys
from collections import Counter
from functools import partial
from typing import Any

from hil_tests.physics.kinds import RIGHT, Kind, kinds
from hil_tests.physics.making import MakeRole
from tablelogic.core.ticks import diff

EVERY_US = 1_000_000
QUEUE = 8
HANDLER_US = 30
_MASK = (1 << 30) - 1
_HEALTHY = ("healthy", "one, even")


class Stalled:
    """A role whose edges wait in stalls; everything else is the role's own.

    begins: microseconds from the first input to each stall, in order; stall_us: how long they are.
    """

    def __init__(self, role: Any, begins: Any, stall_us: int) -> None:
        self._role = role
        self._begins = iter(begins)
        self._stall_us = stall_us
        self._begin_us = next(self._begins)
        self._now_us = 0
        self._last_us: int | None = None
        self._waiting: list[int] = []
        self._levels: dict[int, int] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_role"], name)

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """See the role; in a stall its handler waits."""
        self._pass(t_us)
        self._levels[sensor] = level
        if not self._is_stalled():
            self._role.edge(sensor, level, t_us)
        elif len(self._waiting) < QUEUE:
            self._waiting.append(sensor)

    def array(self, bits: bytearray, t_us: int) -> None:
        """See the role; in a stall nobody reads it."""
        self._pass(t_us)
        if not self._is_stalled():
            self._role.array(bits, t_us)

    def tick(self, t_us: int) -> None:
        """See the role; in a stall the step is missed."""
        self._pass(t_us)
        if not self._is_stalled():
            self._role.tick(t_us)

    def _pass(self, t_us: int) -> None:
        """Let time pass: the handlers that waited run one after the other."""
        last_us = t_us if self._last_us is None else self._last_us
        self._now_us += diff(t_us, last_us)
        self._last_us = t_us
        while self._now_us >= self._begin_us + self._stall_us:
            end_us = t_us - (self._now_us - self._begin_us - self._stall_us)
            for place, sensor in enumerate(self._waiting):
                late_us = min(end_us + place * HANDLER_US, t_us)
                self._role.edge(sensor, self._levels[sensor], late_us & _MASK)
            self._waiting.clear()
            self._begin_us = next(self._begins)

    def _is_stalled(self) -> bool:
        return bool(self._begin_us <= self._now_us)


def build(role: Any, config: list[int], sink: Any, seed: str, stall_us: int) -> Any:
    """Make a role that is stalled once in each second; as it is where stall_us is 0."""
    chance = random.Random(seed)
    plain = role(config, sink)
    if not stall_us:
        return plain
    begins = (n * EVERY_US + chance.randrange(EVERY_US - stall_us) for n in range(1 << 30))
    return Stalled(plain, begins, stall_us)


def play(kind: Kind, seed: int, rounds: int, stall_us: int) -> Counter[str]:
    """What became of so many rounds of a class."""
    verdicts: Counter[str] = Counter()
    for number in range(rounds):
        name = f"{seed}/{kind.machine}/{kind.name}/{number}"
        make: MakeRole = partial(build, seed=name, stall_us=stall_us)
        verdicts[kind.play(name, make).verdict] += 1
    return verdicts


def main() -> int:
    """Print a line for each class of healthy rounds and length of stalls."""
    parser = argparse.ArgumentParser(prog="stalls")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=41)
    parser.add_argument("--machine", default="", help="only machines that begin with this")
    parser.add_argument("--stalls-ms", type=int, nargs="+", default=[0, 10, 20, 60])
    options = parser.parse_args()
    for kind in kinds():
        if kind.name not in _HEALTHY or not kind.machine.startswith(options.machine):
            continue
        for stall_ms in options.stalls_ms:
            verdicts = play(kind, options.seed, options.rounds, stall_ms * 1000)
            lost = ", ".join(
                f"{n} {what}" for what, n in sorted(verdicts.items()) if what != RIGHT
            )
            print(
                f"{kind.machine}, {kind.name}, stalls of {stall_ms} ms: {lost or 'all'} of"
                f" {options.rounds}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Emulated tables of the estate bench, in a process of their own: rounds without end.

    python -m host_tools.bench.estate_tables TABLES BET_S [--at-rest]

Says the ports as one line of JSON, plays until its input ends, then says what it measured. At
rest it plays once a line came.
"""

import json
import random
import sys
import threading
import time
from contextlib import ExitStack

from host_tools.bench.estate import FIRST_DEVICE, LAST_S, SECRET
from host_tools.tests.emulated import Played, result
from tableemulator.machines.repeater import Served
from tablewire.messages import BETS_CLOSED, PHASE_BETS_OPEN, PHASE_CLOSED, ROUND_OPENED
from tablewire.roulette import CLOSE_CAUSE_BALL_DETECTED, WHEEL_RESULT, WHEEL_SINGLE

PAUSE_S = 0.2


class Wheel(Played):
    """A roulette table that plays by itself. settled: s from a number to its acknowledgement."""

    look_s, beat_s, repeat_s = 0.02, 0.5, 1.0

    def __init__(self, device, bet_s, ending):
        super().__init__(device, SECRET)
        self.settled = []
        self.rounds = 0
        self._bet_s = bet_s
        self._ending = ending
        self._source = random.Random(device)
        self._next_s = 0.0
        self._fell_at = None

    def news(self):
        """The records that are due now."""
        return self._play(time.monotonic())

    def _play(self, now):
        """What the table says now of its rounds."""
        if self._fell_at is not None and not self.journal:
            self.settled.append(now - self._fell_at)
            self.rounds += 1
            self._fell_at, self._next_s = None, now + PAUSE_S
        if now < self._next_s or self._fell_at is not None:
            return b""
        if self.phase == PHASE_BETS_OPEN:
            self.phase, self._fell_at = PHASE_CLOSED, now
            from_open = CLOSE_CAUSE_BALL_DETECTED, int(self._bet_s * 1000)
            pocket = self._source.randrange(37)
            number, values = self._number, result(pocket)
            return self.say(BETS_CLOSED, from_open, number) + self.say(
                WHEEL_RESULT, values, number
            )
        if self._ending.is_set():
            return b""
        self.phase, self._next_s = PHASE_BETS_OPEN, now + self._bet_s
        self._number = self.rounds + 1
        return self.say(ROUND_OPENED, (WHEEL_SINGLE, 7, 60_000), self._number)


def main():
    """Serve the tables until the input ends, and their last rounds are settled."""
    count, bet_s = int(sys.argv[1]), float(sys.argv[2])
    ending = threading.Event()
    if "--at-rest" in sys.argv:
        ending.set()
    wheels = [Wheel(FIRST_DEVICE + number, bet_s, ending) for number in range(count)]
    with ExitStack() as stack:
        ports = [stack.enter_context(Served(wheel)).url for wheel in wheels]
        print(json.dumps(ports), flush=True)
        if ending.is_set() and sys.stdin.readline():
            ending.clear()
        sys.stdin.read()
        ending.set()
        limit = time.monotonic() + LAST_S
        while time.monotonic() < limit and any(
            wheel.journal or wheel.phase == PHASE_BETS_OPEN for wheel in wheels
        ):
            time.sleep(0.05)
    report = {
        "rounds": sum(wheel.rounds for wheel in wheels),
        "settled": [seconds for wheel in wheels for seconds in wheel.settled],
        "left": {
            FIRST_DEVICE + number: len(wheel.journal)
            for number, wheel in enumerate(wheels)
            if wheel.journal
        },
    }
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main()

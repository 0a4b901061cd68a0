"""`python -m hil_tests.night --seed N --hours H`: one night; the same seed gives the same log."""

import argparse
import os
import sys
from collections import defaultdict
from pathlib import Path

from hil_tests.night.healthy import HealthyRounds
from hil_tests.night.night_roles import ROLES
from hil_tests.night.world import Broken, Night
from tableemulator.board.process import end_idle


def main(words: list[str] | None = None) -> int:
    """Play nights; returns 1 when something that has to hold did not, or too many were void."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hours", type=float, default=8.0)
    parser.add_argument("--nights", type=int, default=1, help="so many, of the seeds that follow")
    parser.add_argument("--tables", default=",".join(ROLES), help="those played, of %(default)s")
    parser.add_argument("--quiet", action="store_true", help="without any fault")
    parser.add_argument("--dishonest", action="store_true", help="four of the staff cheat")
    parser.add_argument("--log", type=Path, help="write every event to this file")
    asked = parser.parse_args(words)
    healthy: defaultdict[str, HealthyRounds] = defaultdict(HealthyRounds)
    for seed in range(asked.seed, asked.seed + asked.nights):
        night = Night(str(seed), asked.quiet, asked.tables.split(","), asked.dishonest)
        failed = ""
        again = f"make night SEED={seed} HOURS={asked.hours:g} TABLES={asked.tables}"
        again += " QUIET=1" if asked.quiet else ""
        again += " DISHONEST=1" if asked.dishonest else ""
        try:
            night.play(asked.hours * 3600)
        except Broken as broken:
            failed = str(broken)
        except Exception:
            print(f"again: {again}", file=sys.stderr)
            raise
        if asked.log is not None:
            asked.log.write_text("\n".join(night.log) + "\n", encoding="utf-8")
        print(f"seed {seed}: " + "; ".join(line.split(maxsplit=1)[1] for line in night.log[-2:]))
        if failed:
            print(f"BROKEN: {failed}", file=sys.stderr)
            print(f"again: {again}", file=sys.stderr)
            return 1
        for name, rounds in night.healthy.items():
            healthy[name].add(rounds)
    end_idle()  # the processes of the VMs: only what has ended is counted
    took_s = sum(os.times()[:4])
    rate = asked.nights * asked.hours / (took_s / 3600)
    print(f"{rate:.1f} simulated hours in an hour of CPU")
    for name, rounds in healthy.items():
        print(f"{name}: {rounds}")
    # Dishonest staff undoes healthy rounds: what they void says nothing of the tables.
    return 0 if asked.dishonest or all(rounds.passed for rounds in healthy.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

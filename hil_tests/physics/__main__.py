"""Play rounds of every kind and print what became of them.

    python -m hil_tests.physics --rounds 60 [--sensor array|head|both] [--kind TEXT]

Exit code 1: a wrong number, a number where every number is wrong, or a table that stalled.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter

from hil_tests.physics import rounds
from hil_tests.physics.device import name_of, play


def main() -> int:
    """Play and print."""
    parser = argparse.ArgumentParser(prog="physics", description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sensor", choices=("array", "head", "both"), default="array")
    parser.add_argument("--kind", default="", help="only kinds whose name contains this")
    parser.add_argument("--show", action="store_true", help="the seed of each wrong round or void")
    options = parser.parse_args()
    kinds = rounds.BALL | rounds.POCKET
    if options.sensor != "head":
        kinds.update(rounds.ARRAY)
    if options.sensor != "array":
        kinds.update(rounds.HEAD)
    print(f"{'kind':30} rounds  right  wrong   void  false voids  rest to result  voids by reason")
    bad = 0
    for name, kind in kinds.items():
        if options.kind in name:
            bad += _kind(name, kind, options)
    return 1 if bad else 0


def _kind(name: str, kind: rounds.Kind, options: argparse.Namespace) -> int:
    reasons: Counter[str] = Counter()
    right = wrong = false_voids = 0
    delays = []
    for number in range(options.rounds):
        seed = f"{options.seed}/{name}/{number}"
        spin = rounds.draw(kind, seed, options.sensor)
        outcome = play(spin)
        if outcome.index is None:
            reasons[name_of(outcome.reason) if outcome.ended else "stalled"] += 1
            false = spin.number is not None and not spin.may_void
            false_voids += false
            if options.show and false:
                print(f"  void: {seed} {outcome}")
        elif outcome.index == spin.number:
            right += 1
            delays.append(outcome.at_us / 1e6 - spin.rest_s)
        else:
            wrong += 1
            if options.show:
                print(f"  wrong: {seed} {outcome} true {spin.number} laps {spin.laps:.2f}")
    delay = f"{statistics.median(delays):.1f}, {max(delays):.1f} s" if delays else ""
    print(
        f"{name:30} {options.rounds:6} {right:6} {wrong:6} {sum(reasons.values()):6} "
        f"{false_voids:12}  {delay:14}  {dict(reasons)}",
        flush=True,
    )
    return wrong + reasons["stalled"]


if __name__ == "__main__":
    sys.exit(main())

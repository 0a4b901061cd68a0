"""The command line of a soak of machines, each played some times anew on a core of its own."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat


def play_machines(
    description: str, plays: str, most: int, per_machine: int,
    machine: Callable[[str, int], Counter[str]],
) -> Counter[str]:  # fmt: skip
    """Play and print what was found, counts by what happened.

    plays: what is counted, also the option that sets how many; most: of them if not given;
    machine: plays one of that seed so many times.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(f"--{plays}", dest="plays", type=int, default=most)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    seeds = [f"{options.seed}/{number}" for number in range(-(-options.plays // per_machine))]
    found: Counter[str] = Counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        for counted in pool.map(machine, seeds, repeat(per_machine)):
            found += counted
    for name, number in sorted(found.items()):
        print(f"{number:8d}  {name}")
    return found

"""How well the rim of a wheel is measured: wheels of `hil_tests.physics`, whose truth is known.

    python -m hil_tests.rim_accuracy --wheels 20 --rough 0.05

Some six seconds a wheel. Exit code 1 if the estimates are off by more than a tenth on average.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from dataclasses import dataclass

from hil_tests.physics import spin_rounds
from hil_tests.physics.ball import Track, draw_track
from hil_tests.physics.built_wheel import RIMS, Build, Lines, Rotor, draw_build
from tabletools.errors import ToolError
from tabletools.replay import Edge, Trace
from tabletools.roulette_rim.lap_law import Law, measure
from tabletools.roulette_rim.proposal import ALLOWED_JITTER_S, SPINS, propose
from tabletools.roulette_rim.spin import Spin, spin_of
from tablewire import roulette, settings

_AFTER_US = 5_000_000  # for which the trace goes on after the last pass
_OFF = 0.1


@dataclass(frozen=True)
class Measured:
    """One wheel: its true drag, what was estimated, and the key or the refusal."""

    steady: float
    square: float
    law: Law
    outcome: str


def wheel(rough: float, fitted: int, number: int) -> tuple[Track, Build]:
    """Return a wheel of two rim sensors by its number."""
    rng = random.Random(f"wheel/{rough}/{fitted}/{number}")
    return draw_track(rng, rough, fitted=bool(fitted)), draw_build(rng)


def spin_on(track: Track, build: Build, seed: str) -> Spin:
    """Play a healthy spin; what its trace shows."""
    rng = random.Random(seed)
    way = rng.choice((1, -1))
    rotor = Rotor(rng, build.pockets, -way * rng.uniform(10.0, 20.0))
    played = spin_rounds.Spin(rng, "array", track, build, rotor, Lines(rng, build), way)
    spin_rounds.healthy(played)
    edges = [
        Edge(int(t_s * 1e6), sensor - 1, level)
        for t_s, sensor, level in played.edges()
        if sensor in RIMS and t_s < spin_rounds.ENDS_S
    ]
    edges.append(Edge(edges[-1].t_us + _AFTER_US, 0, 0))
    config = configuration(build)
    return spin_of(Trace(1, 1, 1, "", 0, config, 0, (), tuple(edges), False, 0, (), 0))


def configuration(build: Build) -> tuple[int, ...]:
    """Return the keys of a wheel, with its rim sensors."""
    keys = list(settings.factory())
    keys[roulette.RIM_ANGLES[0]] = round(build.rims[1] * 360_000)
    return tuple(keys)


def measured(rough: float, fitted: int, number: int) -> Measured:
    """Measure one wheel from 30 spins."""
    track, build = wheel(rough, fitted, number)
    spins = [spin_on(track, build, f"{rough}/{fitted}/{number}/{k}") for k in range(SPINS)]
    try:
        now = dict(enumerate(configuration(build)))
        outcome = f"key {propose(spins, 2, now).keys[roulette.RIM_ROUGHNESS]}"
    except ToolError as error:
        outcome = error.what
    square = track.square + sum(loss for _, loss in track.bumps)
    return Measured(track.steady, square, measure(spins, ALLOWED_JITTER_S), outcome)


def line(number: int, each: Measured) -> str:
    """One wheel as text."""
    law, share = each.law, each.law.roughness
    return (
        f"wheel {number}: roughness {share.value:.4f} ({share.low:.4f} to {share.high:.4f}),"
        f" a {law.steady.value:.4f} (true {each.steady:.4f}), b {law.square.value:.4f}"
        f" ({each.square:.4f}), {each.outcome}"
    )


def summary(rough: float, results: list[Measured]) -> str:
    """A family as text: mean, spread, how many intervals have the truth, mean errors."""
    shares = [each.law.roughness for each in results]
    values = [share.value for share in shares]
    inside = sum(share.low <= rough <= share.high for share in shares)
    steady = statistics.fmean(each.law.steady.value - each.steady for each in results)
    square = statistics.fmean(each.law.square.value - each.square for each in results)
    return (
        f"mean {statistics.fmean(values):.4f} of {rough}, sd {statistics.pstdev(values):.4f},"
        f" {inside} of {len(results)} in range, a {steady:+.5f}, b {square:+.5f}"
    )


def main() -> int:
    """Print a line for each wheel, and one for each family."""
    parser = argparse.ArgumentParser(prog="rim_accuracy")
    parser.add_argument("--wheels", type=int, default=20, help="of each of the two families")
    parser.add_argument("--rough", type=float, default=0.05)
    options = parser.parse_args()
    is_off = False
    for fitted in (0, 1):
        wheels = []
        for number in range(options.wheels):
            wheels.append(measured(options.rough, fitted, number))
            print(f"family {fitted}, {line(number, wheels[-1])}", flush=True)
        print(f"family {fitted}: {summary(options.rough, wheels)}", flush=True)
        mean = statistics.fmean(each.law.roughness.value for each in wheels)
        is_off |= abs(mean - options.rough) > max(_OFF * options.rough, 0.002)
    return int(is_off)


if __name__ == "__main__":
    sys.exit(main())

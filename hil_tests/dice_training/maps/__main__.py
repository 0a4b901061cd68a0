"""Train, print figures, write the file and its digest: see the package.

python -m hil_tests.dice_training.maps --data FOLDER [--out FILE] [--device cuda|cpu]
                                       [--minutes N] [--rate R] [--batch N] [--renders N]
                                       [--steps N] [--pool-size N] [--grounds N] [--processes N]
                                       [--first FILE] [--share N] [--state FILE] [--floats FILE]

In three runs: the first with --state FILE; the second with --first FILE --rate 1e-3 --minutes 2.6,
which learns the pips of photographs too, found by the file that lies in the tree: ten minutes on
an H200 together. The third goes on from a file of floats (digests.py says which), on two cores:
--first FILE.onnx --device cpu --minutes 70 --rate 4e-4 --batch 64 --renders 24 --steps 3
--pool-size 40000 --grounds 250 --processes 2 --share 0.35. A batch as small has no statistics of
its own, so those of the file stay. A core renders 12 scenes a second: --minutes 1 --grounds 10 to
try it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from hil_tests.dice_training.maps.eight_bits import FLOATS, measured_on, to_eight_bits
from hil_tests.dice_training.maps.networks import Maps
from hil_tests.dice_training.maps.onnx_file import read, write
from hil_tests.dice_training.maps.photograph_files import stored
from hil_tests.dice_training.maps.photograph_scenes import Photographs
from hil_tests.dice_training.maps.training import Plan, between, renderer, train
from tabletools.dice.maps import FILE

_SEED = 11
_FLOATS = ".onnx"  # of a file of floats


def main() -> None:
    """Make maps.onnx."""
    parser = argparse.ArgumentParser(description="Train the host's network of dice.")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="photographs")
    parser.add_argument("--out", type=Path, default=FILE, metavar="FILE")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--minutes", type=float, default=6.7)
    parser.add_argument("--batch", type=int, default=384, help="rendered scenes of one step")
    parser.add_argument("--renders", type=int, default=192, help="scenes rendered at once")
    parser.add_argument("--steps", type=int, default=2, help="taken after each rendering")
    parser.add_argument("--pool-size", type=int, default=250_000, help="scenes to see again")
    parser.add_argument("--grounds", type=int, default=700)
    parser.add_argument("--processes", type=int, default=1, help="that draw grounds")
    parser.add_argument("--rate", type=float, default=3e-3, help="the highest")
    parser.add_argument("--share", type=float, default=1.0, help="of what weights have learned")
    parser.add_argument("--first", type=Path, metavar="FILE", help="weights to begin with")
    parser.add_argument("--state", type=Path, metavar="FILE", help="to write such weights to")
    parser.add_argument("--floats", type=Path, default=FLOATS, metavar="FILE", help="to write")
    options = parser.parse_args()
    torch.manual_seed(_SEED)
    network = Maps()
    goes_on = bool(options.first) and options.first.suffix == _FLOATS
    if goes_on:
        read(network, options.first)
    elif options.first:
        network.load_state_dict(torch.load(options.first, map_location="cpu"))
    render = renderer(options.device, options.grounds, _SEED, options.processes)
    plan = Plan(
        options.minutes,
        options.batch,
        options.renders,
        options.steps,
        options.pool_size,
        options.rate,
        is_small=goes_on,
    )
    photographs = stored(options.data, pips=bool(options.first))
    before = {name: each.clone() for name, each in network.state_dict().items()}
    train(network, render, Photographs(photographs, render), plan)
    if options.state:
        torch.save(network.state_dict(), options.state)
    between(network, before, options.share)
    write(network, (1, 1, 240, 320), options.floats)
    digest = to_eight_bits(options.floats, measured_on(options.data), options.out)
    print(options.out.name, digest)


if __name__ == "__main__":
    main()

"""Train, print figures, write the file and its digest: see the package.

python -m hil_tests.dice_training.maps --data FOLDER [--out FILE] [--device cuda|cpu]
                                       [--minutes N] [--batch N] [--renders N] [--steps N]
                                       [--kept N] [--grounds N] [--processes N]

Nine minutes on an H100. A processor takes a second for a scene: give --minutes 1 --batch 4
--renders 4 --grounds 20 to try it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from hil_tests.dice_training.maps.files import write
from hil_tests.dice_training.maps.networks import Maps
from hil_tests.dice_training.maps.photograph_files import stored
from hil_tests.dice_training.maps.photographs import Photographs
from hil_tests.dice_training.maps.training import Plan, renderer, train
from tabletools.dice.maps import FILE

_SEED = 11


def main() -> None:
    """Make maps.onnx."""
    parser = argparse.ArgumentParser(description="Train the host's network of dice.")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="photographs")
    parser.add_argument("--out", type=Path, default=FILE, metavar="FILE")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--minutes", type=float, default=8.4)
    parser.add_argument("--batch", type=int, default=192, help="rendered scenes of one step")
    parser.add_argument("--renders", type=int, default=192, help="scenes rendered at once")
    parser.add_argument("--steps", type=int, default=2, help="taken after each rendering")
    parser.add_argument("--kept", type=int, default=250_000, help="scenes that may be seen again")
    parser.add_argument("--grounds", type=int, default=1500)
    parser.add_argument("--processes", type=int, default=1, help="that draw grounds")
    options = parser.parse_args()
    torch.manual_seed(_SEED)
    network = Maps()
    render = renderer(options.device, options.grounds, _SEED, options.processes)
    plan = Plan(options.minutes, options.batch, options.renders, options.steps, options.kept)
    train(network, render, Photographs(stored(options.data), render), plan)
    print(options.out.name, write(network, (1, 1, 240, 320), options.out))


if __name__ == "__main__":
    main()

"""Train, print figures, write both files and their digests: see the package.

python -m hil_tests.dice_training.maps --data FOLDER [--out FOLDER] [--device cuda|cpu]
                                       [--batch N] [--renders PERCENT] [--grounds N]
                                       [--processes N]

Six minutes on an H100. A processor renders a scene in half a second: give --renders 1 to try it.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import torch

from hil_tests.dice_training.maps.files import write
from hil_tests.dice_training.maps.networks import Pips, Places
from hil_tests.dice_training.maps.photograph_files import stored
from hil_tests.dice_training.maps.photographs import Photographs
from hil_tests.dice_training.maps.training import PARTS, renderer, train
from tabletools.dice import pictures

FOLDER = Path(pictures.__file__).parent


def main() -> None:
    """Make places.onnx and pips.onnx."""
    parser = argparse.ArgumentParser(description="Train the host's two networks of dice.")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="photographs")
    parser.add_argument("--out", type=Path, default=FOLDER, metavar="FOLDER")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--batch", type=int, default=96, help="wide scenes of one step")
    parser.add_argument("--renders", type=int, default=100, help="percent of the usual number")
    parser.add_argument("--grounds", type=int, default=500)
    parser.add_argument("--processes", type=int, default=1, help="that draw grounds")
    options = parser.parse_args()
    torch.manual_seed(1)
    networks = Places(), Pips()
    found = stored(options.data)
    for number, part in enumerate(PARTS):
        seed = 7 + 9000 * number
        render = renderer(options.device, options.grounds, seed, options.processes)
        fewer = replace(part, renders=max(1, part.renders * options.renders // 100))
        train(networks, render, Photographs(found, render), fewer, options.batch)
    places, pips = (options.out / f"{name}.onnx" for name in ("places", "pips"))
    print(places.name, write(networks[0], (1, 1, 240, 320), {0: "n", 2: "h", 3: "w"}, places))
    print(pips.name, write(networks[1], (1, 1, 64, 64), {0: "n"}, pips))


if __name__ == "__main__":
    main()

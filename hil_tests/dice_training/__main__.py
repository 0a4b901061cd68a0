"""Render, train, quantise, write: see the package. Twenty minutes on one core that is free.

python -m hil_tests.dice_training [--out FILE] [--patches N] [--passes N] [--seed N]
                                 [--processes N] [--go-on] [--data FOLDER [--each N]]

FOLDER holds photographs as dice_accuracy.py takes them; N patches are cut of each place in them.
"""

from __future__ import annotations

import argparse
from multiprocessing import Pool
from pathlib import Path

import numpy as np

from hil_tests.dice_training.die_patches import Patches, batch
from hil_tests.dice_training.network import Network, evened
from hil_tests.dice_training.photographs import photographed
from hil_tests.dice_training.quantise import Whole, quantised, restore, scores, source
from hil_tests.dice_training.styles import Ints
from tablelogic.dice import classifier, classifier_weights

WEIGHTS = Path(classifier.__file__).with_name("classifier_weights.py")
_AT_ONCE = 128
_RENDERED = 128
_RATE = 2.5e-3  # at the start; falls to nothing as a cosine
_RATE_ON = 1.2e-3  # so it starts when it goes on
_HELD = 1024  # patches never trained on


def rendered(seed: int, count: int, processes: int) -> tuple[Patches, Ints]:
    """Return so many patches and their classes; the same for any number of processes."""
    tasks = [(seed, k, min(_RENDERED, count - k)) for k in range(0, count, _RENDERED)]
    with Pool(processes) as pool:
        batches = pool.map(_batch, tasks, chunksize=1)
    return np.concatenate([grey for grey, _ in batches]), np.concatenate([c for _, c in batches])


def _batch(task: tuple[int, int, int]) -> tuple[Patches, Ints]:
    seed, first, count = task
    return batch(np.random.default_rng((seed, first)), count)


def vary(rng: np.random.Generator, patches: Patches) -> Patches:
    """Return patches turned by quarters, mirrored and inverted: a face stays what it is."""
    patches = np.rot90(patches, int(rng.integers(4)), (1, 2))
    patches = patches[:, :, ::-1] if rng.random() < 0.5 else patches
    return np.asarray(255 - patches if rng.random() < 0.5 else patches)


def train(
    rng: np.random.Generator,
    network: Network,
    data: tuple[Patches, Ints],
    passes: int,
    first: float,
) -> Network:
    """Return the network when it has seen every patch so many times."""
    patches, classes = data
    for number in range(passes):
        order = rng.permutation(len(patches))
        right = []
        for start in range(0, len(order) - _AT_ONCE + 1, _AT_ONCE):
            rows = order[start : start + _AT_ONCE]
            done = (number + start / len(order)) / passes
            rate = first * (1 + np.cos(np.pi * done)) / 2
            inputs = evened(vary(rng, patches[rows]))
            right.append(network.learn(inputs, classes[rows], float(rate)))
        print(f"pass {number + 1}: {np.mean(right):.3f} right", flush=True)
    return network


def report(whole: Whole, patches: Patches, classes: Ints) -> str:
    """Return how many patches are right, and how many wrong faces come with a margin."""
    result = scores(whole, patches)
    best = result.argmax(1)
    ranked = np.sort(result, 1)
    sure = (ranked[:, -1] - ranked[:, -2] >= 32) & (best > 0)
    wrong = int((sure & (best != classes)).sum())
    right = float((best == classes).mean())
    return f"held out: {right:.3f} right; of {int(sure.sum())} sure faces {wrong} wrong"


def main() -> None:
    """Make classifier_weights.py."""
    parser = argparse.ArgumentParser(description="Train the dice tray's classifier.")
    parser.add_argument("--out", type=Path, default=WEIGHTS, metavar="FILE")
    parser.add_argument("--patches", type=int, default=60_000)
    parser.add_argument("--passes", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--go-on", action="store_true", help="from the weights as they stand")
    parser.add_argument("--processes", type=int, default=1, help="that render")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="photographs and their labels")
    parser.add_argument("--each", type=int, default=8, help="patches of each place in them")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    patches, classes = rendered(options.seed, options.patches + _HELD, options.processes)
    data = patches[_HELD:], classes[_HELD:]
    if options.data:
        real = photographed(rng, options.data, options.each)
        data = np.concatenate([data[0], real[0]]), np.concatenate([data[1], real[1]])
    network = Network(rng)
    if options.go_on:
        restore(network, classifier_weights)
    first = _RATE_ON if options.go_on else _RATE
    whole = quantised(train(rng, network, data, options.passes, first), patches[:2048])
    print(report(whole, patches[:_HELD], classes[:_HELD]))
    options.out.write_text(source(whole), encoding="utf-8")


if __name__ == "__main__":
    main()

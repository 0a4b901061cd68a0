"""Trains the host's network: rendered dice, then photographs too. PyTorch is not installed with
the project: `pip install torch`. With an H100 and 16 cores seven minutes, else some hours.

python -m hil_tests.dice_training.host --data FOLDER [--batches N] [--passes N] [--steps N]
                                       [--seed N] [--processes N] [--out FILE]

FOLDER holds photographs as dice_accuracy takes them; those learned are the tuned half of the ones
from above. Their dice are cut where the network, when it has learned the rendered ones, is surest
of the face that the label names.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn

from hil_tests.dice_training.patches import Patches, batch
from hil_tests.dice_training.photographs import tuned
from hil_tests.dice_training.styles import Ints
from tabletools.dice import open_picture
from tabletools.dice.network import SIZE, WEIGHTS, Place, cut, evened
from tabletools.dice.patches import Grey
from tabletools.dice.reference import pixels

_DEEP = (24, 40, 64)  # of the three layers, as network.scores() runs them
_EACH = 128  # patches rendered by one seed
_AT_ONCE = (512, 256)  # patches of a step: rendered alone; half of them real
_RATES = (3e-3, 1.5e-3)
_STEPS = tuple((x, y, part) for part in (0.68, 0.78, 0.89, 1.0)
               for x in (-0.12, 0, 0.12) for y in (-0.12, 0, 0.12))  # fmt: skip
_UNSEEN = -1.5  # logarithm of a probability: below it the network sees no such face in a box

Source = Callable[[], tuple[Patches, Ints]]


def _network() -> Any:
    first, second, third = _DEEP
    return nn.Sequential(
        nn.Conv2d(1, first, 5, 2), nn.ReLU(), nn.Conv2d(first, second, 3), nn.ReLU(),
        nn.MaxPool2d(2), nn.Conv2d(second, third, 3), nn.ReLU(), nn.Flatten(), nn.Dropout(0.2),
        nn.Linear(third * 36, 7),
    )  # fmt: skip


def _trained(network: Any, source: Source, steps: int, rate: float) -> None:
    """Let the network learn so many batches of a source."""
    where = next(network.parameters()).device
    best = torch.optim.AdamW(network.parameters(), rate, weight_decay=1e-2)
    rates = torch.optim.lr_scheduler.OneCycleLR(best, rate, total_steps=steps, pct_start=0.1)
    network.train()
    for step in range(steps):
        patches, classes = source()
        patches = np.rot90(patches, step % 4, (1, 2))
        patches = patches[:, :, ::-1] if step // 4 % 2 else patches
        given = torch.from_numpy(evened(np.ascontiguousarray(patches)))[:, None].to(where)
        wanted = torch.from_numpy(classes).to(where)
        loss = nn.functional.cross_entropy(network(given), wanted, label_smoothing=0.02)
        best.zero_grad()
        loss.backward()
        best.step()
        rates.step()
        if not (step + 1) % 100:
            print(f"step {step + 1}: loss {float(loss.detach()):.3f}", flush=True)
    network.eval()


def _rendered(task: tuple[int, int]) -> tuple[Patches, Ints]:
    return batch(np.random.default_rng(task), _EACH, SIZE)


class _Photographs:
    """Dice of photographs: picture, place and face of each."""

    def __init__(self, folder: Path, network: Any) -> None:
        self.dice: list[tuple[Grey, Place, int, list[Place]]] = []
        for row, boxes in tuned(folder):
            if "handheld" in row["flags"]:
                continue
            grey = pixels(open_picture(folder / row["file"]))
            found = [(_surest(network, grey, box), int(box["value"])) for box in boxes]
            near = [place for place, _ in found]
            self.dice += [(grey, place, value, near) for place, value in found]

    def drawn(self, rng: np.random.Generator, count: int) -> tuple[Patches, Ints]:
        """Return so many patches, worn as other cameras show them, and their classes."""
        patches, classes = np.empty((count, SIZE, SIZE), np.uint8), np.zeros(count, np.int64)
        for k in range(count):
            grey, at, value, near = self.dice[rng.integers(len(self.dice))]
            place = _moved(rng, at, near)
            if place is None:
                x, y = at.x + rng.normal(0, 0.05 * at.side), at.y + rng.normal(0, 0.05 * at.side)
                place = Place(x, y, at.side * float(np.exp(rng.normal(0, 0.08))))
                classes[k] = value
            turned = place._replace(turn=float(rng.uniform(0, 2 * np.pi)))
            patches[k] = _worn(rng, cut(grey, [turned])[0].astype(np.float32))
        return patches, classes


def _surest(network: Any, grey: Grey, box: dict[str, str]) -> Place:
    x0, y0, x1, y1 = (float(box[name]) for name in ("x0", "y0", "x1", "y1"))
    wide = max(x1 - x0, y1 - y0)
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    places = [Place(x + a * wide, y + b * wide, part * wide, 0.3) for a, b, part in _STEPS]
    where = next(network.parameters()).device
    with torch.no_grad():
        given = torch.from_numpy(evened(cut(grey, places)))[:, None].to(where)
        scores = network(given).log_softmax(1)[:, int(box["value"])].cpu().numpy()
    best = int(scores.argmax())
    return places[best] if scores[best] >= _UNSEEN else Place(x, y, 0.82 * wide)


def _moved(rng: np.random.Generator, at: Place, near: list[Place]) -> Place | None:
    """Return a place where no face is: beside a die or of another size; None: to be a die."""
    kind = rng.random()
    if kind < 0.72:
        return None
    if kind < 0.92:
        angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(0.42, 0.95) * at.side
        x, y = at.x + far * np.cos(angle), at.y + far * np.sin(angle)
        if min(np.hypot(x - other.x, y - other.y) for other in near) < 0.4 * at.side:
            return None
        return Place(x, y, at.side * float(np.exp(rng.normal(0, 0.15))))
    part = rng.uniform(0.35, 0.58) if rng.random() < 0.5 else rng.uniform(1.7, 2.6)
    return at._replace(side=at.side * float(part))


def _worn(rng: np.random.Generator, patch: Any) -> Any:
    """Return a patch as other cameras would show it: tone, light, noise, blur, polarity."""
    if rng.random() < 0.3:
        patch = 255 * (patch / 255) ** np.exp(rng.normal(0, 0.35))
    if rng.random() < 0.3:
        patch = patch * rng.uniform(0.4, 1)
    if rng.random() < 0.3:
        low = rng.uniform(0, 60)
        patch = low + patch * (1 - low / 255) * 0.8
    patch = patch + rng.normal(0, 1, patch.shape) * abs(rng.normal(0, 3.5))
    if rng.random() < 0.25:
        patch = cv2.GaussianBlur(patch, (0, 0), rng.uniform(0.3, 1.1))
    patch = 255 - patch if rng.random() < 0.3 else patch
    return np.clip(patch + 0.5, 0, 255)


def _write(network: Any, out: Path) -> None:
    """Write weights as network.py takes them, in two bytes each."""
    parts = []
    for layer in (0, 2, 5):
        weights = network[layer].weight.detach().cpu().numpy()
        parts += [weights.transpose(2, 3, 1, 0).reshape(-1, len(weights))]
        parts += [network[layer].bias.detach().cpu().numpy()]
    weights = network[9].weight.detach().cpu().numpy()
    parts += [weights.reshape(7, -1, 6, 6).transpose(2, 3, 1, 0).reshape(-1, 7)]
    parts += [network[9].bias.detach().cpu().numpy()]
    np.savez(out, *[part.astype(np.float16) for part in parts])


def main() -> None:
    """Make network.npz."""
    parser = argparse.ArgumentParser(description="Train the network of the host's dice reader.")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--batches", type=int, default=2000, help=f"of {_EACH} rendered patches")
    parser.add_argument("--passes", type=int, default=40, help="over the rendered patches")
    parser.add_argument("--steps", type=int, default=1800, help="with photographs")
    parser.add_argument("--seed", type=int, default=500)
    parser.add_argument("--processes", type=int, default=1, help="that render")
    parser.add_argument("--out", type=Path, default=WEIGHTS, metavar="FILE")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    with Pool(options.processes) as pool:
        made = pool.map(_rendered, [(options.seed, k) for k in range(options.batches)], 4)
    patches, classes = (np.concatenate(part) for part in zip(*made, strict=True))
    network = _network().to("cuda" if torch.cuda.is_available() else "cpu")

    def rendered(count: int) -> tuple[Patches, Ints]:
        rows = rng.integers(0, len(patches), count)
        found = patches[rows]
        found = 255 - found if rng.random() < 0.5 else found
        return found, classes[rows]

    def mixed() -> tuple[Patches, Ints]:
        real, some = photographs.drawn(rng, _AT_ONCE[1] // 2), rendered(_AT_ONCE[1] // 2)
        return np.concatenate([real[0], some[0]]), np.concatenate([real[1], some[1]])

    steps = options.passes * len(patches) // _AT_ONCE[0]
    _trained(network, lambda: rendered(_AT_ONCE[0]), steps, _RATES[0])
    photographs = _Photographs(options.data, network)
    _trained(network, mixed, options.steps, _RATES[1])
    _write(network, options.out)


if __name__ == "__main__":
    main()

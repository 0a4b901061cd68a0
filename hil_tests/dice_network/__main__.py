"""Render, train, write: see the package. Twelve minutes on one core that is free.

python -m hil_tests.dice_network --data FOLDER [--out FOLDER] [--only places|faces]
                                 [--steps N] [--sprites N]

The data FOLDER holds labels.csv, boxes.csv and the pictures they name. Needs the packages of
requirements-training.txt. At the end: of the half never trained on, how often each network is
right, by session, and of dice rendered with another seed, by class.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import onnx
import torch
from torch import Tensor, nn

from hil_tests.dice_network import faces, photographs, scenes, sprites
from hil_tests.dice_network.network import Places, loss
from tabletools.dice import network as reader

SOURCES = Path(__file__).parent
_PLACES_SEED, _FACES_SEED = 11, 5
_PIECES, _PATCHES = 24, 64  # of a batch
_PLACES_REAL, _FACES_REAL = 0.3, 0.4  # shares of pieces cut from photographs
_RATE = 4e-3
_FIRST = 0.1  # share of the steps in which the rate rises

Batch = Callable[[], tuple[Tensor, ...]]
Loss = Callable[..., Tensor]


def digest() -> str:
    """Return the SHA-256 of the code that draws and trains: it is written into the weights."""
    found = hashlib.sha256()
    for path in sorted(SOURCES.glob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()


def learn(network: nn.Module, batch: Batch, lost: Loss, steps: int, decay: float) -> None:
    """Train on so many batches; bfloat16, one thread: twice as fast where cores are shared."""
    learner = torch.optim.AdamW(network.parameters(), _RATE, weight_decay=decay)
    pace = torch.optim.lr_scheduler.OneCycleLR(learner, _RATE, steps, pct_start=_FIRST)
    recent: list[float] = []
    for step in range(1, steps + 1):
        grey, *wanted = batch()
        with torch.autocast("cpu", torch.bfloat16):
            out = network(grey.contiguous(memory_format=torch.channels_last))
        found = lost(out.float(), *wanted)
        learner.zero_grad()
        found.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        learner.step()
        pace.step()
        recent = [*recent[-99:], float(found.detach())]
        if step % 100 == 0:
            print(
                f"step {step}: loss {np.mean(recent):.3f}, {time.process_time():.0f} s", flush=True
            )


def places(real: list[photographs.Photograph], steps: int, count: int) -> Places:
    """Return the network that finds dice."""
    torch.manual_seed(_PLACES_SEED)
    rng = np.random.default_rng(_PLACES_SEED)
    dice = sprites.rendered(rng, count)
    network = Places().to(memory_format=torch.channels_last)

    def batch() -> tuple[Tensor, ...]:
        rows = []
        for _ in range(_PIECES):
            if rng.random() < _PLACES_REAL:
                piece = photographs.cut(rng, real[int(rng.integers(len(real)))])
            else:
                piece = scenes.drawn(rng, dice)
            rows.append((piece.grey[None], *scenes.targets(piece)))
        return tuple(torch.from_numpy(np.stack(column)) for column in zip(*rows, strict=True))

    learn(network, batch, loss, steps, 1e-3)
    return network


def read_faces(real: list[photographs.Photograph], steps: int, count: int) -> faces.Faces:
    """Return the network that reads a face."""
    torch.manual_seed(_FACES_SEED)
    rng = np.random.default_rng(_FACES_SEED)
    dice = sprites.rendered(rng, count)
    network = faces.Faces().to(memory_format=torch.channels_last)

    def lost(out: Tensor, wanted: Tensor) -> Tensor:
        return nn.functional.cross_entropy(out, wanted, label_smoothing=0.02)

    learn(network, lambda: faces.batch(rng, dice, real, _PATCHES, _FACES_REAL), lost, steps, 2e-3)
    _report(network.eval())
    return network


def _report(network: faces.Faces) -> None:
    """Print how often faces of dice rendered with another seed are right, by face."""
    rng = np.random.default_rng(_FACES_SEED + 1)
    grey, wanted = faces.batch(rng, sprites.rendered(rng, 1000), [], 2000, 0.0)
    with torch.no_grad():
        likely = network(grey).softmax(1)
    right = likely.argmax(1) == wanted
    for face in range(7):
        rows = wanted == face
        print(f"rendered, {face or 'none'}: {right[rows].float().mean():.3f} of {int(rows.sum())}")
    sure = (likely.max(1).values > 0.9) & (likely.argmax(1) > 0)
    print(f"of {int(sure.sum())} sure faces {int((sure & ~right).sum())} are wrong")


def write(network: nn.Module, size: int, names: tuple[str, str], out: Path) -> None:
    """Write weights as ONNX, with the digest of the code that made them."""
    given, found = names
    sizes = {given: {0: "n", 2: "h", 3: "w"}, found: {0: "n", 2: "i", 3: "j"}}
    if found == "faces":
        sizes = {given: {0: "n"}, found: {0: "n"}}
    torch.onnx.export(
        network.eval(), (torch.zeros(1, 1, size, size),), str(out), input_names=[given],
        output_names=[found], dynamic_axes=sizes, dynamo=False,
    )  # fmt: skip
    model = onnx.load(str(out))
    onnx.helper.set_model_props(model, {"sources": digest()})
    model.doc_string = "python -m hil_tests.dice_network"
    onnx.save(model, str(out))


def main() -> None:
    """Make dice_places.onnx and dice_faces.onnx."""
    parser = argparse.ArgumentParser(description="Train the networks of the host's dice reader.")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--out", type=Path, default=reader.PLACES.parent, metavar="FOLDER")
    parser.add_argument("--only", choices=("places", "faces"))
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--sprites", type=int, default=9000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    real = photographs.photographs(options.data)
    if options.only != "faces":
        found = places(real, options.steps, options.sprites)
        write(found, 64, ("grey", "cells"), options.out / reader.PLACES.name)
    if options.only != "places":
        network = read_faces(real, options.steps, options.sprites)
        write(network, faces.PATCH, ("grey", "faces"), options.out / reader.FACES.name)


if __name__ == "__main__":
    main()

"""Patches of single dice, cut from pieces where the first network would look, and their faces."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from hil_tests.dice_network.photographs import Photograph
from hil_tests.dice_network.photographs import cut as cut_photograph
from hil_tests.dice_network.scenes import SIZE, Piece, drawn
from hil_tests.dice_network.sprites import UNREADABLE, Sprites
from tabletools.dice.finding import cut

PATCH, DIE = 40, 26  # px of a patch, and of the edge of a die in it
_BESIDE = 0.12  # share of patches that show no die in their middle


class Faces(nn.Module):
    """Grey 0..255, (n, 1, PATCH, PATCH), in; logits of (none, 1, 2, 3, 4, 5, 6) out."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            _layer(1, 16, 1), _layer(16, 32, 2), _layer(32, 48, 2), _layer(48, 64, 1),
            _layer(64, 64, 2),
        )  # fmt: skip
        self.last = nn.Sequential(nn.Flatten(), nn.Dropout(0.3), nn.Linear(64 * 25, 7))

    def forward(self, grey: Tensor) -> Tensor:
        """Return the logits; each patch is first brought to one mean and one spread."""
        grey = grey - grey.mean((1, 2, 3), keepdim=True)
        spread = grey.pow(2).mean((1, 2, 3), keepdim=True).sqrt()
        return self.last(self.layers(grey / (spread + 4)))


def _layer(before: int, after: int, step: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, 3, step, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU()
    )


def batch(rng: np.random.Generator, sprites: Sprites, photographs: list[Photograph], count: int,
          share: float) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return patches and their faces; `share` of the pieces are photographs."""
    patches: list[np.ndarray] = []
    faces: list[int] = []
    while len(faces) < count:
        if photographs and rng.random() < share:
            piece = cut_photograph(rng, photographs[int(rng.integers(len(photographs)))])
        else:
            piece = drawn(rng, sprites)
        for patch, face in _of(rng, piece):
            patches.append(patch)
            faces.append(face)
    return (torch.from_numpy(np.stack(patches[:count])[:, None].astype(np.float32)),
            torch.tensor(faces[:count]))  # fmt: skip


def _of(rng: np.random.Generator, piece: Piece):
    grey = np.clip(piece.grey, 0, 255).astype(np.uint8)
    for k, (x, y, edge, face) in enumerate(piece.dice):
        edge = edge or piece.edges[k]
        reach = 0.3 * edge
        if not face or not (reach < x < SIZE - reach and reach < y < SIZE - reach):
            continue
        if face == UNREADABLE:
            face = 0
        if rng.random() < _BESIDE:
            way, apart = rng.uniform(0, 2 * np.pi), rng.uniform(0.45, 1.2) * edge
            x, y, face = x + apart * np.cos(way), y + apart * np.sin(way), 0
            if any(np.hypot(x - a, y - b) < 0.35 * edge for a, b, _, _ in piece.dice):
                continue
        middle = x + rng.normal(0, 0.06) * edge, y + rng.normal(0, 0.06) * edge
        edge = edge * float(np.exp(rng.normal(0, 0.1)))
        yield cut(grey, middle, edge, DIE, PATCH, rng.uniform(0, 360)), face

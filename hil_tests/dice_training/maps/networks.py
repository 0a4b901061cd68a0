"""The host's two networks and what they are held against.

Places: a whole picture, maps at a quarter of its size: where tops are, which face, what kind of
surface. Pips: the patch of one die, a map at half its size of the pips on its top, and no face.
"""

from __future__ import annotations

import torch
import torch.nn.functional as nn
from torch import Tensor
from torch.nn import BatchNorm2d, Conv2d, Module, ReLU, Sequential

from hil_tests.dice_training.maps.scenes import Scenes

STRIDE = 4
HEAT, FACE, OFFSET, SIDE, KIND = 0, slice(1, 8), slice(8, 10), 10, slice(11, 14)
MAPS = 14
USUAL_SIDE = 28.0  # px; the side is given as a logarithm against it
_RARE = -3.0  # logit of a top or a pip at the start
NEAR = 0.28  # sides around a top's middle in which each cell says its face


def _layer(deep: int, count: int, kernel: int = 3, step: int = 1, wide: int = 1) -> Sequential:
    pad = wide * (kernel // 2)
    conv = Conv2d(deep, count, kernel, step, pad, wide, bias=False)
    return Sequential(conv, BatchNorm2d(count), ReLU(inplace=True))


class Places(Module):
    """Grey (n, 1, h, w), 0-255, h and w multiples of 8, to maps (n, MAPS, h / 4, w / 4)."""

    def __init__(self) -> None:
        super().__init__()
        self.fine = _layer(1, 16, 5, 2)
        self.quarter = Sequential(_layer(16, 32, 3, 2), _layer(32, 48))
        self.eighth = Sequential(
            _layer(48, 80, 3, 2), _layer(80, 80, wide=2), _layer(80, 80, wide=1),
            _layer(80, 80, wide=3),
        )  # fmt: skip
        self.both = Sequential(_layer(128, 64, 1), _layer(64, 64))
        self.heads = Conv2d(64, MAPS, 1)
        torch.nn.init.constant_(self.heads.bias.data[HEAT : HEAT + 1], _RARE)

    def forward(self, grey: Tensor) -> Tensor:
        """Return the maps."""
        near = self.quarter(self.fine((grey - 128) / 64))
        far = nn.interpolate(self.eighth(near), scale_factor=2.0, mode="nearest")
        return self.heads(self.both(torch.cat((near, far), 1)))


class Pips(Module):
    """Patches (n, 1, 64, 64), 0-255, to maps of pips (n, 1, 32, 32)."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = Sequential(
            _layer(1, 16, 5, 2), _layer(16, 32), _layer(32, 40, wide=2), _layer(40, 40, wide=4),
            _layer(40, 40, wide=4), _layer(40, 40, wide=2), _layer(40, 32), Conv2d(32, 1, 1),
        )  # fmt: skip
        torch.nn.init.constant_(self.layers[-1].bias, _RARE)

    def forward(self, grey: Tensor) -> Tensor:
        """Return the map."""
        return self.layers(grey)


def evened(grey: Tensor) -> Tensor:
    """Return patches (n, 1, h, w) by their own mean and deviation."""
    mean, spread = grey.mean((1, 2, 3), keepdim=True), grey.std((1, 2, 3), keepdim=True)
    return (grey - mean) / spread.clamp(min=6)


def _cells(size: int, stride: int, device: torch.device) -> Tensor:
    """Return the middles of the cells of a map, px of the picture, (h, w, 2) as x, y."""
    at = (torch.arange(size // stride, device=device) + 0.5) * stride - 0.5
    y, x = torch.meshgrid(at, at, indexing="ij")
    return torch.stack((x, y), -1)


def places_loss(maps: Tensor, scenes: Scenes, known: Tensor, sized: Tensor) -> Tensor:
    """Return what maps of Places miss. known (n, h, w): where the scene's labels hold.

    sized (n): pictures that say where a top's middle is and its side exactly.
    """
    size = scenes.grey.shape[-1]
    cells = _cells(size, STRIDE, maps.device)
    inside = ((scenes.middle > -0.5) & (scenes.middle < size - 0.5)).all(-1)
    there = (scenes.value != -1) & inside
    away = scenes.middle[:, :, None, None] - cells  # n, k, h, w, 2
    apart = away.norm(dim=-1) / scenes.side[:, :, None, None]
    apart = torch.where(there[:, :, None, None], apart, 9.0)
    nearest, which = apart.min(1)
    known = nn.avg_pool2d(known[:, None], STRIDE)[:, 0] > 0.99

    sigma = (0.16 * scenes.side).clamp(min=2.6)[:, :, None, None]
    wanted = torch.exp(-0.5 * (away.norm(dim=-1) / sigma) ** 2) * there[:, :, None, None]
    wanted = wanted.amax(1)
    heat = maps[:, HEAT].float()
    px = nearest * scenes.side.gather(1, which.flatten(1)).view_as(nearest)
    peak = (px < 2.9) & (wanted > 0.5)
    found = torch.sigmoid(heat)
    hit = -((1 - found) ** 2) * nn.logsigmoid(heat) * peak
    false = -((1 - wanted) ** 4) * found**2 * nn.logsigmoid(-heat) * ~peak
    loss = ((hit + false) * known).sum() / peak.sum().clamp(min=1)

    value = scenes.value.gather(1, which.flatten(1)).view_as(which)
    near = (nearest < NEAR) & (value >= 0) & known
    faces = nn.cross_entropy(maps[:, FACE].float(), value.clamp(min=0), reduction="none")
    loss = loss + (faces * near).sum() / near.sum().clamp(min=1)

    exact = near & sized[:, None, None]
    index = which[:, None, :, :, None].expand(-1, 1, -1, -1, 2)
    offset = away.gather(1, index)[:, 0].permute(0, 3, 1, 2) / STRIDE
    side = (scenes.side / USUAL_SIDE).clamp(min=0.1).log()
    side = side.gather(1, which.flatten(1)).view_as(nearest)
    miss = (maps[:, OFFSET].float() - offset).abs().sum(1) + (maps[:, SIDE].float() - side).abs()
    loss = loss + 0.3 * (miss * exact).sum() / exact.sum().clamp(min=1)

    kind = nn.avg_pool2d(scenes.kind, STRIDE)
    kinds = -(kind * nn.log_softmax(maps[:, KIND].float(), 1)).sum(1)
    kinds = kinds * (1 + 2 * kind[:, 2])
    return loss + (kinds * known).sum() / known.sum().clamp(min=1)


def pips_loss(maps: Tensor, scenes: Scenes) -> Tensor:
    """Return what maps of Pips miss: the pips of the first die of each scene."""
    cells = _cells(scenes.grey.shape[-1], 2, maps.device)
    away = (scenes.pips[:, 0, :, None, None] - cells).norm(dim=-1)
    there = scenes.there[:, 0, :, None, None] > 0
    wanted = (torch.exp(-0.5 * (away / 1.8) ** 2) * there).amax(1)
    heat = maps[:, 0].float()
    miss = nn.binary_cross_entropy_with_logits(heat, wanted, reduction="none")
    sure = (torch.sigmoid(heat) - wanted).abs()
    return (miss * (0.1 + sure)).sum() / len(maps) / 10

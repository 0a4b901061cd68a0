"""The host's network and what it is compared with.

A whole picture gives maps at a quarter of its size: where tops are, which face, how each lies,
what kind of surface; and a map of pips as large as the picture, each cell's 16 pixels as 16 maps.
"""

from __future__ import annotations

import torch
import torch.nn.functional as nn
from torch import Tensor
from torch.nn import BatchNorm2d, Conv2d, Module, ReLU, Sequential

from hil_tests.dice_training.maps.scenes import Scenes
from tabletools.dice.maps import (
    CELL,
    FACE,
    FOOT,
    HEAT,
    KIND,
    LEAN,
    MAPS,
    OFFSET,
    PIPS,
    SIDE,
    USUAL_SIDE,
)

NEAR = 0.28  # sides around a top's middle in which each cell says its face
_RARE = -3.0  # logit of a top or a pip at the start
_PIP, _LEAST_PIP = 0.055, 0.8  # sigma of a pip in its map: of the side; px


def _layer(deep: int, count: int, kernel: int = 3, step: int = 1, wide: int = 1) -> Sequential:
    pad = wide * (kernel // 2)
    conv = Conv2d(deep, count, kernel, step, pad, wide, bias=False)
    return Sequential(conv, BatchNorm2d(count), ReLU(inplace=True))


class Maps(Module):
    """Grey (n, 1, h, w), 0-255, h and w multiples of 8, to maps (n, MAPS, h / 4, w / 4)."""

    def __init__(self) -> None:
        super().__init__()
        self.fine = Sequential(_layer(1, 24, 5, 2), _layer(24, 32))
        self.quarter = _layer(32, 64, 3, 2)
        self.near = torch.nn.ModuleList([_layer(64, 64) for _ in range(3)])
        self.eighth = _layer(64, 80, 3, 2)
        self.wide = torch.nn.ModuleList([_layer(80, 80, wide=wide) for wide in (1, 2, 4, 1)])
        self.both = Sequential(_layer(144, 80, 1), _layer(80, 80))
        self.heads = Conv2d(80, MAPS, 1)
        with torch.no_grad():
            for rare in (HEAT, PIPS):
                self.heads.bias[rare] = _RARE

    def forward(self, grey: Tensor) -> Tensor:
        """Return the maps."""
        near = self.quarter(self.fine((grey - 128) / 64))
        for layer in self.near:
            near = near + layer(near)
        far = self.eighth(near)
        for layer in self.wide:
            far = far + layer(far)
        far = nn.interpolate(far, scale_factor=2.0, mode="nearest")
        return self.heads(self.both(torch.cat((near, far), 1)))


def _cells(size: int, stride: int, device: torch.device) -> Tensor:
    """Return the middles of the cells of a map, px of the picture, (h, w, 2) as x, y."""
    centres = (torch.arange(size // stride, device=device) + 0.5) * stride - 0.5
    y, x = torch.meshgrid(centres, centres, indexing="ij")
    return torch.stack((x, y), -1)


def maps_loss(maps: Tensor, scenes: Scenes, known: Tensor, clear: Tensor, exact: bool) -> Tensor:
    """Return what maps miss. known, clear (n, h, w): where the scenes' labels hold, and those of
    pips.

    exact: the scenes say where a top's middle is, its side and its foot exactly.
    """
    size = scenes.grey.shape[-1]
    cells = _cells(size, CELL, maps.device)
    inside = ((scenes.middle > -0.5) & (scenes.middle < size - 0.5)).all(-1)
    there = (scenes.value != -1) & inside
    away = scenes.middle[:, :, None, None] - cells  # n, k, h, w, 2
    apart = away.norm(dim=-1) / scenes.side[:, :, None, None]
    apart = torch.where(there[:, :, None, None], apart, 9.0)
    nearest, which = apart.min(1)
    known = nn.avg_pool2d(known[:, None], CELL)[:, 0] > 0.99

    def of_nearest(values: Tensor) -> Tensor:
        return values.gather(1, which.flatten(1)).view_as(which)

    px = nearest * of_nearest(scenes.side)
    loss = _heat_loss(maps[:, HEAT].float(), scenes, away.norm(dim=-1), there, px, known)

    value = of_nearest(scenes.value)
    close = (nearest < NEAR) & known
    near = close & (value >= 0)
    faces = nn.cross_entropy(maps[:, FACE].float(), value.clamp(min=0), reduction="none")
    loss = loss + (faces * near).sum() / near.sum().clamp(min=1)

    lean = of_nearest(scenes.lean.float())
    leans = nn.binary_cross_entropy_with_logits(maps[:, LEAN].float(), lean, reduction="none")
    loss = loss + 0.7 * (leans * close).sum() / close.sum().clamp(min=1)

    kind = nn.avg_pool2d(scenes.kind, CELL)
    kinds = -(kind * nn.log_softmax(maps[:, KIND].float(), 1)).sum(1)
    kinds = kinds * (1 + 2 * kind[:, 2])
    loss = loss + (kinds * known).sum() / known.sum().clamp(min=1)
    pips = nn.pixel_shuffle(maps[:, PIPS], CELL)[:, 0].float()
    loss = loss + _pips_loss(pips, scenes, clear)
    if not exact:
        return loss

    index = which[:, None, :, :, None].expand(-1, 1, -1, -1, 2)
    offset = away.gather(1, index)[:, 0].permute(0, 3, 1, 2) / CELL
    side = of_nearest((scenes.side / USUAL_SIDE).clamp(min=0.1).log())
    foot = (scenes.foot / scenes.side[..., None]).clamp(-2, 2)
    foot = torch.stack([of_nearest(foot[..., axis]) for axis in range(2)], 1)
    miss = (maps[:, OFFSET].float() - offset).abs().sum(1) + (maps[:, SIDE].float() - side).abs()
    miss = miss + (maps[:, FOOT].float() - foot).abs().sum(1)
    return loss + 0.3 * (miss * close).sum() / close.sum().clamp(min=1)


def _heat_loss(
    heat: Tensor, scenes: Scenes, away: Tensor, there: Tensor, px: Tensor, known: Tensor
) -> Tensor:
    """Return what a map of tops (n, h, w) misses. away (n, k, h, w): from each top, px; px: from
    the nearest."""
    sigma = (0.16 * scenes.side).clamp(min=2.6)[:, :, None, None]
    wanted = (torch.exp(-0.5 * (away / sigma) ** 2) * there[:, :, None, None]).amax(1)
    peak = (px < 2.9) & (wanted > 0.5)
    odds = torch.sigmoid(heat)
    hit = -((1 - odds) ** 2) * nn.logsigmoid(heat) * peak
    false = -((1 - wanted) ** 4) * odds**2 * nn.logsigmoid(-heat) * ~peak
    return ((hit + false) * known).sum() / peak.sum().clamp(min=1)


def _pips_loss(heat: Tensor, scenes: Scenes, clear: Tensor) -> Tensor:
    """Return what a map of pips (n, h, w) misses where it is clear."""
    places = torch.arange(heat.shape[-1], device=heat.device)
    sigma = (_PIP * scenes.side).clamp(min=_LEAST_PIP)
    off = (scenes.pips[..., None] - places) / sigma[..., None, None, None]
    across, down = torch.exp(-0.5 * off**2).flatten(1, 2).unbind(2)  # n, 9 k, size
    across = across * scenes.there.flatten(1)[..., None]
    wanted = (down.transpose(1, 2) @ across).clamp(max=1)  # pips lie apart: the sum is the nearest
    miss = nn.binary_cross_entropy_with_logits(heat, wanted, reduction="none")
    sure = (torch.sigmoid(heat) - wanted).abs()
    pips = (scenes.there * (scenes.side[..., None] / USUAL_SIDE) ** 2).sum().clamp(min=1)
    return 0.06 * (miss * (0.05 + sure) * clear).sum() / pips

"""Photographs, cut, turned, mirrored, scaled and laid on other grounds, many at once."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as nn
from torch import Tensor

from hil_tests.dice_training.maps.scenes import Renderer, Scenes

_TOP = 0.82  # of the longer side of a die's box
_AROUND = 0.85  # sides of a die around its middle
_SPAN = 15.0  # greys; the fewer a top spans, the oftener it is seen


class Photographs:
    """Cuts scenes from stored photographs."""

    def __init__(self, arrays: dict[str, npt.NDArray[np.float32]], renderer: Renderer) -> None:
        device = renderer.device
        self._render = renderer
        both = np.stack((arrays["pictures"], arrays["covers"]), 1)
        self._pictures = torch.tensor(both.astype(np.uint8), device=device)
        self._sizes = torch.tensor(arrays["sizes"], device=device)
        self._dice = torch.tensor(arrays["dice"], device=device)
        self._parted = torch.tensor(arrays["parted"], device=device) > 0
        seldom = 1 / (_SPAN + torch.tensor(arrays["spans"], device=device))
        weight = torch.where(self._dice[..., 4] > 0, seldom, 0)
        self._weight = weight.flatten()
        self._pips = torch.tensor(arrays["pips"], device=device)
        self._there = torch.tensor(arrays["there"], device=device)

    def scenes(self, n: int, size: int) -> tuple[Scenes, Tensor, Tensor]:
        """Return (scenes, known, clear): known (n, h, w) is 1 where the labels hold, clear also
        those of pips."""
        r = self._render
        row = torch.multinomial(self._weight, n, replacement=True, generator=r.random)
        which, one = row // self._dice.shape[1], row % self._dice.shape[1]
        dice, sizes = self._dice[which], self._sizes[which]
        boxes, value = dice[..., :4], dice[..., 4].long()
        longest = torch.maximum(boxes[..., 2] - boxes[..., 0], boxes[..., 3] - boxes[..., 1])
        middles = (boxes[..., :2] + boxes[..., 2:]) / 2 - 0.5
        rows = torch.arange(n, device=r.device)
        side = _TOP * longest[rows, one]
        zoom = torch.exp(r.uniform(math.log(15), math.log(46), n)) / side
        zoom = zoom.clamp(0.6, 2.4)
        centres = middles[rows, one] + r.uniform(-0.35, 0.35, n, 2) * size / zoom[:, None]
        turn = r.uniform(0, 2 * math.pi, n)
        flip = torch.where(r.chance(0.5, n), -1.0, 1.0)
        c, s = turn.cos() / zoom, turn.sin() / zoom
        way = torch.stack((c * flip, -s, s * flip, c), -1).unflatten(-1, (2, 2))
        steps = (torch.arange(2 * size, device=r.device) - size + 0.5) / 2
        y, x = torch.meshgrid(steps, steps, indexing="ij")
        places = torch.einsum("nij,hwj->nhwi", way, torch.stack((x, y), -1))
        places = places + centres[:, None, None]
        pictures = self._pictures[which].float()
        grid = (2 * places + 1) / pictures.shape[-1] - 1
        crops = nn.grid_sample(pictures, grid, padding_mode="border", align_corners=False)
        crops = nn.avg_pool2d(crops, 2)
        known = ((places > -0.5) & (places < sizes[:, None, None] - 0.5)).all(-1).float()
        known = nn.avg_pool2d(known[:, None], 2)[:, 0]
        cover = (crops[:, 1] / 255).clamp(0, 1)
        grey = crops[:, 0]
        ground = r.ground(n, size) / 215
        laid = grey * (cover + (1 - cover) * ground)
        lays = r.chance(0.6, n) & self._parted[which]
        grey = torch.where(lays[:, None, None], laid, grey)
        back = way.transpose(1, 2) * zoom[:, None, None] ** 2  # of a turn and a scale
        moved = torch.einsum("nij,nkj->nki", back, middles - centres[:, None]) + (size - 1) / 2
        pips = self._pips[which] - centres[:, None, None]
        pips = torch.einsum("nij,nkmj->nkmi", back, pips) + (size - 1) / 2
        there = self._there[which]
        side = _TOP * longest * zoom[:, None]
        clear = known * self._away(moved, side, (value != -1) & (there.sum(-1) == 0), size)
        least = 0.8 * side[..., None]
        near_edge = ((moved < least) | (moved > size - 1 - least)).any(-1)
        value = torch.where(near_edge & (value != -1), -2, value)
        kind = torch.stack((1 - cover, cover, torch.zeros_like(cover)), 1)
        lean, foot = torch.zeros_like(value, dtype=torch.bool), torch.zeros_like(moved)
        worn = r.worn(grey[:, None])  # all lie flat; feet are not known
        scenes = Scenes(worn, kind, moved, side.clamp(min=1), value, lean, foot, pips, there)
        return scenes, known, clear

    @staticmethod
    def _away(middle: Tensor, side: Tensor, there: Tensor, size: int) -> Tensor:
        """Return 1 (n, h, w) where no die is near of those that are there."""
        axis = torch.arange(size, device=middle.device)
        apart = (middle[..., None] - axis) / side.clamp(min=1)[..., None, None]
        across, down = apart.abs().unbind(2)
        near = (across < _AROUND)[:, :, None] & (down < _AROUND)[..., None]
        return (~(near & there[:, :, None, None]).any(1)).float()

"""The network that finds dice: from grey to what each cell shows, for any size of picture."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from hil_tests.dice_network.sprites import UNREADABLE

# Outputs of a cell: heat of 1-6 and of a die that cannot be read; dx, dy, size; ground, body,
# foreign.
PLACE, KIND = UNREADABLE, UNREADABLE + 3
OUTPUTS = KIND + 3
_WIDE = 48


class Places(nn.Module):
    """Grey 0..255, (n, 1, h, w), in; (n, OUTPUTS, h / 4, w / 4) out."""

    def __init__(self) -> None:
        super().__init__()
        self.first = _layer(1, 16, 5, 2)
        self.second = _layer(16, 24, 3, 1)
        self.third = _layer(24, _WIDE, 3, 2)
        self.deep = nn.ModuleList(_layer(_WIDE, _WIDE, 3, 1, wide) for wide in (1, 2, 1, 2))
        self.last = nn.Conv2d(2 * _WIDE, OUTPUTS, 1)
        with torch.no_grad():
            self.last.bias[:UNREADABLE] = -4.0

    def forward(self, grey: Tensor) -> Tensor:
        """Return the outputs, heat and kinds as logits."""
        x = self.third(self.second(self.first((grey - 128) / 64)))
        start = x
        for layer in self.deep:
            x = x + layer(x)
        return self.last(torch.cat([start, x], 1))


def _layer(before: int, after: int, size: int, step: int, wide: int = 1) -> nn.Sequential:
    pad = wide * (size // 2)
    return nn.Sequential(
        nn.Conv2d(before, after, size, step, pad, dilation=wide, bias=False),
        nn.BatchNorm2d(after),
        nn.ReLU(),
    )


def loss(out: Tensor, heat: Tensor, place: Tensor, kind: Tensor, counts: Tensor) -> Tensor:
    """Return how far outputs are from the targets of `scenes.targets`."""
    logit = out[:, :PLACE]
    p = torch.sigmoid(logit).clamp(1e-5, 1 - 1e-5)
    hot = heat > 0.999
    good = torch.where(hot, -((1 - p) ** 2) * torch.log(p), torch.zeros(()))
    bad = torch.where(hot, torch.zeros(()), -((1 - heat) ** 4) * p**2 * torch.log(1 - p))
    dice = hot.sum().clamp(min=1)
    total = ((good + bad) * counts[:, None]).sum() / dice
    off = (out[:, PLACE:KIND] - place[:, :3]).abs()
    total = (
        total
        + ((off[:, :2] * place[:, 3:4]).sum() + 2 * (off[:, 2:] * place[:, 4:5]).sum()) / dice
    )
    weights = torch.tensor([1.0, 1.0, 2.0])
    return total + nn.functional.cross_entropy(out[:, KIND:], kind, weights, ignore_index=255)

"""Rendered scenes that are kept: seen again mirrored, turned by quarters and worn again."""

from __future__ import annotations

from dataclasses import fields

import torch
from torch import Tensor

from hil_tests.dice_training.maps.scenes import Kind, Renderer, Scenes

_BYTES = ("grey", "kind")  # kept as bytes: 0-255, or shares of 1
_PARTS = 8  # of a batch, each turned and mirrored its own way


class Pool:
    """The last so many scenes that were rendered."""

    def __init__(self, renderer: Renderer, wanted: Kind, most: int) -> None:
        self._render, self._wanted, self._most = renderer, wanted, most
        self._kept: dict[str, Tensor] = {}
        self._next = self._count = 0

    def render(self, n: int) -> None:
        """Render so many scenes more, in the place of the oldest."""
        made = self._render.scenes(n, self._wanted)
        rows = (self._next + torch.arange(n, device=self._render.device)) % self._most
        for field in fields(Scenes):
            found = getattr(made, field.name)
            if field.name in _BYTES:
                found = (found * (1 if field.name == "grey" else 255)).round().to(torch.uint8)
            if field.name not in self._kept:
                shape = (self._most, *found.shape[1:])
                self._kept[field.name] = torch.zeros(shape, dtype=found.dtype, device=found.device)
            self._kept[field.name][rows] = found
        self._next = (self._next + n) % self._most
        self._count = min(self._count + n, self._most)

    def drawn(self, n: int) -> Scenes:
        """Return some of the scenes, worn."""
        rows = self._render.whole(self._count, n)
        kept = {name: each[rows] for name, each in self._kept.items()}
        kept["grey"], kept["kind"] = kept["grey"].float(), kept["kind"].float() / 255
        parts = [
            _laid({name: each[part::_PARTS] for name, each in kept.items()}, part)
            for part in range(min(_PARTS, n))
        ]
        kept = {name: torch.cat([part[name] for part in parts]) for name in kept}
        return Scenes(**{**kept, "grey": self._render.worn(kept["grey"], kept["side"].mean(1))})


def _laid(scenes: dict[str, Tensor], way: int) -> dict[str, Tensor]:
    """Return scenes mirrored from side to side, upside down and along the diagonal."""
    last = scenes["grey"].shape[-1] - 1
    found = dict(scenes)
    for axis in range(2):
        if way >> axis & 1:
            for name in _BYTES:
                found[name] = found[name].flip(-1 - axis)
            sign = torch.ones(2, device=scenes["grey"].device)
            sign[axis] = -1
            shift = last * (sign < 0)
            found["middle"] = found["middle"] * sign + shift
            found["pips"] = found["pips"] * sign + shift
            found["foot"] = found["foot"] * sign
    if way & 4:
        for name in _BYTES:
            found[name] = found[name].transpose(-1, -2)
        for name in ("middle", "pips", "foot"):
            found[name] = found[name].flip(-1)
    return found

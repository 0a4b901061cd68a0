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
        self._pool: dict[str, Tensor] = {}
        self._next = self._count = 0

    def render(self, n: int) -> None:
        """Render so many scenes more, in the place of the oldest."""
        scenes = self._render.scenes(n, self._wanted)
        rows = (self._next + torch.arange(n, device=self._render.device)) % self._most
        for field in fields(Scenes):
            values = getattr(scenes, field.name)
            if field.name in _BYTES:
                values = (values * (1 if field.name == "grey" else 255)).round().to(torch.uint8)
            if field.name not in self._pool:
                shape = (self._most, *values.shape[1:])
                self._pool[field.name] = torch.zeros(
                    shape, dtype=values.dtype, device=values.device
                )
            self._pool[field.name][rows] = values
        self._next = (self._next + n) % self._most
        self._count = min(self._count + n, self._most)

    def drawn(self, n: int) -> Scenes:
        """Return some of the scenes, worn."""
        rows = self._render.whole(self._count, n)
        batch = {name: each[rows] for name, each in self._pool.items()}
        batch["grey"], batch["kind"] = batch["grey"].float(), batch["kind"].float() / 255
        parts = [
            _laid({name: each[part::_PARTS] for name, each in batch.items()}, part)
            for part in range(min(_PARTS, n))
        ]
        batch = {name: torch.cat([part[name] for part in parts]) for name in batch}
        return Scenes(**{**batch, "grey": self._render.worn(batch["grey"], batch["side"].mean(1))})


def _laid(scenes: dict[str, Tensor], way: int) -> dict[str, Tensor]:
    """Return scenes mirrored from side to side, upside down and along the diagonal."""
    last = scenes["grey"].shape[-1] - 1
    rows = dict(scenes)
    for axis in range(2):
        if way >> axis & 1:
            for name in _BYTES:
                rows[name] = rows[name].flip(-1 - axis)
            sign = torch.ones(2, device=scenes["grey"].device)
            sign[axis] = -1
            shift = last * (sign < 0)
            rows["middle"] = rows["middle"] * sign + shift
            rows["pips"] = rows["pips"] * sign + shift
            rows["foot"] = rows["foot"] * sign
    if way & 4:
        for name in _BYTES:
            rows[name] = rows[name].transpose(-1, -2)
        for name in ("middle", "pips", "foot"):
            rows[name] = rows[name].flip(-1)
    return rows

"""The loop: render, hold the networks against what was rendered, step. Fixed seeds."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import Pool

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import Module

from hil_tests.dice_training.maps import grounds
from hil_tests.dice_training.maps.networks import (
    FACE,
    HEAT,
    KIND,
    STRIDE,
    Pips,
    Places,
    evened,
    pips_loss,
    places_loss,
)
from hil_tests.dice_training.maps.photographs import Photographs
from hil_tests.dice_training.maps.scenes import Kind, Renderer, Scenes

WIDE = Kind(size=128, least=14, most=46, dice=6, leaning=0.12, alone=False)
CLOSE = Kind(size=64, least=29, most=43, dice=3, leaning=0.03, alone=True)
_KEPT = 24  # batches that may be seen again
_TIMES = 6  # that figures are printed on the way


@dataclass(frozen=True)
class Part:
    """renders: batches rendered. steps: taken with each, the first with itself, the others with
    one of the last. rate: the highest."""

    renders: int
    steps: int
    rate: float


PARTS = (Part(1600, 1, 4e-3), Part(650, 3, 2.5e-3))


def drawn(task: tuple[str, int]) -> npt.NDArray[np.float32]:
    """Return one ground, or one thing as (grey where it covers, cover)."""
    what, seed = task
    rng = np.random.default_rng((seed, len(what)))
    if what == "ground":
        return grounds.ground(rng)
    grey, cover = grounds.thing(rng, above=what == "above")
    return np.stack((grey * cover, cover)).astype(np.float32)


def renderer(device: str, count: int, seed: int, processes: int) -> Renderer:
    """Return a renderer with so many grounds, and as many things below and above dice."""
    with Pool(processes) as pool:
        cloths, below, above = (
            torch.tensor(np.stack(pool.map(drawn, [(what, seed + k) for k in range(count)])))
            for what in ("ground", "below", "above")
        )
    return Renderer(cloths.to(device), below.to(device), above.to(device), seed)


class Learner:
    """A network with its optimiser; the rate rises over a twentieth, then falls as a cosine."""

    def __init__(self, network: Module, part: Part, device: str) -> None:
        self.network = network.to(device)
        self._on = device
        self._optimiser = torch.optim.AdamW(network.parameters(), part.rate, weight_decay=1e-2)
        self._rate = torch.optim.lr_scheduler.OneCycleLR(
            self._optimiser, part.rate, total_steps=part.renders * part.steps, pct_start=0.05
        )

    def learn(self, grey: Tensor, loss: Callable[[Tensor], Tensor]) -> None:
        """Take one step."""
        self.network.train()
        with torch.autocast(self._on, torch.bfloat16, enabled=self._on == "cuda"):
            maps = self.network(grey)
        missed = loss(maps)
        self._optimiser.zero_grad()
        missed.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 5.0)
        self._optimiser.step()
        self._rate.step()


@dataclass(frozen=True)
class Batch:
    """wide, close: rendered. real, known: cut from photographs, and where their labels hold."""

    wide: Scenes
    close: Scenes
    real: Scenes
    known: Tensor


@torch.no_grad()
def _batch(render: Renderer, photographs: Photographs, size: int) -> Batch:
    real, known = photographs.scenes(size // 3, WIDE.size)
    return Batch(render.scenes(size, WIDE), render.scenes(2 * size, CLOSE), real, known)


def train(
    networks: tuple[Places, Pips],
    render: Renderer,
    photographs: Photographs,
    part: Part,
    size: int,
) -> None:
    """Train both networks on batches of so many wide scenes; print figures on the way."""
    device = render.device.type
    places, pips = (Learner(network, part, device) for network in networks)
    draw, kept = random.Random(1), list[Batch]()
    started = time.monotonic()
    for render_number in range(1, part.renders + 1):
        kept = [*kept[-_KEPT + 1 :], _batch(render, photographs, size)]
        for step in range(part.steps):
            _step(places, pips, draw.choice(kept) if step else kept[-1])
        if render_number % max(part.renders // _TIMES, 1) == 0:
            print(f"{render_number} rendered, {time.monotonic() - started:.0f} s", flush=True)
            print(f"  places: {report(networks[0], render)}", flush=True)
            print(f"  pips: {pips_report(networks[1], render)}", flush=True)


def _step(places: Learner, pips: Learner, batch: Batch) -> None:
    wide, real = batch.wide, batch.real
    count = len(wide.grey)
    everywhere = torch.ones_like(wide.grey[:, 0])
    sized = torch.ones(count, dtype=torch.bool, device=wide.grey.device)

    def both(maps: Tensor) -> Tensor:
        rendered = places_loss(maps[:count], wide, everywhere, sized)
        exact = ~sized[: len(real.grey)]
        return rendered + 0.5 * places_loss(maps[count:], real, batch.known, exact)

    places.learn(torch.cat((wide.grey, real.grey)), both)
    pips.learn(evened(batch.close.grey), lambda maps: pips_loss(maps, batch.close))


@torch.no_grad()
def report(network: Module, render: Renderer, batches: int = 6, batch: int = 96) -> str:
    """Return how many dice of new scenes are seen, and read, and leaning ones taken as flat."""
    network.eval()
    seen = flat = right = sure = wrong = bad = taken = 0
    cells = foreign = 0.0
    for _ in range(batches):
        made = render.scenes(batch, WIDE)
        maps = network(made.grey).float()
        at = ((made.middle + 0.5) / STRIDE).long().clamp(0, maps.shape[-1] - 1)
        index = (at[..., 1] * maps.shape[-1] + at[..., 0])[:, None]
        rows = maps.flatten(2).gather(2, index.expand(-1, maps.shape[1], -1))
        heat = torch.sigmoid(rows[:, HEAT]) > 0.3
        chances, face = rows[:, FACE].softmax(1).max(1)
        good, poor = made.value > 0, made.value == 0
        poor &= ((made.middle > 0) & (made.middle < WIDE.size)).all(-1)
        flat, bad = flat + int(good.sum()), bad + int(poor.sum())
        seen += int((heat & good).sum())
        right += int((heat & good & (face == made.value)).sum())
        clear = heat & (chances > 0.98) & (face > 0)
        sure += int((clear & good).sum())
        wrong += int((clear & good & (face != made.value)).sum())
        taken += int((clear & poor).sum())
        kind = torch.nn.functional.avg_pool2d(made.kind, STRIDE).argmax(1)
        cells += float((kind == 2).sum())
        foreign += float(((kind == 2) & (maps[:, KIND].argmax(1) == 2)).sum())
    return (
        f"of {flat} flat {seen} seen, {right} right; {sure} surely, {wrong} of these wrong; "
        f"of {bad} others {taken} surely read; foreign {foreign / max(cells, 1):.2f}"
    )


@torch.no_grad()
def pips_report(network: Module, render: Renderer, batch: int = 1024) -> str:
    """Return how many patches show just as many pips as they have, each where it is."""
    network.eval()
    made = render.scenes(batch, CLOSE)
    heat = torch.sigmoid(network(evened(made.grey)).float())
    top = torch.nn.functional.max_pool2d(heat, 3, 1, 1)
    peaks = ((heat == top) & (heat > 0.4)).flatten(1).sum(1)
    wanted = made.there[:, 0].sum(1)
    whole = made.value[:, 0] > 0
    same = (peaks == wanted) & whole
    return f"of {int(whole.sum())} flat {int(same.sum())} with the right number of pips"

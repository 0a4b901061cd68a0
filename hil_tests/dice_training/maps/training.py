"""The loop: render, hold the network against what was rendered, step. Fixed seeds."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing import Pool as Processes

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import Module

from hil_tests.dice_training.maps import grounds
from hil_tests.dice_training.maps.networks import Maps, maps_loss
from hil_tests.dice_training.maps.photograph_scenes import Photographs
from hil_tests.dice_training.maps.pool import Pool
from hil_tests.dice_training.maps.scenes import Kind, Renderer
from tabletools.dice.maps import CELL, FACE, HEAT, KIND, LEAN

SCENE = Kind(size=128, least=12, most=42, dice=6, leaning=0.16, stacked=0.08, printed=0.05)
_REAL = 3  # rendered scenes for each cut from a photograph
_RISES = 0.04  # of the time, until the rate is highest
_TIMES = 8  # that figures are printed on the way


@dataclass(frozen=True)
class Plan:
    """minutes: of training. batch: rendered scenes of a step. renders: scenes rendered at once;
    steps: taken after each; pool_size: scenes that may be seen again. rate: the highest. is_small:
    the batch is, so layers that normalise keep their statistics."""

    minutes: float
    batch: int
    renders: int
    steps: int
    pool_size: int
    rate: float
    is_small: bool


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
    with Processes(processes) as pool:
        cloths, below, above = (
            torch.tensor(np.stack(pool.map(drawn, [(what, seed + k) for k in range(count)])))
            for what in ("ground", "below", "above")
        )
    return Renderer(cloths.to(device), below.to(device), above.to(device), seed)


def train(network: Maps, render: Renderer, photographs: Photographs, plan: Plan) -> None:
    """Train on rendered scenes and photographs; print figures on the way. The rate rises, then
    falls as a cosine over the time there is."""
    device = render.device.type
    network.to(device, memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(network.parameters(), plan.rate, weight_decay=2e-2)
    pool = Pool(render, SCENE, plan.pool_size)
    started, steps, printed, rendered = time.monotonic(), 0, 0, 0
    while (done := (time.monotonic() - started) / (60 * plan.minutes)) < 1:
        with torch.no_grad():
            pool.render(plan.renders)
        rendered += plan.renders
        for group in optimiser.param_groups:
            fall = (1 + math.cos(math.pi * (done - _RISES) / (1 - _RISES))) / 2
            group["lr"] = plan.rate * (done / _RISES if done < _RISES else fall)
        network.train(not plan.is_small)
        for _ in range(plan.steps):
            _step(network, optimiser, pool, photographs, plan.batch)
            steps += 1
        if device == "cuda":
            torch.cuda.synchronize()  # else rendering runs ahead of the clock
        if done * _TIMES >= printed:
            printed += 1
            print(
                f"{done:.2f}: {rendered} rendered, {steps} steps, {report(network, render)}",
                flush=True,
            )


def _step(
    network: Maps,
    optimiser: torch.optim.Optimizer,
    pool: Pool,
    photographs: Photographs,
    size: int,
) -> None:
    with torch.no_grad():
        batch = pool.drawn(size)
        real, known, clear = photographs.scenes(size // _REAL, SCENE.size)
        grey = torch.cat((batch.grey, real.grey)).contiguous(memory_format=torch.channels_last)
    with torch.autocast(grey.device.type, torch.bfloat16):
        maps = network(grey)
    every = torch.ones_like(batch.grey[:, 0])
    missed = maps_loss(maps[:size], batch, every, every, True)
    missed = missed + 0.4 * maps_loss(maps[size:], real, known, clear, False)
    optimiser.zero_grad()
    missed.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
    optimiser.step()


def between(network: Module, before: Mapping[str, Tensor], share: float) -> None:
    """Give a network weights between those before and its own. What was learned in small batches
    is noisy; part of the way it reads both what is new and what it read before (Wortsman et al.,
    Robust fine-tuning of zero-shot models, 2022)."""
    network.cpu()
    learned = network.state_dict().items()
    network.load_state_dict(
        {
            name: torch.lerp(before[name], each, share) if each.is_floating_point() else each
            for name, each in learned
        }
    )


@torch.no_grad()
def report(network: Module, render: Renderer, batches: int = 6, batch: int = 96) -> str:
    """Return how many dice of new scenes are seen, and read, and leaning ones taken as flat."""
    network.eval()
    hits = flat = right = sure = wrong = bad = accepted = lain = 0
    cells = foreign = 0.0
    for _ in range(batches):
        scenes = render.scenes(batch, SCENE)
        maps = network(render.worn(scenes.grey, scenes.side.mean(1))).float()
        places = ((scenes.middle + 0.5) / CELL).long().clamp(0, maps.shape[-1] - 1)
        index = (places[..., 1] * maps.shape[-1] + places[..., 0])[:, None]
        rows = maps.flatten(2).gather(2, index.expand(-1, maps.shape[1], -1))
        heat = torch.sigmoid(rows[:, HEAT]) > 0.3
        chances, face = rows[:, FACE].softmax(1).max(1)
        lies = torch.sigmoid(rows[:, LEAN]) < 0.5
        inside = ((scenes.middle > 0) & (scenes.middle < SCENE.size)).all(-1)
        good, poor = scenes.value > 0, (scenes.value == 0) & inside
        leans = scenes.lean & (scenes.value != -1) & inside
        flat, bad, lain = flat + int(good.sum()), bad + int(poor.sum()), lain + int(leans.sum())
        hits += int((heat & good).sum())
        right += int((heat & good & (face == scenes.value)).sum())
        clear = heat & (chances > 0.98) & (face > 0) & lies
        sure += int((clear & good).sum())
        wrong += int((clear & good & (face != scenes.value)).sum())
        accepted += int((clear & (poor | leans)).sum())
        kind = torch.nn.functional.avg_pool2d(scenes.kind, CELL).argmax(1)
        cells += float((kind == 2).sum())
        foreign += float(((kind == 2) & (maps[:, KIND].argmax(1) == 2)).sum())
    return (
        f"of {flat} flat {hits} seen, {right} right; {sure} surely, {wrong} of these wrong; "
        f"of {bad} others and {lain} leaning {accepted} surely read; "
        f"foreign {foreign / max(cells, 1):.2f}"
    )

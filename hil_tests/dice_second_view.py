"""How well a second picture from aside distinguishes flat dice from others; `make dice` prints it.

Each seed has its own second camera, calibrated by a board that it sees (`hil_tests.dice_aside`).
Dice are looked for where the first picture has them, whatever else that is refused for.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from hil_tests.dice_aside import Camera, Picture, aside, boards
from tableemulator.machines.dice_tray.rendering import Scene, render
from tableemulator.machines.dice_tray.scene_families import scene
from tabletools.dice import Frame
from tabletools.dice.flatness import lies
from tabletools.dice.host_reading import Aside, read_picture
from tabletools.dice.reading_by_maps import read_by_maps
from tabletools.dice.reference import pixels
from tabletools.dice.second_camera import SecondCamera, calibrated
from tabletools.errors import ToolError

SEEN_ASIDE = ("clean", "mixed", "glossy", "cocked", "stacked")
_CAMERAS = 20  # that are tried for a scene until one sees the board


@dataclass(frozen=True)
class Throw:
    """A scene as both cameras see it."""

    scene: Scene
    above: Frame
    camera: SecondCamera
    second: Picture


def thrown(family: str, seed: int) -> Throw:
    """Return a throw. Raises ValueError for a seed that leaves no room for its dice."""
    die_scene, rng = scene(family, seed), random.Random(f"rig {seed}")
    for _ in range(_CAMERAS):
        far = rng.uniform(14, 22)
        placed = Camera(
            rng.uniform(0, 360),
            rng.uniform(28, 55),
            far,
            rng.uniform(38, 57) * far,
            rng.uniform(-0.15, 0.05),
        )
        room = min(die_scene.width / 9, die_scene.height / 6) / die_scene.scale
        square = min(rng.uniform(0.8, 0.9) * room, 1.0)
        above, second = boards(die_scene, placed, square)
        try:
            camera = calibrated(above, [second], 1 / square)
        except ToolError:
            continue
        noise, blur = rng.uniform(1, 6), rng.uniform(0.6, 1.2)
        frame = Frame(die_scene.width, die_scene.height, bytes(render(die_scene, seed)))
        return Throw(
            die_scene, frame, camera, aside(die_scene, placed, seed, noise=noise, blur=blur)
        )
    raise ValueError("no camera sees the board")


def lying(throw: Throw) -> Iterator[tuple[bool, bool]]:
    """Yield of each die that both cameras see whole: it leans or lies on another or below one, it
    is found to lie flat."""
    _, _, tops = read_by_maps(pixels(throw.above))
    feet = [(top.x + top.side * top.foot[0], top.y + top.side * top.foot[1]) for top in tops]
    verdicts = lies(throw.camera, throw.second, [throw.camera.floor(*foot) for foot in feet])
    die_scene = throw.scene
    is_pile = any(die.lift > 0 == die.tilt for die in die_scene.dice)
    for die in die_scene.dice:
        x, y = (
            die_scene.width / 2 + die_scene.scale * die.x,
            die_scene.height / 2 + die_scene.scale * die.y,
        )
        apart = [math.hypot(top.x - x, top.y - y) / top.side for top in tops]
        nearest = int(np.argmin(apart)) if apart else -1
        if nearest >= 0 and apart[nearest] < 0.7 and verdicts[nearest].share is not None:
            yield is_pile or die.tilt > 0, verdicts[nearest].is_flat


def table(families: Iterable[str], seeds: range) -> Iterator[str]:
    """Yield the lines of the report, one a family."""
    yield (
        f"{'from aside too':<16}{'throws':>8}{'first':>7}{'both':>6}{'flat':>7}{'refused':>9}"
        f"{'others':>9}{'accepted':>10}"
    )
    for family in families:
        throws = first = both = 0
        dice: list[tuple[bool, bool]] = []
        for seed in seeds:
            try:
                throw = thrown(family, seed)
            except ValueError:
                continue
            aside = Aside(throw.camera, throw.second)
            throws += 1
            first += read_picture(throw.above).accepted
            both += read_picture(throw.above, aside=aside).accepted
            dice += lying(throw)
        flat = [is_flat for is_other, is_flat in dice if not is_other]
        others = [is_flat for is_other, is_flat in dice if is_other]
        yield (
            f"{family:<16}{throws:>8}{first:>7}{both:>6}{len(flat):>7}{flat.count(False):>9}"
            f"{len(others):>9}{others.count(True):>10}"
        )

"""Families of dice scenes, seeded: what a tray shows on a good day, and on a bad one."""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Callable

from tableemulator.machines.dice_tray.rendering import Die, Scene, Style, Walls


def scene(family: str, seed: int) -> Scene:
    """Return the scene of a family. Raises KeyError for an unknown name."""
    rng = random.Random(f"{family} {seed}")
    return FAMILIES[family](rng)


def _style(rng: random.Random) -> Style:
    """Dice as they are sold: light or dark, pips that stand out, small to large."""
    light = rng.random() < 0.5
    body = rng.uniform(185, 245) if light else rng.uniform(25, 95)
    pip = rng.uniform(10, 50) if light else rng.uniform(190, 245)
    pitch = rng.uniform(0.2, 0.28)
    radius = rng.uniform(0.07, 0.1)
    return Style(body, pip, pitch, radius, radius * rng.choice((1.0, 1.0, 1.6)))


def _base(rng: random.Random) -> Scene:
    scale = rng.uniform(18, 34)
    width, height = rng.choice(((160, 120), (320, 240))) if scale < 26 else (320, 240)
    return Scene(
        width,
        height,
        scale,
        rng.uniform(9, 40),
        rng.uniform(30, 220),
        (rng.uniform(-30, 30), rng.uniform(-30, 30)),
        rng.choice((0.0, 0.0, 2.0)),
        (rng.uniform(-0.4, 0.4), rng.uniform(-0.4, 0.4), 0.9),
        rng.uniform(0.0, 0.4),
        rng.choice((1, 1, 2)),
        rng.uniform(0.5, 2.5),
    )


def _stands_out(base: Scene, style: Style) -> bool:
    return abs(style.body - base.table) > 45


def _place(rng: random.Random, base: Scene, gap: float = 1.5) -> tuple[float, float]:
    """Return a free place for a die's middle, away from the edges and the other dice."""
    reach_x = base.width / 2 / base.scale - 1.2
    reach_y = base.height / 2 / base.scale - 1.2
    for _ in range(200):
        x, y = rng.uniform(-reach_x, reach_x), rng.uniform(-reach_y, reach_y)
        if all(math.hypot(x - die.x, y - die.y) > gap for die in base.dice):
            return x, y
    raise ValueError("no room for another die")


def _die(rng: random.Random, base: Scene, style: Style, gap: float = 1.5) -> Die:
    x, y = _place(rng, base, gap)
    turn = rng.uniform(0, math.tau)
    return Die(x, y, rng.randint(1, 6), turn, style, spin=rng.randint(0, 3))


def _throw(rng: random.Random, most: int = 5, style: Style | None = None) -> Scene:
    """Some dice of one kind, apart and flat, on a cloth they stand out from."""
    base, kind = _base(rng), style or _style(rng)
    while not _stands_out(base, kind):
        base, kind = _base(rng), style or _style(rng)
    for _ in range(rng.randint(1, most if base.width > 200 else 3)):
        base.dice.append(_die(rng, base, kind))
    return base


def _mix(rng: random.Random) -> Scene:
    """Each die of its own colour, some near the cloth's."""
    base = _throw(rng, 4)
    base.dice = [dataclasses.replace(die, style=_style(rng)) for die in base.dice]
    return base


def _faint(rng: random.Random) -> Scene:
    """Pips that nearly vanish in grey."""
    style = _style(rng)
    near = style.body + rng.choice((-1, 1)) * rng.uniform(5, 40)
    return _throw(rng, 3, dataclasses.replace(style, pip=near, mottle=rng.uniform(0, 12)))


def _glossy(rng: random.Random) -> Scene:
    return _throw(rng, 4, dataclasses.replace(_style(rng), gloss=rng.uniform(30, 150)))


def _marble(rng: random.Random) -> Scene:
    return _throw(rng, 4, dataclasses.replace(_style(rng), mottle=rng.uniform(8, 45)))


def _hollow(rng: random.Random) -> Scene:
    return _throw(rng, 4, dataclasses.replace(_style(rng), hollow=True, radius=0.1, one=0.1))


def _close(rng: random.Random) -> Scene:
    """The lens hangs low: much of the sides is seen."""
    base = _throw(rng, 5)
    base.above = rng.uniform(4.5, 8)
    return base


def _noisy(rng: random.Random) -> Scene:
    base = _throw(rng, 4)
    base.noise, base.weave = rng.uniform(4, 12), rng.choice((0.0, 3.0))
    return base


def _blurry(rng: random.Random) -> Scene:
    base = _throw(rng, 4)
    base.blur = rng.randint(3, 9)
    return base


def _touching(rng: random.Random) -> Scene:
    base = _throw(rng, 2)
    first = base.dice[0]
    angle = rng.uniform(0, math.tau)
    turn = first.turn if rng.random() < 0.6 else rng.uniform(0, math.tau)
    if turn == first.turn:
        angle = turn + rng.randint(0, 3) * math.pi / 2
    apart = rng.uniform(1.0, 1.08) if turn == first.turn else rng.uniform(1.2, 1.42)
    x, y = first.x + apart * math.cos(angle), first.y + apart * math.sin(angle)
    second = Die(x, y, rng.randint(1, 6), turn, first.style, spin=rng.randint(0, 3))
    base.dice = [first, second]
    return base


def _cock(rng: random.Random) -> Scene:
    """One die leans by 12 to 45 degrees: no face is on top by rule."""
    base = _throw(rng, 3)
    tilt = math.radians(rng.uniform(12, 45))
    lean = rng.uniform(0, math.tau)
    lift = (math.cos(tilt) + math.sin(tilt) - 1) / 2
    base.dice[0] = dataclasses.replace(base.dice[0], tilt=tilt, tilt_to=lean, lift=lift)
    base.readable = False
    return base


def _cut(rng: random.Random) -> Scene:
    """One die lies partly outside the frame."""
    base = _throw(rng, 3)
    edge = base.width / 2 / base.scale + rng.uniform(-0.35, 0.3)
    y = rng.uniform(-1, 1)
    base.dice[0] = dataclasses.replace(base.dice[0], x=rng.choice((-1, 1)) * edge, y=y)
    base.readable = False
    return base


def _arm(rng: random.Random) -> Scene:
    base = _throw(rng, 3)
    base.arm, base.readable = True, False
    return base


def _empty(rng: random.Random) -> Scene:
    base = _base(rng)
    base.readable = False
    base.bar = rng.choice((0, 12))
    return base


def _rim(rng: random.Random) -> Scene:
    base = _throw(rng, 4)
    base.bar = rng.randint(4, 10)
    return base


def _wall(rng: random.Random) -> Scene:
    """In a tray whose walls are in view, the dice at least half a die from their feet."""
    base = _throw(rng, 5)
    least = min(base.width, base.height)
    feet = [rng.uniform(0.04, 0.14) * least if rng.random() < 0.8 else -20.0 for _ in range(4)]
    shades = [rng.uniform(0.55, 1.15) for _ in range(4)]
    base.walls = Walls(
        (feet[0], feet[1], feet[2], feet[3]),
        (shades[0], shades[1], shades[2], shades[3]),
        rng.uniform(-0.05, 0.05),
        rng.uniform(0.03, 0.09) * least,
        rng.uniform(0.01, 0.05) * least,
        rng.choice((rng.uniform(15, 70), rng.uniform(120, 230))),
        rng.uniform(20, 230),
    )
    base.dice = [die for die in base.dice if _is_inside(base, feet, die)]
    if not base.dice:
        raise ValueError("no die lies inside the tray")
    return base


def _is_inside(base: Scene, feet: list[float], die: Die) -> bool:
    right, down = base.width / 2 - 1.2 * base.scale, base.height / 2 - 1.2 * base.scale
    x, y = die.x * base.scale, die.y * base.scale
    return feet[0] - right < x < right - feet[2] and feet[1] - down < y < down - feet[3]


def _stack(rng: random.Random) -> Scene:
    """One die lies on another: what is seen below it is no throw."""
    base = _throw(rng, 2)
    low = base.dice[0]
    x, y = low.x + rng.uniform(-0.3, 0.3), low.y + rng.uniform(-0.3, 0.3)
    top = Die(x, y, rng.randint(1, 6), rng.uniform(0, math.tau), low.style, lift=1.0)
    base.dice = [low, top]
    base.readable = False
    return base


FAMILIES: dict[str, Callable[[random.Random], Scene]] = {
    "clean": _throw,
    "rimmed": _rim,
    "mixed": _mix,
    "glossy": _glossy,
    "marbled": _marble,
    "hollow": _hollow,
    "close": _close,
    "noisy": _noisy,
    "blurry": _blurry,
    "touching": _touching,
    "faint": _faint,
    "cocked": _cock,
    "cut": _cut,
    "arm": _arm,
    "empty": _empty,
    "stacked": _stack,
    "walled": _wall,
}

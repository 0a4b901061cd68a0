"""What is no die: coins, buttons, checks, stains, dots; and the glare on what is one."""

from __future__ import annotations

import numpy as np

from hil_tests.dice_training.styles import Floats


def waves(rng: np.random.Generator, size: int, number: float) -> Floats:
    """Return a smooth random surface of about `number` waves across, -1 to 1."""
    y, x = np.mgrid[0:size, 0:size] / size
    total = np.zeros((size, size))
    for _ in range(3):
        right, down = rng.normal(0, number, 2)
        total += np.sin(2 * np.pi * (right * x + down * y) + rng.uniform(0, 2 * np.pi))
    return total / 3


def draw_foreign(rng: np.random.Generator, grey: Floats) -> Floats:
    """Return the surface with something that is no die on it."""
    u, kind = rng.uniform, rng.random()
    x, y = _places(len(grey))
    if kind < 0.35:
        return _disc(rng, grey)
    if kind < 0.6:
        waves_each, angle = u(10, 60), u(0, np.pi)
        lines = np.sin(waves_each * (x * np.cos(angle) + y * np.sin(angle)))
        if rng.random() < 0.5:
            lines = lines * np.sin(waves_each * (y * np.cos(angle) - x * np.sin(angle)))
        return np.asarray(grey + u(10, 100) * np.sign(lines))
    if kind < 0.8:
        return np.asarray(grey + u(10, 120) * waves(rng, len(grey), u(2, 10)))
    for _ in range(rng.integers(3, 25)):
        apart = np.hypot(x - u(-0.5, 0.5), y - u(-0.5, 0.5))
        grey = np.where(apart < u(0.02, 0.06), u(10, 245), grey)
    return grey


def _disc(rng: np.random.Generator, grey: Floats) -> Floats:
    """A coin, or a button with two to four holes."""
    u = rng.uniform
    x, y = _places(len(grey))
    apart = np.hypot(x - rng.normal(0, 0.03), y - rng.normal(0, 0.03))
    disc = u(10, 245) + u(-40, 40) * np.sin(apart * u(20, 90))
    disc = disc + u(0, 30) * waves(rng, len(grey), 5)
    if rng.random() < 0.5:
        hole, reach, radius, start = u(10, 245), u(0.05, 0.12), u(0.02, 0.05), u(0, 2 * np.pi)
        number = int(rng.choice((2, 4, 4, 3)))
        for k in range(number):
            angle = start + 2 * np.pi * k / number
            beside = np.hypot(x - reach * np.cos(angle), y - reach * np.sin(angle))
            disc = np.where(beside < radius, hole, disc)
    return np.where(apart < u(0.25, 0.4), disc, grey)


def add_gloss(rng: np.random.Generator, grey: Floats) -> Floats:
    """Return the surface with a streak of glare."""
    angle = rng.uniform(0, np.pi)
    x, y = _places(len(grey))
    x, y = x - rng.normal(0, 0.15), y - rng.normal(0, 0.15)
    along = (x * np.cos(angle) + y * np.sin(angle)) / rng.uniform(0.02, 0.15)
    across = (y * np.cos(angle) - x * np.sin(angle)) / rng.uniform(0.008, 0.03)
    return np.asarray(grey + rng.uniform(20, 120) * np.exp(-(along**2) - across**2))


def _places(size: int) -> tuple[Floats, Floats]:
    y, x = np.mgrid[0:size, 0:size] / size - 0.5
    return x, y

"""What lies under and beside rendered dice, drawn with OpenCV.

A ground is cloth, wood, print, walls, rims: nothing that must be refused. A thing is no die: an
arm, a chip, a coin, a card, paper; its grey and how much of each pixel it covers.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from hil_tests.dice_training.maps.faces import FACES

Floats = npt.NDArray[np.float32]
Random = np.random.Generator

GROUND = 320  # px of a ground, square
THING = 128  # px of a thing, square


def waves(rng: Random, size: int, across: float, along: float | None = None) -> Floats:
    """Return smooth noise, mean 0, deviation 1. across, along: px of its grain."""
    small = (max(2, int(size / (along or across))), max(2, int(size / across)))
    noise = rng.normal(0, 1, small).astype(np.float32)
    noise_map = cv2.resize(noise, (size, size), interpolation=cv2.INTER_CUBIC)
    return np.asarray(
        (noise_map - noise_map.mean()) / max(float(noise_map.std()), 1e-3), np.float32
    )


def turned(rng: Random, grey: Floats) -> Floats:
    """Return a picture turned about its middle, its border filled up."""
    size = grey.shape[0]
    way = cv2.getRotationMatrix2D((size / 2, size / 2), float(rng.uniform(0, 360)), 1.45)
    return np.asarray(
        cv2.warpAffine(grey, way, (size, size), borderMode=cv2.BORDER_REFLECT), np.float32
    )


def ground(rng: Random) -> Floats:
    """Return a ground, greys 0-255."""
    u, size = rng.uniform, GROUND
    level = u(5, 250)
    grey = np.full((size, size), level, np.float32)
    grey += u(0, 12) * waves(rng, size, u(60, 160))
    if rng.random() < 0.6:
        grey += u(0, 8) * waves(rng, size, u(1, 3.5))  # felt
    if rng.random() < 0.3:
        grey += u(3, 18) * turned(rng, waves(rng, size, u(1.5, 8), u(30, 150)))  # wood
    if rng.random() < 0.15:
        _woven(rng, grey)
    if rng.random() < 0.45:
        _print(rng, grey)
    if rng.random() < 0.45:
        _walls(rng, grey)
    return np.clip(grey, 0, 255)


def _woven(rng: Random, grey: Floats) -> None:
    y, x = np.mgrid[0:GROUND, 0:GROUND].astype(np.float32)
    turn, pitch = rng.uniform(0, np.pi), rng.uniform(3, 30)
    a = np.sin((x * np.cos(turn) + y * np.sin(turn)) * 2 * np.pi / pitch)
    b = np.sin((y * np.cos(turn) - x * np.sin(turn)) * 2 * np.pi / pitch)
    weave = (a, a * b, np.sign(a * b))[rng.integers(3)]
    grey += np.float32(rng.uniform(3, 25)) * weave


def _print(rng: Random, grey: Floats) -> None:
    """Lines, frames, circles, letters, dots of a layout."""
    u, i = rng.uniform, rng.integers
    for _ in range(i(1, 5)):
        colour, wide = float(u(0, 255)), int(i(1, 7))
        p = tuple(int(v) for v in i(0, GROUND, 2))
        q = tuple(int(v) for v in i(0, GROUND, 2))
        kind = rng.random()
        if kind < 0.35:
            cv2.line(grey, p, q, colour, wide, cv2.LINE_AA)
        elif kind < 0.5:
            cv2.rectangle(grey, p, q, colour, wide)
        elif kind < 0.65:
            cv2.circle(grey, p, int(i(5, 120)), colour, wide, cv2.LINE_AA)
        elif kind < 0.9:
            _letters(rng, grey, "ABCDEFGHIJKLMNOPRSTUVWX0123456789:o.&%", p)
        else:
            for _ in range(i(2, 20)):
                corner = tuple(int(v) for v in i(0, GROUND, 2))
                cv2.circle(grey, corner, int(i(1, 5)), colour, -1, cv2.LINE_AA)


def _walls(rng: Random, grey: Floats) -> None:
    """Steps of light along one to three straight edges: walls with folds, rims, shadows."""
    y, x = np.mgrid[0:GROUND, 0:GROUND].astype(np.float32)
    x, y = x - GROUND / 2, y - GROUND / 2
    turn = rng.uniform(0, 2 * np.pi)
    for k in range(rng.integers(1, 4)):
        a = turn + k * np.pi / 2
        deep = x * np.cos(a) + y * np.sin(a) - rng.uniform(10, GROUND / 2)
        if rng.random() < 0.2:
            deep = np.hypot(x, y) - rng.uniform(GROUND / 4, GROUND / 2)  # a round tray
        soft = rng.uniform(0.7, 6)
        inside = 1 / (1 + np.exp(np.clip(deep / soft, -30, 30)))
        other = rng.uniform(0, 255) + rng.uniform(0, 12) * waves(rng, GROUND, rng.uniform(2, 30))
        grey[:] = grey * inside + other * (1 - inside)
        for _ in range(rng.integers(0, 3)):
            fold, wide = rng.uniform(0, 40), rng.uniform(0.7, 4)
            grey *= 1 - np.float32(rng.uniform(-0.3, 0.7)) * np.exp(-(((deep - fold) / wide) ** 2))


def thing(rng: Random, above: bool) -> tuple[Floats, Floats]:
    """Return (grey 0-255, cover 0-1) of something that is no die, in the middle of its square."""
    grey = np.full((THING, THING), rng.uniform(5, 250), np.float32)
    cover = np.zeros((THING, THING), np.float32)
    if above:
        _arm(rng, grey, cover)
    else:
        kind = rng.random()
        if kind < 0.45:
            _disc(rng, grey, cover)
        elif kind < 0.8:
            _paper(rng, grey, cover)
        else:
            _blob(rng, grey, cover)
    grey += np.float32(rng.uniform(0, 10)) * waves(rng, THING, rng.uniform(2, 40))
    return np.clip(grey, 0, 255), cover


def _arm(rng: Random, grey: Floats, cover: Floats) -> None:
    """A hand with fingers on an arm that leaves the square, or a rod."""
    u = rng.uniform
    palm = (int(u(50, 75)), int(u(50, 75)))
    wide = int(u(8, 40))
    cv2.line(cover, palm, (palm[0], -40), 1.0, wide, cv2.LINE_AA)
    if rng.random() < 0.7:
        cv2.circle(cover, palm, int(wide * u(0.4, 0.8)), 1.0, -1, cv2.LINE_AA)
        for _ in range(rng.integers(1, 6)):
            a, reach = u(0.1, 3.0), u(20, 50)
            tip = (int(palm[0] + reach * np.cos(a)), int(palm[1] + reach * np.sin(a)))
            cv2.line(cover, palm, tip, 1.0, max(3, int(wide * u(0.2, 0.4))), cv2.LINE_AA)
    round_ = cv2.GaussianBlur(cover, (0, 0), wide / 3)
    grey += np.float32(u(10, 120)) * (round_ - 0.7)


def _disc(rng: Random, grey: Floats, cover: Floats) -> None:
    """A chip, a coin, a button: with edge spots, rings, dots, holes or letters."""
    u, middle = rng.uniform, (THING // 2, THING // 2)
    radius = int(THING * 0.45)
    cv2.circle(cover, middle, radius, 1.0, -1, cv2.LINE_AA)
    y, x = (np.mgrid[0:THING, 0:THING] - THING / 2).astype(np.float32)
    apart, angle = np.hypot(x, y) / radius, np.arctan2(y, x)
    if rng.random() < 0.5:
        spots = np.sin(angle * rng.integers(3, 9)) > u(0, 0.8)
        grey[spots & (apart > u(0.6, 0.85))] = u(0, 255)
    if rng.random() < 0.6:
        grey[np.abs(apart - u(0.3, 0.95)) < u(0.02, 0.1)] = u(0, 255)
    if rng.random() < 0.4:
        grey[apart < u(0.3, 0.8)] = u(0, 255)
    if rng.random() < 0.35:
        _pips(rng, grey, u(0.15, 0.3) * 2 * radius)
    elif rng.random() < 0.2:
        cv2.circle(grey, middle, int(u(0.12, 0.35) * radius), float(u(0, 255)), -1, cv2.LINE_AA)
    elif rng.random() < 0.5:
        count, start, reach = int(rng.integers(1, 9)), u(0, 6.3), u(0.2, 0.7) * radius
        colour, dot = float(u(0, 255)), int(u(3, 11))
        for k in range(count):
            a = start + 2 * np.pi * k / count
            point = (int(THING / 2 + reach * np.cos(a)), int(THING / 2 + reach * np.sin(a)))
            cv2.circle(grey, point, dot, colour, -1, cv2.LINE_AA)
    elif rng.random() < 0.6:
        _letters(rng, grey, "A2345678910JQK$", (int(u(20, 60)), int(u(60, 100))))
    grey += np.float32(u(-20, 20)) * (x + y) / THING


def _letters(rng: Random, grey: Floats, signs: str, point: tuple[int, ...]) -> None:
    """Write some signs, from a place on; OpenCV writes into bytes alone."""
    text = "".join(rng.choice(list(signs), rng.integers(1, 7)))
    inked = np.zeros(grey.shape, np.uint8)
    font, thick = int(rng.integers(0, 5)), int(rng.integers(1, 5))
    size = float(rng.uniform(0.4, 2.4))
    cv2.putText(inked, text, point, font, size, 255, thick, cv2.LINE_AA)
    grey += (np.float32(rng.uniform(0, 255)) - grey) * (inked / np.float32(255))


def _paper(rng: Random, grey: Floats, cover: Floats) -> None:
    """A card with its marks, a note, a sticker; corners sharp or round."""
    u = rng.uniform
    half = np.array((u(0.2, 0.46), u(0.2, 0.46))) * THING
    y, x = (np.mgrid[0:THING, 0:THING] - THING / 2).astype(np.float32)
    corner = u(0, 0.3) * half.min()
    out = np.hypot(
        np.maximum(np.abs(x) - half[0] + corner, 0), np.maximum(np.abs(y) - half[1] + corner, 0)
    )
    cover[:] = np.clip(corner + 0.5 - out, 0, 1)
    if rng.random() < 0.35:
        half[1] = half[0] * u(0.93, 1.08)  # a sticker of a die's face
        cover[:] = np.clip(half.min() - np.maximum(np.abs(x), np.abs(y)) + 0.5, 0, 1)
        _pips(rng, grey, u(0.2, 0.29) * 2 * half[0])
    elif rng.random() < 0.6:
        colour, dot = float(u(0, 255)), int(u(3, 12))
        for _ in range(rng.integers(1, 11)):
            corners = (
                int(THING / 2 + u(-0.8, 0.8) * half[0]),
                int(THING / 2 + u(-0.8, 0.8) * half[1]),
            )
            cv2.circle(grey, corners, dot, colour, -1, cv2.LINE_AA)
    if rng.random() < 0.4:
        _letters(rng, grey, "A2345678910JQK$", (int(u(20, 60)), int(u(60, 100))))
    if rng.random() < 0.3:
        grey[:] = np.where(np.sin((x + y) * u(0.1, 1.0)) > 0, u(0, 255), grey)


def _pips(rng: Random, grey: Floats, pitch: float) -> None:
    """The pips of a face in the middle of a thing that is no die."""
    dots = FACES[int(rng.integers(1, 7))]
    pattern = dots[rng.integers(len(dots))]
    colour, dot = float(rng.uniform(0, 255)), int(pitch * rng.uniform(0.28, 0.45))
    for place in (k for k in range(9) if pattern >> k & 1):
        point = (
            int(THING / 2 + (place % 3 - 1) * pitch),
            int(THING / 2 + (place // 3 - 1) * pitch),
        )
        cv2.circle(grey, point, dot, colour, -1, cv2.LINE_AA)


def _blob(rng: Random, grey: Floats, cover: Floats) -> None:
    """Anything: a smooth outline with shading."""
    y, x = (np.mgrid[0:THING, 0:THING] - THING / 2).astype(np.float32)
    angle = np.arctan2(y, x)
    edge = THING * 0.3 * np.ones_like(angle)
    for k in range(1, 5):
        edge += THING * rng.normal(0, 0.06 / k) * np.cos(k * angle + rng.uniform(0, 6.3))
    cover[:] = np.clip(edge - np.hypot(x, y), 0, 1)
    grey += np.float32(rng.uniform(0, 60)) * waves(rng, THING, rng.uniform(8, 60))

"""Pieces of trays with dice in them, as a camera shows them, and what is where in them.

A piece is SIZE px wide; what the network has to say of it comes in cells of STRIDE px. The scenes
share no code with the emulated camera that tests the reader.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from hil_tests.dice_network.sprites import DIE, UNREADABLE, Sprites
from hil_tests.dice_network.sprites import SIZE as SPRITE
from hil_tests.dice_training.foreign import waves

SIZE = 80
STRIDE = 4
CELLS = SIZE // STRIDE
SMALLEST, LARGEST = 15.0, 33.0  # px along the edge of a die
GROUND, BODY, FOREIGN, UNKNOWN = 0, 1, 2, 255  # what a cell shows

Floats = npt.NDArray[np.float32]


@dataclass
class Piece:
    """grey and kind: SIZE x SIZE. dice: (x, y, edge px or 0 when not known, class)."""

    grey: Floats
    kind: npt.NDArray[np.uint8]
    dice: list[tuple[float, float, float, int]] = field(default_factory=list)
    edges: list[float] = field(default_factory=list)


def drawn(rng: np.random.Generator, sprites: Sprites) -> Piece:
    """Return a piece of a drawn tray."""
    piece = Piece(_ground(rng), np.zeros((SIZE, SIZE), np.uint8))
    if rng.random() < 0.3:
        _wall(rng, piece)
    if rng.random() < 0.25:
        _print(rng, piece)
    for _ in range(rng.choice((0, 0, 0, 0, 1, 2))):
        _foreign(rng, piece)
    if rng.random() < 0.94:
        _throw(rng, piece, sprites)
    if rng.random() < 0.06:
        _foreign(rng, piece, covers=True)
    piece.grey = seen(rng, piece.grey)
    return piece


def _ground(rng: np.random.Generator) -> Floats:
    u = rng.uniform
    y, x = np.mgrid[0:SIZE, 0:SIZE] / SIZE - 0.5
    grey = u(8, 250) + x * rng.normal(0, 15) + y * rng.normal(0, 15)
    kind = rng.random()
    if kind < 0.2:  # felt
        fine = rng.normal(0, u(2, 14), (SIZE, SIZE))
        grey = grey + cv2.GaussianBlur(fine, (0, 0), u(0.4, 1.5)) * 1.5
    elif kind < 0.4:  # wood: grain along one way
        angle = u(0, np.pi)
        along, across = (
            x * np.cos(angle) + y * np.sin(angle),
            y * np.cos(angle) - x * np.sin(angle),
        )
        bend = np.sin(along * u(2, 8) + u(0, 6)) * u(0, 0.08)
        lines = sum(np.sin((across + bend) * f + u(0, 6)) for f in u(8, 90, 4))
        grey = grey + u(2, 12) * lines
    elif kind < 0.5:
        grey = grey + u(0, 30) * waves(rng, SIZE, u(0.5, 3))
    elif kind < 0.55:  # cloth woven coarsely
        f = u(20, 120)
        grey = grey + u(2, 12) * np.sin(x * f) * np.sin(y * f)
    return np.asarray(grey, np.float32)


def _half_plane(rng: np.random.Generator) -> tuple[Floats, float]:
    """Return how far each pixel lies beyond a line, px."""
    y, x = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)
    angle = rng.choice((0, 0.5, 1, 1.5)) * np.pi + rng.normal(0, 0.1)
    beyond = (x - SIZE / 2) * np.cos(angle) + (y - SIZE / 2) * np.sin(angle)
    return np.asarray(beyond - rng.uniform(5, SIZE / 2), np.float32), float(angle)


def _wall(rng: np.random.Generator, piece: Piece) -> None:
    """Walls of a tray: bands of other greys beyond a line, smooth or bright along their edges."""
    u = rng.uniform
    for _ in range(rng.integers(1, 3)):
        beyond, _ = _half_plane(rng)
        edge = 0.0
        for _ in range(rng.integers(1, 4)):
            level = u(5, 250) if rng.random() < 0.5 else float(piece.grey.mean()) * u(0.6, 1.3)
            cover = np.clip((beyond - edge) / u(0.6, 4), 0, 1)
            piece.grey += (level + waves(rng, SIZE, 1.5) * u(0, 12) - piece.grey) * cover
            edge += u(2, 25)
        if rng.random() < 0.4:
            piece.grey += u(-70, 70) * np.exp(-((beyond / u(0.5, 3)) ** 2))


def _print(rng: np.random.Generator, piece: Piece) -> None:
    """Lines and letters printed on the cloth, dust, scratches: they are ground."""
    ink = np.clip(piece.grey, 0, 255).astype(np.uint8)
    for _ in range(rng.integers(1, 6)):
        a, b = ((int(x), int(y)) for x, y in rng.integers(0, SIZE, (2, 2)))
        level, kind = float(rng.uniform(0, 255)), rng.random()
        if kind < 0.4:
            cv2.line(ink, a, b, level, int(rng.integers(1, 4)), cv2.LINE_AA)
        elif kind < 0.6:
            cv2.circle(ink, a, int(rng.integers(1, 3)), level, -1, cv2.LINE_AA)
        elif kind < 0.8:
            radius = int(rng.integers(8, 70))
            cv2.circle(ink, a, radius, level, 2, cv2.LINE_AA)
        else:
            size, wide = float(rng.uniform(0.4, 2)), int(rng.integers(1, 3))
            letter = chr(int(rng.integers(48, 91)))
            cv2.putText(ink, letter, a, cv2.FONT_HERSHEY_SIMPLEX, size, level, wide, cv2.LINE_AA)
    piece.grey += (ink.astype(np.float32) - piece.grey) * rng.uniform(0.15, 1)


def _foreign(rng: np.random.Generator, piece: Piece, *, covers: bool = False) -> None:
    """Lay a hand, a chip, a card, a coin, a cable or a domino there."""
    u, kind = rng.uniform, rng.random()
    mask = np.zeros((SIZE, SIZE), np.uint8)
    x, y = (int(v) for v in u(0, SIZE, 2))
    grey = np.full((SIZE, SIZE), u(5, 250), np.float32) + waves(rng, SIZE, 2) * u(0, 30)
    if kind < 0.35 or covers:  # fingers or a forearm, from the border
        angle = u(0, 2 * np.pi)
        end = int(x + 150 * np.cos(angle)), int(y + 150 * np.sin(angle))
        wide = int(u(8, 45))
        cv2.line(mask, (x, y), end, 255, wide, cv2.LINE_AA)
        far = cv2.distanceTransform(mask, cv2.DIST_L2, 3)
        grey = u(60, 220) * (0.65 + 0.35 * np.sqrt(np.clip(far / (wide / 2), 0, 1)))
    elif kind < 0.6:  # chip or coin
        radius = int(u(7, 26))
        cv2.circle(mask, (x, y), radius, 255, -1, cv2.LINE_AA)
        if rng.random() < 0.7:
            cv2.circle(
                grey, (x, y), int(radius * u(0.5, 0.9)), u(5, 250), int(u(1, 4)), cv2.LINE_AA
            )
        for k in range(rng.choice((0, 4, 6, 8, 12))):
            angle = k * np.pi / 4 + u(0, 0.2)
            spot = int(x + 0.8 * radius * np.cos(angle)), int(y + 0.8 * radius * np.sin(angle))
            cv2.circle(grey, spot, max(1, radius // 7), u(5, 250), -1, cv2.LINE_AA)
    elif kind < 0.85:  # card, paper, sticker or domino
        wide, high, turn = u(14, 60), u(14, 60), u(0, 180)
        if rng.random() < 0.3:
            wide = 2 * (high := u(14, 30))
        corners = cv2.boxPoints(((x, y), (wide, high), turn)).astype(np.int32)
        cv2.fillPoly(mask, [corners], 255, cv2.LINE_AA)
        ink = u(5, 250)
        for _ in range(rng.integers(0, 10)):
            a, b = rng.uniform(-0.4, 0.4, 2) * (wide, high)
            c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
            spot = int(x + a * c - b * s), int(y + a * s + b * c)
            cv2.circle(grey, spot, int(u(1, 4)), ink, -1, cv2.LINE_AA)
    else:  # cable, pen, hair
        ends = rng.integers(-20, SIZE + 20, (4, 2)).astype(np.int32)
        cv2.polylines(mask, [ends], False, 255, int(u(2, 8)), cv2.LINE_AA)
    cover = cv2.GaussianBlur(mask, (0, 0), 0.6).astype(np.float32) / 255
    if rng.random() < 0.6:
        shadow = cv2.GaussianBlur(np.roll(mask, (int(u(-4, 4)), int(u(-4, 4))), (0, 1)), (0, 0), 3)
        piece.grey *= 1 - shadow / 255 * u(0, 0.5)
    piece.grey += (grey - piece.grey) * cover
    piece.kind[cover > 0.5] = FOREIGN
    piece.dice = [die for die in piece.dice if not _is_covered(cover, die)]


def _is_covered(cover: Floats, die: tuple[float, float, float, int]) -> bool:
    x, y, side, _ = die
    reach = side * 0.4
    part = cover[
        max(0, int(y - reach)) : int(y + reach) + 1, max(0, int(x - reach)) : int(x + reach) + 1
    ]
    return bool(part.size and part.mean() > 0.04)


def _throw(rng: np.random.Generator, piece: Piece, sprites: Sprites) -> None:
    """Lay dice of one set or of several, all seen under about one slant."""
    u = rng.uniform
    edge, towards = u(SMALLEST, LARGEST), u(0, 2 * np.pi)
    at = int(rng.integers(len(sprites.classes)))
    near = slice(max(0, at - 150), at + 150)
    first, last = near.start, min(near.stop, len(sprites.classes))
    shadow, depth = u(0.1, 0.6), u(0, 0.5)
    push = rng.normal(0, 0.12, 2)
    places: list[tuple[float, float, float]] = []
    for _ in range(rng.integers(1, 7)):
        side = (
            float(np.clip(edge * u(0.8, 1.25), SMALLEST, LARGEST)) if rng.random() < 0.3 else edge
        )
        x, y = u(-0.3 * side, SIZE + 0.3 * side, 2)
        if places and rng.random() < 0.45:  # beside another
            a, b, other = places[int(rng.integers(len(places)))]
            way, apart = u(0, 2 * np.pi), (side + other) / 2 * u(1.02, 1.5)
            x, y = a + apart * np.cos(way), b + apart * np.sin(way)
        stacked = bool(places) and rng.random() < 0.06
        if stacked:
            a, b, other = places[-1]
            x, y, side = (
                a + rng.normal(0, 0.3) * other,
                b + rng.normal(0, 0.3) * other,
                other * 1.1,
            )
        elif any(np.hypot(x - a, y - b) < (side + c) / 2 * 1.06 for a, b, c in places):
            continue
        k = int(rng.integers(first, last))
        _lay(rng, piece, sprites.pictures[k], (x, y, side, towards), (shadow, depth, push))
        places.append((x, y, side))
        group = UNREADABLE if stacked else int(sprites.classes[k])
        if stacked:
            piece.dice = [
                die for die in piece.dice if np.hypot(die[0] - x, die[1] - y) > 0.6 * side
            ]
        piece.dice.append((x, y, side, group))


def _lay(
    rng: np.random.Generator,
    piece: Piece,
    sprite: npt.NDArray[np.uint8],
    place: tuple[float, float, float, float],
    light: tuple[float, float, npt.NDArray[np.float64]],
) -> None:
    x, y, side, towards = place
    reach, depth, push = light
    scale = side / DIE
    turn = cv2.getRotationMatrix2D(
        (SPRITE / 2 - 0.5, SPRITE / 2 - 0.5), np.degrees(-towards), scale
    )
    turn[:, 2] += (x - SPRITE / 2 + 0.5, y - SPRITE / 2 + 0.5)
    grey, cover = (cv2.warpAffine(part, turn, (SIZE, SIZE), flags=cv2.INTER_LINEAR)
                   for part in sprite)  # fmt: skip
    cover = cover.astype(np.float32) / 255
    if depth > 0.03:
        soft = cv2.GaussianBlur(cover, (0, 0), max(0.8, reach * side * 0.5))
        shift = np.float32([[1, 0, push[0] * side], [0, 1, push[1] * side]])
        piece.grey *= 1 - depth * cv2.warpAffine(soft, shift, (SIZE, SIZE))
    grey = grey.astype(np.float32)
    if rng.random() < 0.15:  # glare, or what shines through
        grey = grey + waves(rng, SIZE, 4) * rng.uniform(5, 40)
    piece.grey += (grey / np.maximum(cover, 0.02) - piece.grey) * np.where(cover > 0.02, cover, 0)
    piece.kind[cover > 0.5] = BODY


def seen(rng: np.random.Generator, grey: Floats) -> Floats:
    """Return what a camera makes of it: lens, tone, noise, JPEG."""
    u = rng.uniform
    grey = np.clip(grey, 0, 255)
    if rng.random() < 0.7:
        grey = cv2.GaussianBlur(grey, (0, 0), u(0.3, 1.3))
    if rng.random() < 0.06:  # moved
        kernel = np.zeros((7, 7), np.float32)
        cv2.line(kernel, (3, 3), tuple(int(v) for v in rng.integers(0, 7, 2)), 1.0)
        grey = cv2.filter2D(grey, -1, kernel / kernel.sum())
    if rng.random() < 0.5:
        grey = 255 * (grey / 255) ** np.exp(rng.normal(0, 0.35))
    if rng.random() < 0.4:
        grey = grey * u(0.35, 1)
    noise = rng.normal(0, abs(rng.normal(0, 4)), grey.shape)
    if rng.random() < 0.4:
        noise = cv2.GaussianBlur(noise, (0, 0), 0.7) * 2
    grey = np.clip(grey + noise, 0, 255)
    if rng.random() < 0.3:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(45, 95))]
        _, packed = cv2.imencode(".jpg", grey.astype(np.uint8), quality)
        grey = cv2.imdecode(packed, cv2.IMREAD_GRAYSCALE)
    return np.asarray(grey, np.float32)


def targets(piece: Piece) -> tuple[Floats, Floats, npt.NDArray[np.int64], Floats]:
    """Return by cells: heat of each class, (dx, dy, size, weights), kind, where heat counts."""
    heat = np.zeros((UNREADABLE, CELLS, CELLS), np.float32)
    place = np.zeros((5, CELLS, CELLS), np.float32)
    counts = np.ones((CELLS, CELLS), np.float32)
    y, x = (np.mgrid[0:CELLS, 0:CELLS] + 0.5) * STRIDE
    for a, b, side, group in piece.dice:
        if not (0 <= a < SIZE and 0 <= b < SIZE):
            continue
        if not group:
            counts[np.hypot(x - a, y - b) < 16] = 0
            continue
        wide = (side or 24.0) * 0.14
        apart = np.exp(-((x - a) ** 2 + (y - b) ** 2) / (2 * wide * wide))
        i, j = int(b / STRIDE), int(a / STRIDE)
        heat[group - 1] = np.maximum(heat[group - 1], apart)
        heat[group - 1, i, j] = 1.0
        dx, dy = a / STRIDE - j - 0.5, b / STRIDE - i - 0.5
        place[:, i, j] = (dx, dy, np.log((side or 24.0) / 24.0), 1.0, 1.0 if side else 0.0)
    kind = piece.kind[STRIDE // 2 :: STRIDE, STRIDE // 2 :: STRIDE].astype(np.int64)
    return heat, place, kind, counts

"""Dice as they are made and worn, drawn at random: many at once, one row of an array for each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Style = dict[str, Floats]

# A face is nine places, row by row; bit k set: a pip at place k.
FACES = {
    1: (0b000010000,),
    2: (0b100000001, 0b001000100),
    3: (0b100010001, 0b001010100),
    4: (0b101000101,),
    5: (0b101010101,),
    6: (0b111000111, 0b101101101),
}
TRUE_FACES = tuple(bits for pattern in FACES.values() for bits in pattern)
ALONG = 9  # column after the nine places: 1 or 2 where a six's rows run along the face's u or v


def styles(rng: np.random.Generator, count: int) -> Style:
    """Return so many styles: greys 0-255, lengths in die edges; some pips hardly stand out."""
    u = rng.uniform
    some = _some(rng, count)
    usual = np.where(rng.random(count) < 0.45, u(150, 250, count), u(8, 110, count))
    body = np.where(rng.random(count) < 0.3, u(40, 220, count), usual)
    step = np.exp(u(np.log(14), np.log(200), count))
    step = np.where(rng.random(count) < 0.5, np.maximum(step, u(60, 200, count)), step)
    way = np.where((rng.random(count) < 0.85) == (body > 128), -1, 1)
    pip = np.clip(body + way * step, 2, 253)
    pip = np.where(np.abs(pip - body) < 10, np.clip(body - way * step, 2, 253), pip)
    pitch = np.where(rng.random(count) < 0.3, u(0.14, 0.2, count), u(0.2, 0.3, count))
    radius = (pitch * u(0.26, 0.52, count)).clip(0.045, 0.145)
    return {
        "body": body,
        "pip": pip,
        "pitch": pitch,
        "radius": radius,
        "one": radius * np.where(rng.random(count) < 0.3, u(1, 1.9, count), 1),
        "soft": u(0.01, 0.05, count),
        "hollow": some(0.12, 0.3, 0.6),
        "ball": np.where(rng.random(count) < 0.5, u(0.6, 0.76, count), u(0.76, 0.95, count)),
        "mottle": some(0.3, 0, 0.45) * np.abs(pip - body),
        "waves": u(4, 16, (count, 3, 3)) * rng.choice((-1, 1), (count, 3, 3)),
        "phase": u(0, 2 * np.pi, (count, 3)),
        "gloss": some(0.4, 0, 150),
        "polish": np.exp(u(1.5, 4, count)),
        "ambient": u(0.35, 0.95, count),
        "rim": some(0.4, -60, 120),
        "rim_width": u(0.02, 0.08, count),
        "rim_phase": u(0, 2 * np.pi, count),
        "rim_waves": u(1, 8, count),
        "dent": some(0.4, -0.6, 0.6),
        "six": np.where(rng.random(count) < 0.3, u(0.75, 1.1, count), 1),
    }


def _some(rng: np.random.Generator, count: int) -> Callable[[float, float, float], Floats]:
    """Return a function: a share of the dice has a value between two, the others 0."""

    def drawn(share: float, low: float, high: float) -> Floats:
        return np.where(rng.random(count) < share, rng.uniform(low, high, count), 0)

    return drawn


def rows_of(style: Style, rows: Ints) -> Style:
    """Return the styles of some rows."""
    return {name: values[rows] for name, values in style.items()}


def mixed(style: Style, other: Style, keep: Bools) -> Style:
    """Return each row from `style` where keep is true, else from `other`."""
    return {
        name: np.where(keep.reshape((-1,) + (1,) * (values.ndim - 1)), values, other[name])
        for name, values in style.items()
    }


def spots(bits: int) -> Ints:
    """Return the nine places of a face as 0 and 1, and 0 for ALONG."""
    return np.array([bits >> k & 1 for k in range(9)] + [0])


def cubes(rng: np.random.Generator, tops: Ints, bits: Ints | None = None) -> Ints:
    """Return (count, 6, 10) places of every face; face 5 is on top, opposite ones sum to seven.

    bits: what the top shows instead, 0 where its own face.
    """
    table = np.zeros((len(tops), 6, 10), np.int64)
    for row, top in enumerate(tops):
        sides = [value for value in range(1, 7) if value not in (top, 7 - top)]
        first = sides[rng.integers(4)]
        rest = [value for value in sides if value not in (first, 7 - first)]
        second = rest[rng.integers(2)]
        order = (7 - first, first, 7 - second, second, 7 - int(top), int(top))
        for face, value in enumerate(order):
            turned = int(rng.integers(len(FACES[value])))
            table[row, face] = spots(FACES[value][turned])
            table[row, face, ALONG] = 1 + turned if value == 6 else 0
        if bits is not None and bits[row]:
            table[row, 5] = spots(int(bits[row]))
    return table


def false_face(rng: np.random.Generator) -> int:
    """Return places of pips that no die has; most are a true face with one too many or too few."""
    while True:
        bits = int(rng.integers(1, 512))
        if rng.random() < 0.7:
            bits = TRUE_FACES[rng.integers(len(TRUE_FACES))] ^ 1 << int(rng.integers(9))
        if bits and bits not in TRUE_FACES:
            return bits

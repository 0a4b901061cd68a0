"""How well the device reads trays that were commissioned for it: rendered throws by family.

    python -m hil_tests.dice_rigs [--rigs N] [--from-rig N] [--scenes N] [--first N] [FAMILY ...]

Each rig has its own camera, light, floor and set of dice, and is commissioned from pictures as a
technician takes them. Throws are drawn by warping the faces of cubes into the picture, at four
times its size, with soft shadows, vignetting, a blur and the noise of photons; nothing is shared
with the ray caster on whose scenes the reader was written. Limits were chosen on these throws: the
tolerance of outlines, how much the pips of a die may differ in size, and those of a lean.

FAMILY may be "lean N" for any N degrees. "two lamps" and "clear" are plain throws on other rigs,
with a second lamp and with dice through which light passes; "clear lean 6" is that family there.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import cycle
from typing import Any, TypeVar

import cv2
import numpy as np
import numpy.typing as npt

from hil_tests.dice_targets import line_of, print_report
from tablelogic.tray_reader.reader import Reader
from tablelogic.tray_reader.rig import Rig
from tablelogic.tray_reader.stepwise import finish
from tablespec.roles.dice_tray import READING
from tabletools.dice.commission import LEAST_DICE, commissioned, floor_of
from tabletools.dice.pictures import Frame
from tabletools.errors import ToolError

Rigged = TypeVar("Rigged")
Floats = npt.NDArray[Any]
USUAL = ""
KINDS = (USUAL, "two lamps", "clear")
"""Of rigs."""
_TIMES = 4  # the size at which is drawn
_TEXTURE = 128  # px of a face
_NAMES = dict(READING)
_READ = 1
_REFRACTION = 1.5  # of cellulose acetate
_FLOOR_BELOW = 0.8  # of the floor's grey, below a die
_SQUARE = np.array(((0, 0), (1, 0), (1, 1), (0, 1)), np.float32) * _TEXTURE - 0.5
_CORNERS = np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]) / 2
# Corners of each face in order around it, and its outward normal.
_FACES = (
    ((4, 5, 7, 6), (0, 0, 1)),
    ((2, 3, 1, 0), (0, 0, -1)),
    ((0, 1, 5, 4), (0, -1, 0)),
    ((3, 2, 6, 7), (0, 1, 0)),
    ((1, 3, 7, 5), (1, 0, 0)),
    ((2, 0, 4, 6), (-1, 0, 0)),
)
_ROW = (-1, 0, 1)
_PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(x, y) for x in (-1, 1) for y in (-1, 1)],
    5: [(x, y) for x in (-1, 1) for y in (-1, 1)] + [(0, 0)],
    6: [(x, y) for x in (-1, 1) for y in _ROW],
}


@dataclass(frozen=True)
class Dice:
    """A set of dice. Greys 0-255; radius, pitch and corner in edges."""

    body: float
    pip: float
    radius: float
    pitch: float
    corner: float


@dataclass(frozen=True)
class Die:
    """One die: middle of its foot in edges, value on top, angles in radians.

    lean, lean_to: how far it leans and about which level axis. lift: of its lowest point. paper:
    it is its top alone, printed, on the floor.
    """

    x: float
    y: float
    value: int
    turn: float
    dice: Dice
    lean: float = 0.0
    lean_to: float = 0.0
    lift: float = 0.0
    size: float = 1.0
    paper: bool = False


@dataclass(frozen=True)
class Tray:
    """A rig. px: of a die's edge on the floor; above: of the lens, edges; blur: sigma, px.

    tilt: change of the floor's grey across the picture; grain: of the floor, greys. second_light:
    the way of a second lamp's shadows, with one and the other half as deep. clear: how much of the
    light passes through the dice, 0-1: the floor and the pips of the face below show in the top,
    shadows are lighter and have a bright middle.
    """

    scale: int
    px: float
    above: float
    floor: float
    tilt: tuple[float, float]
    grain: float
    blur: float
    vignette: float
    light: tuple[float, float]
    shadow: float
    noise: float
    dice: Dice
    seed: int
    second_light: tuple[float, float] | None = None
    clear: float = 0.0

    @property
    def lights(self) -> list[tuple[float, float]]:
        """The ways of the shadows, edges for each edge of height."""
        return [self.light, *([self.second_light] if self.second_light else [])]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, px."""
        return 160 * self.scale, 120 * self.scale


def tray_of(seed: int, kind: str = USUAL) -> Tray:
    """Return a rig drawn at random. kind: one of KINDS."""
    tray = _usual(seed)
    rng = np.random.default_rng([83, seed])
    if kind == "two lamps":
        way, far = rng.uniform(0, 2 * math.pi), rng.uniform(0.2, 0.6)
        second = far * math.cos(way), far * math.sin(way)
        return replace(tray, second_light=second, shadow=1.5 * tray.shadow)
    return replace(tray, clear=rng.uniform(0.1, 0.4)) if kind == "clear" else tray


def _usual(seed: int) -> Tray:
    rng = np.random.default_rng([47, seed])
    scale = 2 if rng.random() < 0.75 else 1
    is_light = rng.random() < 0.5
    body, pip = (rng.uniform(195, 231), rng.uniform(15, 50))
    if not is_light:
        body, pip = rng.uniform(20, 45), rng.uniform(190, 231)
    dice = Dice(body, pip, rng.uniform(0.085, 0.11), rng.uniform(0.24, 0.28), rng.uniform(0, 0.1))
    return Tray(
        scale,
        rng.uniform(20, 44) if scale == 2 else rng.uniform(20, 28),
        rng.uniform(10, 28),
        # Sides in the shade have half the grey of a top, and have to stand out from the floor.
        rng.uniform(35, 0.5 * body - 40) if is_light else rng.uniform(130, 170),
        (rng.uniform(-15, 15), rng.uniform(-15, 15)),
        rng.uniform(0, 2),
        rng.uniform(0.35, 0.7),
        rng.uniform(0, 0.12),
        (rng.uniform(-0.4, 0.4), rng.uniform(-0.4, 0.4)),
        rng.uniform(0.15, 0.4),
        rng.uniform(0.8, 2),
        dice,
        seed,
    )


@cache
def _face(dice: Dice, value: int) -> tuple[Floats, Floats]:
    """Return (grey, cover) of a face."""
    n = _TEXTURE
    grey = np.full((n, n), dice.body, np.float32)
    for i, j in _PIPS[value]:
        middle = [round(16 * (n / 2 - 0.5 + n * dice.pitch * k)) for k in (i, j)]
        radius = round(16 * n * dice.radius)
        cv2.circle(grey, middle, radius, dice.pip, -1, cv2.LINE_AA, 4)
    away = np.abs(np.arange(n) - n / 2 + 0.5) / n - 0.5 + dice.corner
    outside = np.hypot(np.maximum(away, 0)[:, None], np.maximum(away, 0)[None])
    cover = (outside <= dice.corner + 0.5 / n).astype(np.float32)
    return grey, cover


def _solid(die: Die) -> tuple[Floats, Floats]:
    """Return (corners, rotation) of a die, edges."""
    c, s = math.cos(die.turn), math.sin(die.turn)
    turn = np.array(((c, -s, 0), (s, c, 0), (0, 0, 1)))
    axis = np.array((math.cos(die.lean_to), math.sin(die.lean_to), 0)) * die.lean
    rotation = cv2.Rodrigues(axis)[0] @ turn
    corners = _CORNERS @ rotation.T * die.size
    if die.paper:
        corners[:, 2] = 0
    foot = np.array((die.x, die.y, die.lift - corners[:, 2].min()))
    return corners + foot, rotation


def _project(tray: Tray, points: Floats) -> Floats:
    near = tray.px * tray.above / (tray.above - points[:, 2:])
    middle = np.array(tray.size) / 2
    return ((middle + near * points[:, :2]) * _TIMES).astype(np.float32)


def draw(tray: Tray, dice: list[Die], blur: float = 0.0) -> Floats:
    """Return a picture, without noise. blur: more than the rig's."""
    size = tuple(_TIMES * each for each in tray.size)
    floor = _floor(tray)
    picture: Floats = cv2.resize(floor, size, interpolation=cv2.INTER_LINEAR)
    for die in dice:
        if not die.paper:
            _shade(tray, die, picture)
    for die in sorted(dice, key=lambda each: each.lift):
        _put(tray, die, picture)
    small: Floats = cv2.resize(picture, tray.size, interpolation=cv2.INTER_AREA)
    x = np.linspace(-1, 1, tray.size[0])
    y = np.linspace(-1, 1, tray.size[1])[:, None]
    small *= 1 - tray.vignette * (x * x + y * y) / 2
    return cv2.GaussianBlur(small.astype(np.float32), (0, 0), math.hypot(tray.blur, blur))


@cache
def _floor(tray: Tray) -> Floats:
    rng = np.random.default_rng(tray.seed)
    width, height = tray.size
    right, down = tray.tilt
    x, y = np.linspace(-0.5, 0.5, width), np.linspace(-0.5, 0.5, height)[:, None]
    grain = rng.normal(0, tray.grain, (height, width))
    return np.asarray(tray.floor + right * x + down * y + grain, np.float32)


def _shade(tray: Tray, die: Die, picture: Floats) -> None:
    corners, _ = _solid(die)
    deep = tray.shadow * (1 - tray.clear / 2) / len(tray.lights)
    for light in tray.lights:
        onto = corners.copy()
        onto[:, :2] += corners[:, 2:] * np.array(light)
        onto[:, 2] = 0
        points = _project(tray, onto)
        sigma = 1 + 0.05 * tray.px * _TIMES
        part, first = _part_around(points, picture, 5 * sigma)
        hull = cv2.convexHull(points).astype(np.int32) - first
        mask: Floats = np.zeros(part.shape, np.float32)
        cv2.fillConvexPoly(mask, hull, 1.0, cv2.LINE_AA)
        part *= 1 - deep * cv2.GaussianBlur(mask, (0, 0), sigma)
        if tray.clear:
            far, middle = 0.25 * tray.px * _TIMES, points[4:].mean(0) - first
            x, y = np.arange(part.shape[1]) - middle[0], np.arange(part.shape[0]) - middle[1]
            part *= 1 + tray.clear * np.exp(-(x**2 + y[:, None] ** 2) / (2 * far**2))


def _put(tray: Tray, die: Die, picture: Floats) -> None:
    corners, rotation = _solid(die)
    eye = np.array((0, 0, tray.above))
    points = _project(tray, corners)
    lights = np.array([(-x, -y, 1) for x, y in tray.lights])
    lights /= np.linalg.norm(lights, axis=1, keepdims=True)
    values = _values(die)
    part, first = _part_around(points, picture, 2)
    size = part.shape[::-1]
    faces = _FACES[:1] if die.paper else _FACES
    for (places, way), value in zip(faces, values, strict=False):
        normal = rotation @ np.array(way)
        middle = corners[list(places)].mean(0)
        if normal @ (eye - middle) <= 0:
            continue
        grey, cover = _face(die.dice, value)
        shade = 0.5 + 0.5 * float(np.maximum(lights @ normal, 0).mean())
        face = points[list(places)] - first
        drawn, mask = _laid(grey * shade, face, size), _laid(cover, face, size)
        if tray.clear:
            bare = tray.clear * (grey - die.dice.pip) / (die.dice.body - die.dice.pip)
            clear = _laid(bare, face, size)
            is_top = way == (0, 0, 1)
            behind = _below(tray, corners, values[1] if is_top else 0, first, size)
            drawn = drawn + clear * (behind - drawn)
        part[:] = part * (1 - mask) + drawn * mask


def _below(
    tray: Tray, corners: Floats, value: int, first: Floats, size: tuple[int, int]
) -> Floats:
    """Return what shows through a face: the floor, and through a top the pips of the face below,
    its value, which refraction brings nearer to the lens. 0: through a side."""
    floor: Floats = np.full(size[::-1], _FLOOR_BELOW * tray.floor, np.float32)
    if not value:
        return floor
    nearer = 1 / (1 + 1 / (_REFRACTION * (tray.above - 1)))
    foot = corners[list(_FACES[1][0])] * (nearer, nearer, 0) + (0, 0, 1)
    grey, cover = _face(replace(tray.dice, body=_FLOOR_BELOW * tray.floor), value)
    face = _project(tray, foot) - first
    drawn, mask = _laid(grey, face, size), _laid(cover, face, size)
    return np.asarray(floor * (1 - mask) + drawn * mask)


def _laid(face: Floats, corners: Floats, size: tuple[int, int]) -> Floats:
    """Return a face as it is seen. corners: their places in a picture of that size, px."""
    onto = cv2.getPerspectiveTransform(_SQUARE, (corners - 0.5).astype(np.float32))
    drawn: Floats = cv2.warpPerspective(face, onto, size, flags=cv2.INTER_AREA)
    return drawn


def _part_around(points: Floats, picture: Floats, margin: float) -> tuple[Floats, Floats]:
    """Return the part of a picture that points and a margin around them cover, and its corner."""
    size = picture.shape[::-1]
    first = np.clip(np.floor(points.min(0) - margin), 0, size).astype(np.int32)
    end = np.clip(np.ceil(points.max(0) + margin), first + 1, size).astype(np.int32)
    return picture[first[1] : end[1], first[0] : end[0]], first


def _values(die: Die) -> tuple[int, ...]:
    sides = [value for value in range(1, 7) if value not in (die.value, 7 - die.value)]
    first = sides[round(10 * abs(die.x)) % 4]
    second = next(value for value in sides if value not in (first, 7 - first))
    return die.value, 7 - die.value, first, 7 - first, second, 7 - second


def exposed(
    tray: Tray, picture: Floats, seed: int, light: float = 1.0, noise: float = 0.0
) -> Frame:
    """Return a frame: more light, more noise."""
    rng = np.random.default_rng([tray.seed, seed])
    grey = picture * light
    sigma = np.sqrt(tray.noise**2 * (0.3 + 0.7 * np.maximum(grey, 0) / 128) + noise**2)
    grey = grey + rng.normal(0, 1, grey.shape) * sigma
    return Frame(*tray.size, (grey + 0.5).clip(0, 255).astype(np.uint8).tobytes())


def reach(tray: Tray) -> tuple[float, float]:
    """Return how far from the middle a die may be, edges."""
    margin = 0.8 + 6 * tray.scale / tray.px
    x, y = (each / 2 / tray.px * (1 - 1 / tray.above) - margin for each in tray.size)
    return x, y


def commission(tray: Tray) -> bytes:
    """Return the rig, from five pictures of the empty tray and six or more with three dice, fewer
    where no more lie apart. Raises ToolError."""
    rng = np.random.default_rng([5, tray.seed])
    x, y = reach(tray)
    empty = [exposed(tray, draw(tray, []), k) for k in range(5)]
    places = cycle(((0, 0), (-1, -1), (1, -1), (-1, 1), (1, 1), (0.5, -0.6)))
    frames: list[Frame] = []
    count = 0
    while count < LEAST_DICE:
        right, down = next(places)
        first = Die(right * x, down * y, 1 + len(frames) % 6, rng.uniform(0, 6.28), tray.dice)
        dice = _with_more(tray, [first], rng)[:3]
        frames.append(exposed(tray, draw(tray, dice), 10 + len(frames)))
        count += len(dice)
    return commissioned(empty, frames, floor_of([(2, 2), (157, 2), (157, 117), (2, 117)]))


def thrown(tray: Tray, rng: np.random.Generator) -> list[Die]:
    """Return one to three dice, flat and apart."""
    return _with_more(tray, [], rng)[: int(rng.integers(1, 4))]


def _with_more(tray: Tray, dice: list[Die], rng: np.random.Generator) -> list[Die]:
    """Return dice and more, flat and apart from each other."""
    x, y = reach(tray)
    dice = [*dice]
    for _ in range(40):
        die = Die(
            rng.uniform(-x, x),
            rng.uniform(-y, y),
            int(rng.integers(1, 7)),
            rng.uniform(0, 6.28),
            tray.dice,
        )
        if all(math.hypot(die.x - each.x, die.y - each.y) > 1.7 for each in dice):
            dice.append(die)
    return dice


Scene = tuple[list[Die], Frame]
Family = Callable[[Tray, list[Die], np.random.Generator, int], Scene]


def _plain(tray: Tray, dice: list[Die], rng: np.random.Generator, seed: int) -> Scene:
    light = rng.uniform(0.96, 1.04)
    return dice, exposed(tray, draw(tray, dice), seed, light)


def _first(**changed: Callable[[np.random.Generator], float]) -> Family:
    """Return the family in which the first die is changed."""

    def family(tray: Tray, dice: list[Die], rng: np.random.Generator, seed: int) -> Scene:
        new = {name: value(rng) for name, value in changed.items()}
        return _plain(tray, [replace(dice[0], **new), *dice[1:]], rng, seed)  # type: ignore[arg-type]

    return family


def _leaning(degrees: float) -> Family:
    return _first(
        lean=lambda _rng: math.radians(degrees), lean_to=lambda rng: rng.uniform(0, 6.28)
    )


def _beside(away: float, lift: float) -> Family:
    """Return the family with one more die, so far from the first."""

    def family(tray: Tray, dice: list[Die], rng: np.random.Generator, seed: int) -> Scene:
        die, way = dice[0], dice[0].turn
        right, down = away * math.cos(way), away * math.sin(way)
        turn = way if lift == 0 else rng.uniform(0, 6.28)
        value = int(rng.integers(1, 7))
        more = Die(die.x + right, die.y + down, value, turn, tray.dice, lift=lift)
        return _plain(tray, [*dice, more], rng, seed)

    return family


def _worn(tray: Tray, dice: list[Die], rng: np.random.Generator, seed: int) -> Scene:
    share = rng.uniform(0.4, 0.7)
    old = replace(tray.dice, pip=tray.dice.pip + share * (tray.dice.body - tray.dice.pip))
    return _plain(tray, [replace(dice[0], dice=old), *dice[1:]], rng, seed)


def _blurred(tray: Tray, dice: list[Die], rng: np.random.Generator, seed: int) -> Scene:
    blur = rng.uniform(0.04, 0.12) * tray.px
    return dice, exposed(tray, draw(tray, dice, blur=blur), seed)


def _noisy(tray: Tray, dice: list[Die], rng: np.random.Generator, seed: int) -> Scene:
    return dice, exposed(tray, draw(tray, dice), seed, 1.0, 4.0)


def _glare(tray: Tray, dice: list[Die], rng: np.random.Generator, seed: int) -> Scene:
    """A soft highlight, brightest in its middle, somewhere on the first die."""
    picture, die = draw(tray, dice), dice[0]
    near = tray.px * tray.above / (tray.above - 1)
    x, y = (each / 2 + near * way for each, way in zip(tray.size, (die.x, die.y), strict=True))
    x, y = x + rng.uniform(-0.4, 0.4) * near, y + rng.uniform(-0.4, 0.4) * near
    wide, high = rng.uniform(0.06, 0.25, 2) * near
    across = np.arange(tray.size[0]) - x
    down = np.arange(tray.size[1])[:, None] - y
    blob = np.exp(-((across / wide) ** 2) - (down / high) ** 2)
    return dice, exposed(tray, picture + rng.uniform(120, 400) * blob, seed)


def _foreign(tray: Tray, dice: list[Die], rng: np.random.Generator, seed: int) -> Scene:
    """A chip, or a forearm from the edge."""
    picture, die = draw(tray, dice), dice[0]
    width, height = tray.size
    grey = float(rng.choice((30, 120, 200, 240)))
    if rng.random() < 0.5:
        middle = (int(rng.uniform(0.2, 0.8) * width), int(rng.uniform(0.2, 0.8) * height))
        cv2.circle(picture, middle, round(tray.px * rng.uniform(0.5, 1)), grey, -1, cv2.LINE_AA)
    else:
        row = int(rng.uniform(0.2, 0.8) * height)
        first = (int(rng.uniform(0.3, 0.7) * width), row)
        cv2.line(picture, first, (width, row), grey, int(2 * tray.px), cv2.LINE_AA)
    return [*dice, die], exposed(tray, picture, seed)


def _paper(tray: Tray, dice: list[Die], rng: np.random.Generator, seed: int) -> Scene:
    """The first die is a face printed on paper, as large as a top is seen: none may be read."""
    die, *others = dice
    size = tray.above / (tray.above - 1) * rng.uniform(0.97, 1.03)
    printed = replace(die, paper=True, size=size)
    _, frame = _plain(tray, [printed, *others], rng, seed)
    return [replace(die, value=die.value % 6 + 1), *others], frame


FAMILIES: dict[str, Family] = {
    "plain": _plain,
    "noise": _noisy,
    "blur": _blurred,
    "worn": _worn,
    "glare": _glare,
    "lean 5": _leaning(5),
    "lean 6": _leaning(6),
    "lean 8": _leaning(8),
    "lean 12": _leaning(12),
    "lean 20": _leaning(20),
    "stacked": _beside(0.3, 1.0),
    "touching": _beside(1.01, 0.0),
    "close": _beside(1.2, 0.0),
    "small": _first(size=lambda rng: rng.uniform(0.6, 0.88)),
    "large": _first(size=lambda rng: rng.uniform(1.12, 1.5)),
    "foreign": _foreign,
}
HOST_FAMILIES: dict[str, Family] = {**FAMILIES, "paper": _paper}
"""Paper below its lens is a die to the device, whose picture is too coarse for shadows."""


def family_of(name: str) -> Family:
    """Return a family by its name; "lean N" is there for any number of degrees."""
    return HOST_FAMILIES.get(name) or _leaning(float(name.removeprefix("lean ")))


def judged(
    family: str, rigs: Sequence[tuple[Tray, bytes]], first: int, scenes: int
) -> Counter[str]:
    """Return how many throws of a family have which reading, or are WRONG. rigs: with files."""
    counts: Counter[str] = Counter()
    for number in range(first, first + scenes):
        tray, file = rigs[number % len(rigs)]
        rng = np.random.default_rng([sum(family.encode()), number])
        dice, frame = family_of(family)(tray, thrown(tray, rng), rng, 1000 + number)
        reader = Reader(Rig(file))
        reading = finish(reader.steps(frame.grey, len(dice)))
        is_wrong = reading == _READ and reader.values != sorted(die.value for die in dice)
        counts["WRONG" if is_wrong else _NAMES[reading]] += 1
    return counts


def options_of(
    doc: str | None, scenes: int, several: str, kind: type, default: Iterable[object]
) -> argparse.Namespace:
    """Read the command line of a program that plays throws on rigs.

    doc: of the program. scenes: throws, unless the command line says. several, kind, default: its
    words without a name.
    """
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument(several, nargs="*", type=kind, default=list(default))
    for name, number in (("--rigs", 20), ("--from-rig", 0), ("--scenes", scenes), ("--first", 0)):
        parser.add_argument(name, type=int, default=number)
    return parser.parse_args()


def seeds_of(options: argparse.Namespace) -> range:
    """Return the seeds of the rigs that a command line names."""
    return range(options.from_rig, options.from_rig + options.rigs)


def accepted(make: Callable[[int], Rigged | None], options: argparse.Namespace) -> list[Rigged]:
    """Return the rigs of a command line that are not refused. make: returns None for those."""
    return [rig for seed in seeds_of(options) if (rig := make(seed)) is not None]


def parts_of(name: str) -> tuple[str, str]:
    """Return the kind of rigs and the family that a name of the command line means."""
    kind = next((each for each in KINDS if each and name.startswith(each)), USUAL)
    return kind, name.removeprefix(kind).strip() or "plain"


def played(
    options: argparse.Namespace,
    make: Callable[..., Rigged],
    play: Callable[[str, list[Rigged]], tuple[Counter[str], str]],
    done: str,
) -> int:
    """Print how many rigs are made and a line for each family, then what is short of its target;
    return the exit code.

    make: a rig by its seed and its kind=. play: returns the counts of a family and the end of its
    line. done: "commissioned".
    """
    counts = {}
    rigs: dict[str, list[Rigged]] = {}
    for name in options.families:
        kind, family = parts_of(name)
        if kind not in rigs:
            rigs[kind] = _made(options, partial(make, kind=kind), f"{kind} rigs".strip(), done)
        counts[name], more = play(family, rigs[kind])
        print(line_of(name, counts[name]) + more, flush=True)
    return print_report(counts)


def _made(
    options: argparse.Namespace, make: Callable[[int], Rigged], what: str, done: str
) -> list[Rigged]:
    rigs, refused = [], []
    for seed in seeds_of(options):
        try:
            rigs.append(make(seed))
        except ToolError as error:
            refused.append(f"rig {seed}: {error.what}")
    print(f"{len(rigs)} of {options.rigs} {what} are {done}", *refused, sep="\n  ")
    return rigs


def commissioned_rig(seed: int, kind: str) -> tuple[Tray, bytes]:
    """Return a rig and its file. Raises ToolError."""
    tray = tray_of(seed, kind)
    return tray, commission(tray)


def main() -> int:
    """Commission the rigs and print a line for each family; 1: short of a target."""
    options = options_of(__doc__, 200, "families", str, (*FAMILIES, *KINDS[1:]))

    def play(family: str, rigs: list[tuple[Tray, bytes]]) -> tuple[Counter[str], str]:
        return judged(family, rigs, options.first, options.scenes), ""

    return played(options, commissioned_rig, play, "commissioned")


if __name__ == "__main__":
    sys.exit(main())

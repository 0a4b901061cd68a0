"""The rig of a tray from pictures: what the device's reader is bound to.

Pictures of the empty tray give how its floor looks. Pictures with dice of the table, some far from
the middle, give what dice of this set look like under this lens: side, height of the lens, greys
of body and pip, pitch and size of the pips, sharpness. A tray in which faces cannot be read with
certainty is refused, with what is wrong.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from tablelogic.tray_reader.forms import empty_grey_of, grey_of, outside_of, rise_of, runs
from tablelogic.tray_reader.lean import Lean
from tablelogic.tray_reader.outline import Outline, cosine, sine
from tablelogic.tray_reader.regions import Regions
from tablelogic.tray_reader.rig import Rig
from tablelogic.tray_reader.sizes import COLUMNS, GRID, MOST, ROW_PERCENTS, ROWS
from tablelogic.tray_reader.square import Square, tolerance
from tablelogic.tray_reader.stepwise import finish
from tablelogic.tray_reader.top import Top
from tablespec.tray_file import FILES, Facts, tray_file
from tabletools.dice import thresholds
from tabletools.dice.pictures import Frame
from tabletools.dice.polygons import is_convex
from tabletools.dice.reading import read_frame, tray_of
from tabletools.dice.tray_lens import FlatDie, TrayLens, lens_of
from tabletools.errors import ToolError

__all__ = ["FILES", "commissioned", "digest", "floor_of", "read_with"]
LEAST_SIDE_PX = 18
LEAST_EMPTY, LEAST_DICE = 3, 18
"""Pictures of the empty tray, and dice in the others. Of light dice 93 % of plain throws were read
where 6 had shown the lens and the light, 96 % where 18 had."""
SIZES = ((160, 120), (320, 240))
_LEAST_STEP = 60
"""Greys by which body and pip, and body and tray, have to differ."""
_SHADOW = 55
"""Percent of the tray's grey: the body of dark dice has to be darker, or a shadow is a die."""
_BRIGHTEST = 231
"""Grey of body or pip: glare has to be brighter still, as the reader looks for it."""
_MOST_NOISE = 12
"""Greys by which a cell of the empty tray may differ from frame to frame."""
_ASIDE = 0.12
"""Of an edge: a pip farther from the middle is beside it."""
_LEAST_PIPS = 4
_LEAST_CLEAR = 4
"""Dice from which the lens is measured."""
_LEANING = 95
"""Per mille of an edge by which the foot of a die that leans by 6 degrees seems to be beside that
of a flat one (105, less what does not show); a die that is nearer to the flat one is read."""
_LEAN = 0.087
"""Edges by which the foot of a die that leans by 5 degrees is beside that of a flat one. A die
shows what is more than the inverse of the lens's height, which the top may hide."""
_MOST_OFF = 0.05
"""Edges by which the foot of a die may be beside a flat one's: by 3 degrees 0.052."""
_USUAL_OFF_LIGHT, _USUAL_OFF_DARK = 0.25, 0.33
"""Of what a lean shows: by how much the feet of all in the middle may. With more throws of flat
dice are taken to lean, and sooner with light ones, whose sides show less."""
_MOST_DOUBT = 0.12
"""Standard error of the lens's height, a share of it. Of light dice 22 px wide below a lens 23
edges high one side of 72 was wide enough to show its rise: the lens seemed 31 edges high (0.15),
and 3 of 400 dice that leaned by 6 degrees were read. Of others it is 0.10 at most, often 0.03."""
_SEEMS_HIGHER = 1.1
"""How much higher a lens above light dice seems than it is: a narrow side in the blur of a bright
top seems lighter than it is, and so narrower."""
_USUAL_SHADE = 0.6
"""Grey of the sides of light dice, a share of a top's; those of dark ones have that of the top."""
_WIDE, _BLUR = 32, 20
"""Sixteenths of a pixel: width of a side whose rise is measured, and the blur of a top."""
_HEIGHTS = (5, 60)
"""Of the lens above the floor, edges of a die."""
_CORNERS = (0, 6, 12, 18)
"""Radius of the corners of a top, percent of its side."""
_NEAR = (-2, -1, 0, 1, 2)
"""Steps of a trial around the best one so far."""
_SOFT = 5
"""Sixteenths of a pixel by which an outline of top and sides is larger than the die. Were it
fitted too, a long side would look like a high lens."""
_SHARP = 5
"""Widths of its edge that a die's side has at least: else it is blurred."""

Cells = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Floor = npt.NDArray[np.bool_]
Corners = Sequence[tuple[int, int]]
_NOWHERE = 1 << 16


def floor_of(corners: Corners) -> Floor:
    """Return the cells of a floor. corners: of its convex polygon, in cells. Raises ToolError."""
    points = np.array(corners, np.int32)
    inside = (points >= 0).all() and (points <= (COLUMNS, ROWS)).all()
    if len(corners) < 3 or not inside or not is_convex(points):
        what = f"the floor {' '.join(f'{x},{y}' for x, y in corners)} is no convex polygon"
        raise _refusal(what, f"3 corners or more within {COLUMNS} x {ROWS}", "list them in order")
    floor = np.zeros((ROWS, COLUMNS), np.uint8)
    cv2.fillConvexPoly(floor, points, 1)
    return floor.astype(np.bool_)


def commissioned(empty: Sequence[Frame], with_dice: Sequence[Frame], floor: Floor) -> bytes:
    """Return the file of a rig.

    empty: LEAST_EMPTY frames of the empty tray at least. with_dice: frames with dice of the table
    that do not touch, LEAST_DICE of them in all, some of four pips or more and a one among them.
    floor: cells of it. Raises ToolError.
    """
    _verify_frames(empty, with_dice)
    width, height = empty[0].width, empty[0].height
    cells = np.stack([_cells(frame) for frame in empty])
    _verify_noise(cells, floor)
    tray = _Tray(cells.mean(0).round().astype(np.uint8), floor)
    body = _body(tray, with_dice)
    pip = 0 if body > np.median(tray.grey[floor]) else 255
    middle = 8 * width, 8 * height
    rough = Facts(width // COLUMNS, 0, 320, *middle, 0, body, pip, 0, 0, 0, 0, _LEANING, (0,) * 4)
    outlines = _outlines(rough, tray, with_dice)
    facts = _faces(_lens(rough, tray, outlines), tray, outlines)
    _verify(facts, tray)
    facts = _lens_by_sides(facts, tray, outlines)
    return tray.file(facts)


def digest(data: bytes) -> int:
    """Return the sum that names a rig."""
    return Rig(data).digest


def read_with(data: bytes, frame: Frame, where: str) -> list[int]:
    """Return the faces in a frame, as the device reads them with that rig.

    where: the source of the frame. Raises ToolError for a frame that it does not read.
    """
    verdict = read_frame(tray_of(data, where), frame)
    if not verdict.accepted:
        what = f"the device does not read this picture: {verdict.reason}"
        step = "put the dice flat and apart on the floor, without glare, and take it again"
        raise ToolError(what, where=where, limit="read", step=step)
    return verdict.dice


@dataclass(frozen=True)
class _Tray:
    """The empty tray. grey: of its cells."""

    grey: Cells
    floor: Floor

    def file(self, facts: Facts) -> bytes:
        return tray_file(facts, self._spans(), self.grey.tobytes())

    def rig(self, facts: Facts) -> Rig:
        return Rig(self.file(facts._replace(side=max(facts.side, 1))))

    def _spans(self) -> list[tuple[int, int]]:
        ends = ((int(row.argmax()), row.size - int(row[::-1].argmax())) for row in self.floor)
        return [
            (first, end) if row.any() else (0, 0)
            for row, (first, end) in zip(self.floor, ends, strict=True)
        ]


def _verify_frames(empty: Sequence[Frame], with_dice: Sequence[Frame]) -> None:
    if len(empty) < LEAST_EMPTY:
        step = "take more, without moving the camera"
        raise _refusal(f"{len(empty)} pictures of the empty tray", f"{LEAST_EMPTY} at least", step)
    sizes = {(frame.width, frame.height) for frame in (*empty, *with_dice)}
    if len(sizes) > 1 or sizes.isdisjoint(SIZES):
        what = "the pictures have " + ", ".join(f"{w} x {h}" for w, h in sorted(sizes)) + " px"
        step = "give frames of the table's camera, all of one size"
        raise _refusal(what, "160 x 120 or 320 x 240", step)


def _cells(frame: Frame) -> Floats:
    scale = frame.width // COLUMNS
    grey = np.frombuffer(frame.grey, np.uint8).reshape(ROWS, scale, COLUMNS, scale)
    return np.asarray(grey.mean((1, 3)), np.float64)


def _verify_noise(cells: Floats, floor: Floor) -> None:
    """Raise ToolError if more than 1 in 100 cells differ from frame to frame."""
    noise = int(np.ceil(np.quantile((cells.max(0) - cells.min(0))[floor], 0.99)))
    if noise > _MOST_NOISE:
        step = "clear the tray, fix the camera and the lamps; use lamps that do not flicker"
        raise _refusal(f"the empty tray differs by {noise} greys", f"{_MOST_NOISE} greys", step)


def _body(tray: _Tray, with_dice: Sequence[Frame]) -> int:
    """Return the grey of tops: the commonest of those far from the tray's."""
    grey = np.concatenate([_cells(frame)[tray.floor] for frame in with_dice])
    off = grey - np.concatenate([tray.grey[tray.floor].astype(float) for _ in with_dice])
    far = np.abs(off) > _LEAST_STEP
    light = np.count_nonzero(off[far] > 0) > np.count_nonzero(off[far] < 0)
    dice = grey[far & ((off > 0) == light)]
    if dice.size < 40:
        step = "put dice of the table into the tray, or dice that differ more from its floor"
        raise _refusal("no dice stand out from the tray", f"{_LEAST_STEP} greys", step)
    # Neither of shadows nor of the lit sides of dark dice.
    return int(np.quantile(dice, 0.7 if light else 0.3))


class _Outline(NamedTuple):
    """Of a die in a frame: reach of its top, and of top and sides."""

    frame: Frame
    top: list[int]
    whole: list[int]
    sharpness: int


def _outlines(facts: Facts, tray: _Tray, with_dice: Sequence[Frame]) -> list[_Outline]:
    """Return the outline of each die."""
    rig = tray.rig(facts)
    outline, regions = Outline(rig), Regions(MOST)
    numbers = array("i", (rig.scale, COLUMNS, ROWS, rig.body, int(rig.is_light())))
    outlines = []
    for frame in with_dice:
        count = runs(frame.grey, rig.empty, (rig.spans, regions.runs), numbers)
        if count > MOST:
            raise _refusal("a picture with dice shows more than dice", step="clear the tray")
        regions.join(count)
        for number, area in enumerate(regions.area):
            if area >= LEAST_SIDE_PX**2 // (2 * rig.scale**2):
                whole = list(finish(outline.steps(frame.grey, regions, number, True)))
                top = list(finish(outline.steps(frame.grey, regions, number, False)))
                if min(*top, *whole) > -_NOWHERE:
                    outlines.append(_Outline(frame, top, whole, outline.sharpness))
    _verify_outlines(outlines, is_light=rig.is_light())
    return outlines


def _verify_outlines(outlines: Sequence[_Outline], *, is_light: bool) -> None:
    """Raise ToolError for dice that are too few, too small or blurred."""
    if len(outlines) < LEAST_DICE:
        what = f"{len(outlines)} dice stand apart in the pictures"
        raise _refusal(what, f"{LEAST_DICE} at least", "take more pictures, the dice apart")
    side_px = _side(outlines) / 16
    if side_px < LEAST_SIDE_PX:
        what = f"a die is {side_px:.1f} px wide"
        raise _refusal(what, f"{LEAST_SIDE_PX} px at least", "hang the camera lower")
    sharpness = float(np.median([each.sharpness for each in outlines]))
    edge_px = (200 if is_light else 300) / max(sharpness, 1)
    if side_px < _SHARP * edge_px:
        what = f"the edges of the dice are blurred over {edge_px:.1f} px"
        limit = f"{side_px / _SHARP:.1f} px for dice of {side_px:.0f} px"
        raise _refusal(what, limit, "focus the camera; expose for a shorter time")


def _lens(facts: Facts, tray: _Tray, outlines: Sequence[_Outline]) -> Facts:
    """Return the facts with the side of a top, its corners and the height of the lens."""

    def misfit(trial: Facts) -> int:
        return sum(_misfits(trial, tray, outlines))

    best = facts._replace(side=_side(outlines))
    low, high = 16 * _HEIGHTS[0], 16 * _HEIGHTS[1]
    for spread in (0.12, 0.05, 0.02):
        heights = {min(max(round(best.height * (1 + 4 * spread * k)), low), high) for k in _NEAR}
        sides = {round(best.side * (1 + spread * k)) for k in _NEAR}
        trials = [best._replace(side=side, height=high) for side in sides for high in heights]
        best = min(trials, key=misfit)
    best = min((best._replace(corner=corner) for corner in _CORNERS), key=misfit)
    rig = tray.rig(best)
    limit, worst = tolerance(rig), max(Square(rig, each.top).misfit for each in outlines)
    if worst > limit:
        what = f"an outline differs from that of a flat die by {worst / 16:.1f} px"
        step = "put the dice flat and apart, focus the camera, level it"
        raise _refusal(what, f"{limit / 16:.1f} px", step)
    worst = max(_misfits(best, tray, outlines))
    if worst > limit:
        what = f"the sides of a die differ from those of a flat one by {worst / 16:.1f} px"
        step = "put the dice flat; use a darker floor, lighter dice or more even light, so that"
        raise _refusal(what, f"{limit / 16:.1f} px", f"{step} sides stand out from the floor")
    return best


def _side(outlines: Sequence[_Outline]) -> int:
    """Return the side of a top, nearly: the middle one of the least widths."""
    return int(np.median([_width(each.top) for each in outlines]))


def _width(reach: Sequence[int]) -> int:
    """Return the least of the eight widths of an outline: the side of a die below the lens."""
    half = len(reach) // 2
    return min(reach[k] + reach[k + half] for k in range(half))


def _misfits(facts: Facts, tray: _Tray, outlines: Sequence[_Outline]) -> list[int]:
    """Return how far each outline is from that of a flat die, sixteenths of a pixel."""
    rig = tray.rig(facts)
    misfits = []
    for each in outlines:
        die = Square(rig, each.top)
        misfits.append(max(die.misfit, die.lean(each.whole, _SOFT)))
    return misfits


def _faces(facts: Facts, tray: _Tray, outlines: Sequence[_Outline]) -> Facts:
    """Return the facts with greys of body and pip, pitch and areas of pips, and sharpness."""
    rig = tray.rig(facts)
    dice = [Square(rig, each.top) for each in outlines]
    tops = [_top(each.frame, die, facts) for each, die in zip(outlines, dice, strict=True)]
    sharp = [die.sharpness(each.sharpness) for each, die in zip(outlines, dice, strict=True)]
    body = int(np.median([np.median(top) for top in tops]))
    is_light = rig.is_light()
    extremes = [np.quantile(top, 0.01 if is_light else 0.99) for top in tops]
    middle = (body + float(np.median(extremes))) / 2
    pips = [_pips(top, middle, is_light=is_light) for top in tops]
    several = [pip for each in pips if len(each) > 1 for pip in each]
    single = [pip for each in pips if len(each) == 1 for pip in each]
    if len(several) < _LEAST_PIPS:
        step = "show dice of four pips and more; use dice whose pips differ from their body"
        raise _refusal("too few pips stand out on the dice", f"{_LEAST_STEP} greys", step)
    away = [abs(way) for pip in several for way in (pip.right, pip.down) if abs(way) > _ASIDE]
    return facts._replace(
        body=body,
        pip=int(np.median([pip.grey for pip in several])),
        pitch=round(100 * float(np.mean(away))),
        pip_area=round(1000 * float(np.median([pip.area for pip in several]))),
        one_area=round(1000 * float(np.median([pip.area for pip in single or several]))),
        sharpness=int(np.median(sharp)),
    )


def _lens_by_sides(facts: Facts, tray: _Tray, outlines: Sequence[_Outline]) -> Facts:
    """Return the facts with the lens and the light as the sides of the dice show them. Raises
    ToolError."""
    rig = tray.rig(facts)
    shade = _USUAL_SHADE if rig.is_light() else 1.0
    lens = TrayLens(rig.x, rig.y, rig.height / 16, (shade,) * 4)
    for _ in range(2):  # below a lens known better more sides are known to be wide
        dice = [die for each in outlines if (die := _flat_die(rig, each)) is not None]
        if len(dice) < _LEAST_CLEAR:
            what = f"the faces of {len(dice)} dice are clear in the pictures"
            raise _refusal(what, f"{_LEAST_CLEAR} at least", "put them flat, without glare")
        lens = lens_of(dice, rig.side, lens)
        facts = facts._replace(x=round(lens.x), y=round(lens.y), height=round(16 * lens.height))
        floor = tray.rig(facts).usual_grey() / rig.body if rig.is_light() else 0.0
        right, down, left, up = (max(round(100 * rise), 1) for rise in lens.rises(floor))
        facts = facts._replace(rises=(right, down, left, up))
        rig = tray.rig(facts)
    _verify_lens(lens, dice, rig)
    return facts


def _verify_lens(lens: TrayLens, dice: Sequence[FlatDie], rig: Rig) -> None:
    """Raise ToolError for a lens below which a lean would not be seen."""
    height, most = lens.height, _USUAL_OFF_DARK
    if rig.is_light():
        _verify_height(lens.doubt(dice, rig.side))
        height, most = height / _SEEMS_HIGHER, _USUAL_OFF_LIGHT
    if height < thresholds.LEAST_LENS_HEIGHT:
        what = f"the lens may be {height:.1f} edges of a die above the floor"
        step = "hang the camera higher, with a longer lens: below a low one a lean does not show"
        raise _refusal(what, f"{thresholds.LEAST_LENS_HEIGHT} at least", step)
    off = lens.off(dice, rig.side)
    usual, worst = float(np.sqrt((off**2).mean())), float(np.hypot(*off.T).max())
    for share, limit in ((worst, _MOST_OFF), (usual, most * (_LEAN - 1 / height))):
        if share > limit:
            what = f"the feet of flat dice are {100 * share:.1f} % of an edge beside their places"
            step = "put the dice flat; light them evenly; use larger frames or a longer lens"
            raise _refusal(what, f"{100 * limit:.1f} % below this lens", step)


def _verify_height(doubt: float) -> None:
    """Raise ToolError where few sides of light dice show; those of dark ones are as dark as the
    tops, whether they show or not."""
    if doubt > _MOST_DOUBT:
        what = f"the height of the lens is known to {100 * doubt:.0f} %, as few sides are seen"
        step = "use larger frames, or put dice near the edges of the tray"
        raise _refusal(what, f"{100 * _MOST_DOUBT:.0f} % at most", step)


def _flat_die(rig: Rig, each: _Outline) -> FlatDie | None:
    """Return what a die shows of its sides, None where its face is not clear."""
    square, top, lean, grey = Square(rig, each.top), Top(rig), Lean(rig), each.frame.grey
    if finish(top.steps(grey, square.x, square.y, square.turn)) <= 0:
        return None
    x, y = square.x + top.x, square.y + top.y
    finish(lean.steps(grey, x, y, square.turn, top.body))
    right, down, left, up = lean.reach
    die = _Measured(rig, lean, grey, (x, y), square.turn, top.body)
    rises = tuple(_rise(die, k) if lean.out[k] >= _WIDE else math.nan for k in range(4))
    floors = tuple(floor / 256 for floor in lean.floors)
    return FlatDie(x, y, square.turn, (right - left, down - up), rises, floors)


class _Measured(NamedTuple):
    """A die whose sides were measured. grey: the frame. middle: of its pips. body: its grey."""

    rig: Rig
    lean: Lean
    grey: bytes
    middle: tuple[int, int]
    turn: int
    body: int


def _rise(die: _Measured, side: int) -> float:
    """Return the rise of a wide side of a die, 0-1: the greatest beyond the blur of its top."""
    rig, angle = die.rig, die.turn + 32 * side
    c, s = cosine(angle) / 256, sine(angle) / 256
    far = die.lean.far(side)
    ways = range(rig.side // 2 + _BLUR, far, 8)
    rows = []
    for percent in ROW_PERCENTS:
        across = rig.side * percent / 100
        x, y = die.middle[0] - across * s, die.middle[1] + across * c
        greys = [_greys(die, x, y, c, s, way) for way in ways]
        beside, base = _greys(die, x, y, c, s, far)
        outside = outside_of(beside, base)
        rows.append(
            [
                rise_of(grey, empty * outside // base, die.body, die.lean.least)
                for grey, empty in greys
            ]
        )
    return float(np.mean(rows, 0).max()) / 128


def _greys(die: _Measured, x: float, y: float, c: float, s: float, way: int) -> tuple[int, int]:
    """Return the grey of frame and empty tray so far from a place of a row."""
    rig, right, down = die.rig, round(x + way * c), round(y + way * s)
    grey = grey_of(die.grey, rig.scale, right, down)
    return grey, empty_grey_of(rig.empty, rig.scale, right, down)


class _Pip(NamedTuple):
    """right, down: from the middle of the top, shares of its edge. area: share of the top."""

    right: float
    down: float
    area: float
    grey: int


def _top(frame: Frame, die: Square, facts: Facts) -> Floats:
    """Return the top of a die, sampled as the device does."""
    grey = np.frombuffer(frame.grey, np.uint8).reshape(frame.height, frame.width)
    steps = (np.arange(GRID) + 0.5) / GRID - 0.5
    u, v = np.meshgrid(steps * facts.side / 16, steps * facts.side / 16)
    right, down = cosine(die.turn) / 256, sine(die.turn) / 256
    x = (die.x / 16 - 0.5 + u * right - v * down).astype(np.float32)
    y = (die.y / 16 - 0.5 + u * down + v * right).astype(np.float32)
    return np.asarray(cv2.remap(grey, x, y, cv2.INTER_LINEAR), np.float64)


def _pips(top: Floats, middle: float, *, is_light: bool) -> list[_Pip]:
    """Return what is on the pips' side of a grey, away from the edge of the top."""
    mark = (top < middle if is_light else top > middle).astype(np.uint8)
    mark[[0, -1]] = 0
    mark[:, [0, -1]] = 0
    count, labels, stats, middles = cv2.connectedComponentsWithStats(mark, connectivity=4)
    return [
        _Pip(
            (middles[k][0] + 0.5) / GRID - 0.5,
            (middles[k][1] + 0.5) / GRID - 0.5,
            stats[k][cv2.CC_STAT_AREA] / GRID**2,
            int(np.quantile(top[labels == k], 0.1 if is_light else 0.9)),
        )
        for k in range(1, count)
    ]


def _verify(facts: Facts, tray: _Tray) -> None:
    """Raise ToolError for a tray in which faces cannot be read with certainty."""
    brightest = max(facts.body, facts.pip)
    if brightest > _BRIGHTEST:
        step = "dim the lamps, shorten the exposure, or tilt the lamps so that dice do not shine"
        limit = f"{_BRIGHTEST} greys, or glare looks like them"
        raise _refusal(f"the dice are overexposed: {brightest} greys", limit, step)
    if abs(facts.body - facts.pip) < _LEAST_STEP:
        what = f"pips differ from the dice by {abs(facts.body - facts.pip)} greys"
        raise _refusal(what, f"{_LEAST_STEP} greys at least", "use dice of another colour")
    floor = tray.grey[tray.floor].astype(int)
    if facts.body > facts.pip:
        off = facts.body - int(np.quantile(floor, 0.999))
        if off < _LEAST_STEP:
            what = f"the floor is up to {facts.body - off} greys bright, the dice {facts.body}"
            raise _refusal(what, f"{_LEAST_STEP} greys apart", "use a darker floor")
    elif 100 * facts.body > _SHADOW * int(np.quantile(floor, 0.001)):
        what = f"the floor is down to {int(floor.min())} greys dark, the dice {facts.body}"
        limit = f"dice below {_SHADOW} % of the floor, or a shadow passes for one"
        raise _refusal(what, limit, "use a lighter floor, or light dice")


def _refusal(what: str, limit: str = "", step: str = "") -> ToolError:
    return ToolError(what, where="the tray", limit=limit, step=step)

"""A tray calibrated for the host's camera, from pictures: the empty one, its floor, its dice.

A rig in which faces cannot be read with certainty is refused, with a picture of what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from tabletools.dice import thresholds
from tabletools.dice.maps import Top, look, usual_side
from tabletools.dice.overhead.die_outline import DieOutline, outline_of
from tabletools.dice.overhead.floor import Polygon, find_floor, floor_mask, verify_floor
from tabletools.dice.overhead.floor_checks import (
    LEAST_STEP,
    MOST_SATURATED,
    SATURATED,
    UNLIKE,
    problem_by_hand,
    shining_of,
)
from tabletools.dice.overhead.host_tray import (
    LEAST_SIDE_PX,
    LEAST_SIZE,
    READ_SIDE_PX,
    HostTray,
)
from tabletools.dice.overhead.lens import Lens, lens_of
from tabletools.dice.overhead.registration import firmness
from tabletools.dice.overhead.side_light import SideLight, side_light_of
from tabletools.dice.picture_patches import Grey, Mask
from tabletools.errors import ToolError

LEAST_EMPTY = 3
"""Pictures of the empty tray."""
MOST_BODY = 231
"""Grey of a die's body: a highlight has to be brighter still."""
_MOST_NOISE = 20
"""Greys by which 99 of 100 pixels of the empty floor differ from picture to picture at most."""
_USUAL_NEAR = 0.05
"""The inverse of the lens's height, edges, to begin with."""
_USUAL_BLUR = 0.7
"""See Lens."""
_WIDE_SIDE_PX = 4.5
"""Of a side that shows its own grey, beside the blurred edges of top and foot."""
_SHARP = 5
"""Widths of its edge that a die's side has at least: else it is blurred."""
_LEAST_FIRM = 0.3
"""See registration.firmness."""
_SEARCH_WIDTHS = (640, 480, 320, 240, 160)
"""Widths of pictures in which dice of unknown size are looked for, px."""
_RED, _GREEN, _LINE_PX = (0, 0, 255), (0, 200, 0), 2


class CalibrationRefused(ToolError):
    """A rig that cannot be read. picture: blue, green and red, what is wrong marked in it."""

    def __init__(self, what: str, *, limit: str, step: str, picture: Grey) -> None:
        super().__init__(what, limit=limit, step=step)
        self.picture = picture


@dataclass(frozen=True)
class Calibration:
    """tray: what is stored. picture: it with its floor and dice drawn in, blue, green and red."""

    tray: HostTray
    picture: Grey


@dataclass(frozen=True)
class _MeasuredDie:
    """A die in one of the pictures; px of the camera's picture. body, floor: greys of it and of
    the empty floor there. edge_px: over which its edges and pips are blurred."""

    x: float
    y: float
    side: float
    body: int
    floor: int
    edge_px: float
    shining: int
    picture: Grey


def calibrated(
    empty: Sequence[Grey], with_dice: Sequence[Grey], floor: Polygon | None = None
) -> Calibration:
    """Return a calibrated tray.

    empty: LEAST_EMPTY pictures of the empty tray at least. with_dice: pictures with dice of the
    table, one in each quarter of the floor in all. floor: None to find it. Raises ToolError, and
    CalibrationRefused for a rig that cannot be read.
    """
    _verify_pictures(empty, with_dice)
    mean = np.asarray(np.rint(np.mean(empty, 0)), np.uint8)
    size = mean.shape[1], mean.shape[0]
    is_by_hand = floor is not None
    floor = find_floor(mean) if floor is None else floor
    verify_floor(floor, size)
    mask = floor_mask(floor, mean.shape)
    _verify_empty(empty, mean, mask, floor)
    dice = [die for picture in with_dice for die in _dice(picture, mean, mask)]
    _verify_places(dice, mean, floor)
    for die in dice:
        _verify_die(die, floor)
    sides = [die.side for die in dice]
    side = round(float(np.median(sides)), 1)
    body = int(np.median([die.body for die in dice]))
    lens, light = _lens(dice, mean, floor, body, side)
    if max(sides) > UNLIKE * min(sides):
        what = f"a die has {min(sides):.0f} px in one place, {max(sides):.0f} px in another"
        step = "hang the camera straight above the middle, and use dice of one set"
        raise _refused(what, f"{UNLIKE} times as many", step, mean, floor, dice)
    tray = HostTray(mean, floor, side, body, lens, light)
    if is_by_hand and (problem := problem_by_hand(tray)):
        raise _refused(problem.what, problem.limit, problem.step, mean, floor, dice)
    return Calibration(tray, _drawn(mean, floor, dice, _GREEN))


def _verify_pictures(empty: Sequence[Grey], with_dice: Sequence[Grey]) -> None:
    if len(empty) < LEAST_EMPTY:
        what = f"{len(empty)} pictures of the empty tray"
        step = "take more, without moving the camera"
        raise ToolError(what, limit=f"{LEAST_EMPTY} at least", step=step)
    sizes = {each.shape[::-1] for each in (*empty, *with_dice)}
    listed = ", ".join(f"{wide} x {high}" for wide, high in sorted(sizes))
    if len(sizes) > 1 or min(sizes) < LEAST_SIZE or min(sizes)[1] < LEAST_SIZE[1]:
        limit = f"one size, {LEAST_SIZE[0]} x {LEAST_SIZE[1]} at least"
        step = "set the camera to a larger picture, and take all with it"
        raise ToolError(f"the pictures have {listed} px", limit=limit, step=step)


def _verify_empty(empty: Sequence[Grey], mean: Grey, mask: Mask, floor: Polygon) -> None:
    """Raise CalibrationRefused for an empty tray that is not empty, or is badly lit."""
    saturated = shining_of(mean, mask)
    if (count := int(saturated.sum())) > MOST_SATURATED:
        step = "turn the lamp or the camera, or use a duller floor"
        what = f"{count} pixels of the floor shine"
        raise _refused(what, f"{MOST_SATURATED}", step, mean, floor, marked=saturated)
    stack = np.stack(empty).astype(np.int16)
    range_ = np.where(mask, stack.max(0) - stack.min(0), 0)
    noise = int(np.quantile(range_[mask], 0.99))
    if noise > _MOST_NOISE:
        step = "clear the tray, fix the camera and the lamps; use lamps that do not flicker"
        what = f"the empty tray differs by {noise} greys from picture to picture"
        marked = range_ > _MOST_NOISE
        raise _refused(what, f"{_MOST_NOISE} greys", step, mean, floor, marked=marked)
    if (firm := firmness(mean, LEAST_SIDE_PX // 4)) < _LEAST_FIRM:
        what = f"nothing in the picture shows that the camera moved: {firm:.2f}"
        step = "let the camera see the rim of the tray, or stick a mark beside the floor"
        raise _refused(what, f"{_LEAST_FIRM} at least", step, mean, floor)


def _dice(picture: Grey, empty: Grey, mask: Mask) -> Iterator[_MeasuredDie]:
    """Yield the dice on the floor of a picture."""
    side = _rough_side(picture, mask)
    if not side:
        return
    scale = min(1.0, READ_SIDE_PX / side)
    for top in look(_resize(picture, scale)).tops:
        x, y, edge = ((top.x + 0.5) / scale, (top.y + 0.5) / scale, top.side / scale)
        if mask[min(int(y), mask.shape[0] - 1), min(int(x), mask.shape[1] - 1)]:
            yield _measure(picture, empty, x, y, edge)


def _rough_side(picture: Grey, mask: Mask) -> float:
    """Return how large dice are in a picture, nearly: as the network sees them in the size it
    knows best. 0 where it sees none."""
    best, best_side = 0.0, 0.0
    for wide in _SEARCH_WIDTHS:
        scale = wide / picture.shape[1]
        if scale > 1:
            continue
        tops = [top for top in look(_resize(picture, scale)).tops if _is_on(mask, top, scale)]
        side = usual_side(tops)
        sure = sum(top.heat * top.body for top in tops)
        if 12 <= side <= 44 and sure > 1.05 * best:
            best, best_side = sure, side / scale
    return best_side


def _is_on(mask: Mask, top: Top, scale: float) -> bool:
    row, column = int(top.y / scale), int(top.x / scale)
    return 0 <= row < mask.shape[0] and 0 <= column < mask.shape[1] and bool(mask[row, column])


def _resize(picture: Grey, scale: float) -> Grey:
    if scale == 1:
        return picture
    way = cv2.INTER_AREA
    return np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=way), np.uint8)


def _measure(picture: Grey, empty: Grey, x: float, y: float, side: float) -> _MeasuredDie:
    half = side / 2
    rows, columns = (
        slice(max(0, int(middle - half)), int(middle + half) + 1) for middle in (y, x)
    )
    top = picture[rows, columns]
    body = int(np.median(top))
    low, high = np.percentile(top, (2, 98))
    slope = np.hypot(cv2.Sobel(top, cv2.CV_32F, 1, 0), cv2.Sobel(top, cv2.CV_32F, 0, 1)) / 8
    steepest = float(np.quantile(slope, 0.97))
    edge_px = float(high - low) / max(steepest, 0.1)
    floor = int(np.median(empty[rows, columns]))
    shining = int((top >= SATURATED).sum()) if body <= MOST_BODY else 0
    return _MeasuredDie(x, y, side, body, floor, edge_px, shining, picture)


def _verify_places(dice: Sequence[_MeasuredDie], mean: Grey, floor: Polygon) -> None:
    """Raise CalibrationRefused unless there is a die in each quarter of the floor."""
    left, top, wide, high = cv2.boundingRect(np.array(floor, np.int32))
    quarters = {(die.x > left + wide / 2, die.y > top + high / 2) for die in dice}
    names = {
        (False, False): "upper left",
        (True, False): "upper right",
        (False, True): "lower left",
        (True, True): "lower right",
    }
    missing = [name for place, name in names.items() if place not in quarters]
    if missing:
        what = f"no die is seen in the {' and the '.join(missing)} of the floor"
        step = "put one die near each corner of the floor, flat and apart, and take it again"
        raise _refused(what, "one die in each quarter", step, mean, floor, dice)


def _lens(
    dice: Sequence[_MeasuredDie], mean: Grey, floor: Polygon, body: int, side: float
) -> tuple[Lens, SideLight | None]:
    """Return where the lens is, and the light on the sides of dice.

    Raises CalibrationRefused where a lean would not be seen.
    """
    high, wide = mean.shape
    guess = Lens(wide / 2, high / 2, _USUAL_NEAR, side * (1 - _USUAL_NEAR), blur=_USUAL_BLUR)
    outlines = _outlines(dice, mean, floor, body, None)
    light = _side_light(lens_of(outlines, guess), outlines)
    outlines = _outlines(dice, mean, floor, body, light)
    lens = lens_of(outlines, guess)
    least = thresholds.LEAST_LENS_HEIGHT
    if (height := 1 / lens.near) < least:
        what = f"the lens is {height:.1f} edges of a die above the floor"
        step = "hang it higher, or zoom in: from so low a leaning die looks like a flat one"
        raise _refused(what, f"{least} at least", step, mean, floor, dice)
    for die, outline in zip(dice, outlines, strict=True):
        if (off := float(np.abs(lens.off(outline)).max())) > thresholds.MOST_OFF:
            what = (
                f"the outline of a die is {100 * off:.0f} % of an edge beside that of a flat one"
            )
            step = "lay it flat; soften its shadow; hang the camera straight above the middle"
            limit = f"{100 * thresholds.MOST_OFF:.1f} %"
            raise _refused(what, limit, step, die.picture, floor, [die])
    return lens, light


def _outlines(
    dice: Sequence[_MeasuredDie], mean: Grey, floor: Polygon, body: int, light: SideLight | None
) -> list[DieOutline]:
    """Return the outlines of dice. Raises CalibrationRefused where one is not clear."""
    empty = mean.astype(np.float32)
    outlines = []
    for die in dice:
        outline = outline_of(die.picture, empty, (die.x, die.y), die.side, body, light)
        if outline is None:
            what = "the outline of a die is not clear"
            step = "lay it apart; soften its shadow, or use dice, or a floor, of another grey"
            raise _refused(what, "sides unlike the floor", step, die.picture, floor, [die])
        outlines.append(outline)
    return outlines


def _side_light(lens: Lens, outlines: Sequence[DieOutline]) -> SideLight | None:
    """Return the light on the sides of flat dice, by those that are wide enough to show it."""
    sides = [
        (die.turn + quarter * np.pi / 2, float(share))
        for die in outlines
        for quarter, share in enumerate(die.lights)
        if lens.visible(die)[quarter] >= _WIDE_SIDE_PX
    ]
    return side_light_of([way for way, _ in sides], [share for _, share in sides])


def _verify_die(die: _MeasuredDie, floor: Polygon) -> None:
    """Raise CalibrationRefused for a die that could not be read with certainty."""
    if die.side < LEAST_SIDE_PX:
        what, limit = f"a die is {die.side:.0f} px wide", f"{LEAST_SIDE_PX} px at least"
        step = "hang the camera lower, or set it to a larger picture"
    elif die.body > MOST_BODY or die.shining > 2:
        bright = die.body if die.body > MOST_BODY else 255
        what, limit = f"a die has {bright} greys: glare", f"{MOST_BODY}"
        step = "expose for a shorter time; turn the lamp, or spread its light"
    elif abs(die.body - die.floor) < LEAST_STEP:
        what = f"a die differs from the floor by {abs(die.body - die.floor)} greys"
        limit, step = f"{LEAST_STEP}", "use dice, or a floor, of another grey"
    elif die.edge_px > die.side / _SHARP:
        what = f"the edges of a die are blurred over {die.edge_px:.1f} px"
        limit = f"{die.side / _SHARP:.1f} px for a die of {die.side:.0f} px"
        step = "focus the camera; expose for a shorter time"
    else:
        return
    raise _refused(what, limit, step, die.picture, floor, [die])


def _refused(
    what: str,
    limit: str,
    step: str,
    picture: Grey,
    floor: Polygon,
    dice: Sequence[_MeasuredDie] = (),
    marked: Mask | None = None,
) -> CalibrationRefused:
    drawn = _drawn(picture, floor, dice, _RED)
    if marked is not None:
        drawn[marked] = _RED
        for outline in cv2.findContours(
            cv2.dilate(marked.astype(np.uint8), np.ones((15, 15), np.uint8)),
            cv2.RETR_EXTERNAL,
            cv2.CHAIN_APPROX_NONE,
        )[0]:
            cv2.drawContours(drawn, [outline], -1, _RED, _LINE_PX)
    return CalibrationRefused(what, limit=limit, step=step, picture=drawn)


def _drawn(
    picture: Grey, floor: Polygon, dice: Sequence[_MeasuredDie], colour: tuple[int, int, int]
) -> Grey:
    """Return a picture in colour with the floor and dice drawn in."""
    drawn = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    cv2.polylines(drawn, [np.array(floor, np.int32)], True, _GREEN, _LINE_PX)
    for die in dice:
        half = round(0.75 * die.side)
        x, y = round(die.x), round(die.y)
        cv2.rectangle(drawn, (x - half, y - half), (x + half, y + half), colour, _LINE_PX)
        text = f"{die.side:.0f} px"
        cv2.putText(
            drawn, text, (x - half, y - half - 4), cv2.FONT_HERSHEY_SIMPLEX, 0.5, colour, 1
        )
    return np.asarray(drawn, np.uint8)

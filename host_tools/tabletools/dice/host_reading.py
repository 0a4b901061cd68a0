"""One picture read by the host, against the empty tray and with a second picture where known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from tabletools.dice import thresholds
from tabletools.dice.flatness import lies
from tabletools.dice.glare import shines
from tabletools.dice.maps import Top, around, usual_side
from tabletools.dice.picture_patches import Mask
from tabletools.dice.pictures import Frame
from tabletools.dice.pieces import pieces
from tabletools.dice.reading import OTHER_TRAY, UNSEEN, Verdict
from tabletools.dice.reading_by_maps import read_by_maps, show_more
from tabletools.dice.reasons import (
    AMBIGUOUS,
    COCKED,
    COUNT_WRONG,
    CUT_OFF,
    FOREIGN,
    GLARE,
    NAMES,
    READ,
    TOO_DARK,
)
from tabletools.dice.reference import Reference, pixels, planes
from tabletools.dice.second_camera import Colour, SecondCamera
from tabletools.errors import ToolError


@dataclass(frozen=True)
class Aside:
    """A throw as the second camera sees it. above: rows of the first camera's picture above those
    that are read. scale: pixels that are read for one of that picture."""

    camera: SecondCamera
    picture: Colour
    above: int = 0
    scale: float = 1.0

    def floor(self, x: float, y: float) -> tuple[float, float]:
        """Return where on the floor a pixel that is read is."""
        x, y = ((along + 0.5) / self.scale - 0.5 for along in (x, y))
        return self.camera.floor(x, y + self.above)


def aside_of(
    camera: SecondCamera, size: tuple[int, int], picture: Colour, rows: int, scale: float = 1.0
) -> Aside:
    """Return a throw as the second camera sees it. size: of the first camera's picture, of which
    so many rows are read, at this scale. Raises ToolError when the cameras are not those that were
    calibrated."""
    second = (picture.shape[1], picture.shape[0])
    for what, actual, wanted in (
        ("first", size, camera.overhead),
        ("second", second, camera.size),
    ):
        if actual != tuple(wanted):
            text = f"the {what} picture is {actual[0]} x {actual[1]} px"
            limit = "{:.0f} x {:.0f}, as calibrated".format(*wanted)
            raise ToolError(text, limit=limit, step="calibrate the second camera again")
    return Aside(camera, picture, size[1] - rows, scale)


def read_picture(
    frame: Frame,
    expected: int = 0,
    reference: Reference | None = None,
    aside: Aside | None = None,
    outlined: bool = False,
) -> Verdict:
    """Read a frame with all the host has. expected: dice of the table, 0 when not known.
    outlined: an accepted verdict is verified by the outlines of the dice.

    Where the empty tray is known, a picture that does not show it is refused.
    """
    picture, colours = pixels(frame), planes(frame)
    compared = reference.compared(picture) if reference else None
    if compared and reference:
        reason, values, tops = read_by_maps(compared.plain, colours, compared.differs, outlined)
        if reason == READ and _has_more(compared.differs, tops):
            reason = FOREIGN
        if reason == READ and any(_has_wide(each, tops) for each in reference.differing(colours)):
            reason = FOREIGN
        if reason == READ and not _are_on_floor(reference, tops):
            reason = CUT_OFF
    else:
        reason, values, tops = read_by_maps(picture, colours, outlined=outlined)
        if reason == READ and show_more(colours, picture, tops):
            reason = FOREIGN
    if reason == READ and shines(picture, tops):
        reason = GLARE
    if reason == READ and expected and len(values) != expected:
        reason = COUNT_WRONG
    side_px = usual_side(tops)
    verdict = Verdict(values, NAMES[reason], compared is not None, (), side_px, tuple(tops))
    if verdict.accepted and reference and not compared:
        return replace(verdict, reason=OTHER_TRAY)
    return _prove(verdict, tops, aside) if aside and verdict.accepted else verdict


def is_too_small(verdict: Verdict) -> bool:
    """Return whether a finer picture would show more: of dice so small, or where none is seen."""
    return verdict.side_px < thresholds.SMALL_DIE and verdict.reason != NAMES[TOO_DARK]


def agreed(verdict: Verdict, finer: Verdict) -> Verdict:
    """Return the verdict on a finer picture, if that on the first one has no other faces."""
    if verdict.accepted and finer.accepted and verdict.dice != finer.dice:
        return replace(finer, reason=NAMES[AMBIGUOUS])
    return finer


def _has_more(differs: Mask, tops: Sequence[Top]) -> bool:
    """Return whether more than dice and their shadows lies on the empty tray, such as paper over
    another die."""
    largest = max((area for *_, area in pieces(_beside(differs, tops))), default=0)
    return largest >= thresholds.MOST_BESIDE * usual_side(tops) ** 2


def _has_wide(differs: Mask, tops: Sequence[Top]) -> bool:
    """Return whether something as wide as a die lies beside the dice, as one colour shows it:
    coloured shadows of dice reach far, but are narrow."""
    depth = cv2.distanceTransform(
        _beside(differs, tops).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_5
    )
    return float(depth.max()) >= thresholds.WIDE * usual_side(tops)


def _beside(differs: Mask, tops: Sequence[Top]) -> Mask:
    return differs & ~around(differs.shape, tops, thresholds.SHADED)


def _are_on_floor(reference: Reference, tops: Sequence[Top]) -> bool:
    """Return whether the middles of all tops are on the floor, where it is known."""
    if reference.floor is None:
        return True
    high, wide = reference.grey.shape
    return all(
        reference.floor.mask[
            min(max(round(top.y), 0), high - 1), min(max(round(top.x), 0), wide - 1)
        ]
        for top in tops
    )


def _prove(verdict: Verdict, tops: Sequence[Top], aside: Aside) -> Verdict:
    """Return a verdict that holds only if every die is seen to lie flat."""
    feet = [(top.x + top.side * top.foot[0], top.y + top.side * top.foot[1]) for top in tops]
    places = [aside.floor(x, y) for x, y in feet]
    lie = lies(aside.camera, aside.picture, places)
    leans = tuple(None if one.share is None else one.lean for one in lie)
    if all(one.is_flat for one in lie):
        return replace(verdict, leans=leans)
    return replace(verdict, reason=UNSEEN if None in leans else NAMES[COCKED], leans=leans)

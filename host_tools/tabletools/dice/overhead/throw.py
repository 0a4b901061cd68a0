"""A throw as the host's camera shows it: up to three looks, of which two have to agree.

A look is a few frames, averaged. A throw is read when two looks show the same faces and none shows
others or a lean; anything else is a code, and nothing is guessed. Looks differ by noise alone, so
one more may read a face in doubt; it may not outvote a lean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tabletools.dice.host_reading import Aside, read_picture
from tabletools.dice.one_throw import average
from tabletools.dice.overhead.capture import FRAMES, Colour, grey_of
from tabletools.dice.overhead.flat_dice import verified
from tabletools.dice.overhead.host_tray import HostTray
from tabletools.dice.overhead.troubles import (
    DICE_MOVED,
    DIFFERENT,
    OTHER_TRAY,
    CameraTrouble,
)
from tabletools.dice.picture_patches import Grey
from tabletools.dice.pictures import Frame
from tabletools.dice.reading import Verdict
from tabletools.dice.reasons import COCKED, NAMES
from tabletools.dice.reference import pixels

AGREED = 2
"""Looks that have to show the same faces."""


@dataclass(frozen=True)
class Look:
    """One reading of a throw. picture: the mean of its frames, grey, of the camera's size, beside
    the floor nothing; the whole first frame where that does not show the tray. verdict: on it."""

    picture: Grey
    verdict: Verdict


@dataclass(frozen=True)
class ThrowReading:
    """dice: faces, sorted, empty unless they are agreed. reason: "" when they are; a name of
    reasons.NAMES, of reading or of troubles. looks: as far as was looked."""

    dice: list[int]
    reason: str
    looks: tuple[Look, ...]


def read_throw(
    tray: HostTray, frames: Sequence[Colour], dice: int, aside: Aside | None = None
) -> ThrowReading:
    """Read a throw from frames taken one after the other, FRAMES of each look.

    dice: in play. aside: the throw as the second camera sees it, in px of this camera's picture.
    """
    looks: list[Look] = []
    for start in range(0, len(frames) - FRAMES + 1, FRAMES):
        looks.append(_look(tray, frames[start : start + FRAMES], dice, aside))
        accepted = [look.verdict.dice for look in looks if look.verdict.accepted]
        if any(faces != accepted[0] for faces in accepted):
            return ThrowReading([], DIFFERENT, tuple(looks))
        if looks[-1].verdict.reason == NAMES[COCKED]:
            break
        if len(accepted) == AGREED:
            return ThrowReading(accepted[0], "", tuple(looks))
    refused = [look.verdict.reason for look in looks if not look.verdict.accepted]
    return ThrowReading([], refused[-1], tuple(looks))


def read_greys(
    tray: HostTray, greys: Sequence[Grey], dice: int = 0, aside: Aside | None = None
) -> Look:
    """Return one look at pictures in grey of the camera's size, averaged. dice: 0: any number.

    Raises CameraTrouble.
    """
    mean = average([_frame(each) for each in greys])
    whole = greys[0] if mean is None else pixels(mean)
    floor = np.where(tray.near_floor, whole, 0).astype(np.uint8)
    if mean is None:
        return Look(floor, Verdict([], DICE_MOVED))
    picture = tray.reduced(whole)
    tray.verify_view(picture)
    verdict = read_picture(_frame(picture), dice, tray.reference, aside, outlined=True)
    if verdict.reason == OTHER_TRAY:
        raise CameraTrouble(OTHER_TRAY, "the floor differs from that of the empty tray")
    if verdict.accepted:
        verdict = verified(verdict, tray, whole)
    return Look(floor, verdict)


def _look(tray: HostTray, frames: Sequence[Colour], dice: int, aside: Aside | None) -> Look:
    greys = [grey_of(each) for each in frames]
    try:
        return read_greys(tray, greys, dice, aside)
    except CameraTrouble as trouble:
        return Look(greys[0], Verdict([], trouble.code))


def _frame(grey: Grey) -> Frame:
    return Frame(grey.shape[1], grey.shape[0], grey.tobytes())

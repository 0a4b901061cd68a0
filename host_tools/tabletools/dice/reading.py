"""One picture read by the host: two unlike readers, and nothing left unexplained."""

from __future__ import annotations

from dataclasses import dataclass

from tablelogic.dice.reader import Reader
from tablelogic.dice.reasons import NAMES, READ
from tabletools.dice.finding import Seen, cut, find
from tabletools.dice.network import BODY, Grey
from tabletools.dice.pictures import Frame
from tabletools.dice.pips import PATCH, SIDE, Pips, read_pips
from tabletools.dice.reference import Reference
from tabletools.dice.scene import differing, is_cut, kind_at, share, unexplained

LEAST_SURE = 0.75  # likelihood of a face, mean of the looks
LEAST_PIPS = 12.0  # percent by which a face's faintest pip stands out, of its strongest
_SOME_HEAT = 0.35  # with less, what looks like no die at all is none
_SAME = 0.03  # share of a place that differs from the empty tray: with less it is the tray's own
_DARKEST = 6


@dataclass(frozen=True)
class Verdict:
    """dice: faces read, sorted, also when refused. reason: a name of tablelogic.dice.reasons, ""
    when accepted. referred: the empty tray was known."""

    dice: list[int]
    reason: str
    referred: bool

    @property
    def accepted(self) -> bool:
        """The faces may be reported."""
        return self.reason == NAMES[READ]


def read_picture(picture: Grey, expected: int = 0, reference: Reference | None = None) -> Verdict:
    """Read a picture. expected: how many dice the table has, 0 when not known."""
    if picture.max() < _DARKEST:
        return Verdict([], "too_dark", False)
    found = reference.difference(picture) if reference else None
    view = find(picture)
    dice, doubt = [], ""
    for die in view.dice:
        pips = read_pips(cut(picture, (die.x, die.y), die.edge, SIDE, PATCH))
        if found is not None and share(found.differs, die) < _SAME:
            continue
        if die.value == 0 and die.heat < _SOME_HEAT and kind_at(view, die)[BODY] < 0.5:
            continue
        dice.append(die)
        doubt = doubt or _doubt(die, pips, picture.shape)
    reason = differing(found, dice) if found is not None else unexplained(view, dice)
    reason = reason or doubt
    if not reason and not dice:
        reason = "no_dice"
    if not reason and expected and len(dice) != expected:
        reason = "count_wrong"
    return Verdict(sorted(die.value for die in dice if die.value), reason, found is not None)


def _doubt(die: Seen, pips: Pips, shape: tuple[int, ...]) -> str:
    """Return why a die is not read, "" when it is."""
    if is_cut(die, shape):
        return "cut_off"
    if die.value == 0 or die.sure < LEAST_SURE:
        return "unreadable"
    if pips.value != die.value or pips.share < LEAST_PIPS:
        return "ambiguous"
    return ""


def read_frame(frame: Frame, expected: int = 0) -> Verdict:
    """Read a frame by the device's logic alone. expected: as of read_picture."""
    reason, values = Reader(frame.width, frame.height).read(frame.grey, expected)
    return Verdict(values, NAMES[reason], False)

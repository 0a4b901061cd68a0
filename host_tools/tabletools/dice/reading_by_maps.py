"""One picture read by the host: every die found, its face by two readings, and what else is there.

The network names the face of a die as a whole. Its pips have to lie on the lattice that dice have,
found in the network's map of pips or, without a network, in the picture itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import cv2
import numpy as np
import numpy.typing as npt

from tabletools.dice import thresholds
from tabletools.dice.at_edge import has_corner
from tabletools.dice.maps import CELL, Die, Sight, Top, apart_from, look, look_closer, usual_side
from tabletools.dice.picture_patches import Grey, Mask
from tabletools.dice.pieces import pieces, sums
from tabletools.dice.pip_lattice import face_of
from tabletools.dice.pips import read_pips
from tabletools.dice.reasons import (
    AMBIGUOUS,
    COCKED,
    CUT_OFF,
    FOREIGN,
    NO_DICE,
    READ,
    TOO_DARK,
    UNREADABLE,
)

_CONTRADICTED = -1  # instead of a face: two clear readings differ


@dataclass(frozen=True)
class _Look:
    """turns, sizes: of patches for the network, radians and shares of a top's side. sides: of a
    top's, for the lattice of pips. chance: that a face needs. share: of its pips."""

    turns: tuple[float, ...]
    sizes: tuple[float, ...]
    sides: tuple[float, ...]
    chance: float
    share: float = thresholds.LEAST_SHARE


_FIRST = _Look((0.4, 2.5), (1.0,), (1.1,), thresholds.SURE)
_IN_DOUBT = _Look(
    (0.4, 1.97, 3.54, 5.11), (0.87, 1.0, 1.15), (1.0, 1.1, 1.2), thresholds.LEAST_CHANCE
)
_BODILESS = replace(_FIRST, share=thresholds.CLEAR)
_IN_COLOUR = replace(_IN_DOUBT, chance=thresholds.SURE)


def read_by_maps(
    picture: Grey,
    planes: Sequence[Grey] = (),
    things: Mask | None = None,
    outlined: bool = False,
) -> tuple[int, list[int], list[Top]]:
    """Return (reason, sorted values, tops) of a picture; the values are of dice surely read.

    planes: of its colours, where it has some. things: beside which there is plain ground alone,
    where that is known. outlined: a top without a body may be read, as the outline of each die
    is measured afterwards.
    """
    if int(cv2.blur(picture, (8, 8)).max()) < thresholds.DARKEST:
        return TOO_DARK, [], []
    sight = look(picture, things=things)
    dice = look_closer(picture, _of_one_size(sight.tops), _FIRST.turns)
    is_faint = _are_faint(picture, dice)
    places = [k for k, die in enumerate(dice) if not (is_faint[k] and _is_bare(die))]
    dice = [dice[k] for k in places]
    sight = replace(sight, tops=[sight.tops[k] for k in places])
    reason = _scene(sight, [die.top for die in dice])
    if reason == READ and _shows_corner(picture, sight):
        reason = FOREIGN
    elif reason == READ and any(is_faint[k] for k in places):
        reason = UNREADABLE
    faces = [_face(picture, die, _FIRST) for die in dice]
    if reason == READ:
        faces, dice = _sure_faces((picture, *planes), dice, faces, outlined)
        if _CONTRADICTED in faces:
            reason = AMBIGUOUS
        elif 0 in faces:
            reason = UNREADABLE
    return reason, sorted(face for face in faces if face > 0), [die.top for die in dice]


def show_more(planes: Sequence[Grey], picture: Grey, tops: Sequence[Top]) -> bool:
    """Return whether red or blue shows a die where none was found, or something else where
    luminance, the picture, has none: of the ground's own luminance, it differs from the ground in
    one of these two planes."""
    sights = [look(plane, once=True) for plane in planes[::2]]
    return any(_is_elsewhere(top, tops) for sight in sights for top in sight.tops) or (
        any(_is_odd(sight, tops) for sight in sights)
        and not _is_odd(look(picture, once=True), tops)
    )


def _is_elsewhere(other: Top, tops: Sequence[Top]) -> bool:
    """Return whether a top that is no dirt is beside all those that were found."""
    return other.body >= thresholds.DIRT_BODY and all(
        np.hypot(other.x - top.x, other.y - top.y) > thresholds.BESIDE * top.side for top in tops
    )


def _is_odd(sight: Sight, tops: Sequence[Top]) -> bool:
    return _is_foreign(sight, tops) or _is_cut(sight, tops)


def _sure_faces(
    planes: Sequence[Grey], dice: Sequence[Die], faces: Sequence[int], outlined: bool
) -> tuple[list[int], list[Die]]:
    """Return faces and dice, those in doubt looked at again, up to one that stays in doubt.

    outlined: a die that the first look shows no body of is read where its face is clear.
    """
    sure, lying = [*faces], [*dice]
    for place, (die, face) in enumerate(zip(dice, faces, strict=True)):
        if face > 0:
            continue
        sure[place] = _by_planes(planes, die, face == _CONTRADICTED)
        if outlined and not _has_body(die):
            lying[place] = replace(die, top=replace(die.top, is_bodiless=True))
            if sure[place] == 0:
                sure[place] = _pipped(planes[0], die, _BODILESS)
        if sure[place] <= 0:
            break
    return sure, lying


def _by_planes(planes: Sequence[Grey], die: Die, contradicted: bool) -> int:
    """Return the face of a die that was in doubt: by luminance, the first plane, or surely by a
    colour that no other one contradicts."""
    face = _again(planes[0], die, _IN_DOUBT, contradicted)
    if face > 0 or len(planes) == 1:
        return face
    faces = {_again(plane, die, _IN_COLOUR) for plane in planes[1:]} - {0}
    if not faces:
        return face
    return faces.pop() if len(faces) == 1 else _CONTRADICTED


def _again(picture: Grey, die: Die, how: _Look, contradicted: bool = False) -> int:
    """Return the face of a die that was in doubt: the mean of many looks decides."""
    (more,) = look_closer(picture, [die.top], how.turns, how.sizes)
    return _face(picture, more, how, contradicted)


def _of_one_size(tops: Sequence[Top]) -> list[Top]:
    """Return tops, their sides not far from the middle one: dice of a table are of one make."""
    usual = usual_side(tops)
    low, high = (usual * part for part in thresholds.SIDES)
    return [replace(top, side=min(max(top.side, low), high)) for top in tops]


def _are_faint(picture: Grey, dice: Sequence[Die]) -> list[bool]:
    """Return of which dice the greys differ far less than those of the others."""
    spans = [_span(picture, die.top) for die in dice]
    most = thresholds.FAINTEST_DIE * float(np.median(spans or [0]))
    return [span < most for span in spans]


def _is_bare(die: Die) -> bool:
    """Return whether neither look shows a body: where a die is faint as well, it is dirt."""
    return _body(die) < thresholds.DIRT_BODY


def _body(die: Die) -> float:
    """Return how much of a body the surer of both looks shows, 0-1."""
    return max(die.top.body, die.body)


def _shows_corner(picture: Grey, sight: Sight) -> bool:
    """Return whether a corner of a die is seen at the edge of the picture."""
    spans = [_span(picture, top) for top in sight.tops]
    return bool(spans) and has_corner(picture, sight, thresholds.CORNER * float(np.median(spans)))


def _span(picture: Grey, top: Top) -> float:
    """Return by how much the greys of a top differ, those of a few pixels left out."""
    half = top.side / 2
    rows, columns = (
        slice(max(0, int(middle - half)), int(middle + half) + 1) for middle in (top.y, top.x)
    )
    low, high = np.percentile(picture[rows, columns], (2, 98))
    return float(high - low)


def _face(picture: Grey, die: Die, how: _Look, contradicted: bool = False) -> int:
    """Return the face that two readings surely show of a die, 0 for none, _CONTRADICTED."""
    return _pipped(picture, die, how, contradicted) if _has_body(die) else 0


def _has_body(die: Die) -> bool:
    """Return whether a top looks like that of a die, not like a face on paper."""
    has_face = bool(die.top.chances[0] < thresholds.NO_FACE)
    return has_face and _body(die) >= thresholds.LEAST_BODY


def _pipped(picture: Grey, die: Die, how: _Look, contradicted: bool = False) -> int:
    """Return the face that two readings surely show, 0 for none, _CONTRADICTED.

    contradicted: they differed before. Then, and while one differs, the network has to be surer,
    and the pips in the picture have to agree, which no network found.
    """
    top, chances = die.top, die.top.chances
    value = 1 + int(chances[1:].argmax())
    place = top.x + 0.5, top.y + 0.5
    by_map = face_of(die.pips)
    in_picture = [read_pips(picture, place, side * top.side) for side in how.sides]
    agrees = max((pips.share for pips in in_picture if pips.value == value), default=0.0)
    others = (pips.share for pips in (by_map, *in_picture) if pips.value not in (0, value))
    differs = max(others, default=0.0)
    chance = chances[value] / chances[1:].sum()
    contradicted |= differs >= thresholds.CONTRADICTS
    if contradicted and (differs >= agrees or chance < thresholds.SURE):
        return _CONTRADICTED
    if by_map.value == value:
        agrees = max(agrees, by_map.share)
    sure = chance >= how.chance and agrees >= how.share
    return value if sure else 0


def _scene(sight: Sight, tops: Sequence[Top]) -> int:
    """Return the objection to a throw, whatever its faces."""
    reason: int = READ
    if _is_foreign(sight, tops):
        reason = FOREIGN
    elif _is_cut(sight, tops):
        reason = CUT_OFF
    elif not tops:
        reason = NO_DICE
    elif _leans(sight.foreign.shape, tops):
        reason = COCKED
    elif not _are_of_one_make(sight.tops) or _are_too_near(sight.foreign.shape, tops):
        reason = AMBIGUOUS
    return reason


def _is_foreign(sight: Sight, tops: Sequence[Top]) -> bool:
    """Return whether something is there that is neither die nor ground, or something small at the
    edge of the picture: of a die that the edge cuts the network often says that it is none."""
    apart = apart_from(tops, sight.foreign.shape)
    away = apart >= thresholds.BESIDE
    foreign = (sight.foreign > thresholds.IS_FOREIGN) & away
    if max((area for *_, area in pieces(foreign)), default=0) >= thresholds.LEAST_FOREIGN:
        return True
    in_all = sums(sight.foreign, away & (sight.foreign > thresholds.MAY_BE))
    if max(in_all, default=0.0) >= thresholds.LEAST_IN_ALL:
        return True
    something = (sight.foreign + sight.die > thresholds.IS_SOMETHING) & away
    longest = thresholds.LONGEST_AT_EDGE * usual_side(tops) / CELL
    high, wide = something.shape
    return any(
        area >= thresholds.LEAST_AT_EDGE
        and max(across, down) <= longest
        and (min(left, top) == 0 or left + across == wide or top + down == high)
        for left, top, across, down, area in pieces(something)
    )


def _are_of_one_make(tops: Sequence[Top]) -> bool:
    low, high = (part * usual_side(tops) for part in thresholds.ONE_MAKE)
    return all(low <= top.side <= high for top in tops)


def _are_too_near(shape: tuple[int, ...], tops: Sequence[Top]) -> bool:
    """Return whether two tops cannot both be of flat dice: they overlap, or one is the side of the
    other's die. Its foot is then seen below that die, away from the middle of the picture."""
    middle = _middle(shape)
    if len(tops) == 2 and _is_its_side(tops, middle):
        return True
    for a, b in permutations(tops, 2):
        way = np.array((b.x - a.x, b.y - a.y))
        apart = float(np.hypot(*way)) / max(a.side, b.side)
        below = float(way @ a.foot) / max(float(np.hypot(*way)), 1e-6)
        outwards = float(way @ (np.array((a.x, a.y)) - middle)) > 0
        is_side = apart < thresholds.SIDE_WITHIN and outwards and below > thresholds.FOOT_BELOW
        others = [top for top in tops if top is not a and top is not b]
        if apart < thresholds.SIDE_WITHIN and others:
            out = (np.array((a.x, a.y)) - middle) / usual_side(tops)
            pull = _pull(others, middle) * float(-way @ out) / max(float(np.hypot(*way)), 1e-6)
            is_side |= pull > thresholds.SIDE_SHOWN
        if apart < thresholds.ON_EACH_OTHER or is_side:
            return True
    return False


def _is_its_side(tops: Sequence[Top], middle: npt.NDArray[np.float64]) -> bool:
    """Return whether the inner one of two tops is the side of the outer one's die, where no other
    die shows how low the lens is: it lies straight inwards, and is smaller. Tops of two dice that
    touch are of one size."""
    inner, outer = sorted(tops, key=lambda top: np.hypot(top.x - middle[0], top.y - middle[1]))
    way = np.array((outer.x - inner.x, outer.y - inner.y))
    out = np.array((outer.x, outer.y)) - middle
    apart, far = float(np.hypot(*way)), float(np.hypot(*out))
    return (
        apart < thresholds.SIDE_WITHIN * outer.side
        and far > thresholds.SIDE_FROM * outer.side
        and float(way @ out) > thresholds.SIDE_INWARDS * apart * far
        and inner.side < thresholds.SIDE_SMALLER * outer.side
    )


def _is_cut(sight: Sight, tops: Sequence[Top]) -> bool:
    """Return whether cells show a die where no top is near, or a part of one at the edge of the
    picture: towards the edge nothing of a whole die is seen beside its top. A top is cut whose
    middle is too near to the edge."""
    high, wide = sight.die.shape
    if any(
        min(top.x, top.y, CELL * wide - top.x, CELL * high - top.y)
        < thresholds.WHOLE_FROM_EDGE * top.side
        for top in tops
    ):
        return True
    die, apart = sight.die > thresholds.IS_DIE, apart_from(tops, sight.die.shape)
    edge = np.ones_like(die)
    edge[1:-1, 1:-1] = False
    alone, beside = (
        max((area for *_, area in pieces(cells)), default=0)
        for cells in (
            die & (apart >= thresholds.REACH),
            die & edge & (apart >= thresholds.BESIDE),
        )
    )
    return alone >= thresholds.LEAST_CUT or beside >= thresholds.LEAST_CUT_AT_EDGE


def _middle(shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Return the middle of a picture of this many cells, x and y, px."""
    return np.array((shape[1] - 1, shape[0] - 1)) * CELL / 2 + (CELL - 1) / 2


def _pull(tops: Sequence[Top], middle: npt.NDArray[np.float64]) -> float:
    """Return by what share of its way from the middle of the picture the foot of a flat die is
    seen nearer to it than the top: the inverse of the lens's height, sides of a die."""
    out = (np.array([(top.x, top.y) for top in tops]) - middle) / usual_side(tops)
    feet = np.array([top.foot for top in tops])
    usual, weight = 1 / thresholds.USUAL_LENS, thresholds.USUAL_LENS_WEIGHT
    pull = (weight * usual - float((out * feet).sum())) / (weight + float((out * out).sum()))
    return min(max(pull, 0.0), 1 / thresholds.LOWEST_LENS)


def _leans(shape: tuple[int, ...], tops: Sequence[Top]) -> bool:
    """Return whether a die leans: it looks so, or its foot is seen where that of no flat one is,
    or something of both.

    From above, the foot of a flat die is seen towards the middle of the picture, the farther the
    farther out the die lies.
    """
    out = (np.array([(top.x, top.y) for top in tops]) - _middle(shape)) / usual_side(tops)
    beside = np.array([top.foot for top in tops]) + _pull(tops, _middle(shape)) * out
    looks = np.array([top.lean for top in tops])
    both = thresholds.LOOKS_OF_FOOT * np.hypot(*beside.T) + looks
    return bool(looks.max() >= thresholds.LEANS or both.max() >= thresholds.LEANS_BY_BOTH)

"""Whether the dice of a throw lie flat, as the host's camera above them shows it.

A die leans only against something, so one that touches another has no outline of its own, and is
in doubt. Its pips are counted once more on the way: a third reading of its face.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tabletools.dice import thresholds
from tabletools.dice.overhead.die_outline import DieOutline, outline_of
from tabletools.dice.overhead.host_tray import HostTray
from tabletools.dice.overhead.lens import Lens
from tabletools.dice.picture_patches import Grey
from tabletools.dice.reading import Verdict
from tabletools.dice.reasons import AMBIGUOUS, COCKED, NAMES, UNREADABLE


def verified(verdict: Verdict, tray: HostTray, picture: Grey) -> Verdict:
    """Return a verdict that holds only if all dice are seen to lie flat. picture: the camera's."""
    empty = tray.in_light_of(picture)
    places = [tray.in_camera(top) for top in verdict.tops]
    outlines = [outline_of(picture, empty, *place, tray.body, tray.light) for place in places]
    dice = [die for die in outlines if die is not None]
    # Where pips are not separate their middle is not that of the top, so no lean is measured.
    if len(dice) < len(outlines) or sorted(die.pips for die in dice) != verdict.dice:
        return replace(verdict, reason=NAMES[AMBIGUOUS])
    if any(_leans(tray.lens, die) for die in dice):
        return replace(verdict, reason=NAMES[COCKED])
    # A face on paper has the outline of a die below the lens, but neither side nor shadow.
    tops = zip(verdict.tops, dice, strict=True)
    if any(top.is_bodiless and not _is_die(tray.lens, die) for top, die in tops):
        return replace(verdict, reason=NAMES[UNREADABLE])
    return verdict


def _leans(lens: Lens, die: DieOutline) -> bool:
    """Whether a die leans, or may do so by 6 degrees."""
    return lens.margin(die) <= 0 or float(np.abs(lens.off(die)).max()) > thresholds.MOST_OFF


def _is_die(lens: Lens, die: DieOutline) -> bool:
    """Whether a flat die has a shadow, or shows a side wide enough to be none on paper."""
    shows_side = float(lens.visible(die).max()) >= thresholds.LEAST_SIDE * lens.edge_at(die)
    return die.shade >= thresholds.LEAST_SHADE or shows_side

"""One picture read by the host, against the empty tray where that is known."""

from __future__ import annotations

from tablelogic.dice.reasons import COUNT_WRONG, CUT_OFF, NAMES, READ
from tabletools.dice.pictures import Frame
from tabletools.dice.reading import Verdict, read_frame
from tabletools.dice.reading_by_maps import read_by_maps
from tabletools.dice.reference import Reference, pixels


def read_picture(frame: Frame, expected: int = 0, reference: Reference | None = None) -> Verdict:
    """Read a frame with all the host has. expected: dice of the table, 0 when not known.

    Where the empty tray is not known, the folds of its walls may look like dice cut off: then the
    table's own reading of the picture decides, if it has the same faces.
    """
    picture = pixels(frame)
    plain = reference.plain(picture) if reference else None
    reason, values = read_by_maps(picture if plain is None else plain, walls=plain is None)
    if plain is None and reason == CUT_OFF and values:
        table = read_frame(frame)
        reason = READ if table.accepted and table.dice == values else reason
    if reason == READ and expected and len(values) != expected:
        reason = COUNT_WRONG
    return Verdict(values, NAMES[reason], plain is not None)

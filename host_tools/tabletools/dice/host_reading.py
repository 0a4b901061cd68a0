"""One picture read by the host, against the empty tray where that is known."""

from __future__ import annotations

from tablelogic.dice.reasons import COUNT_WRONG, NAMES, READ
from tabletools.dice.pictures import Frame
from tabletools.dice.reading import Verdict
from tabletools.dice.reading_by_maps import read_by_maps
from tabletools.dice.reference import Reference, pixels


def read_picture(frame: Frame, expected: int = 0, reference: Reference | None = None) -> Verdict:
    """Read a frame with all the host has. expected: dice of the table, 0 when not known."""
    picture = pixels(frame)
    plain = reference.plain(picture) if reference else None
    reason, values = read_by_maps(picture if plain is None else plain)
    if reason == READ and expected and len(values) != expected:
        reason = COUNT_WRONG
    return Verdict(values, NAMES[reason], plain is not None)

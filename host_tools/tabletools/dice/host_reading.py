"""One picture read by the host: in one look by the network, and if that doubts in four turns.

The network is quick and reads most dice; the logic of the tray in four turns reads some that it
does not. What the two read of one picture must not differ.
"""

from __future__ import annotations

from collections import Counter

from tablelogic.dice.reasons import AMBIGUOUS, COCKED, COUNT_WRONG, NAMES, READ, UNREADABLE
from tabletools.dice.four_turns import read_turned
from tabletools.dice.network_reading import read_by_network
from tabletools.dice.pictures import Frame
from tabletools.dice.reading import Verdict
from tabletools.dice.reference import Grey, Reference, pixels

_DOUBTS = (UNREADABLE, COCKED)


def read_picture(frame: Frame, expected: int = 0, reference: Reference | None = None) -> Verdict:
    """Read a frame with all the host has. expected: dice of the table, 0 when not known."""
    picture = pixels(frame)
    plain = reference.plain(picture) if reference else None
    reason, values = _read(picture if plain is None else plain)
    if reason == READ and expected and len(values) != expected:
        reason = COUNT_WRONG
    return Verdict(values, NAMES[reason], plain is not None)


def _read(picture: Grey) -> tuple[int, list[int]]:
    """Return (reason, sorted values) of a picture."""
    reason, sure = read_by_network(picture)
    if reason not in _DOUBTS:
        return reason, sure
    reason, values = read_turned(picture)
    if reason == READ and Counter(sure) - Counter(values):
        return AMBIGUOUS, values
    return reason, values

"""One picture read by the host: in one look by the network, and if that doubts in four turns.

The network is quick and reads most dice; the logic of the tray in four turns reads some that it
does not. What the two read of one picture must not differ. Two networks that map the picture
(reading_by_maps.py) must not contradict, and may read where the others see an arm, a cut or an
unreadable die.
"""

from __future__ import annotations

from collections import Counter

from tablelogic.dice.reasons import (
    AMBIGUOUS,
    COCKED,
    COUNT_WRONG,
    CUT_OFF,
    FOREIGN,
    NAMES,
    READ,
    UNREADABLE,
)
from tabletools.dice.four_turns import read_turned
from tabletools.dice.network_reading import read_by_network
from tabletools.dice.patches import Grey
from tabletools.dice.pictures import Frame
from tabletools.dice.reading import Verdict
from tabletools.dice.reading_by_maps import Seen, read_by_maps
from tabletools.dice.reference import Reference, pixels

_DOUBTS = (UNREADABLE, COCKED)
# What a wall, a fold or a faint die may be taken for.
_OVERRULED = (FOREIGN, UNREADABLE, CUT_OFF)


def read_picture(frame: Frame, expected: int = 0, reference: Reference | None = None) -> Verdict:
    """Read a frame with all the host has. expected: dice of the table, 0 when not known."""
    picture = pixels(frame)
    plain = reference.plain(picture) if reference else None
    seen = picture if plain is None else plain
    reason, values = agreed(*_read(seen), read_by_maps(seen))
    if reason == READ and expected and len(values) != expected:
        reason = COUNT_WRONG
    return Verdict(values, NAMES[reason], plain is not None)


def agreed(reason: int, values: list[int], seen: Seen) -> tuple[int, list[int]]:
    """Return (reason, values) when the maps of a picture were seen too.

    What was read is refused where they show another face or another number of dice. What was not
    may be read by them when they show every face that was; a one that they alone show is too
    little, for a coin with a mark in its middle is one too.
    """
    more, fewer = Counter(seen.values) - Counter(values), Counter(values) - Counter(seen.values)
    if reason == READ:
        return (AMBIGUOUS if more or seen.dice != len(values) else READ), values
    if reason in _OVERRULED and seen.reason == READ and not fewer and 1 not in more:
        return READ, seen.values
    return reason, values


def _read(picture: Grey) -> tuple[int, list[int]]:
    """Return (reason, sorted values) of a picture."""
    reason, sure = read_by_network(picture)
    if reason not in _DOUBTS:
        return reason, sure
    reason, values = read_turned(picture)
    if reason == READ and Counter(sure) - Counter(values):
        return AMBIGUOUS, values
    return reason, values

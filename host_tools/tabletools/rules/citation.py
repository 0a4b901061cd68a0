"""Citations: the paragraphs that decide a bet, in order, and what they pay, as one text.

`hc2011 3:2(21) pays 6:5, 3:2(4)`: the edition once; first the paragraph that decides, then those
it overrides or completes. It is made once for each verdict and stored with each settlement.
"""

from functools import lru_cache
from typing import NamedTuple

from tabletools.rules.money import Odds

_BETWEEN, _PAYS = ", ", " pays "
_PRINTED = {(1, 2): "0.5:1", (19, 20): "19/20"}
"""Odds that the documents do not print as n:d."""


class Citation(NamedTuple):
    """A citation, read."""

    paragraphs: tuple[str, ...]
    """With their edition, the deciding one first: `hc2011 3:2(21)`."""
    odds: str | None
    """What is paid, as printed, winnings to stake; `1:1 + 1:1` where a bonus is added."""


def cite(edition: str, names: str) -> str:
    """Return the citation of paragraphs of an edition, joined by `+`: `2:3(3)+2:2(1)`."""
    return f"{edition} {names.replace('+', _BETWEEN)}"


@lru_cache(1024)
def over(*citations: str) -> str:
    """Return one citation of several of the same edition; the first decides.

    A paragraph in more than one of them stands where it stands last.
    """
    edition, _, _ = citations[0].partition(" ")
    names = _BETWEEN.join(each.removeprefix(f"{edition} ") for each in citations).split(_BETWEEN)
    last = [name for place, name in enumerate(names) if name not in names[place + 1 :]]
    return f"{edition} {_BETWEEN.join(last)}"


@lru_cache(1024)
def paying(citation: str, odds: Odds | str) -> str:
    """Return a citation whose first paragraph pays odds: a pair, or as printed."""
    first, between, others = citation.partition(_BETWEEN)
    printed = odds if isinstance(odds, str) else _PRINTED.get(odds, f"{odds[0]}:{odds[1]}")
    return f"{first}{_PAYS}{printed}{between}{others}"


def is_one_paragraph(citation: str) -> bool:
    """Whether a citation is one paragraph without what it pays."""
    return _BETWEEN not in citation and _PAYS not in citation


@lru_cache(1024)
def read(citation: str) -> Citation:
    """Return the paragraphs and odds of a citation."""
    edition, _, rest = citation.partition(" ")
    if not rest:
        return Citation((citation,), None)
    parts = [each.partition(_PAYS) for each in rest.split(_BETWEEN)]
    names = dict.fromkeys(f"{edition} {name}" for name, _, _ in parts)
    odds = " + ".join(printed for _, _, printed in parts if printed)
    return Citation(tuple(names), odds or None)

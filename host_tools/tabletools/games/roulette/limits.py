"""Minimum, multiples and maximum of a roulette table.

hc2011 2:2(3) prints maxima for each minimum; hc2023 1:1(8) prints EUR 10,000 per chance and
leaves the minimum to the table's display (READING-7). An imprisoned stake was placed in an earlier
round and is not measured again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from tabletools.games.roulette.editions import RouletteRules
from tabletools.games.roulette.layout import EVEN_CHANCES, KINDS, TWELVES, Position
from tabletools.rules.bets import CompiledBet
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.limits import (
    MAXIMUM_2023,
    NO_EXCEPTIONS,
    LimitExceptions,
    Printed,
    merged_maxima,
    verify_bets,
    verify_minimum,
)
from tabletools.rules.violation import RuleViolation, shown

WIDTHS: tuple[int, ...] = tuple(dict.fromkeys(KINDS.values()))
"""How many numbers a bet can cover; maxima depend on it."""

_WIDTHS_2011 = (1, 2, 3, 4, 6, 12, 18)
_COLUMNS_2011: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((200,), (100, 200, 300, 400, 600, 2000, 4000)),
    ((250, 500), (200, 400, 600, 800, 1200, 3000, 6000)),
    ((750, 1000), (300, 600, 900, 1200, 1800, 4000, 8000)),
    ((1500, 2000), (400, 800, 1200, 1600, 2400, 5000, 10000)),
    # 45 is among the minima but in no printed column; treated as its neighbours (READING-10).
    (
        (2500, 3000, 3500, 4000, 4500, 5000),
        (500, 1000, 1500, 2000, 3000, 6000, 10000),
    ),
    ((7500, 10000), (1000, 2000, 3000, 4000, 6000, 10000, 10000)),
)
"""hc2011 2:2(3), by 2:3(2) also American: minima in cents, maxima in EUR by _WIDTHS_2011. The top
line has no printed maximum (READING-11)."""

NOT_OFFERED_NAMES: tuple[str, ...] = ("dozen", "column", "even_chance")
"""Bets a table need not offer: hc2011 2:2(2); hc2023 2:2(2), 2:3(4), 2:4(3)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one table, cents.

    minimum: displayed minimum. special_minimum: minimum for columns, dozens and even chances
    (hc2011 and hc2023 2:1(3); READING-8). maximum: per player and chance, by width; a width that
    is missing has none. not_offered: kinds this table does not offer. exceptions: for some
    players, and for its terminals.
    """

    minimum: int
    special_minimum: int
    maximum: Mapping[int, int]
    not_offered: frozenset[str]
    exceptions: LimitExceptions = NO_EXCEPTIONS

    def minimum_of(self, position: Position) -> int:
        """Return the minimum for a position."""
        is_special = position.kind in TWELVES + EVEN_CHANCES
        return self.special_minimum if is_special else self.minimum

    def maximum_of(self, position: Position) -> int | None:
        """Return the maximum for a position, None if it has none."""
        return self.maximum.get(KINDS[position.kind])


def printed_maxima(rules: RouletteRules, minimum: int) -> dict[int, int]:
    """Return the maxima the edition prints for a minimum, cents by width; {} if none."""
    if rules.edition != "hc2011":
        return dict.fromkeys(WIDTHS, MAXIMUM_2023)
    for minima, maxima in _COLUMNS_2011:
        if minimum in minima:
            return {w: 100 * most for w, most in zip(_WIDTHS_2011, maxima, strict=True)}
    return {}


def _verify_minima(rules: RouletteRules, minimum: int, special: int) -> None:
    verify_minimum(minimum)
    verify_minimum(special, "special_minimum")
    if rules.edition == "hc2011" and special < minimum:
        what = f"special_minimum {special} is below minimum {minimum}, hc2011 2:1(3) has it higher"
        raise RuleViolation(LIMITS_INVALID, what, "special_minimum")


def limits_of(
    rules: RouletteRules,
    minimum: int,
    *,
    special_minimum: int | None = None,
    maximum: Mapping[int, int] | None = None,
    not_offered: Iterable[str] = (),
) -> Limits:
    """Return the limits of a table; raise RuleViolation when they contradict the edition.

    maximum: cents by width; a width left out has the printed maximum, if there is one.
    not_offered: of NOT_OFFERED_NAMES.
    """
    special = minimum if special_minimum is None else special_minimum
    _verify_minima(rules, minimum, special)
    kinds: set[str] = set()
    for place, name in enumerate(not_offered):
        if name not in NOT_OFFERED_NAMES:
            what = f"a table cannot leave out {shown(name)}, only: {' '.join(NOT_OFFERED_NAMES)}"
            raise RuleViolation(LIMITS_INVALID, what, f"not_offered[{place}]")
        kinds.update(EVEN_CHANCES if name == "even_chance" else (name,))
    maxima = merged_maxima(
        Printed(rules.edition, "2:2(3)", printed_maxima(rules, minimum)),
        maximum,
        least={width: special if width >= 12 else minimum for width in WIDTHS},
    )
    return Limits(minimum, special, MappingProxyType(maxima), frozenset(kinds))


def verify_limits(rules: RouletteRules, limits: Limits, bets: Sequence[CompiledBet]) -> None:
    """Raise RuleViolation at the first bet that a table with these limits does not accept.

    bets: all bets of the round, from the table and its terminals alike: the maximum applies per
    player and chance over both (1:1(6); hc2023 1:1(13), hc2011 2:1(4)).
    """
    verify_bets(limits, bets, edition=rules.edition, offer_article=rules.offer_article)

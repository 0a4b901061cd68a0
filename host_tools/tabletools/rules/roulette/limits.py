"""Minimum, multiples and maximum of a roulette table.

hc2011 2:2(3) prints maxima for each minimum; hc2023 1:1(8) prints EUR 10,000 per chance and
leaves the minimum to the table's display (READING-7). An imprisoned stake was laid in an earlier
round and is not measured again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from tabletools.rules.bets import Placed
from tabletools.rules.money import MAX_STAKE, euros
from tabletools.rules.refusal import (
    ABOVE_MAXIMUM,
    BELOW_MINIMUM,
    BET_NOT_OFFERED,
    LIMITS_INVALID,
    NOT_A_MULTIPLE,
    Refusal,
    shown,
    within,
)
from tabletools.rules.roulette.editions import RouletteRules
from tabletools.rules.roulette.layout import EVEN_CHANCES, KINDS, TWELVES, Position

WIDTHS: tuple[int, ...] = tuple(dict.fromkeys(KINDS.values()))
"""How many numbers a bet can cover; maxima go by it."""

_WIDTHS_2011 = (1, 2, 3, 4, 6, 12, 18)
_COLUMNS_2011: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((200,), (100, 200, 300, 400, 600, 2000, 4000)),
    ((250, 500), (200, 400, 600, 800, 1200, 3000, 6000)),
    ((750, 1000), (300, 600, 900, 1200, 1800, 4000, 8000)),
    ((1500, 2000), (400, 800, 1200, 1600, 2400, 5000, 10000)),
    # 45 is among the minima but in no printed column; taken with its neighbours (READING-10).
    (
        (2500, 3000, 3500, 4000, 4500, 5000),
        (500, 1000, 1500, 2000, 3000, 6000, 10000),
    ),
    ((7500, 10000), (1000, 2000, 3000, 4000, 6000, 10000, 10000)),
)
"""hc2011 2:2(3), by 2:3(2) also American: minima in cents, maxima in EUR by _WIDTHS_2011. The top
line has no printed maximum (READING-11)."""

_MAXIMUM_2023 = 1_000_000
"""hc2023 1:1(8): EUR 10,000 per chance, cents."""

NOT_OFFERED_NAMES: tuple[str, ...] = ("dozen", "column", "even_chance")
"""Bets a table may do without: hc2011 2:2(2); hc2023 2:2(2), 2:3(4), 2:4(3)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one table accepts, cents.

    minimum: displayed minimum. special_minimum: minimum for columns, dozens and even chances
    (hc2011 and hc2023 2:1(3); READING-8). maximum: per player and chance, by width; a width that
    is missing has none. not_offered: kinds this table does without.
    """

    minimum: int
    special_minimum: int
    maximum: Mapping[int, int]
    not_offered: frozenset[str]

    def minimum_of(self, position: Position) -> int:
        """Return the minimum for a position."""
        is_special = position.kind in TWELVES + EVEN_CHANCES
        return self.special_minimum if is_special else self.minimum


def printed_maxima(rules: RouletteRules, minimum: int) -> dict[int, int]:
    """Return the maxima the edition prints for a minimum, cents by width; {} if none."""
    if rules.edition != "hc2011":
        return dict.fromkeys(WIDTHS, _MAXIMUM_2023)
    for minima, maxima in _COLUMNS_2011:
        if minimum in minima:
            return {w: 100 * most for w, most in zip(_WIDTHS_2011, maxima, strict=True)}
    return {}


def _refuse_limits(what: str, where: str) -> Refusal:
    return Refusal(LIMITS_INVALID, what, where)


def _verify_minima(rules: RouletteRules, minimum: int, special: int) -> None:
    for name, cents in (("minimum", minimum), ("special_minimum", special)):
        if type(cents) is not int or not 1 <= cents <= MAX_STAKE:
            raise _refuse_limits(f"{name} is not a number of cents from 1 to {MAX_STAKE}", name)
    if rules.edition == "hc2011" and special < minimum:
        what = f"special_minimum {special} is below minimum {minimum}, hc2011 2:1(3) has it higher"
        raise _refuse_limits(what, "special_minimum")


def _merged_maxima(
    rules: RouletteRules, minimum: int, special: int, given: Mapping[int, int] | None
) -> dict[int, int]:
    printed = printed_maxima(rules, minimum)
    if given is None and not printed:
        what = f"hc2011 2:2(3) prints no maxima for a minimum of {euros(minimum)}, give them"
        raise _refuse_limits(what, "maximum")
    for width, cents in (given or {}).items():
        where = f"maximum.{width}"
        if width not in WIDTHS:
            raise _refuse_limits(f"no bet covers {width} numbers", where)
        least = special if width >= 12 else minimum
        if type(cents) is not int or not least <= cents <= MAX_STAKE:
            what = f"maximum of {width} numbers is not from {least} to {MAX_STAKE} cents"
            raise _refuse_limits(what, where)
        # hc2011 2:2(3): the printed figures "only indicate a maximum", a table may set lower.
        if rules.edition == "hc2011" and cents > printed.get(width, MAX_STAKE):
            what = f"maximum {cents} of {width} numbers is above the {printed[width]} of 2:2(3)"
            raise _refuse_limits(what, where)
    return {**printed, **(given or {})}


def limits_of(
    rules: RouletteRules,
    minimum: int,
    *,
    special_minimum: int | None = None,
    maximum: Mapping[int, int] | None = None,
    not_offered: Iterable[str] = (),
) -> Limits:
    """Return the limits of a table; raise Refusal when they contradict the edition.

    maximum: cents by width; a width left out has the printed maximum, if there is one.
    not_offered: of NOT_OFFERED_NAMES.
    """
    special = minimum if special_minimum is None else special_minimum
    _verify_minima(rules, minimum, special)
    kinds: set[str] = set()
    for place, name in enumerate(not_offered):
        if name not in NOT_OFFERED_NAMES:
            what = f"a table cannot leave out {shown(name)}, only: {' '.join(NOT_OFFERED_NAMES)}"
            raise _refuse_limits(what, f"not_offered[{place}]")
        kinds.update(EVEN_CHANCES if name == "even_chance" else (name,))
    maxima = _merged_maxima(rules, minimum, special, maximum)
    return Limits(minimum, special, MappingProxyType(maxima), frozenset(kinds))


def _verify_stake_size(rules: RouletteRules, limits: Limits, bet: Placed) -> None:
    kind = bet.chance.kind
    if kind in limits.not_offered:
        what = f"this table offers no {kind} ({rules.offer_article})"
        raise Refusal(BET_NOT_OFFERED, what, "bet")
    minimum = limits.minimum_of(bet.chance)
    if bet.stake < minimum:
        what = f"stake {bet.stake} on {kind} is below the minimum {minimum}"
        raise Refusal(BELOW_MINIMUM, what, "stake")
    if bet.stake % minimum:
        what = (
            f"stake {bet.stake} on {kind} is not a multiple of the minimum {minimum} "
            f"({rules.edition} 1:1(8))"
        )
        raise Refusal(NOT_A_MULTIPLE, what, "stake")


def verify_limits(rules: RouletteRules, limits: Limits, bets: Sequence[Placed]) -> None:
    """Raise Refusal at the first bet a table of these limits does not take.

    bets: all bets of the round, from the table and its terminals alike: the maximum holds per
    player and chance over both (1:1(6); hc2023 1:1(13), hc2011 2:1(4)).
    """
    staked: dict[tuple[str | None, Position], int] = {}
    for place, bet in enumerate(bets):
        if bet.state is not None:
            continue
        with within(f"bets[{place}]"):
            _verify_stake_size(rules, limits, bet)
        key = (bet.player, bet.chance)
        staked[key] = staked.get(key, 0) + bet.stake
        most = limits.maximum.get(KINDS[bet.chance.kind])
        if most is not None and staked[key] > most:
            usable = most - most % limits.minimum_of(bet.chance)
            what = (
                f"player {shown(bet.player)} has {staked[key]} on one {bet.chance.kind}, the "
                f"maximum is {most}, in multiples {usable} ({rules.edition} 1:1(6))"
            )
            raise Refusal(ABOVE_MAXIMUM, what, f"bets[{place}].stake")


def can_take(rules: RouletteRules, limits: Limits, bets: Sequence[Placed]) -> bool:
    """Say whether `verify_limits` would accept all bets."""
    try:
        verify_limits(rules, limits, bets)
    except Refusal:
        return False
    return True

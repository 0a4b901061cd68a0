"""Limits of a table that are for some players, or for its terminals, as a table states them.

hc2011 and hc2023 1:1(6) and 1:1(7); terminals hc2023 1:1(13), hc2011 2:1(4) and (5). The other
editions have none of them.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.declared import Declared, Stake, Text
from tabletools.rules.limits import (
    HOLLAND_CASINO,
    NO_EXCEPTIONS,
    LimitExceptions,
    StakeLimits,
    TableLimits,
    verify_minimum,
)
from tabletools.rules.money import MAX_STAKE
from tabletools.rules.violation import RuleViolation, shown, within

Maxima = dict[Text, Stake | None]


class TerminalLimits(Declared, frozen=True, kw_only=True):
    """Limits of the terminals of a table; what is left out is as at the table."""

    minimum: Annotated[
        Stake | None,
        Meta(description="Cents, at most that of the table; not for bets with another minimum."),
    ] = None
    maximum: Annotated[
        Maxima | None,
        Meta(description="hc2023: cents per player and chance at terminals, as `maximum`."),
    ] = None


class PlayerLimits(Declared, frozen=True, kw_only=True):
    """A higher maximum of one player, with its minimum."""

    minimum: Annotated[Stake, Meta(description="Cents, at least that of the table.")]
    maximum: Annotated[Maxima | None, Meta(description="As `maximum`; left out: as printed.")] = (
        None
    )


class ExceptionsTable(Declared, frozen=True, kw_only=True):
    """Limits of some players and of the terminals."""

    groups: Annotated[
        tuple[tuple[Text, ...], ...] | None,
        Meta(description="Players whose stakes keep to the maximum of a chance together."),
    ] = None
    players: Annotated[
        dict[Text, PlayerLimits] | None, Meta(description="Own limits, by player.")
    ] = None
    terminals: TerminalLimits | None = None

    @property
    def has_exceptions(self) -> bool:
        """Whether there are limits beside those of the table."""
        return (self.groups, self.players, self.terminals) != (None, None, None)


class Measures(NamedTuple):
    """How a game measures stakes."""

    edition: str
    minima: Mapping[Any, int]
    """Of the table, cents by key of its maxima."""
    row_of: Callable[[Any], Any]
    """Returns the key of a chance."""
    maxima: Callable[[Maxima], Mapping[Any, int]]
    """Returns maxima by key, as a table states them. Raises RuleViolation."""
    limits: Callable[[PlayerLimits], TableLimits]
    """Returns the limits a table with this minimum and maxima has. Raises RuleViolation."""
    terminals_article: str | None
    """None where the edition has no terminals at this game."""


@dataclass(frozen=True, slots=True)
class _AtTerminal:
    """The limits of a table with a lower minimum, or lower maxima."""

    table: StakeLimits
    lowest: int
    """Minimum of the bets that have no other."""
    minimum: int
    maximum: Mapping[Any, int]
    row_of: Callable[[Any], Any]

    @property
    def not_offered(self) -> frozenset[str]:
        """Those of the table."""
        return self.table.not_offered

    def minimum_of(self, chance: Any) -> int:
        """Return the minimum on a chance: a bet with another one than the table keeps it."""
        minimum = self.table.minimum_of(chance)
        return self.minimum if minimum == self.lowest else minimum

    def maximum_of(self, chance: Any) -> int | None:
        """Return the maximum on a chance."""
        return self.maximum.get(self.row_of(chance), self.table.maximum_of(chance))


def exceptions_of(
    stated: ExceptionsTable, limits: TableLimits, minimum: int, measures: Measures
) -> LimitExceptions:
    """Return the exceptions of a table with these limits. Raises RuleViolation.

    minimum: displayed, cents.
    """
    if not stated.has_exceptions:
        return NO_EXCEPTIONS
    if measures.edition not in HOLLAND_CASINO:
        what = f"{measures.edition} has no limits of groups, single players or terminals"
        raise RuleViolation(LIMITS_INVALID, what, "groups")
    groups = _groups(stated.groups or (), stated.players or {})
    players = {}
    for player, own in (stated.players or {}).items():
        with within(f"players.{player}"):
            players[player] = _own(own, limits, minimum, measures)
    if stated.terminals is None:
        return LimitExceptions(groups, players)
    with within("terminals"):
        terminals = _terminals(stated.terminals, limits, minimum, measures)
    return LimitExceptions(groups, players, terminals, measures.terminals_article or "")


def _groups(
    groups: Iterable[tuple[str, ...]], own: Mapping[str, Any]
) -> dict[str, tuple[str, ...]]:
    """Return the group of each player; a player is in one only, and has then no own limits."""
    by_player: dict[str, tuple[str, ...]] = {}
    for place, group in enumerate(groups):
        where = f"groups[{place}]"
        if len(group) < 2:
            what = f"a group is of two players at least, found {len(group)}"
            raise RuleViolation(LIMITS_INVALID, what, where)
        for player in group:
            if player in by_player:
                what = f"player {shown(player)} is in a group twice"
                raise RuleViolation(LIMITS_INVALID, what, where)
            if player in own:
                what = f"player {shown(player)} is in a group and has own limits"
                raise RuleViolation(LIMITS_INVALID, what, where)
            by_player[player] = group
    return by_player


def _own(own: PlayerLimits, limits: TableLimits, minimum: int, measures: Measures) -> TableLimits:
    """Return own limits of a player: some maximum is higher than at the table, none is lower."""
    if own.minimum < minimum:
        what = f"minimum {own.minimum} is below the {minimum} of the table"
        raise RuleViolation(LIMITS_INVALID, f"{what} ({measures.edition} 1:1(7))", "minimum")
    higher = measures.limits(own)
    rows = {row: (higher.maximum.get(row), most) for row, most in limits.maximum.items()}
    for row, (most, at_table) in rows.items():
        if most is not None and most < at_table:
            what = f"maximum {most} of {row} is below the {at_table} of the table"
            where = f"maximum.{row}"
            raise RuleViolation(LIMITS_INVALID, f"{what} ({measures.edition} 1:1(7))", where)
    if all(most == at_table for most, at_table in rows.values()):
        what = f"no maximum is above that of the table ({measures.edition} 1:1(7))"
        raise RuleViolation(LIMITS_INVALID, what, "maximum")
    return higher


def _terminals(
    stated: TerminalLimits, limits: TableLimits, minimum: int, measures: Measures
) -> StakeLimits:
    """Return the limits of the terminals: none is higher than at the table."""
    edition, article = measures.edition, measures.terminals_article
    if article is None:
        raise RuleViolation(LIMITS_INVALID, f"{edition} has no terminals at this game")
    lower = minimum if stated.minimum is None else stated.minimum
    verify_minimum(lower)
    if lower > minimum:
        what = f"minimum {lower} is above the {minimum} of the table ({edition} {article})"
        raise RuleViolation(LIMITS_INVALID, what, "minimum")
    if stated.maximum and edition == "hc2011":
        what = f"{edition} {article} lets a terminal have a lower minimum only"
        raise RuleViolation(LIMITS_INVALID, what, "maximum")
    maxima = measures.maxima(stated.maximum or {})
    for row, cents in maxima.items():
        least, most = measures.minima[row], limits.maximum.get(row, MAX_STAKE)
        least = lower if least == minimum else least
        if not least <= cents <= most:
            what = f"maximum {cents} of {row} is not from {least} to the {most} of the table"
            where = f"maximum.{row}"
            raise RuleViolation(LIMITS_INVALID, f"{what} ({edition} {article})", where)
    return _AtTerminal(limits, minimum, lower, maxima, measures.row_of)

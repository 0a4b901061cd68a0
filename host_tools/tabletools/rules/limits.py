"""Stakes a table accepts, for any game: minimum, multiples, maximum per player and chance.

hc2011 and hc2023 1:1(6)-(8); the other editions have no multiples. Beside the limits of the table
there may be those of some players and of its terminals, see `LimitExceptions`. A live stake with a
state was placed in an earlier round and is not measured again.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

from tabletools.rules.bets import CompiledBet
from tabletools.rules.codes.bets import BET_NOT_OFFERED
from tabletools.rules.codes.stakes import (
    ABOVE_MAXIMUM,
    BELOW_MINIMUM,
    LIMITS_INVALID,
    NOT_A_MULTIPLE,
)
from tabletools.rules.money import MAX_STAKE
from tabletools.rules.violation import RuleViolation, player_shown, shown, within

MAXIMUM_2023 = 1_000_000
"""hc2023 1:1(8): EUR 10,000 per chance, cents. The EUR 5 of the same sentence is no limit: the
minimum the table displays governs (READING-7)."""

HOLLAND_CASINO = ("hc2011", "hc2023")
"""Editions whose 1:1(6) and 1:1(8) hold for every game."""

Row = TypeVar("Row", str, int)
"""Key of maxima: numbers covered (roulette), a line of a printed table, a bet."""


class StakeLimits(Protocol):
    """The limits of a table. Chances have a `kind`."""

    @property
    def not_offered(self) -> frozenset[str]:
        """Kinds of bets the table does not offer."""

    def minimum_of(self, chance: Any, /) -> int:
        """Return the minimum on a chance, cents."""

    def maximum_of(self, chance: Any, /) -> int | None:
        """Return the maximum per player on a chance, cents, None if there is none."""


class TableLimits(StakeLimits, Protocol):
    """The limits of a table with those of its players and terminals."""

    @property
    def maximum(self) -> Mapping[Any, int]:
        """Cents per player, by the key of a chance; none if it is missing."""

    @property
    def exceptions(self) -> "LimitExceptions":
        """Limits beside those of the table."""


@dataclass(frozen=True, slots=True)
class LimitExceptions:
    """Limits of some players, and of the terminals of a table, beside those of the table."""

    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By player: all players whose stakes are counted together with his."""
    players: Mapping[str, StakeLimits] = field(default_factory=dict)
    """By player: own limits, at the table and its terminals alike."""
    terminals: StakeLimits | None = None
    """Those at every terminal, where they are lower than at the table."""
    terminals_article: str = ""


NO_EXCEPTIONS = LimitExceptions()


class Printed(NamedTuple):
    """The maxima an edition prints for one minimum, cents by row; {} if none. article: of them."""

    edition: str
    article: str
    maxima: Mapping[Any, int]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one table, cents.

    minimum: by the `row` of a chance. maximum: none if missing.
    """

    minimum: Mapping[str, int]
    maximum: Mapping[str, int]
    not_offered: frozenset[str]
    exceptions: LimitExceptions = NO_EXCEPTIONS

    def minimum_of(self, chance: Any) -> int:
        """Return the minimum on a chance."""
        return self.minimum[chance.row]

    def maximum_of(self, chance: Any) -> int | None:
        """Return the maximum for a chance, None if it has none."""
        return self.maximum.get(chance.row)


def verify_minimum(cents: object, where: str = "minimum") -> None:
    """Raise RuleViolation unless the minimum is a valid stake."""
    if type(cents) is not int or not 1 <= cents <= MAX_STAKE:
        what = f"{where} is not a number of cents from 1 to {MAX_STAKE}"
        raise RuleViolation(LIMITS_INVALID, what, where)


def merged_maxima(
    printed: Printed, own: Mapping[Row, int] | None, least: Mapping[Row, int]
) -> dict[Row, int]:
    """Return the printed maxima, replaced by those of the table where given.

    least: the minimum of every row. The figures of hc2011 "only indicate a maximum": a table may
    set lower ones. hc2023 1:1(7) lets it set higher ones too.
    """
    if own is None and not printed.maxima:
        what = f"{printed.edition} {printed.article} prints no maxima for this minimum, give them"
        raise RuleViolation(LIMITS_INVALID, what, "maximum")
    for row, cents in (own or {}).items():
        where = f"maximum.{row}"
        if row not in least:
            raise RuleViolation(LIMITS_INVALID, f"no bet has a maximum called {shown(row)}", where)
        if type(cents) is not int or not least[row] <= cents <= MAX_STAKE:
            what = f"maximum of {row} is not from {least[row]} to {MAX_STAKE} cents"
            raise RuleViolation(LIMITS_INVALID, what, where)
        most = printed.maxima.get(row, MAX_STAKE)
        if printed.edition == "hc2011" and cents > most:
            what = f"maximum {cents} of {row} is above the {most} of hc2011 {printed.article}"
            raise RuleViolation(LIMITS_INVALID, what, where)
    return {**printed.maxima, **(own or {})}


def _verify_stake_size(
    limits: StakeLimits, bet: CompiledBet, *, edition: str, offer_article: str
) -> None:
    kind = bet.chance.kind
    if kind in limits.not_offered:
        raise RuleViolation(
            BET_NOT_OFFERED, f"this table offers no {kind} ({offer_article})", "bet"
        )
    minimum = limits.minimum_of(bet.chance)
    if bet.stake < minimum:
        what = f"stake {bet.stake} on {kind} is below the minimum {minimum}"
        raise RuleViolation(BELOW_MINIMUM, what, "stake")
    is_fixed = limits.maximum_of(bet.chance) == minimum  # then more is above the maximum
    if bet.stake % minimum and not is_fixed and edition in HOLLAND_CASINO:
        what = (
            f"stake {bet.stake} on {kind} is not a multiple of the minimum {minimum} "
            f"({edition} 1:1(8))"
        )
        raise RuleViolation(NOT_A_MULTIPLE, what, "stake")


class _Maximum(NamedTuple):
    """A maximum that a bet counts towards.

    players: those whose stakes on the chance are counted together; None: everyone's. part: empty,
    or what alone is counted.
    """

    players: object
    part: str
    cents: int | None
    minimum: int
    article: str


def _maxima_of(limits: TableLimits, bet: CompiledBet, article: str) -> Iterator[_Maximum]:
    """Yield the maxima that a bet counts towards. article: of that of the table."""
    exceptions, chance = limits.exceptions, bet.chance
    own = exceptions.players.get(bet.player or "")
    if own is not None:
        cents, minimum = own.maximum_of(chance), own.minimum_of(chance)
        yield _Maximum(bet.player, "", cents, minimum, "1:1(7)")
        return
    players = exceptions.groups.get(bet.player or "", bet.player)
    cents, minimum = limits.maximum_of(chance), limits.minimum_of(chance)
    yield _Maximum(players, "", cents, minimum, article)
    terminals = exceptions.terminals
    if bet.at_terminal and terminals is not None:
        cents, minimum = terminals.maximum_of(chance), terminals.minimum_of(chance)
        yield _Maximum(players, " at terminals", cents, minimum, exceptions.terminals_article)


def _limits_for(limits: TableLimits, bet: CompiledBet) -> StakeLimits:
    """Return the limits by which the size of a bet is measured."""
    exceptions = limits.exceptions
    own = exceptions.players.get(bet.player or "")
    if own is not None:
        return own
    return exceptions.terminals if bet.at_terminal and exceptions.terminals else limits


def verify_bets(
    limits: TableLimits,
    bets: Sequence[CompiledBet],
    *,
    edition: str,
    offer_article: str,
    maximum_article: str = "1:1(6)",
    maximum_articles: Mapping[str, str] = MappingProxyType({}),
    unmeasured: Collection[str] = (),
    shared: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Raise RuleViolation at the first bet that a table with these limits does not accept.

    bets: all bets of the round, from the table and its terminals alike: the maximum applies per
    player and chance over both (1:1(6); hc2023 1:1(13)). offer_article: lets a table offer fewer
    bets. maximum_article: has the maximum; maximum_articles: those of some kinds.
    unmeasured: kinds that depend on another bet. shared: kinds whose maximum is for all players of
    the box together, with the article.
    """
    staked: dict[tuple[object, str, Any], int] = {}
    for place, bet in enumerate(bets):
        kind = bet.chance.kind
        if bet.state is not None or kind in unmeasured:
            continue
        with within(f"bets[{place}]"):
            own = _limits_for(limits, bet)
            _verify_stake_size(own, bet, edition=edition, offer_article=offer_article)
        article = shared.get(kind, maximum_articles.get(kind, maximum_article))
        for players, part, most, minimum, cited in _maxima_of(limits, bet, article):
            key = (None if kind in shared else players, part, bet.chance)
            staked[key] = staked.get(key, 0) + bet.stake
            if most is None or staked[key] <= most:
                continue
            usable = f", in multiples {most - most % minimum}" if edition in HOLLAND_CASINO else ""
            what = (
                f"{_whose(bet, key[0])} has {staked[key]} on one {kind}{part}, the maximum is "
                f"{most}{usable} ({edition} {cited})"
            )
            raise RuleViolation(ABOVE_MAXIMUM, what, f"bets[{place}].stake")


def _whose(bet: CompiledBet, players: object) -> str:
    if players is None and bet.player is not None:
        return "the box"
    group = "the group of " if isinstance(players, tuple) else ""
    return group + player_shown(bet.player)

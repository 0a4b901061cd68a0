"""A game as a table of kinds of bets, each with its selections and its verdicts.

Only listed bets can be placed. Knows no dice, wheel or cards.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from tabletools.rules.bets import AtTerminal, CompiledBet, Verdicts
from tabletools.rules.codes.bets import (
    CHOICE_UNEXPECTED,
    SECOND_BET,
    STATE_NOT_POSSIBLE,
    UNKNOWN_BET,
    UNKNOWN_CHOICE,
)
from tabletools.rules.codes.stakes import LIMITS_INVALID, STAKE_NOT_DIVISIBLE
from tabletools.rules.declared import Declared, Stake, Text
from tabletools.rules.limits import (
    HOLLAND_CASINO,
    MAXIMUM_2023,
    Limits,
    Printed,
    merged_maxima,
    verify_bets,
    verify_minimum,
)
from tabletools.rules.money import MAX_STAKE, verify_stake
from tabletools.rules.selection import On, Selections
from tabletools.rules.violation import RuleViolation, player_shown, shown

MOST_COMPILED = 4096
"""Cache size: bets of one kind whose verdicts are kept; a mark or a field may be anything."""

State = str | None
Choice = str | None


class MismatchError(Exception):
    """Facts that are stated twice and differ: an error of the program, not of a user."""


class Slip(Declared, frozen=True, kw_only=True):
    """A requested bet, not yet verified.

    bet: name of a kind. on: its selection. stake: cents in play. choice: the player's choice, None
    for the default (the first). state: None or the one that a settlement returned.
    """

    id: Annotated[Text, Meta(description="Unique in its round.")]
    player: Annotated[Text | None, Meta(description="Needed when the table has limits.")] = None
    bet: Text
    on: tuple[int | Text | tuple[int, ...], ...] | None = None
    stake: Annotated[Stake, Meta(description="Cents in play; after a live line, its live.")]
    choice: Text | None = None
    state: Text | None = None
    terminal: AtTerminal = None


class Chance(NamedTuple):
    """What is bet on; equal chances compare equal. row: its line in the table of maxima."""

    kind: str
    on: On
    row: str


@dataclass(frozen=True, eq=False, slots=True)
class Kind:
    """One kind of bet.

    verdicts: by selection, state and choice. row: line in the table of maxima, by selection;
    None if it is the kind. states: those the stake can be in. choices: the first is the default.
    unit: cents a stake must be a multiple of to stay whole for every result. default: the
    selection if none is given. follows: the stake depends on that of another bet, which is
    measured for both.
    """

    selections: Selections
    verdicts: Callable[[On, State, Choice], Verdicts]
    row: Callable[[On], str] | None = None
    states: tuple[State, ...] = (None,)
    choices: tuple[str, ...] = ()
    unit: int = 1
    default: On = ()
    follows: bool = False


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A printed table of maxima. minima: cents, by column. euros: maxima by row and column.

    most: of every maximum, cents. times: what a maximum can be in times of the minimum, by row.
    """

    article: str
    minima: tuple[tuple[int, ...], ...] = ()
    euros: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    most: int | None = None
    times: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def maxima_at(self, minimum: int) -> dict[str, int]:
        """Return the maxima at a minimum, cents by row; {} if the minimum is not printed."""
        for column, minima in enumerate(self.minima):
            if minimum in minima:
                return {row: 100 * most[column] for row, most in self.euros.items()}
        return {}


@dataclass(frozen=True, eq=False, slots=True)
class Game:
    """One game in one edition, as one table offers it.

    kinds: by name. rows: every row of the table of maxima. offer_article: allows a table to offer
    fewer bets. printed: maxima, None where only 1:1(8) prints one. caps: upper limit of a maximum
    that depends on others, by row. verify: refuses bets that do not belong together, or an
    outcome that leaves one open. bounds: range of a bet with separate limits, cents by row at a
    minimum. results: converts the outcome to the key of the verdicts, where it depends on the
    bets. reopened: the bets with other verdicts where a player could no longer decide. shared:
    kinds whose maximum is for all players of the box together, with the article.
    maximum_articles: of kinds whose maximum is in an article of its own. one_each: the article by
    which a player has one bet on a chance, None where he may add another.
    """

    name: str
    edition: str
    kinds: Mapping[str, Kind]
    rows: tuple[str, ...]
    offer_article: str
    printed: PrintedTable | None = None
    caps: Callable[[Mapping[str, int]], Mapping[str, int]] = lambda _maxima: {}
    verify: Callable[[Sequence[CompiledBet], Any], None] = lambda _bets, _outcome: None
    bounds: Callable[[int], Mapping[str, tuple[int, int]]] = lambda _minimum: {}
    results: Callable[[Sequence[CompiledBet], Any], Any] = lambda _bets, outcome: outcome
    reopened: Callable[[Sequence[CompiledBet], Any], Sequence[CompiledBet]] = (
        lambda bets, _outcome: bets
    )
    shared: Mapping[str, str] = field(default_factory=dict)
    maximum_articles: Mapping[str, str] = field(default_factory=dict)
    one_each: str | None = None

    def __post_init__(self) -> None:
        """Raise MismatchError where facts about this game contradict each other."""
        _verify_rows(self)
        if self.printed is not None:
            _verify_printed(self, self.printed)
        for what, rows, known in (
            ("shared maxima of no bet", self.shared, self.kinds),
            ("articles of no bet", self.maximum_articles, self.kinds),
            ("caps of no row", self.caps(dict.fromkeys(self.rows, MAX_STAKE)), self.rows),
            ("bounds of no row", self.bounds(1), self.rows),
        ):
            if strangers := [row for row in rows if row not in known]:
                raise _mismatch(self, f"{what}: {' '.join(strangers)}")

    def _kind(self, name: str) -> Kind:
        if name not in self.kinds:
            what = f"{self.name} has no bet {shown(name)}, it has: {' '.join(self.kinds)}"
            raise RuleViolation(UNKNOWN_BET, what, "bet")
        return self.kinds[name]

    def accept(self, slip: Slip) -> CompiledBet:
        """Compile a bet that is on the table, new or live.

        Raises RuleViolation if it is not valid.
        """
        verify_stake(slip.stake)
        kind = self._kind(slip.bet)
        on = slip.on or kind.default
        kind.selections.verify(slip.bet, on)
        _verify_state(kind, slip)
        choice = slip.choice or (kind.choices[0] if kind.choices else None)
        verdicts = kind.verdicts(on, slip.state, choice)
        chance = Chance(slip.bet, on, kind.row(on) if kind.row else slip.bet)
        at_terminal = slip.terminal or False
        return CompiledBet(
            slip.id, slip.stake, verdicts, chance, slip.player, slip.state, at_terminal
        )

    def verify_whole(self, bet: CompiledBet) -> None:
        """Raise RuleViolation at a new bet that some result would divide into parts of a cent."""
        unit = self.kinds[bet.chance.kind].unit
        if bet.state is None and bet.stake % unit:
            what = (
                f"stake {bet.stake} on {bet.chance.kind} is not a multiple of {unit} cents, and "
                f"an outcome may divide it into {unit} parts"
            )
            raise RuleViolation(STAKE_NOT_DIVISIBLE, what, "stake")

    def limits(
        self,
        minimum: int,
        maximum: Mapping[str, int] | None = None,
        not_offered: Iterable[str] = (),
    ) -> Limits:
        """Return the limits of a table; raise RuleViolation when they contradict the edition."""
        verify_minimum(minimum)
        if self.printed is None:
            printed = Printed(self.edition, "1:1(8)", dict.fromkeys(self.rows, MAXIMUM_2023))
        else:
            printed = Printed(self.edition, self.printed.article, self.printed.maxima_at(minimum))
        bounds = self.bounds(minimum)
        minima = {
            **dict.fromkeys(self.rows, minimum),
            **{r: low for r, (low, _) in bounds.items()},
        }
        maxima = merged_maxima(printed, maximum, minima)
        for row, (_, most) in bounds.items():
            maxima[row] = min(maxima.get(row, most), most)
        self._verify_maxima(minimum, maxima, f"({printed.edition} {printed.article})")
        left_out = tuple(not_offered)
        for place, name in enumerate(left_out):
            if name not in self.kinds:
                what = f"{self.name} has no bet {shown(name)} to leave out"
                raise RuleViolation(LIMITS_INVALID, what, f"not_offered[{place}]")
        return Limits(minima, MappingProxyType(maxima), frozenset(left_out))

    def _verify_maxima(self, minimum: int, maxima: dict[str, int], article: str) -> None:
        """Add the maxima that follow from the edition; raise RuleViolation at one it forbids."""
        caps = dict(self.caps(maxima))
        if self.printed and self.printed.most:
            caps = dict.fromkeys(self.rows, self.printed.most)
        for row, cap in caps.items():
            if maxima.setdefault(row, cap) > cap:
                what = f"maximum {maxima[row]} of {row} is above {cap} {article}"
                raise RuleViolation(LIMITS_INVALID, what, f"maximum.{row}")
        for row, times in self.printed.times.items() if self.printed else ():
            allowed = [minimum * each for each in times]
            if maxima.get(row) not in allowed:
                what = f"maximum of {row} is {maxima.get(row)}, not one of {allowed} {article}"
                raise RuleViolation(LIMITS_INVALID, what, f"maximum.{row}")

    def _verify_one_each(self, bets: Iterable[CompiledBet]) -> None:
        """Raise RuleViolation at the second bet of a player on a chance."""
        seen = set()
        for place, bet in enumerate(bets):
            if (bet.player, bet.chance) in seen:
                who, kind = player_shown(bet.player), bet.chance.kind
                what = f"{who} has a bet on {kind} already, one is allowed ({self.one_each})"
                raise RuleViolation(SECOND_BET, what, f"bets[{place}].bet")
            seen.add((bet.player, bet.chance))

    def verify_limits(self, limits: Limits, bets: list[CompiledBet]) -> None:
        """Raise RuleViolation at the first bet that a table with these limits does not accept."""
        if self.one_each is not None:
            self._verify_one_each(bets)
        follows = {name for name, kind in self.kinds.items() if kind.follows}
        article = "1:1(6)"
        if self.printed and self.edition not in HOLLAND_CASINO:
            article = self.printed.article
        verify_bets(
            limits,
            bets,
            edition=self.edition,
            offer_article=self.offer_article,
            maximum_article=article,
            maximum_articles=self.maximum_articles,
            unmeasured=follows,
            shared=self.shared,
        )


def _mismatch(game: Game, what: str) -> MismatchError:
    return MismatchError(f"{game.name}, {game.edition}: {what}")


def _rows_of(name: str, kind: Kind) -> set[str] | None:
    """Return the rows by which a kind is measured, None if its selections cannot be listed."""
    if kind.row is None:
        return {name}
    listed = getattr(kind.selections, "all", None)
    return None if listed is None else set(map(kind.row, listed))


def _verify_rows(game: Game) -> None:
    """Raise MismatchError unless every bet has a row of maxima, and every row a bet."""
    unused = set(game.rows)
    for name, kind in game.kinds.items():
        used = _rows_of(name, kind)
        if used is None:
            unused.clear()  # any row may be one of its
            continue
        for row in sorted(used - set(game.rows)):
            what = f"bet {name} has no row {row} in the table of maxima, which has: "
            raise _mismatch(game, what + " ".join(game.rows))
        unused -= used
    if unused:
        raise _mismatch(game, f"rows of maxima of no bet: {' '.join(sorted(unused))}")


def _verify_printed(game: Game, printed: PrintedTable) -> None:
    """Raise MismatchError unless the printed table fits the rows of the game."""
    other = {*printed.euros} ^ {*game.rows}
    if printed.euros and other:
        what = f"{printed.article} has other rows than the game: {' '.join(sorted(other))}"
        raise _mismatch(game, what)
    for row, cells in printed.euros.items():
        if len(cells) != len(printed.minima):
            what = f"{printed.article} has {len(printed.minima)} minima and {len(cells)} maxima"
            raise _mismatch(game, f"{what} of {row}")
    if strangers := [row for row in printed.times if row not in game.rows]:
        raise _mismatch(game, f"{printed.article} has times of no row: {' '.join(strangers)}")


def _verify_state(kind: Kind, slip: Slip) -> None:
    if slip.state not in kind.states:
        known = " ".join(shown(state) for state in kind.states) or "none, the bet is closed"
        what = f"state {shown(slip.state)} is given for a {slip.bet}, possible here: {known}"
        raise RuleViolation(STATE_NOT_POSSIBLE, what, "state")
    if slip.choice is None or slip.choice in kind.choices:
        return
    if not kind.choices:
        what = f"choice {shown(slip.choice)} is given for a {slip.bet}"
        raise RuleViolation(CHOICE_UNEXPECTED, what, "choice")
    what = f"choice {shown(slip.choice)} is not known; known: {' '.join(kind.choices)}"
    raise RuleViolation(UNKNOWN_CHOICE, what, "choice")

"""Big Wheel, hc2011 4:2, and Money Wheel, hc2023 2:5 (rulebook 4).

The one bet is `segment`, on a payout number. hc2011 prints the odds; hc2023 leaves them to what
the wheel or the table displays, and a number n without displayed odds pays n:1 (READING-13).
Segments of one number that are separate bets, as a red and a black 45, carry a mark.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tabletools.rules.bets import CompiledBet
from tabletools.rules.codes.bets import SELECTION_MISSING
from tabletools.rules.codes.outcomes import STOP_INCOMPLETE, UNKNOWN_STOP
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.game import MOST_COMPILED, Choice, Game, Kind, PrintedTable, State
from tabletools.rules.money import MAX_ODDS
from tabletools.rules.selection import On, invalid
from tabletools.rules.verdict import Verdict, lose, stand, win
from tabletools.rules.violation import RuleViolation

SEGMENT = "segment"
PAY, JACKPOT = "pay", "jackpot"
CHOICES = (PAY, JACKPOT)
"""The choice of a winner on a jackpot position: 45 times the bet, or the jackpot (4:2(6))."""
JACKPOT_NUMBER = 45
JACKPOT_RANGE = range(20, 201)
"""Times the bet; the jackpot draws a value between, an input here (READING-15)."""


class Stop(NamedTuple):
    """Where the wheel stopped. pays: payout number. mark: of the segment, if it has one.
    jackpot: multiple of the bet that the jackpot drew, None if it was not played."""

    pays: int
    mark: str | None = None
    jackpot: int | None = None


VOID_2011, VOID_2023 = "hc2011 4:2(4)", "hc2023 2:5(4)"
VOID = Stop(0)
"""No segment shows 0."""


@dataclass(frozen=True, slots=True)
class _SegmentVerdicts:
    """Verdicts of one bet by Stop. at: the stop that wins, apart from the jackpot."""

    at: tuple[int, str | None]
    won: Verdict
    lost: Verdict
    void: Verdict
    jackpot_rule: str | None

    def __getitem__(self, stop: Stop) -> Verdict:
        if stop == VOID:
            return self.void
        if (stop.pays, stop.mark) != self.at:
            return self.lost
        if self.jackpot_rule is None or stop.jackpot is None:
            return self.won
        return win((stop.jackpot, 1), self.jackpot_rule)


@dataclass(frozen=True, slots=True)
class Segments:
    """The payout numbers of a wheel. odds: winnings per stake, by number."""

    odds: Mapping[int, int]

    def verify(self, kind: str, on: On) -> None:
        """Raise RuleViolation unless `on` is a number of the wheel, with or without a mark."""
        if not on:
            raise RuleViolation(SELECTION_MISSING, f"a {kind} is placed on a payout number", "on")
        number, *marks = on
        is_known = isinstance(number, int) and number in self.odds
        if not is_known or len(marks) > 1 or not all(isinstance(mark, str) for mark in marks):
            raise invalid(kind, f"one payout number of {self.words()}, as [10], or [10,mark]")

    def words(self) -> str:
        """Return the numbers as messages name them."""
        every = len(self.odds) == MAX_ODDS
        return f"1 to {MAX_ODDS}" if every else " ".join(map(str, self.odds))


def _at(on: On) -> tuple[int, str | None]:
    number, *marks = on
    assert isinstance(number, int)
    return number, str(marks[0]) if marks else None


def _segment(odds: Mapping[int, int], rule: str, void_article: str, jackpot: str | None) -> Kind:
    """Return the bet. jackpot: article of the jackpot, None where none is linked."""
    lost, void = lose(rule), stand(void_article)

    @lru_cache(MOST_COMPILED)
    def verdicts(on: On, _state: State, choice: Choice) -> _SegmentVerdicts:
        at = _at(on)
        plays = jackpot if choice == JACKPOT and at[0] == JACKPOT_NUMBER else None
        return _SegmentVerdicts(at, win((odds[at[0]], 1), rule), lost, void, plays)

    choices = CHOICES if jackpot else ()
    return Kind(Segments(odds), verdicts, lambda on: str(on[0]), choices=choices)


def verify_stop(bets: Sequence[CompiledBet], stop: Stop) -> None:
    """Raise RuleViolation if the stop does not determine which bets win, or the jackpot."""
    for place, bet in enumerate(bets):
        number, mark = _at(bet.chance.on)
        if number != stop.pays:
            continue
        if (mark is None) != (stop.mark is None):
            what = f"only one of bet and outcome names the mark of the {number}"
            raise RuleViolation(STOP_INCOMPLETE, what, f"bets[{place}].on")
        assert isinstance(bet.verdicts, _SegmentVerdicts)
        if mark == stop.mark and bet.verdicts.jackpot_rule and stop.jackpot is None:
            what = "this winner chose the jackpot, but the outcome has none"
            raise RuleViolation(STOP_INCOMPLETE, what, f"bets[{place}].choice")


_EUROS_2011 = {
    "1": (450, 900, 1800, 3600),
    "3": (150, 300, 600, 1200),
    "5": (90, 180, 360, 720),
    "10": (45, 90, 180, 360),
    "20": (20, 45, 90, 180),
    "45": (10, 20, 40, 80),
}
_LIMITS_2011 = PrintedTable("4:2(5)", ((200,), (250, 500), (750, 1000), (1500, 2000)), _EUROS_2011)
ODDS_2011: Mapping[int, int] = {number: number for number in map(int, _EUROS_2011)}
"""Paid 1:1 to 45:1. With n of N segments the edge is 1 - n(k+1)/N; no document counts them."""


def big_wheel(*, jackpot: bool = True) -> Game:
    """Return the game of hc2011. jackpot: whether one is linked to this wheel."""
    kind = _segment(ODDS_2011, "hc2011 4:2(5)", VOID_2011, "hc2011 4:2(6)" if jackpot else None)
    rows = tuple(_EUROS_2011)
    return Game(
        "big_wheel",
        "hc2011",
        {SEGMENT: kind},
        rows,
        "hc2011 4:2(1)",
        _LIMITS_2011,
        verify=verify_stop,
    )


def money_wheel(odds: Mapping[int, int] | None = None) -> Game:
    """Return the game of hc2023 with the odds displayed: winnings per stake, by payout number.

    None: every number n from 1 to MAX_ODDS pays n:1. Raises RuleViolation if odds are out of
    range.
    """
    if odds is not None and not odds:
        raise RuleViolation(LIMITS_INVALID, "a wheel shows one payout number at least", "odds")
    for number, times in (odds or {}).items():
        if not 1 <= number <= MAX_ODDS or not 1 <= times <= MAX_ODDS:
            what = f"payout numbers and odds are 1 to {MAX_ODDS}"
            raise RuleViolation(LIMITS_INVALID, what, f"odds.{number}")
    shown = odds or {number: number for number in range(1, MAX_ODDS + 1)}
    kind = _segment(shown, "hc2023 2:5(3)", VOID_2023, None)
    rows = tuple(map(str, shown))
    return Game(
        "money_wheel", "hc2023", {SEGMENT: kind}, rows, "hc2023 2:5(1)", verify=verify_stop
    )


def stop_of(game: Game, pays: int, mark: str | None, jackpot: int | None) -> Stop:
    """Return where the wheel stopped; raise RuleViolation if the wheel has no such segment."""
    segment = game.kinds[SEGMENT]
    assert isinstance(segment.selections, Segments)
    if pays not in segment.selections.odds:
        what = f"the wheel does not show {pays}; it shows {segment.selections.words()}"
        raise RuleViolation(UNKNOWN_STOP, what, "pays")
    if jackpot is not None:
        if not segment.choices or pays != JACKPOT_NUMBER:
            what = f"a jackpot is played on a {JACKPOT_NUMBER} only, where one is linked"
            raise RuleViolation(UNKNOWN_STOP, what, "jackpot")
        if jackpot not in JACKPOT_RANGE:
            what = f"the jackpot is {jackpot} times the bet; allowed: 20 to 200"
            raise RuleViolation(UNKNOWN_STOP, what, "jackpot")
    return Stop(pays, mark, jackpot)


BIG_WHEELS: Mapping[str, Game] = {"hc2011": big_wheel()}
MONEY_WHEELS: Mapping[str, Game] = {"hc2023": money_wheel()}
"""By edition, as settled without a table."""

"""Wheels with a flapper: the one bet is `segment`, on a payout number.

Segments of one number that are separate bets, as a red and a black 45, carry a mark.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

from msgspec import Meta

from tabletools.rules import records
from tabletools.rules.bets import CompiledBet
from tabletools.rules.codes.bets import SELECTION_MISSING
from tabletools.rules.codes.outcomes import STOP_INCOMPLETE, UNKNOWN_STOP
from tabletools.rules.declared import Text, needed
from tabletools.rules.game import MOST_COMPILED, Choice, Game, Kind, State
from tabletools.rules.money import MAX_ODDS
from tabletools.rules.records import Schema
from tabletools.rules.selection import On, invalid
from tabletools.rules.table_game import Table
from tabletools.rules.verdict import Verdict, lose, stand, win
from tabletools.rules.violation import RuleViolation, within

SEGMENT = "segment"


class Jackpot(NamedTuple):
    """What a winner may choose instead of the odds. choices: the last one plays it."""

    number: int
    choices: tuple[str, ...]
    rule: str


class Stop(NamedTuple):
    """Where the wheel stopped. pays: payout number. mark: of the segment, if it has one.
    jackpot: multiple of the bet that the jackpot drew, None if it was not played."""

    pays: int
    mark: str | None = None
    jackpot: int | None = None


VOID = Stop(0)
"""No segment shows 0."""


@dataclass(frozen=True, slots=True)
class _SegmentVerdicts:
    """Verdicts of one bet by Stop. selection: the stop that wins, apart from the jackpot."""

    selection: tuple[int, str | None]
    won: Verdict
    lost: Verdict
    void: Verdict
    jackpot_rule: str | None

    def __getitem__(self, stop: Stop) -> Verdict:
        if stop == VOID:
            return self.void
        if (stop.pays, stop.mark) != self.selection:
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
            raise invalid(kind, self.needed)

    @property
    def needed(self) -> str:
        """What a selection is, in words."""
        return f"one payout number of {self.words()}, as [10], or [10,mark]"

    def words(self) -> str:
        """Return the numbers as messages name them."""
        every = len(self.odds) == MAX_ODDS
        return f"1 to {MAX_ODDS}" if every else " ".join(map(str, self.odds))


def _selection_of(on: On) -> tuple[int, str | None]:
    number, *marks = on
    assert isinstance(number, int)
    return number, str(marks[0]) if marks else None


def segment_kind(
    odds: Mapping[int, int], rule: str, void_article: str, jackpot: Jackpot | None = None
) -> Kind:
    """Return the bet. jackpot: None where none is linked."""
    lost, void = lose(rule), stand(void_article)

    @lru_cache(MOST_COMPILED)
    def verdicts(on: On, _state: State, choice: Choice) -> _SegmentVerdicts:
        selection = _selection_of(on)
        jackpot_rule = None
        if jackpot is not None and (selection[0], choice) == (jackpot.number, jackpot.choices[-1]):
            jackpot_rule = jackpot.rule
        return _SegmentVerdicts(
            selection, win((odds[selection[0]], 1), rule), lost, void, jackpot_rule
        )

    choices = jackpot.choices if jackpot else ()
    return Kind(Segments(odds), verdicts, lambda on: str(on[0]), choices=choices)


def verify_stop(bets: Sequence[CompiledBet], stop: Stop) -> None:
    """Raise RuleViolation if the stop does not determine which bets win, or the jackpot."""
    for place, bet in enumerate(bets):
        number, mark = _selection_of(bet.chance.on)
        if number != stop.pays:
            continue
        if (mark is None) != (stop.mark is None):
            what = f"only one of bet and outcome names the mark of the {number}"
            raise RuleViolation(STOP_INCOMPLETE, what, f"bets[{place}].on")
        assert isinstance(bet.verdicts, _SegmentVerdicts)
        if mark == stop.mark and bet.verdicts.jackpot_rule and stop.jackpot is None:
            what = "this winner chose the jackpot, but the outcome has none"
            raise RuleViolation(STOP_INCOMPLETE, what, f"bets[{place}].choice")


def _stop_of(game: Game, pays: int, mark: str | None) -> Stop:
    """Return where the wheel stopped; raise RuleViolation if the wheel has no such segment."""
    segment = game.kinds[SEGMENT]
    assert isinstance(segment.selections, Segments)
    if pays not in segment.selections.odds:
        what = f"the wheel does not show {pays}; it shows {segment.selections.words()}"
        raise RuleViolation(UNKNOWN_STOP, what, "pays")
    return Stop(pays, mark)


RANGE: Schema = {"minimum": 1, "maximum": MAX_ODDS}
ON: Schema = {
    "type": "array",
    "prefixItems": [{"type": "integer", **RANGE}, {"type": "string"}],
    "items": False,
    "minItems": 1,
    "description": "Payout number, with its mark where segments of it are bets apart.",
}
Number = Annotated[int, Meta(extra_json_schema=dict(RANGE))]


class WheelOutcome(records.Outcome, frozen=True, kw_only=True):
    """Where the wheel stopped."""

    pays: Annotated[Number | None, Meta(description="Payout number at the flapper.")] = None
    mark: Annotated[Text | None, Meta(description="Of the segment, as in the bets.")] = None


def read_stop(game: Game, outcome: WheelOutcome, _table: Table | None) -> Stop:
    """Return where the wheel stopped, or the void; raise RuleViolation at an impossible stop."""
    if not outcome.has_result():
        return VOID
    with within("outcome"):
        return _stop_of(game, needed(outcome.pays, "pays"), outcome.mark)

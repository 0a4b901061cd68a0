"""Roulette rounds as records: the pocket of the ball, or a void."""

from dataclasses import replace
from typing import Annotated

from msgspec import Meta

from tabletools.games.roulette.editions import RouletteRules, all_rules, rules_of
from tabletools.games.roulette.layout import KINDS
from tabletools.games.roulette.limits import (
    NOT_OFFERED_NAMES,
    WIDTHS,
    Limits,
    limits_of,
    verify_limits,
)
from tabletools.games.roulette.placing import RouletteSlip, accept, verify_whole
from tabletools.games.roulette.verdicts import VOID, outcome_of
from tabletools.rules import records
from tabletools.rules.bets import CompiledBet
from tabletools.rules.declared import Stake, Text, needed, verify_names
from tabletools.rules.limit_exceptions import ExceptionsTable, Maxima, Measures, exceptions_of
from tabletools.rules.records import Round, placed
from tabletools.rules.violation import within

_WIDTHS = {str(width): width for width in WIDTHS}


class RouletteOutcome(records.Outcome, frozen=True, kw_only=True):
    """The pocket of the ball."""

    pocket: Text | None = None


class RouletteTable(ExceptionsTable, frozen=True, kw_only=True):
    """Limits; if given, new bets are verified as at placement."""

    minimum: Annotated[Stake, Meta(description="Displayed minimum, cents.")]
    special_minimum: Annotated[
        Stake | None,
        Meta(description="For columns, dozens and even chances; null is the minimum."),
    ] = None
    maximum: Annotated[
        dict[Text, Stake | None] | None,
        Meta(
            description="Cents per player and chance, by how many numbers a bet covers.",
            extra_json_schema={"propertyNames": {"enum": [*_WIDTHS]}},
        ),
    ] = None
    not_offered: (
        tuple[Annotated[Text, Meta(extra_json_schema={"enum": [*NOT_OFFERED_NAMES]})], ...] | None
    ) = None

    def limits(self, rules: RouletteRules) -> Limits:
        """Return the limits of the table; raise RuleViolation if they contradict the edition."""
        limits = self._limits(rules, self.minimum, self.special_minimum, self.maximum)
        special = limits.special_minimum
        measures = Measures(
            rules.edition,
            {width: special if width >= 12 else limits.minimum for width in WIDTHS},
            lambda position: KINDS[position.kind],
            _by_width,
            lambda own: self._limits(rules, own.minimum, None, own.maximum),
            {"hc2011": "2:1(5)", "hc2023": "1:1(13)"}[rules.edition],
        )
        return replace(limits, exceptions=exceptions_of(self, limits, self.minimum, measures))

    def _limits(
        self, rules: RouletteRules, minimum: int, special: int | None, maxima: Maxima | None
    ) -> Limits:
        return limits_of(
            rules,
            minimum,
            special_minimum=special,
            maximum=None if maxima is None else _by_width(maxima),
            not_offered=self.not_offered or (),
        )


def _by_width(maxima: Maxima) -> dict[int, int]:
    with within("maximum"):
        verify_names(maxima, _WIDTHS)
    return {_WIDTHS[name]: cents for name, cents in maxima.items() if cents is not None}


class Record(records.Record, frozen=True, kw_only=True):
    """One round of roulette."""

    variant: Text
    bets: tuple[RouletteSlip, ...]
    outcome: RouletteOutcome
    table: RouletteTable | None = None


def _play(record: Record) -> Round:
    """Return the bets and the outcome of one round; raise RuleViolation at the first error.

    With a `table`, new bets are verified as at placement: within the limits, and whole in cents
    for every result. Without one, bets only have to exist on the cloth.
    """
    rules = rules_of(record.rules, record.variant)
    outcome = VOID
    if record.outcome.has_result():
        with within("outcome"):
            outcome = outcome_of(rules, needed(record.outcome.pocket, "pocket"))
    if record.table is None:
        return Round(placed(record.bets, lambda slip: accept(rules, slip)), outcome)
    with within("table"):
        limits = record.table.limits(rules)

    def accept_of_player(slip: RouletteSlip) -> CompiledBet:
        needed(slip.player, "player")
        return accept(rules, slip)

    bets = placed(record.bets, accept_of_player)
    verify_limits(rules, limits, bets)
    for number, bet in enumerate(bets):
        with within(f"bets[{number}]"):
            verify_whole(rules, bet)
    return Round(bets, outcome, limits=limits)


_EXAMPLE = {
    "rules": "hc2023",
    "game": "roulette",
    "variant": "french",
    "bets": [
        {"id": "1", "player": "p", "bet": "split", "numbers": ["0", "1"], "stake": 500},
        {"id": "2", "player": "p", "bet": "rouge", "stake": 1000, "choice": "prison"},
    ],
    "outcome": {"pocket": "0"},
}
_VARIANTS = [
    {
        "properties": {
            "rules": {"const": rules.edition},
            "variant": {"const": rules.variant},
            "outcome": {"properties": {"pocket": {"enum": [*rules.wheel.pockets, None]}}},
        }
    }
    for rules in all_rules()
]
GAME = records.RecordGame(
    name="roulette",
    measured="slip",
    record=Record,
    play=_play,
    constraints={"oneOf": _VARIANTS, "examples": [_EXAMPLE]},
)

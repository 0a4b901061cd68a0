"""Roulette rounds as records: the pocket of the ball, or a void."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, NamedTuple

from msgspec import Meta, to_builtins

from tabletools.games.roulette.announced import (
    CALL_BETS,
    CallBet,
    ChipBet,
    Colour,
    bet_of_chips,
    bets_of_call,
    verify_accepted,
    verify_call_names,
)
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
from tabletools.games.roulette.verdicts import VOID
from tabletools.rules import records
from tabletools.rules.bets import CompiledBet
from tabletools.rules.codes.outcomes import UNKNOWN_POCKET
from tabletools.rules.declared import Stake, Text, needed, read, verify_names
from tabletools.rules.limit_exceptions import ExceptionsTable, Maxima, Measures, exceptions_of
from tabletools.rules.records import ChipsOn, Round, placed
from tabletools.rules.violation import RuleViolation, shown, within

_BET = re.compile(r"bets\[(\d+)\]")
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
    call_bets: Annotated[
        tuple[Annotated[Text, Meta(extra_json_schema={"enum": [*CALL_BETS]})], ...] | None,
        Meta(description="Call bets accepted; left out: none."),
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
    calls: Annotated[tuple[CallBet, ...] | None, Meta(description="Call bets.")] = None
    chips: Annotated[tuple[ChipBet, ...] | None, Meta(description="Bets of coloured chips.")] = (
        None
    )
    colours: Annotated[
        dict[Text, Colour] | None, Meta(description="By colour: whose chips, and their value.")
    ] = None
    outcome: RouletteOutcome
    table: RouletteTable | None = None


def _special_bets(record: Record, rules: RouletteRules) -> list[tuple[str, RouletteSlip]]:
    """Return the bets of call bets and coloured chips, each with its place in the record."""
    slips = []
    table = record.table
    for number, call in enumerate(record.calls or ()):
        with within(f"calls[{number}]"):
            if table is not None:
                verify_accepted(call, table.call_bets or ())
            slips += [(f"calls[{number}]", slip) for slip in bets_of_call(rules, call)]
    minimum = None if table is None else table.minimum
    for number, chip in enumerate(record.chips or ()):
        with within(f"chips[{number}]"):
            bet = bet_of_chips(rules, chip, record.colours or {}, minimum)
        slips.append((f"chips[{number}]", bet))
    return slips


class _places:  # noqa: N801 - used as a statement
    """Name, in a RuleViolation raised inside, the place in the record of a bet it stands for."""

    def __init__(self, bets: int, entered: Sequence[str]) -> None:
        self._bets, self._special_bets = bets, entered

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: object, _trace: object) -> None:
        if isinstance(error, RuleViolation) and (bet := _BET.match(error.where)):
            number = int(bet[1]) - self._bets
            if number >= 0:
                where = self._special_bets[number] + error.where[bet.end() :]
                raise RuleViolation(error.code, error.what, where) from None


def outcome_of(rules: RouletteRules, pocket: str) -> int:
    """Return the outcome number of a pocket label.

    Raises RuleViolation if the wheel has no such pocket.
    """
    place = rules.wheel.pocket_index.get(pocket) if isinstance(pocket, str) else None
    if place is None:
        zeros = " ".join(rules.wheel.zeros)
        what = f"pocket {shown(pocket)} is not on the wheel of {rules.name}: {zeros} and 1 to 36"
        raise RuleViolation(UNKNOWN_POCKET, what, "pocket")
    return place


class _Cloth(NamedTuple):
    """Roulette as a table offers it, see `records.Offer`."""

    rules: RouletteRules
    outcome: type[RouletteOutcome] = RouletteOutcome

    def accept(self, slip: RouletteSlip) -> CompiledBet:
        """Compile a bet that is on the table. Raises RuleViolation if it is not valid."""
        return accept(self.rules, slip)

    def result(self, outcome: RouletteOutcome) -> int:
        """Return the number of the pocket, or VOID. Raises RuleViolation."""
        if not outcome.has_result():
            return VOID
        assert outcome.pocket is not None
        try:
            return outcome_of(self.rules, outcome.pocket)
        except RuleViolation as refusal:
            raise refusal.under("outcome") from None

    def decide(self, bets: Sequence[CompiledBet], result: int) -> Round:
        """Return bets that are ready to settle by a result."""
        return Round([*bets], result)


def _offer(record: Record) -> _Cloth:
    return _Cloth(rules_of(record.rules, record.variant))


def _play(record: Record) -> Round:
    """Return the bets and the outcome of one round; raise RuleViolation at the first error.

    With a `table`, new bets are verified as at placement: within the limits, and whole in cents
    for every result. Without one, bets only have to exist on the cloth.
    """
    rules = rules_of(record.rules, record.variant)
    outcome = _Cloth(rules).result(record.outcome)
    entered = _special_bets(record, rules) if record.calls or record.chips else []
    slips = [*record.bets, *(slip for _, slip in entered)]
    fields = [_fields_of(slip) for _, slip in entered]
    with _places(len(record.bets), [place for place, _ in entered]):
        if record.table is None:
            bets = placed(slips, lambda slip: accept(rules, slip))
            return Round(bets, outcome, entered=fields)
        bets, limits = _at_table(record.table, rules, slips)
    return Round(bets, outcome, limits=limits, entered=fields)


def _call_bets(
    edition: str, variant: str | None, call: Mapping[str, object], accepted: Sequence[str]
) -> list[ChipsOn]:
    """Return the bets of a call bet, see `records.Announced`. Raises RuleViolation."""
    announced = read(CallBet, call)
    verify_accepted(announced, accepted)
    slips = bets_of_call(rules_of(edition, variant or ""), announced)
    return [
        ChipsOn({"bet": slip.bet, "numbers": [*(slip.numbers or ())]}, slip.stake)
        for slip in slips
    ]


def _fields_of(slip: RouletteSlip) -> dict[str, object]:
    """Return a bet as a record has it, for the words of its settlement."""
    fields: dict[str, object] = to_builtins(slip)
    return {name: value for name, value in fields.items() if value is not None}


def _at_table(
    table: RouletteTable, rules: RouletteRules, slips: Sequence[RouletteSlip]
) -> tuple[list[CompiledBet], Limits]:
    """Return the bets as a table accepts them, with its limits. Raises RuleViolation."""
    with within("table"):
        verify_call_names(table.call_bets or ())
        limits = table.limits(rules)

    def accept_of_player(slip: RouletteSlip) -> CompiledBet:
        needed(slip.player, "player")
        return accept(rules, slip)

    bets = placed(slips, accept_of_player)
    verify_limits(rules, limits, bets)
    for number, bet in enumerate(bets):
        with within(f"bets[{number}]"):
            verify_whole(rules, bet)
    return bets, limits


def _pockets(edition: str, variant: str | None) -> list[dict[str, object]]:
    return [{"pocket": pocket} for pocket in rules_of(edition, variant or "").wheel.pockets]


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
    offer=_offer,
    announced=_call_bets,
    equally_likely=_pockets,
    kinds=tuple(KINDS),
    constraints={"oneOf": _VARIANTS, "examples": [_EXAMPLE]},
)

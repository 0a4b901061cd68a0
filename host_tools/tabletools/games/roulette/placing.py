"""From a player's request to a placed bet: verify, choose, accept."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from tabletools.games.roulette.editions import CHOICE, RouletteRules, all_rules
from tabletools.games.roulette.french_names import kind_of
from tabletools.games.roulette.layout import EVEN_CHANCES, KINDS, TWELVES, Position
from tabletools.games.roulette.verdicts import (
    CHOICES,
    DEFAULT_CHOICE,
    STATES,
    verdict_row,
    whole_unit,
)
from tabletools.rules.bets import AtTerminal, CompiledBet
from tabletools.rules.codes.bets import (
    BET_NOT_OFFERED,
    DUPLICATE_NUMBER,
    INDEX_OUT_OF_RANGE,
    NOT_ON_LAYOUT,
    NUMBERS_MISMATCH,
    NUMBERS_MISSING,
    STATE_NOT_POSSIBLE,
    UNEXPECTED_INDEX,
    UNKNOWN_CHOICE,
    UNKNOWN_NUMBER,
    UNKNOWN_STATE,
    WRONG_COUNT,
)
from tabletools.rules.codes.stakes import STAKE_NOT_DIVISIBLE
from tabletools.rules.declared import Declared, Stake, Text
from tabletools.rules.money import verify_stake
from tabletools.rules.violation import RuleViolation, shown

_LABELS = dict.fromkeys(label for rules in all_rules() for label in rules.wheel.pockets)
_Number = Annotated[Text, Meta(extra_json_schema={"enum": [*_LABELS]})]


class RouletteSlip(Declared, frozen=True, kw_only=True):
    """A requested bet, not yet verified.

    bet: English or French name. stake: cents in play. numbers: labels on the cloth, any order;
    none if the name is enough. index: 1..3 instead of the numbers of a dozen or column. choice:
    what to do at zero, None for DEFAULT_CHOICE. state: None or the one a settlement returned.
    """

    id: Annotated[Text, Meta(description="Unique in its round.")]
    player: Annotated[Text | None, Meta(description="Needed when the round has a table.")] = None
    bet: Annotated[Text, Meta(description=f"{', '.join(KINDS)}, or a French name.")]
    numbers: Annotated[
        tuple[_Number, ...] | None,
        Meta(
            description="The numbers covered, any order. May be left out for even chances, the "
            "top line, and a dozen or column given by its index.",
            extra_json_schema={"maxItems": max(KINDS.values()), "uniqueItems": True},
        ),
    ] = None
    index: Annotated[
        int | None,
        Meta(
            description="Of a dozen or column: 1 is 1-12 or the column of 1.",
            extra_json_schema={"enum": [1, 2, 3, None]},
        ),
    ] = None
    stake: Annotated[
        Stake,
        Meta(
            description="Cents in play, no fraction, no exponent: S when new and in prison1, "
            "S/2 in prison2; after a live line, its live."
        ),
    ]
    choice: Annotated[
        Text | None,
        Meta(
            description="What the player does at zero with an even chance on a French table; "
            "null is half.",
            extra_json_schema={"enum": [*CHOICES, None]},
        ),
    ] = None
    state: Annotated[
        Text | None,
        Meta(
            description="null when new, else the state of the bet's last settlement.",
            extra_json_schema={"enum": [*STATES]},
        ),
    ] = None
    terminal: AtTerminal = None


def _verify_numbers(rules: RouletteRules, kind: str, numbers: Sequence[str]) -> None:
    for place, number in enumerate(numbers):
        if number not in rules.wheel.pocket_index:
            what = f"number {shown(number)} is not on the cloth of {rules.name}"
            raise RuleViolation(UNKNOWN_NUMBER, what, f"numbers[{place}]")
        if number in numbers[:place]:
            what = f"number {shown(number)} is named twice"
            raise RuleViolation(DUPLICATE_NUMBER, what, f"numbers[{place}]")
    if len(numbers) != KINDS[kind]:
        what = f"a {kind} covers {KINDS[kind]} numbers, {len(numbers)} are given"
        raise RuleViolation(WRONG_COUNT, what, "numbers")


def _named_position(rules: RouletteRules, kind: str, index: int | None) -> Position | None:
    """Return the position given by the name alone, or by the index; None if numbers are needed."""
    if index is None:
        places = rules.wheel.positions[kind]
        return places[0] if kind in EVEN_CHANCES or kind == "top_line" else None
    if kind not in TWELVES:
        raise RuleViolation(
            UNEXPECTED_INDEX, f"a {kind} has no index, found {shown(index)}", "index"
        )
    if type(index) is not int or not 1 <= index <= 3:
        what = f"index of a {kind} is {shown(index)}; allowed: 1, 2 and 3"
        raise RuleViolation(INDEX_OUT_OF_RANGE, what, "index")
    return rules.wheel.positions[kind][index - 1]


def position_of(rules: RouletteRules, slip: RouletteSlip) -> Position:
    """Return the place on the cloth of a slip; raise RuleViolation if there is none."""
    kind = kind_of(slip.bet)
    if kind not in rules.odds:
        offered = " ".join(rules.odds)
        what = f"{rules.name} offers no {kind}, offered are: {offered}"
        raise RuleViolation(BET_NOT_OFFERED, what, "bet")
    named = _named_position(rules, kind, slip.index)
    if not slip.numbers:
        if named is None:
            raise RuleViolation(
                NUMBERS_MISSING, f"a {kind} needs its {KINDS[kind]} numbers", "numbers"
            )
        return named
    place = rules.wheel.numbers_at[kind].get(frozenset(slip.numbers))
    if place is None or len(slip.numbers) != KINDS[kind]:
        _verify_numbers(rules, kind, slip.numbers)
    if named is not None and place is not named:
        what = f"the numbers given are not those of this {kind}: {' '.join(named.numbers)}"
        raise RuleViolation(NUMBERS_MISMATCH, what, "numbers")
    if place is None:
        what = f"{'-'.join(slip.numbers)} is no {kind} on the cloth of {rules.name}"
        raise RuleViolation(NOT_ON_LAYOUT, what, "numbers")
    return place


def _verify_state(rules: RouletteRules, position: Position, slip: RouletteSlip) -> None:
    if slip.choice is not None and slip.choice not in CHOICES:
        what = f"choice {shown(slip.choice)} is not known; known: {' '.join(CHOICES)}"
        raise RuleViolation(UNKNOWN_CHOICE, what, "choice")
    if slip.state not in STATES:
        known = " ".join(shown(state) for state in STATES)
        what = f"state {shown(slip.state)} is not known; known: {known}"
        raise RuleViolation(UNKNOWN_STATE, what, "state")
    if slip.state is not None and not (rules.zero == CHOICE and position.kind in EVEN_CHANCES):
        what = f"{shown(slip.state)} is given for a {position.kind} on {rules.name}"
        raise RuleViolation(STATE_NOT_POSSIBLE, what, "state")


def _position(rules: RouletteRules, slip: RouletteSlip) -> Position:
    """Return the position of a slip.

    Raises RuleViolation unless the bet exists on this cloth and can be in this state.
    """
    verify_stake(slip.stake)
    position = position_of(rules, slip)
    _verify_state(rules, position, slip)
    return position


def accept(rules: RouletteRules, slip: RouletteSlip) -> CompiledBet:
    """Compile a bet that is on the table, new or imprisoned.

    Raises RuleViolation unless it exists on this cloth and can be in this state. A new bet is
    placed with `place`.
    """
    return _compile(rules, _position(rules, slip), slip)


def place(rules: RouletteRules, slip: RouletteSlip) -> CompiledBet:
    """Compile a bet that may be placed now.

    Raises RuleViolation as `accept` does, and unless the bet is new and comes to whole cents for
    every result. READING-2: no document rounds. So a stake that some outcome, or a later one en
    prison, would divide into parts of a cent is refused here.
    """
    position = _position(rules, slip)
    if slip.state is not None:
        what = f"a new bet has no state, found {shown(slip.state)}"
        raise RuleViolation(STATE_NOT_POSSIBLE, what, "state")
    placed = _compile(rules, position, slip)
    verify_whole(rules, placed)
    return placed


def verify_whole(rules: RouletteRules, bet: CompiledBet) -> None:
    """Raise RuleViolation at a new bet that a later outcome could divide into parts of a cent."""
    unit = whole_unit(rules, bet.chance)
    if bet.state is None and bet.stake % unit:
        what = (
            f"stake {bet.stake} on {bet.chance.kind} is not a multiple of {unit} cents, and a "
            f"zero ({rules.zero_article}) may divide it into {unit} parts"
        )
        raise RuleViolation(STAKE_NOT_DIVISIBLE, what, "stake")


def _compile(rules: RouletteRules, position: Position, slip: RouletteSlip) -> CompiledBet:
    verdicts = verdict_row(rules, position, slip.state, slip.choice or DEFAULT_CHOICE)
    at_terminal = slip.terminal or False
    return CompiledBet(
        slip.id, slip.stake, verdicts, position, slip.player, slip.state, at_terminal
    )

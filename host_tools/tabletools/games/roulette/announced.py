"""Bets that are announced or made with coloured chips, as the bets they stand for.

A call bet (annonce) is a bundle: so many chips of one value, each on a place of the cloth. Which
are accepted the table states (hc2023 and hc2011 1:1(5)); what they consist of is customary and in
no document, as is the order of the single-zero wheel (READING-9). A coloured chip has the value
that its player chose (hc2023 2:3(1) and 2:4(1), hc2011 2:3(1)).
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta

from tabletools.games.roulette.editions import RouletteRules
from tabletools.games.roulette.layout import KINDS, ORDERS
from tabletools.games.roulette.placing import RouletteSlip
from tabletools.rules.bets import AtTerminal
from tabletools.rules.codes.bets import (
    BET_NOT_OFFERED,
    SELECTION_INVALID,
    UNKNOWN_BET,
    UNKNOWN_NUMBER,
)
from tabletools.rules.codes.stakes import LIMITS_INVALID, STAKE_NOT_DIVISIBLE, STAKE_OUT_OF_RANGE
from tabletools.rules.declared import Declared, Stake, Text, needed
from tabletools.rules.money import verify_stake
from tabletools.rules.violation import RuleViolation, shown, within

NEIGHBOURS = "neighbours"
_SERIES: Mapping[str, str] = {
    "voisins": "0-2-3 0-2-3 4-7 12-15 18-21 19-22 25-26-28-29 25-26-28-29 32-35",
    "zero_game": "0-3 12-15 26 32-35",
    "tiers": "5-8 10-11 13-16 23-24 27-30 33-36",
    "orphelins": "1 6-9 14-17 17-20 31-34",
}
"""One chip each, on a single-zero wheel; a place that is named twice has two."""
CALL_BETS = (*_SERIES, NEIGHBOURS)
_USUAL_NEIGHBOURS, _MOST_NEIGHBOURS = 2, 9
_KIND_OF = {count: kind for kind, count in KINDS.items() if count <= 4}
_COLOURED = {"hc2011": ("american", "american00"), "hc2023": ("american", "american00", "quick")}
"""Variants with coloured chips, by edition."""
MOST_CHIPS = 100_000


class CallBet(Declared, frozen=True, kw_only=True):
    """An announced bundle of bets. stake: cents of all its chips together."""

    id: Annotated[Text, Meta(description="Unique in its round; its bets are `ID/1`, `ID/2` ...")]
    player: Text | None = None
    call: Annotated[Text, Meta(extra_json_schema={"enum": [*CALL_BETS]})]
    number: Annotated[Text | None, Meta(description="The number in the middle of neighbours.")] = (
        None
    )
    sides: Annotated[
        int | None,
        Meta(
            description="Neighbours on each side; left out: 2.",
            extra_json_schema={"minimum": 1, "maximum": _MOST_NEIGHBOURS},
        ),
    ] = None
    stake: Stake
    terminal: AtTerminal = None


class Colour(Declared, frozen=True, kw_only=True):
    """Whose chips have a colour, and what one is worth."""

    player: Text
    value: Annotated[
        Stake | None,
        Meta(description="Cents; left out: not cashed at leaving, so the minimum of the table."),
    ] = None


class ChipBet(Declared, frozen=True, kw_only=True):
    """A bet of coloured chips; its other fields are those of a bet."""

    id: Text
    colour: Text
    chips: Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": MOST_CHIPS})]
    bet: Text
    numbers: tuple[Text, ...] | None = None
    index: int | None = None
    choice: Text | None = None


def places_of(rules: RouletteRules, call: CallBet) -> Sequence[Sequence[str]]:
    """Return the numbers below each chip of a call bet. Raises RuleViolation."""
    if call.call not in CALL_BETS:
        what = f"call bet {shown(call.call)} is not known; known: {' '.join(CALL_BETS)}"
        raise RuleViolation(UNKNOWN_BET, what, "call")
    if call.call == NEIGHBOURS:
        return _neighbours(rules, call)
    for name in ("number", "sides"):
        if getattr(call, name) is not None:
            raise RuleViolation(SELECTION_INVALID, f"{call.call} has no {name}", name)
    if len(rules.wheel.zeros) > 1:
        what = f"{call.call} is a call bet of a single-zero wheel, {rules.name} has two"
        raise RuleViolation(BET_NOT_OFFERED, what, "call")
    return [place.split("-") for place in _SERIES[call.call].split()]


def _neighbours(rules: RouletteRules, call: CallBet) -> list[list[str]]:
    middle = needed(call.number, "number")
    order = ORDERS[rules.wheel.name]
    if middle not in order:
        what = f"number {shown(middle)} is not on the wheel of {rules.name}"
        raise RuleViolation(UNKNOWN_NUMBER, what, "number")
    sides = _USUAL_NEIGHBOURS if call.sides is None else call.sides
    if not 1 <= sides <= _MOST_NEIGHBOURS:
        what = f"{shown(sides)} neighbours on each side; allowed: 1 to {_MOST_NEIGHBOURS}"
        raise RuleViolation(SELECTION_INVALID, what, "sides")
    place = order.index(middle)
    return [[order[(place + step) % len(order)]] for step in range(-sides, sides + 1)]


def bets_of_call(rules: RouletteRules, call: CallBet) -> list[RouletteSlip]:
    """Return the bets that a call bet stands for. Raises RuleViolation.

    The stake is a whole number of chips of the same value, or it is refused: no rule says which
    place would get more.
    """
    verify_stake(call.stake)
    places = places_of(rules, call)
    if call.stake % len(places):
        what = f"stake {call.stake} on {call.call} does not divide by its {len(places)} chips"
        raise RuleViolation(STAKE_NOT_DIVISIBLE, what, "stake")
    chip = call.stake // len(places)
    chips: dict[tuple[str, ...], int] = {}
    for numbers in places:
        chips[tuple(numbers)] = chips.get(tuple(numbers), 0) + 1
    return [
        RouletteSlip(
            id=f"{call.id}/{number}",
            player=call.player,
            bet=_KIND_OF[len(numbers)],
            numbers=numbers,
            stake=chip * count,
            terminal=call.terminal,
        )
        for number, (numbers, count) in enumerate(chips.items(), start=1)
    ]


def verify_accepted(call: CallBet, accepted: Sequence[str]) -> None:
    """Raise RuleViolation unless the table accepts a call bet. accepted: as the table states."""
    if call.call not in accepted:
        names = " ".join(accepted) or "none"
        what = f"this table does not accept {shown(call.call)} (1:1(5)), accepted: {names}"
        raise RuleViolation(BET_NOT_OFFERED, what, "call")


def verify_call_names(names: Sequence[str]) -> None:
    """Raise RuleViolation at a name of no call bet, of those that a table accepts."""
    for place, name in enumerate(names):
        if name not in CALL_BETS:
            what = f"no call bet is called {shown(name)}, known: {' '.join(CALL_BETS)}"
            raise RuleViolation(LIMITS_INVALID, what, f"call_bets[{place}]")


def bet_of_chips(
    rules: RouletteRules, chip: ChipBet, colours: Mapping[str, Colour], minimum: int | None
) -> RouletteSlip:
    """Return the bet that coloured chips stand for. Raises RuleViolation.

    minimum: of the table, cents; None if it states none.
    """
    if rules.variant not in _COLOURED[rules.edition]:
        what = f"{rules.name} is not played with coloured chips"
        raise RuleViolation(BET_NOT_OFFERED, what, "colour")
    colour = colours.get(chip.colour)
    if colour is None:
        known = " ".join(map(shown, colours)) or "none"
        what = f"colour {shown(chip.colour)} has no player and no value; known: {known}"
        raise RuleViolation(UNKNOWN_BET, what, "colour")
    if not 1 <= chip.chips <= MOST_CHIPS:
        what = f"{shown(chip.chips)} chips; allowed: 1 to {MOST_CHIPS}"
        raise RuleViolation(STAKE_OUT_OF_RANGE, what, "chips")
    value = minimum if colour.value is None else colour.value
    if value is None:
        what = f"colour {shown(chip.colour)} has no value, and the table states no minimum"
        raise RuleViolation(LIMITS_INVALID, what, "colour")
    with within("chips"):
        verify_stake(value * chip.chips)
    return RouletteSlip(
        id=chip.id,
        player=colour.player,
        bet=chip.bet,
        numbers=chip.numbers,
        index=chip.index,
        choice=chip.choice,
        stake=value * chip.chips,
    )

"""Big Wheel and Money Wheel rounds as records: `{"pays":10}` or a void."""

from typing import Annotated

from msgspec import Meta

from tabletools.rules import money_wheel
from tabletools.rules.declared import Text, needed, verify_names
from tabletools.rules.game import Game
from tabletools.rules.money import MAX_ODDS
from tabletools.rules.violation import within
from tabletools.settle import records
from tabletools.settle.records import Schema
from tabletools.settle.table_game import Table, TableGame, single

_NUMBERS = {str(number): number for number in range(1, MAX_ODDS + 1)}
"""Payout numbers by their name in an object."""
_RANGE: Schema = {"minimum": 1, "maximum": MAX_ODDS}
_ON: Schema = {
    "type": "array",
    "prefixItems": [{"type": "integer", **_RANGE}, {"type": "string"}],
    "items": False,
    "minItems": 1,
    "description": "Payout number, with its mark where segments of it are bets apart.",
}
_Number = Annotated[int, Meta(extra_json_schema=dict(_RANGE))]


class WheelOutcome(records.Outcome, frozen=True, kw_only=True):
    """Where the wheel stopped."""

    pays: Annotated[_Number | None, Meta(description="Payout number at the flapper.")] = None
    mark: Annotated[Text | None, Meta(description="Of the segment, as in the bets.")] = None


class BigWheelOutcome(WheelOutcome, frozen=True, kw_only=True):
    """Where the wheel stopped, and what a jackpot came to."""

    jackpot: Annotated[
        int | None,
        Meta(
            description="Times the bet the jackpot came to, for those who chose it.",
            extra_json_schema={
                "minimum": money_wheel.JACKPOT_RANGE[0],
                "maximum": money_wheel.JACKPOT_RANGE[-1],
            },
        ),
    ] = None


class BigWheelTable(Table, frozen=True, kw_only=True):
    """Limits, and whether a jackpot is linked."""

    jackpot: Annotated[bool | None, Meta(description="Whether one is linked; left out: no.")] = (
        None
    )


class MoneyWheelTable(Table, frozen=True, kw_only=True):
    """Limits, and the odds displayed."""

    odds: Annotated[
        dict[Text, _Number] | None,
        Meta(
            description="Winnings per stake by payout number; left out: the number itself.",
            extra_json_schema={"minProperties": 1},
        ),
    ] = None


def _stop(game: Game, outcome: WheelOutcome, _table: Table | None) -> money_wheel.Stop:
    if not outcome.has_result():
        return money_wheel.VOID
    jackpot = outcome.jackpot if isinstance(outcome, BigWheelOutcome) else None
    with within("outcome"):
        return money_wheel.stop_of(game, needed(outcome.pays, "pays"), outcome.mark, jackpot)


def _big_wheel_at(_game: Game, table: BigWheelTable) -> Game:
    return money_wheel.big_wheel(jackpot=table.jackpot or False)


def _money_wheel_at(game: Game, table: MoneyWheelTable) -> Game:
    if table.odds is None:
        return game
    with within("odds"):
        verify_names(table.odds, _NUMBERS)
    return money_wheel.money_wheel({_NUMBERS[name]: odds for name, odds in table.odds.items()})


_BIG_WHEEL = TableGame(
    name="big_wheel",
    games=single(money_wheel.BIG_WHEELS),
    outcome=BigWheelOutcome,
    table=BigWheelTable,
    read_outcome=_stop,
    example=(
        [{"id": "1", "bet": "segment", "on": [45], "stake": 500, "choice": "jackpot"}],
        {"pays": 45, "jackpot": 120},
    ),
    on_schemas={money_wheel.SEGMENT: _ON},
    at_table=_big_wheel_at,
)
_MONEY_WHEEL = TableGame(
    name="money_wheel",
    games=single(money_wheel.MONEY_WHEELS),
    outcome=WheelOutcome,
    table=MoneyWheelTable,
    read_outcome=_stop,
    example=([{"id": "1", "bet": "segment", "on": [10], "stake": 500}], {"pays": 10}),
    on_schemas={money_wheel.SEGMENT: _ON},
    at_table=_money_wheel_at,
)
WHEELS = {game.name: game for game in (_BIG_WHEEL, _MONEY_WHEEL)}
"""By id."""

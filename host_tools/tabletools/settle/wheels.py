"""Big Wheel and Money Wheel rounds as records: `{"pays":10}` or a void."""

from tabletools.rules import money_wheel
from tabletools.rules.game import Game
from tabletools.rules.money import MAX_ODDS
from tabletools.rules.refusal import within
from tabletools.settle.records import read_outcome
from tabletools.settle.strict_json import Fields
from tabletools.settle.table_game import TableGame, single
from tabletools.settle.table_schema import TEXT, TEXT_OR_NULL, Schema, result_or_void

_NUMBERS = {str(number): number for number in range(1, MAX_ODDS + 1)}
"""Payout numbers by their name in an object."""

_BOOLEAN: Schema = {"type": ["boolean", "null"]}
_NUMBER: Schema = {"type": "integer", "minimum": 1, "maximum": MAX_ODDS}
_ON: Schema = {
    "type": "array",
    "prefixItems": [_NUMBER, TEXT],
    "items": False,
    "minItems": 1,
    "description": "Payout number, with its mark where segments of it are bets apart.",
}
_PAYS: Schema = {**_NUMBER, "description": "Payout number at the flapper."}
_MARK: Schema = {**TEXT_OR_NULL, "description": "Of the segment, as in the bets."}
_JACKPOT: Schema = {
    "type": ["integer", "null"],
    "minimum": money_wheel.JACKPOT_RANGE[0],
    "maximum": money_wheel.JACKPOT_RANGE[-1],
    "description": "Times the bet the jackpot came to, for those who chose it.",
}


def _read_stop(fields: Fields, game: Game) -> money_wheel.Stop:
    names = ("pays", "mark", "jackpot") if game.edition == "hc2011" else ("pays", "mark")

    def key_of(outcome: Fields) -> money_wheel.Stop:
        return money_wheel.stop_of(
            game,
            outcome.integer("pays"),
            outcome.optional_text("mark"),
            outcome.optional_integer("jackpot"),
        )

    stop: money_wheel.Stop = read_outcome(fields, names, key_of, void=money_wheel.VOID)
    return stop


def _big_wheel_at(_game: Game, table: Fields) -> Game:
    return money_wheel.big_wheel(jackpot=table.optional_boolean("jackpot") or False)


def _money_wheel_at(game: Game, table: Fields) -> Game:
    record = table.get("odds")
    if record is None:
        return game
    with within("odds"):
        fields = Fields(record, _NUMBERS)
        odds = {_NUMBERS[name]: fields.integer(name) for name in fields.names()}
    return money_wheel.money_wheel(odds)


_BIG_WHEEL = TableGame(
    name="big_wheel",
    games=single(money_wheel.BIG_WHEELS),
    read_outcome=_read_stop,
    outcome_schema=result_or_void({"pays": _PAYS, "mark": _MARK, "jackpot": _JACKPOT}, "pays"),
    example=(
        [{"id": "1", "bet": "segment", "on": [45], "stake": 500, "choice": "jackpot"}],
        {"pays": 45, "jackpot": 120},
    ),
    on_schemas={money_wheel.SEGMENT: _ON},
    options={"jackpot": {**_BOOLEAN, "description": "Whether one is linked; left out: no."}},
    at_table=_big_wheel_at,
)
_MONEY_WHEEL = TableGame(
    name="money_wheel",
    games=single(money_wheel.MONEY_WHEELS),
    read_outcome=_read_stop,
    outcome_schema=result_or_void({"pays": _PAYS, "mark": _MARK}, "pays"),
    example=([{"id": "1", "bet": "segment", "on": [10], "stake": 500}], {"pays": 10}),
    on_schemas={money_wheel.SEGMENT: _ON},
    options={
        "odds": {
            "type": ["object", "null"],
            "additionalProperties": _NUMBER,
            "minProperties": 1,
            "description": "Winnings per stake by payout number; left out: the number itself.",
        }
    },
    at_table=_money_wheel_at,
)
WHEELS = {game.name: game for game in (_BIG_WHEEL, _MONEY_WHEEL)}
"""By id."""

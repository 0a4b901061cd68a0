"""Money Wheel, hc2023 2:5 (rulebook 4): the odds are what the wheel or the table displays.

A number n without displayed odds pays n:1 (READING-13).
"""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta

from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.declared import Text, verify_names
from tabletools.rules.game import Game
from tabletools.rules.money import MAX_ODDS
from tabletools.rules.segments import (
    ON,
    SEGMENT,
    Number,
    WheelOutcome,
    read_stop,
    segment_kind,
    verify_stop,
)
from tabletools.rules.table_game import Table, TableGame, without_variants
from tabletools.rules.violation import RuleViolation, within


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
    printed = odds or {number: number for number in range(1, MAX_ODDS + 1)}
    kind = segment_kind(printed, "hc2023 2:5(3)", "hc2023 2:5(4)")
    rows = tuple(map(str, printed))
    return Game(
        "money_wheel", "hc2023", {SEGMENT: kind}, rows, "hc2023 2:5(1)", verify=verify_stop
    )


GAMES: Mapping[str, Game] = {"hc2023": money_wheel()}
"""By edition, as settled without a table."""

_NUMBERS = {str(number): number for number in range(1, MAX_ODDS + 1)}
"""Payout numbers by their name in an object."""


class MoneyWheelTable(Table, frozen=True, kw_only=True):
    """Limits, and the odds displayed."""

    odds: Annotated[
        dict[Text, Number] | None,
        Meta(
            description="Winnings per stake by payout number; left out: the number itself.",
            extra_json_schema={"minProperties": 1},
        ),
    ] = None


def _at_table(game: Game, table: MoneyWheelTable) -> Game:
    if table.odds is None:
        return game
    with within("odds"):
        verify_names(table.odds, _NUMBERS)
    return money_wheel({_NUMBERS[name]: odds for name, odds in table.odds.items()})


GAME = TableGame(
    name="money_wheel",
    measured="slip",
    games=without_variants(GAMES),
    outcome=WheelOutcome,
    table=MoneyWheelTable,
    read_outcome=read_stop,
    example=([{"id": "1", "bet": "segment", "on": [10], "stake": 500}], {"pays": 10}),
    on_schemas={SEGMENT: ON},
    at_table=_at_table,
)

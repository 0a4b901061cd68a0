"""Big Wheel, hc2011 4:2 (rulebook 4): the odds are printed, and a jackpot may be linked."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta

from tabletools.rules.codes.outcomes import UNKNOWN_STOP
from tabletools.rules.game import Game, PrintedTable
from tabletools.rules.segments import (
    ON,
    SEGMENT,
    Jackpot,
    Stop,
    WheelOutcome,
    read_stop,
    segment_kind,
    verify_stop,
)
from tabletools.rules.table_game import Table, TableGame, without_variants
from tabletools.rules.violation import RuleViolation, within

PAY, JACKPOT = "pay", "jackpot"
CHOICES = (PAY, JACKPOT)
"""The choice of a winner on a jackpot position: 45 times the bet, or the jackpot (4:2(6))."""
JACKPOT_NUMBER = 45
JACKPOT_RANGE = range(20, 201)
"""Times the bet; the jackpot draws a value between, an input here (READING-15)."""

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
    kind = segment_kind(
        ODDS_2011,
        "hc2011 4:2(5)",
        "hc2011 4:2(4)",
        Jackpot(JACKPOT_NUMBER, CHOICES, "hc2011 4:2(6), 4:2(5)") if jackpot else None,
    )
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


GAMES: Mapping[str, Game] = {"hc2011": big_wheel()}
"""By edition, as settled without a table."""


class BigWheelOutcome(WheelOutcome, frozen=True, kw_only=True):
    """Where the wheel stopped, and what a jackpot came to."""

    jackpot: Annotated[
        int | None,
        Meta(
            description="Times the bet the jackpot came to, for those who chose it.",
            extra_json_schema={
                "minimum": JACKPOT_RANGE[0],
                "maximum": JACKPOT_RANGE[-1],
            },
        ),
    ] = None


class BigWheelTable(Table, frozen=True, kw_only=True):
    """Limits, and whether a jackpot is linked."""

    jackpot: Annotated[bool | None, Meta(description="Whether one is linked; left out: no.")] = (
        None
    )


def _read(game: Game, outcome: BigWheelOutcome, table: Table | None) -> Stop:
    stop, jackpot = read_stop(game, outcome, table), outcome.jackpot
    if jackpot is None:
        return stop
    with within("outcome.jackpot"):
        if not game.kinds[SEGMENT].choices or stop.pays != JACKPOT_NUMBER:
            what = f"a jackpot is played on a {JACKPOT_NUMBER} only, where one is linked"
            raise RuleViolation(UNKNOWN_STOP, what)
        if jackpot not in JACKPOT_RANGE:
            what = f"the jackpot is {jackpot} times the bet; allowed: 20 to 200"
            raise RuleViolation(UNKNOWN_STOP, what)
    return stop._replace(jackpot=jackpot)


def _at_table(_game: Game, table: BigWheelTable) -> Game:
    return big_wheel(jackpot=table.jackpot or False)


GAME = TableGame(
    name="big_wheel",
    measured="slip",
    games=without_variants(GAMES),
    outcome=BigWheelOutcome,
    table=BigWheelTable,
    read_outcome=_read,
    example=(
        [{"id": "1", "bet": "segment", "on": [45], "stake": 500, "choice": "jackpot"}],
        {"pays": 45, "jackpot": 120},
    ),
    on_schemas={SEGMENT: ON},
    at_table=_at_table,
)

"""A draw machine: one draw of Keno, 20 of 80 balls."""

from collections.abc import Mapping
from typing import Any

from hil_tests.emulators.draw_machine.model import DrawSetup
from hil_tests.emulators.draw_machine.operator import BallDraw
from tabletools.cli.play.stage import Stage, until_it_counts
from tabletools.decode import draws
from tabletools.play import Felt, Game
from tabletools.play.players import Bet

WORDS = (
    "A draw machine: twenty of eighty balls of Keno, each read twice, as it falls and at rest.",
)


def _outcome(record: Mapping[str, Any]) -> dict[str, object]:
    return {"drawn": draws.numbers(dict(record))}


# What the house pays, to one: numbers chosen, numbers hit.
PAYS = {"1": {"1": 2}, "2": {"2": 9}, "3": {"2": 1, "3": 25}}
FELT = Felt(
    {"rules": "hc2023", "game": "keno", "table": {"pays": PAYS}},
    {"draw_result": _outcome},
    "hc2023 5:2(2)",
)
BETS: tuple[Bet, ...] = (
    {"player": "Ada", "bet": "numbers", "on": [7], "stake": 200},
    {"player": "Ben", "bet": "numbers", "on": [12, 40], "stake": 200},
    {"player": "Cleo", "bet": "numbers", "on": [2, 33, 71], "stake": 500},
)


def play(stage: Stage) -> Game:
    """Play a draw that counts; nobody bets on the one the machine opens after it."""

    def told() -> list[int]:
        return game.settled[-1].round["outcome"].get("drawn", []) if game.settled else []

    def wishes() -> list[Bet]:
        return [] if told() else [dict(bet) for bet in BETS]

    def differs(drawn: BallDraw) -> str:
        is_told = not told() or told() == sorted(drawn.rested)
        return "" if is_told else f"the table said {told()}, drawn were {drawn.true}"

    game = Game(FELT, wishes, stage.screen, keys=stage.keys)
    with stage.table(DrawSetup(), game) as table:
        until_it_counts(table, game, differs)
    return game

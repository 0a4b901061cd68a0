"""A money wheel: one turn of 52 segments, by the rules of hc2023."""

from hil_tests.emulators.money_wheel.model import MoneyWheelSetup
from hil_tests.emulators.money_wheel.operator import Turn
from tabletools.cli.play.stage import Stage, until_it_counts
from tabletools.play import Felt, Game
from tabletools.play.house import MINIMUM_CENTS
from tabletools.play.players import Bet

WORDS = ("A money wheel: set in motion, pushed once more, four turns at least.",)
FELT = Felt(
    {"rules": "hc2023", "game": "money_wheel", "table": {"minimum": MINIMUM_CENTS}},
    {"money_wheel_result": lambda record: {"pays": record["pays"]}},
    "hc2023 2:5(1)",
)
BETS: tuple[Bet, ...] = (
    {"player": "Ada", "bet": "segment", "on": [1], "stake": 1000},
    {"player": "Ben", "bet": "segment", "on": [3], "stake": 1000},
    {"player": "Ben", "bet": "segment", "on": [10], "stake": 500},
    {"player": "Cleo", "bet": "segment", "on": [45], "stake": 500},
)


def play(stage: Stage) -> Game:
    """Play a turn that counts."""
    game = Game(FELT, lambda: [dict(bet) for bet in BETS], stage.screen, keys=stage.keys)

    def differs(turn: Turn) -> str:
        told = game.settled[-1].round["outcome"].get("pays")
        is_told = told is None or told == turn.pays
        return "" if is_told else f"the table said {told}, the wheel shows {turn.pays}"

    with stage.table(MoneyWheelSetup(52), game) as table:
        until_it_counts(table, game, differs)
    return game

"""A dice tray: one throw of three dice, Sic Bo by the rules of hc2023."""

from collections.abc import Mapping
from typing import Any

from hil_tests.emulators.dice_tray.model import TraySetup
from tabletools.cli.play.stage import Stage, until_it_counts
from tabletools.play import Felt, Game
from tabletools.play.house import MINIMUM_CENTS
from tabletools.play.players import Bet

WORDS = ("Sic Bo: three dice thrown against the far wall, read by the camera above the tray.",)


def _outcome(record: Mapping[str, Any]) -> dict[str, object]:
    faces = (record[f"die_{place}"] for place in range(1, 7))
    return {"dice": [face for face in faces if face]}


FELT = Felt(
    {"rules": "hc2023", "game": "sic_bo", "table": {"minimum": MINIMUM_CENTS}},
    {"dice_result": _outcome},
    "hc2023 4:2(3)",
)
BETS: tuple[Bet, ...] = (
    {"player": "Ada", "bet": "small", "stake": 1000},
    {"player": "Ben", "bet": "big", "stake": 1000},
    {"player": "Ben", "bet": "single", "on": [6], "stake": 500},
    {"player": "Cleo", "bet": "two", "on": [1, 2], "stake": 500},
)


def play(stage: Stage) -> Game:
    """Play a throw that counts."""
    game = Game(FELT, lambda: [dict(bet) for bet in BETS], stage.screen, keys=stage.keys)

    def differs(thrown: Any) -> str:
        told = game.settled[-1].round["outcome"].get("dice")
        is_told = told is None or tuple(told) == thrown.dice
        return "" if is_told else f"the table said {told}, there lie {thrown.true}"

    with stage.table(TraySetup(3), game) as table:
        until_it_counts(table, game, differs)
    return game

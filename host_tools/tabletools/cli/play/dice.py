"""A dice tray: one throw of three dice, Sic Bo by the rules of hc2023."""

from typing import Any

from hil_tests.emulators.dice_tray.model import TraySetup
from tabletools.cli.play.stage import MINIMUM_CENTS, Act, Evening
from tabletools.evidence import Terms
from tabletools.play.players import Bet, always

BETS: tuple[Bet, ...] = (
    {"player": "Ada", "bet": "small", "stake": 1000},
    {"player": "Ben", "bet": "big", "stake": 1000},
    {"player": "Ben", "bet": "single", "on": [6], "stake": 500},
    {"player": "Cleo", "bet": "two", "on": [1, 2], "stake": 500},
)


def perform(evening: Evening, _table: Any) -> None:
    """Play a throw that is not void."""

    def differs(thrown: Any) -> str:
        told = evening.told("dice")
        is_told = told is None or tuple(told) == thrown.dice
        return "" if is_told else f"the table said {told}, the dice show {thrown.true}"

    evening.until_it_counts(differs)


ACT = Act(
    "dice",
    ("Sic Bo: three dice thrown against the far wall, read by the camera above the tray.",),
    TraySetup(3),
    Terms("sic_bo", "hc2023", None, {"minimum": MINIMUM_CENTS}, void_policy="stand"),
    always(BETS),
    perform,
    # Three dice on three plates often sound like two hits: here the croupier watches the wall.
    changed={"wall_hits": 2},
)
